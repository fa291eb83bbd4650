"""What a student hears of a kernel that doesn't build, and which kernels are refused for going past the referee."""

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from mpilab import build
from mpilab.build import Artifact
from mpilab.errors import HarnessError
from mpilab.submission import Submission
from mpilab.verdict import Kind, Verdict

C = """struct kernel { int x; };
int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    return (void)comm, (void)shape, (void)in, (void)out, (void)self, 0;
}
int kernel_run(struct kernel *self) {
    return (void)self, 0;
}
int kernel_free(struct kernel **self) { return (void)self, 0; }
"""
RUN = "    return (void)self, 0;\n}\nint kernel_free"
PYTHON = """class Kernel:
    def __init__(self, comm, shape, in_, out):
        pass
    def run(self):
        pass
    def free(self):
        pass
"""


def c(folder: Path, text: str, name: str = "halo.c") -> Artifact | Verdict:
    """Build C source."""
    return build.build(Submission(name, "c", text), folder)


def python(folder: Path, text: str, name: str = "halo.py") -> Artifact | Verdict:
    """Build Python source."""
    return build.build(Submission(name, "python", text), folder)


def refusal(found: Artifact | Verdict, kind: Kind = Kind.BUILD_FAILED) -> str:
    """Return the message of the verdict that `found` must be."""
    assert isinstance(found, Verdict), found
    assert found.kind is kind
    return found.message


def with_run(body: str, before: str = "") -> str:
    """Return the C kernel with `body` in its kernel_run and `before` in front of all."""
    changed = C.replace(RUN, "    " + body + "\n" + RUN)
    assert changed != C
    return before + changed


def test_a_sound_c_kernel_becomes_a_library(tmp_path: Path) -> None:
    """A kernel that compiles without a remark is a library that holds its three functions."""
    built = c(tmp_path, C)
    assert isinstance(built, Artifact)
    assert (built.language, built.warnings) == ("c", "")
    assert built.path.read_bytes().startswith(b"\x7fELF")


def test_other_code_has_another_path(tmp_path: Path) -> None:
    """Loaders remember libraries by path: other code, other path; the same code, the same."""
    first, again, other = c(tmp_path, C), c(tmp_path, C), c(tmp_path, C + "\n")
    assert isinstance(first, Artifact)
    assert isinstance(other, Artifact)
    assert first == again
    assert first.path != other.path


def test_a_compile_error_names_the_students_file_and_line(tmp_path: Path) -> None:
    """The compiler's message comes with the file as the student knows it, the line, and no path of ours."""
    message = refusal(c(tmp_path, with_run("int x = ;")))
    assert re.search(r"^halo\.c:6:\d+: error:", message, re.MULTILINE)
    assert str(tmp_path) not in message
    assert str(build.C_FOLDER) not in message


def test_a_warning_is_a_remark_and_no_verdict(tmp_path: Path) -> None:
    """A kernel that compiles with a warning is built, and the warning kept with its line."""
    built = c(tmp_path, with_run("int unused;"))
    assert isinstance(built, Artifact)
    assert "halo.c:6" in built.warnings


def test_a_wrong_signature_shows_the_prototype(tmp_path: Path) -> None:
    """A kernel function of another type is refused with kernel.h's prototype of it."""
    message = refusal(
        c(tmp_path, C.replace("kernel_run(struct kernel *self)", "kernel_run(struct kernel *self, int n)"))
    )
    assert re.search(r"halo\.c:5:\d+: error: conflicting types for .kernel_run", message)
    assert "kernel.h" in message
    assert "int kernel_run(struct kernel *self);" in message


@pytest.mark.parametrize("gone", ["kernel_init", "kernel_run", "kernel_free"])
def test_a_missing_function_is_named(tmp_path: Path, gone: str) -> None:
    """Each of the three functions must be there."""
    message = refusal(c(tmp_path, C.replace(f"int {gone}", f"int my_{gone}")))
    assert f"does not define {gone}" in message
    assert "halo.c" in message


def test_an_undefined_function_fails_at_build_and_not_in_the_run(tmp_path: Path) -> None:
    """A function that is declared and nowhere defined is named."""
    message = refusal(c(tmp_path, with_run("exchange();", "void exchange(void);\n")))
    assert "exchange" in message


def test_an_undeclared_function_is_an_error(tmp_path: Path) -> None:
    """A mistyped MPI call is an error with its line, not a warning."""
    message = refusal(c(tmp_path, with_run("MPI_Barier(MPI_COMM_WORLD);")))
    assert re.search(r"halo\.c:6:\d+: error: implicit declaration of function .MPI_Barier", message)


@pytest.mark.parametrize(
    "definition",
    [
        "double MPI_Wtime(void) { return 0; }",
        "int PMPI_Barrier(MPI_Comm comm) { return (void)comm, 0; }",
        "int clock_gettime(int clock, void *time) { return (void)clock, (void)time, 0; }",
        "void *mpilab_page;",
    ],
)
def test_an_own_clock_or_mpi_call_is_tampering(tmp_path: Path, definition: str) -> None:
    """A kernel that defines a name of the system, MPI or mpilab is refused with that name."""
    name = re.search(r"\w+(?=[(;])", definition)
    assert name
    assert f"halo.c defines {name[0]}" in refusal(c(tmp_path, definition + "\n" + C), Kind.TAMPERED)


@pytest.mark.parametrize(
    "body",
    [
        "PMPI_Barrier(MPI_COMM_WORLD);",
        "int (*call)(MPI_Comm) = PMPI_Barrier; call(MPI_COMM_WORLD);",
        "#pragma weak PMPI_Barrier\n    PMPI_Barrier(MPI_COMM_WORLD);",
    ],
    ids=["called", "by its address", "as a weak symbol"],
)
def test_a_call_past_the_referee_is_tampering(tmp_path: Path, body: str) -> None:
    """PMPI calls aren't seen by the referee: a kernel that makes them is refused, and told the right name."""
    message = refusal(c(tmp_path, with_run(body)), Kind.TAMPERED)
    assert "calls PMPI_Barrier" in message
    assert "call MPI_Barrier" in message


@pytest.mark.parametrize("declaration", ["static double time;", "static int clock(void) { return 1; }"])
def test_a_private_name_is_nobodys_cheat(tmp_path: Path, declaration: str) -> None:
    """A static variable or function changes nothing for anybody else, whatever its name."""
    name = re.findall(r"time|clock", declaration)[0]
    built = c(tmp_path, f"{declaration}\n{C}void *use = &{name};\n")
    assert isinstance(built, Artifact), built.message


@pytest.mark.parametrize("name", ["my kernel.c", "--help.c", "日本.c", ".hidden.c", "a;'b.c", "kernel.h.c", "@x\n.c"])
def test_odd_file_names_build(tmp_path: Path, name: str) -> None:
    """Whatever the file is called, it is built, and a mistake in it is still given with its line."""
    assert isinstance(c(tmp_path, C, name), Artifact)
    assert re.search(r"\.c:6:\d+: error:", refusal(c(tmp_path, with_run("int x = ;"), name)))
    assert isinstance(python(tmp_path, PYTHON, name.removesuffix(".c") + ".py"), Artifact)


def test_a_long_complaint_is_cut(tmp_path: Path) -> None:
    """A thousand warnings don't fill the terminal: the first lines are shown, the rest counted."""
    built = c(tmp_path, with_run("\n".join(f"int unused_{i};" for i in range(300))))
    assert isinstance(built, Artifact)
    assert len(built.warnings.splitlines()) == build.SHOW_LINES + 1
    assert re.search(r"and \d+ more lines$", built.warnings)


def test_a_kernel_that_includes_itself_ends_in_a_verdict(tmp_path: Path) -> None:
    """An include without an end is a compile error, soon."""
    assert "halo.c" in refusal(c(tmp_path, '#include "halo.c"\n' + C))


def test_a_compiler_that_takes_for_ever_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that keeps the compiler busy beyond the limit is given up, and the message says so."""
    monkeypatch.setattr(build, "BUILD_S", 1)
    bomb = "\n".join(f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1}" for i in range(1, 20))
    message = refusal(c(tmp_path, f"#define A0 1+\n{bomb}\nint x = A19 1;\n" + C))
    assert re.search("after 1 s|CPU time limit|Killed", message)


@pytest.fixture
def no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with the ordinary tools and no `cc`."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "sed", "grep", "cat", "expr", "basename", "dirname", "nm", "ld", "as", "env", "rm"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tools))
    for name in ("MPICH_CC", "CC"):
        monkeypatch.delenv(name, raising=False)
    return tools


@pytest.mark.usefixtures("no_compiler")
def test_no_compiler_is_the_machines_fault(tmp_path: Path) -> None:
    """Without `cc` no submission is blamed: the message names what is missing and how to get it."""
    with pytest.raises(HarnessError, match=r"no C compiler \(cc\)[\s\S]*apt install gcc"):
        c(tmp_path, C)


@pytest.mark.usefixtures("no_compiler")
def test_python_needs_no_compiler(tmp_path: Path) -> None:
    """A Python kernel is built on a machine without `cc`."""
    assert isinstance(python(tmp_path, PYTHON), Artifact)


def test_another_compiler_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_compiler: Path) -> None:
    """Where MPICH_CC names a compiler, `cc` isn't needed."""
    gcc = shutil.which("gcc", path=os.defpath)
    if not gcc:
        pytest.skip("no gcc")
    assert no_compiler
    monkeypatch.setenv("MPICH_CC", gcc)
    assert isinstance(c(tmp_path, C), Artifact)


def test_a_sound_python_kernel_is_its_source(tmp_path: Path) -> None:
    """A Python kernel is copied, letter by letter, and never executed here."""
    text = PYTHON + "raise SystemExit('executed')\n# ü\n"
    built = python(tmp_path, text)
    assert isinstance(built, Artifact)
    assert built.path.read_text(encoding="utf-8") == text


def test_a_python_syntax_error_is_shown_with_its_line(tmp_path: Path) -> None:
    """The file, the line's number and the line itself come with Python's complaint."""
    message = refusal(python(tmp_path, PYTHON.replace("def run(self):", "def run(self:")))
    assert message.startswith("halo.py:4:")
    assert "def run(self:" in message


def test_a_file_without_the_class_says_so(tmp_path: Path) -> None:
    """Only a class called Kernel at the top level counts."""
    for text in ("x = 1", PYTHON.replace("Kernel", "Halo"), "if True:\n  class Kernel: pass"):
        assert "halo.py has no class Kernel at the top level" in refusal(python(tmp_path, text))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("def run(self):", "def go(self):"), "no method run; expected def run(self)"),
        (("def free(self):", "async def free(self):"), "no method free"),
        (("def run(self):", "def run(self, steps):"), "line 4: def run(self, steps); expected def run(self)"),
        (("def run(self):", "def run():"), "line 4: def run(); expected def run(self)"),
        (("def run(self):", "def run(self, *, steps):"), "line 4"),
        (("(self, comm, shape, in_, out)", "(self, comm)"), "expected def __init__(self, comm, shape, in_, out)"),
    ],
)
def test_a_wrong_method_is_shown_beside_the_right_one(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    """A method that is missing, or can't be called as the harness calls it, is named with what was expected."""
    assert said in refusal(python(tmp_path, PYTHON.replace(*change)))


@pytest.mark.parametrize(
    "change",
    [
        ("def run(self):", "def run(self, again=False):"),
        ("def run(self):", "def run(self, /):"),
        ("def run(self):", "def run(*all):"),
        ("(self, comm, shape, in_, out)", "(me, world, size, source, target)"),
        ("(self, comm, shape, in_, out)", "(self, *arguments)"),
        ("class Kernel:", "class Kernel(object):"),
    ],
)
def test_what_can_be_called_is_taken(tmp_path: Path, change: tuple[str, str]) -> None:
    """Other parameter names, defaults and star arguments are the student's own business."""
    assert isinstance(python(tmp_path, PYTHON.replace(*change)), Artifact)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 50_000,
        "x = " + "-" * 200_000 + "1",
        "x = " + "a." * 200_000 + "a",
        "x = " + "[" * 300 + "]" * 300,
    ],
    ids=["open brackets", "minus signs", "dots", "brackets"],
)
def test_extreme_nesting_is_a_verdict(tmp_path: Path, text: str) -> None:
    """Source that Python's own parser gives up on ends in a verdict, not in a crash of the referee."""
    assert "halo.py" in refusal(python(tmp_path, text + "\n" + PYTHON))


@pytest.fixture
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("own_temporary")
def test_the_harness_libraries_are_built_once() -> None:
    """The second session finds the libraries of the first; one that a cleaner of /tmp took is built anew."""
    folder = build.libraries()
    before = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert sorted(before) == sorted(build.LIBRARIES)
    assert build.libraries() == folder
    assert {p.name: p.stat().st_mtime_ns for p in folder.iterdir()} == before
    (folder / "pmpi.so").unlink()
    assert sorted(p.name for p in build.libraries().iterdir()) == sorted(build.LIBRARIES)


def test_libraries_that_do_not_build_leave_nothing(own_temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When our own C doesn't compile it's ours to say so, and no half-built folder is taken for a whole one later."""
    broken = own_temporary / "c"
    shutil.copytree(build.C_FOLDER, broken)
    (broken / "life.c").write_text("int x = ;", encoding="utf-8")
    monkeypatch.setattr(build, "C_FOLDER", broken)
    with pytest.raises(HarnessError, match=r"mpilab's own life\.so[\s\S]*error"):
        build.libraries()
    assert not list(own_temporary.glob("mpilab-*/libraries-*"))
