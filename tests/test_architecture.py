"""What holds for the code as a whole: one direction, small pieces, one page in two languages, one spelling."""

import ast
import ctypes
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
PACKAGE = TOP / "harness" / "mpilab"
MODULES = sorted({*PACKAGE.glob("*.py"), *(path for path in PACKAGE.glob("*/*.py") if path.stem != "__init__")})
DIAGNOSIS = (
    "kinds", "findings", "log", "operations", "messages", "collectives", "order", "snapshot", "waitfor", "deadlock",
    "requests", "onesided", "analysis", "places", "watch", "timing", "pyguard",
)  # fmt: skip
TRACING = (
    "recording", "matching", "intervals", "text", "svg", "rings", "linking", "storage", "waits", "overlap", "advice",
    "summary", "tables", "timeline", "model", "gather", "export", "archive",
)  # fmt: skip
# A module may import those to its left.
ORDER = (
    "errors", "terminal", "verdict", "regions", "work", "calls", "wrappers", "protocol", "machine", "page", "manifest",
    "transport", "lab", "steps", "submission", "sweep", "sandbox", "build",
    *(f"diagnosis.{name}" for name in DIAGNOSIS), "diagnosis.program", "hosted", "engine", "engines", "rank", "cluster",
    "runner", "check", "stats", "time", "score", "record", "hints", "clusters", "attempt", "contest", "correctness",
    "referee", "report", "diagnosis.diagnose", "diagnosis.report", *(f"tracing.{name}" for name in TRACING),
    "tracing.page", "tracing.choice", "tracing.files", "tracing.kernels", "tracing.programs",
    "scaling.rows", "scaling.measure", "scaling.draw", "scaling.show", "session", "tracing.command", "guide",
    "scaling.command", "scaling.headlines", "doctor", "demo", "classroom.notebook", "classroom.cells",
    "classroom.desk", "classroom.autograde", "classroom.course", "classroom.batch",
    "classroom.similar", "classroom.overview", "classroom.command",
    "classroom.ranks", "classroom.magics", "cli", "__main__", "__init__",
)  # fmt: skip
MODULE_LINES = 330
FUNCTION_LINES = 50
TINY = 40  # lines of a module that needs no theory of operation


def name_of(path: Path) -> str:
    """A module's name in ORDER: `diagnosis.log`, or `__init__` for that of the package itself."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each of mpilab's modules that the code imports, wherever in it that is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "mpilab"]
        elif isinstance(node, ast.ImportFrom) and node.level:
            names = [f"relative.{'.' * node.level}{node.module or ''}"]
        elif isinstance(node, ast.ImportFrom) and node.module == "mpilab":
            names = [f"mpilab.{alias.name}" for alias in node.names if alias.name != "__version__"]
        elif isinstance(node, ast.ImportFrom) and (PACKAGE.parent / (node.module or "").replace(".", "/")).is_dir():
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mpilab."):
            names = [node.module or ""]
        else:
            continue
        yield from ((node.lineno, name.partition(".")[2] or "__init__") for name in names)


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Yield name and content of each tracked text file."""
    command = ["git", "-c", f"safe.directory={TOP}", "-C", str(TOP), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        path = TOP / name
        if path.is_file() and path.name not in ("requirements.lock", "CHANGELOG.md"):
            content = path.read_bytes()
            if b"\0" not in content:
                yield name, content.decode("utf-8")


def lines_with(pattern: str) -> list[str]:
    """Return `file:line: text` of each tracked line that `pattern` is found in."""
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in tracked_texts()
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, line, re.IGNORECASE)
    ]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_only_to_the_left(path: Path) -> None:
    """A module imports only modules that stand before it in ORDER: in functions and for type checkers too."""
    own = name_of(path)
    assert own in ORDER, f"{own} is new: put its name into ORDER, right of all it imports"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if own == "__init__":
        tree.body = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]  # imports on first use
    for line, name in imported(tree):
        assert name in ORDER, f"{path.name}:{line} imports {name}, which ORDER does not know"
        message = f"{path.name}:{line} imports {name}, which stands right of it: move what both need to the left"
        assert ORDER.index(name) < ORDER.index(own), message


def test_the_order_names_only_modules_that_exist() -> None:
    """ORDER holds no module that is gone, and none twice."""
    assert sorted(ORDER) == sorted(map(name_of, MODULES))


@pytest.mark.parametrize(
    "code",
    [
        "import mpilab.cli",
        "from mpilab import cli",
        "from mpilab.cli import main",
        "def f():\n    from mpilab import cli",
        "if TYPE_CHECKING:\n    from mpilab.cli import main",
    ],
)
def test_every_spelling_of_an_import_is_seen(code: str) -> None:
    """The test above sees an import of cli however it is written."""
    assert [name for _, name in imported(ast.parse(code))] == ["cli"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_are_small(path: Path) -> None:
    """A module has at most 330 lines and a function at most 50: longer ones are two things."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MODULE_LINES
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lengths = {f.name: (f.end_lineno or f.lineno) - f.lineno + 1 for f in functions}
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_open_with_their_theory_of_operation(path: Path) -> None:
    """A module's docstring says what it is for, and, when it isn't tiny, how it works."""
    text = path.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text)) or ""
    assert said, "no docstring"
    if len(text.splitlines()) >= TINY:
        assert "Theory of operation" in said
        assert len(re.findall(r"[.:?!](?:\s|$)", said)) > 1, "one sentence is no theory"


def test_the_page_has_the_same_fields_in_c_and_in_python() -> None:
    """page.py lists the fields of page.h's structures in their order, with their types and array lengths."""
    from mpilab import page

    header = (PACKAGE / "c" / "page.h").read_text(encoding="utf-8")
    lengths = {"": 1} | {name: int(value) for name, value in re.findall(r"#define (PAGE_\w+) (\d+)", header)}
    kinds = {"c_int": "int32_t", "c_uint": "uint32_t", "c_ulong": "uint64_t", "c_long": "int64_t", "c_char": "char"}
    mirrored = page._parts()
    parts = {name: type(name, (ctypes.Structure,), {"_fields_": fields}) for name, fields in mirrored.items()}
    for struct, fields in {**mirrored, "rank_page": page._fields(parts)}.items():
        match = re.search(rf"struct {struct} \{{(.*?)\n\}};", header, re.DOTALL)
        assert match, struct
        code = re.sub(r"/\*.*?\*/", "", match[1], flags=re.DOTALL)
        in_c = []
        for kind, names in re.findall(r"^\s*(?:struct )?(\w+) ([^;]+);", code, re.MULTILINE):
            for name, length in re.findall(r"(\w+)(?:\[(\w+)\])?", names):
                in_c.append((name, kind, lengths[length]))
        in_python = []
        for name, kind in fields:
            one = getattr(kind, "_type_", kind) if hasattr(kind, "_length_") else kind
            in_python.append((name, kinds.get(one.__name__, one.__name__), getattr(kind, "_length_", 1)))
        assert in_c == in_python, struct


def test_the_phases_have_the_same_numbers_in_c_and_in_python() -> None:
    """page.py's PHASES stand in the order of page.h's enum phase."""
    from mpilab import page

    header = (PACKAGE / "c" / "page.h").read_text(encoding="utf-8")
    match = re.search(r"enum phase \{(.*?)\}", header)
    assert match
    assert [name.lower() for name in re.findall(r"PHASE_(\w+)", match[1])] == list(page.PHASES)


def test_nonblocking_is_spelled_as_in_the_standard() -> None:
    """The MPI standard writes nonblocking, so nowhere is a hyphen or a blank in it."""
    assert lines_with("non" + "[- ]" + "blocking") == []


def test_no_file_knows_a_developers_machine() -> None:
    """No tracked file holds a path that exists only where it was written."""
    assert lines_with(r"(?<![\w.])/" + "work/" + r"|(?<![\w.])/" + r"tmp/p\b") == []
