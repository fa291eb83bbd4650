"""From a submission to an artifact: something an engine can load.

Theory of operation.  A C kernel becomes a shared library, with kernel.h force-included so that a wrong signature is a
compile error that shows both prototypes.  A Python kernel is parsed, never executed here, and its class checked.
Artifacts are named by their content's hash, because the loader remembers libraries by path.  The compiler sees the
student's file name, so its messages do too.  Kernels that go around the referee (their own MPI_Wtime, PMPI calls) are
recognised by their symbols.

The harness's own C pieces are built here as well, once a machine.
"""

import ast
import contextlib
import hashlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mpilab import sandbox, sweep, wrappers
from mpilab.errors import HarnessError
from mpilab.protocol import Language
from mpilab.submission import Submission
from mpilab.verdict import Kind, Verdict

C_FOLDER = Path(__file__).parent / "c"
KERNEL_H = C_FOLDER / "kernel.h"
BUILD_S = 15  # a hundred times what a kernel needs; an include bomb needs more
SHOW_LINES = 40  # of what the compiler says
C_FLAGS = (
    "-std=gnu11",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-fPIC",
    "-shared",
    "-pthread",
    "-Wl,-z,defs",
    "-fmax-errors=5",
)
C_ERRORS = tuple(
    f"-Werror={w}" for w in ("implicit-function-declaration", "incompatible-pointer-types", "int-conversion")
)
HARNESS_BUILD_S = 120  # our own library has 400 wrappers
LIBRARY_FLAGS = ("-std=gnu11", "-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror")
_CLANG_OFF = ("instrumentation-with-call-threshold=0", "opt=0", "stack=0", "globals=0")
CLANG_INSTRUMENT = (
    "-fsanitize=kernel-address",
    "-finstrument-functions",
    *(word for option in _CLANG_OFF for word in ("-mllvm", f"-asan-{option}")),
)
PMPI_PARTS = (
    "pmpi.c", "comms.c", "record.c", "clock.c", "sidefile.c", "log.c", "calllog.c", "place.c", "types.c", "parts.c",
    "valid.c", "partitions.c", "guard.c", "watch.c", "requests.c", "waits.c", "objects.c", "strict.c", "rma.c",
    "window.c", "program.c", "host.c", "flight.c",
)  # fmt: skip
LIBRARIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # file: its sources and flags of its own
    "life.so": (("life.c",), ("-shared", "-Wl,--as-needed")),  # must not drag MPI into every process
    # every call of the program pays: thread-local variables at fixed places, calls without a detour through the PLT
    "pmpi.so": (
        PMPI_PARTS,
        ("-shared", "-ftls-model=initial-exec", "-fno-plt", "-falign-functions=64", "-Wl,-z,now", "-ldl", "-pthread"),
    ),
    "race.o": (("race.c",), ("-c",)),
    "race_libc.o": (("race_libc.c",), ("-c",)),
}
KERNEL_FUNCTIONS = ("kernel_init", "kernel_run", "kernel_free")
KERNEL_METHODS = {"__init__": ("self", "comm", "shape", "in_", "out"), "run": ("self",), "free": ("self",)}
NOT_TO_DEFINE = re.compile(r"P?MPI_\w+|mpilab_\w+|clock_gettime|clock|gettimeofday|time")
NOT_TO_CALL = re.compile(r"PMPI_\w+|mpilab_(?!region_(begin|end)$)\w+")


@dataclass(frozen=True)
class Artifact:
    """What the engines load, and what the compiler remarked."""

    language: Language
    path: Path
    strict: Path  # for strict runs: a C kernel whose accesses to memory are watched
    warnings: str = ""


def build(submission: Submission, folder: Path, *, boxed: bool = False) -> Artifact | Verdict:
    """Build `submission` below `folder`, `boxed` in a sandbox; a verdict says why it can't be built."""
    digest = hashlib.sha256(submission.text.encode()).hexdigest()[:16]
    place = folder / f"{digest}-{submission.language}"
    name = submission.name if re.fullmatch(r"\w[\w.-]*", submission.name) else f"kernel{Path(submission.name).suffix}"
    place.mkdir(exist_ok=True, parents=True)
    source = place / name
    source.write_text(submission.text, encoding="utf-8")
    return _build_c(source, boxed) if submission.language == "c" else _build_python(source, submission.text)


def _build_c(source: Path, boxed: bool) -> Artifact | Verdict:  # noqa: FBT001 - handed on
    library = source.with_suffix(".so")
    flags = ["-include", str(KERNEL_H), *C_FLAGS, *C_ERRORS]
    code, said = compile_c([*flags, source.name, "-o", library.name], source.parent, boxed=boxed)
    if code is None:
        return Verdict(Kind.BUILD_FAILED, f"the compiler was still busy with {source.name} after {BUILD_S} s")
    if code:
        return Verdict(Kind.BUILD_FAILED, said or f"the compiler ended with status {code} and said nothing")
    return _symbols(source, library) or Artifact("c", library, _watched(source, library, boxed), said)


def _watched(source: Path, library: Path, boxed: bool) -> Path:  # noqa: FBT001 - handed on
    """The kernel once more, with every access to memory reported (c/race.c); as it is when that can't be built."""
    compiling, linking = race_flags()
    name = f"{source.stem}-strict.so"
    flags = ["-include", str(KERNEL_H), "-std=gnu11", "-w", "-fPIC", *compiling]
    code, _ = compile_c([*flags, "-c", source.name, "-o", "strict.o"], source.parent, boxed=boxed)
    if code == 0:
        linked = ["-shared", "strict.o", *linking, "-ldl", "-pthread", "-o", name]
        code, _ = compile_c(linked, source.parent, boxed=boxed)
    return source.with_name(name) if code == 0 else library


def _symbols(source: Path, library: Path) -> Verdict | None:
    """What the library's symbols say against it."""
    lines = subprocess.run(["nm", str(library)], capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [line.split()[-2:] for line in lines]
    defined = {name for kind, name in pairs if kind.isupper() and kind != "U"}  # what others would see; not `static`
    called = {name for kind, name in pairs if kind in ("U", "w", "v")}
    if missing := [f for f in KERNEL_FUNCTIONS if f not in defined]:
        return Verdict(Kind.BUILD_FAILED, f"{source.name} does not define {' and '.join(missing)} (see kernel.h)")
    if cheats := sorted(filter(NOT_TO_DEFINE.fullmatch, defined)):
        return Verdict(Kind.TAMPERED, f"{source.name} defines {cheats[0]}, which belongs to the system; rename it")
    if cheats := sorted(filter(NOT_TO_CALL.fullmatch, called)):
        return Verdict(
            Kind.TAMPERED, f"{source.name} calls {cheats[0]}, past the referee; call {cheats[0].removeprefix('P')}"
        )
    return None


def _build_python(source: Path, text: str) -> Artifact | Verdict:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, source.name)
    except SyntaxError as error:
        line = (error.text or "").rstrip()
        return Verdict(Kind.BUILD_FAILED, f"{source.name}:{error.lineno}: {error.msg}\n  {line.strip()}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Verdict(Kind.BUILD_FAILED, f"{source.name} cannot be parsed: {type(error).__name__}: {error}")
    kernels = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Kernel"]
    if not kernels:
        return Verdict(Kind.BUILD_FAILED, f"{source.name} has no class Kernel at the top level")
    methods = {node.name: node for node in kernels[-1].body if isinstance(node, ast.FunctionDef)}
    for name, parameters in KERNEL_METHODS.items():
        if complaint := _signature(methods.get(name), name, parameters):
            return Verdict(Kind.BUILD_FAILED, f"{source.name}: {complaint}")
    return Artifact("python", source, source)


def _signature(node: ast.FunctionDef | None, name: str, parameters: tuple[str, ...]) -> str:
    wanted = f"def {name}({', '.join(parameters)})"
    if node is None:
        return f"class Kernel has no method {name}; expected {wanted}"
    found = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    required = len(found) - len(node.args.defaults)
    keywords = [a.arg for a, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value is None]
    if keywords:
        return f"line {node.lineno}: def {name} needs the keyword {keywords[0]}; expected {wanted}"
    if node.args.vararg or required <= len(parameters) <= len(found):
        return ""
    return f"line {node.lineno}: def {name}({', '.join(found)}); expected {wanted}"


def compile_c(
    arguments: list[str], folder: Path, limit_s: int = BUILD_S, *, boxed: bool = False
) -> tuple[int | None, str]:
    """Run mpicc in `folder` within limits; its exit status (None: too long) and the first lines it said.

    `boxed`: in a sandbox, where it finds the system, MPI and our headers to include, and nothing else.
    """
    mpicc = Path(sys.executable).parent / "mpicc"
    compiler = _compiler()
    limits = f'ulimit -t {limit_s}; ulimit -f 400000; ulimit -v 4000000; exec "$@"'
    command, variables = ["sh", "-c", limits, "sh", str(mpicc), *arguments], dict(os.environ)
    if boxed:
        folder.chmod(0o777)  # to another user, below a folder that is ours alone
        command = sandbox.command(command, read=[C_FOLDER, libraries()], write=[folder], folder=folder)
        variables = sandbox.environment()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=variables | {"LC_ALL": "C.UTF-8", "GCC_COLORS": "", "MPICH_CC": compiler},
    )
    try:
        said = process.communicate(timeout=limit_s)[0].decode(errors="replace").replace(f"{C_FOLDER}{os.sep}", "")
    except BaseException as error:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return None, ""
        raise
    lines = [line for line in said.splitlines() if not line.startswith("In file included from")]
    more = [f"... and {len(lines) - SHOW_LINES} more lines"] if len(lines) > SHOW_LINES else []
    return process.returncode, "\n".join(lines[:SHOW_LINES] + more)


def _compiler() -> str:
    found = os.environ.get("MPICH_CC") or next(filter(shutil.which, ("cc", os.environ.get("CC", ""), "gcc")), None)
    if not found:
        raise HarnessError("there is no C compiler (cc)", then="Debian and Ubuntu: apt install gcc libc6-dev")
    return found


def race_flags() -> tuple[list[str], list[str]]:
    """What to compile and to link with, so that every access to a buffer in flight is seen (c/race.c)."""
    wrapped = re.findall(r"^WRAP\([^,]+, (\w+),", (C_FOLDER / "race_libc.c").read_text(), re.MULTILINE)
    # no optimisation: -O1 moves a read ahead of the condition that guards it, and drops one whose value isn't used
    common = [
        "-g",
        "-O0",
        "-fno-omit-frame-pointer",
        "-U_FORTIFY_SOURCE",
        *(f"-fno-builtin-{name}" for name in wrapped),
    ]
    instrument = CLANG_INSTRUMENT if "clang" in _compiler_version() else ("-fsanitize=thread",)
    objects = [str(libraries() / name) for name in ("race.o", "race_libc.o")]
    return [*common, *instrument], [*objects, *(f"-Wl,--wrap={name}" for name in wrapped)]


@cache
def _compiler_version() -> str:
    said = subprocess.run([_compiler(), "--version"], capture_output=True, text=True, check=False)
    return said.stdout.lower()


def libraries() -> Path:
    """The folder with life.so and pmpi.so, which are preloaded, and race.o; built when it isn't there yet."""
    sources = [*sorted(C_FOLDER.iterdir()), Path(wrappers.__file__)]
    how = repr((LIBRARIES, LIBRARY_FLAGS, sys.prefix)).encode()
    digest = hashlib.sha256(b"".join(p.read_bytes() for p in sources) + how).hexdigest()[:16]
    folder = sweep.base() / f"libraries-{digest}"
    if all((folder / name).is_file() for name in LIBRARIES):
        return folder
    scratch = sweep.base() / f"{os.getpid()}-{secrets.token_hex(4)}"
    scratch.mkdir()
    _write_wrappers(scratch)
    for name, (parts, more) in LIBRARIES.items():
        paths = [str(C_FOLDER / p) for p in parts]
        code, said = compile_c([*LIBRARY_FLAGS, *more, "-I.", *paths, "-o", name], scratch, HARNESS_BUILD_S)
        if code != 0:
            raise HarnessError(f"mpilab's own {name} could not be built:\n{said}", then="run `mpilab doctor`")
    folder.mkdir(exist_ok=True)
    for name in LIBRARIES:
        (scratch / name).replace(folder / name)  # whole or not at all, also when two sessions build at once
    shutil.rmtree(scratch)
    return folder


def _write_wrappers(folder: Path) -> None:
    """Write wrappers.h, made from calls.def and the MPI library's own mpi.h."""
    (folder / "empty.c").write_text("#include <mpi.h>\n", encoding="utf-8")
    code, _ = compile_c(["-E", "-P", "empty.c", "-o", "mpi.i"], folder)
    if code != 0:
        raise HarnessError("mpicc cannot read mpi.h", then="run `mpilab doctor`")
    header = (folder / "mpi.i").read_text(encoding="utf-8", errors="replace")
    definitions = (C_FOLDER / "calls.def").read_text(encoding="utf-8")
    (folder / "wrappers.h").write_text(wrappers.source(definitions, header), encoding="utf-8")
