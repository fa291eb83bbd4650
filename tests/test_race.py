"""Buffer races: each access to a buffer in flight is named at its line, and nothing else is.

The programs in tests/race/racy say `RACE read`, `RACE write`, ... in the lines that must be named; those in
tests/race/correct say it nowhere.  All are compiled, linked and run as `mpilab diagnose` does it, but with a small PMPI
library of the tests' own (race/standin.c).
"""

import ctypes
import functools
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpilab.build import C_FOLDER

FOLDER = Path(__file__).parent / "race"
BIN = Path(sys.executable).parent
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed"))
    for name in ("gcc", "clang")
]
RACY = sorted((FOLDER / "racy").glob("*.c"))
CORRECT = sorted((FOLDER / "correct").glob("*.c"))

# One fact, one home: the wrapped functions are those that race_libc.c wraps.
WRAPPED = re.findall(r"^WRAP\([^,]+, (\w+),", (C_FOLDER / "race_libc.c").read_text(), re.MULTILINE)
# No optimisation: -O1 moves a read ahead of the condition that guards it, and drops a read whose value isn't used.
COMPILE = ["-g", "-O0", "-fno-omit-frame-pointer", "-U_FORTIFY_SOURCE", *(f"-fno-builtin-{name}" for name in WRAPPED)]
CLANG = ["instrumentation-with-call-threshold=0", "opt=0", "stack=0", "globals=0"]
INSTRUMENT = {
    "gcc": ["-fsanitize=thread"],
    "clang": [
        "-fsanitize=kernel-address",
        "-finstrument-functions",
        *(word for option in CLANG for word in ("-mllvm", f"-asan-{option}")),
    ],
}
LINK = [f"-Wl,--wrap={name}" for name in WRAPPED]


def run(*command: str | Path, **variables: str) -> str:
    """What a command says; it must succeed."""
    done = subprocess.run(
        list(map(str, command)), env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with standin.so, race.o and race_libc.o."""
    folder = tmp_path_factory.mktemp("parts")
    flags = ["-std=gnu11", "-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I", C_FOLDER]
    for name in ("race", "race_libc"):
        run(BIN / "mpicc", *flags, "-c", C_FOLDER / f"{name}.c", "-o", folder / f"{name}.o")
    run(BIN / "mpicc", *flags, "-shared", FOLDER / "standin.c", C_FOLDER / "flight.c", "-o", folder / "standin.so")
    return folder


def build(source: Path, compiler: str, parts: Path, folder: Path, *, library: bool = False) -> Path:
    """A program, or with `library` a library, that asks about its accesses."""
    target = folder / (source.stem + (".so" if library else ""))
    kind = (["-fPIC"], ["-shared", "-Wl,-z,defs"]) if library else ([], [])
    object_ = folder / f"{source.stem}.o"
    run(BIN / "mpicc", *COMPILE, *INSTRUMENT[compiler], *kind[0], "-c", source, "-o", object_, MPICH_CC=compiler)
    ours = (parts / "race.o", parts / "race_libc.o")
    run(BIN / "mpicc", *kind[1], object_, *ours, *LINK, "-ldl", "-pthread", "-o", target, MPICH_CC=compiler)
    return target


@functools.cache
def place(module: str, offset: str) -> tuple[str, int]:
    """File name and line of an instruction."""
    path, _, line = run("addr2line", "-e", module, offset).strip().partition(":")
    return Path(path).name, int(line.split()[0])


def reports(said: str, source: Path) -> list[tuple[int, str]]:
    """Line and touch of each report, in order; all must be in `source`."""
    found = []
    for touch, module, offset, sane in re.findall(r"^RACE (\w+) (\S+) (\S+) \d+ (\w+)$", said, re.MULTILINE):
        file, line = place(module, offset)
        assert (file, sane) == (source.name, "ok")
        # gcc takes the last statement of a function for the place where it returns, clang its brace.
        found.append((line + 1 if (line + 1, touch) in marks(source) and touch == "return" else line, touch))
    return found


def marks(source: Path) -> set[tuple[int, str]]:
    """Line and touch of each race that `source` says it has."""
    lines = enumerate(source.read_text().splitlines(), 1)
    return {(number, touch) for number, line in lines for touch in re.findall(r"RACE (\w+)", line)}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("source", [*RACY, *CORRECT], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_the_lines_that_touch_a_buffer_in_flight_are_named(
    source: Path, compiler: str, parts: Path, tmp_path: Path
) -> None:
    """Those lines that the program marks, all of them, with what they do; a correct program is silent."""
    assert bool(marks(source)) == (source.parent.name == "racy")
    program = build(source, compiler, parts, tmp_path)
    said = run(BIN / "mpiexec", "-n", "2", program, LD_PRELOAD=str(parts / "standin.so"))
    found = set(reports(said, source))
    assert {line for line, _ in found} == {line for line, _ in marks(source)}
    assert marks(source) <= found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_kernels_in_libraries_are_seen(compiler: str, parts: Path, tmp_path: Path) -> None:
    """A library that an engine loads finds the PMPI library too; it defines nothing that others could see."""
    source = FOLDER / "kernel.c"
    library = build(source, compiler, parts, tmp_path, library=True)
    script = (
        "import ctypes, sys; from mpi4py import MPI; k = ctypes.CDLL(sys.argv[1]);"
        "sys.exit(k.kernel_run(ctypes.c_int(MPI.COMM_WORLD.py2f()), int(sys.argv[2])))"
    )
    engine = (BIN / "mpiexec", "-n", "2", sys.executable, "-c", script, library)
    assert set(reports(run(*engine, "0", LD_PRELOAD=str(parts / "standin.so")), source)) == marks(source)
    assert not reports(run(*engine, "1", LD_PRELOAD=str(parts / "standin.so")), source)
    defined = run("nm", "-D", "--defined-only", library).split()[2::3]
    assert defined == ["kernel_run"]


@pytest.mark.parametrize("linking", [["-no-pie"], ["-pie"]])
def test_without_the_pmpi_library_a_program_just_runs(linking: list[str], parts: Path, tmp_path: Path) -> None:
    """Nothing is in flight then, and nothing is missing."""
    source = FOLDER / "racy" / "loops.c"
    run(BIN / "mpicc", *COMPILE, *INSTRUMENT["gcc"], "-fPIE", "-c", source, "-o", tmp_path / "o.o", MPICH_CC="gcc")
    ours = (parts / "race.o", parts / "race_libc.o")
    run(BIN / "mpicc", *linking, tmp_path / "o.o", *ours, *LINK, "-o", tmp_path / "program")
    assert "RACE" not in run(BIN / "mpiexec", "-n", "2", tmp_path / "program")
    assert "RACE" in run(BIN / "mpiexec", "-n", "2", tmp_path / "program", LD_PRELOAD=str(parts / "standin.so"))


def test_a_pair_of_places_is_reported_once(parts: Path, tmp_path: Path) -> None:
    """A loop of three rounds over a hundred elements gives each rank one report a line."""
    source = FOLDER / "racy" / "loops.c"
    program = build(source, "gcc", parts, tmp_path)
    found = reports(run(BIN / "mpiexec", "-n", "2", program, LD_PRELOAD=str(parts / "standin.so")), source)
    assert all(found.count(each) == 2 for each in found)


# ---- flight.c by itself ---------------------------------------------------------------------------------------------


class Block(ctypes.Structure):
    """Mirror of struct flight_block."""

    _fields_ = (
        ("base", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("block", ctypes.c_size_t),
        ("stride", ctypes.c_size_t),
    )

    def covered(self) -> Iterator[int]:
        """The addresses of its bytes, one by one."""
        for i in range(self.bytes):
            if not self.stride or i % self.stride < self.block:
                yield self.base + i


class Area(ctypes.Structure):
    """Mirror of struct flight_area."""

    _fields_ = (
        ("low", ctypes.c_size_t),
        ("high", ctypes.c_size_t),
        ("block", ctypes.c_size_t),
        ("stride", ctypes.c_size_t),
        ("reach", ctypes.c_size_t),
        ("site", ctypes.c_void_p),
        ("op", ctypes.c_int),
        ("write", ctypes.c_int),
    )


@pytest.fixture
def flight(tmp_path: Path) -> ctypes.CDLL:
    """flight.c, fresh: nothing is in flight."""
    run(BIN / "mpicc", "-O2", "-fPIC", "-shared", C_FOLDER / "flight.c", "-o", tmp_path / "flight.so")
    return ctypes.CDLL(str(tmp_path / "flight.so"))


def add(flight: ctypes.CDLL, op: int, write: int, *blocks: Block) -> None:
    """Put blocks in flight."""
    array = (Block * len(blocks))(*blocks)
    assert flight.mpilab_flight_add(array, ctypes.c_size_t(len(blocks)), write, op, None) == 0


def find(flight: ctypes.CDLL, base: int, size: int, write: int) -> Area | None:
    """The area in the way of an access."""
    area = Area()
    bad = flight.mpilab_flight_find(ctypes.c_void_p(base), ctypes.c_size_t(size), write, ctypes.byref(area))
    return area if bad else None


def some_block(rng: random.Random) -> Block:
    """A block within 300 bytes from 1000 on, with gaps or without, perhaps empty."""
    size, stride = rng.randrange(40), rng.choice([0, 0, 3, 7, 16])
    return Block(1000 + rng.randrange(260), size, rng.randrange(stride + 1) if stride else 0, stride)


def test_every_byte_in_flight_is_found_and_no_other(flight: ctypes.CDLL) -> None:
    """Random blocks come and go, and random accesses are compared with a plain table of bytes."""
    rng = random.Random(1)
    alive: dict[int, list[tuple[int, Block]]] = {}
    for op in range(1500):
        if len(alive) > rng.randrange(12):
            gone = rng.choice(list(alive))
            flight.mpilab_flight_remove(gone)
            del alive[gone]
        write, blocks = rng.randrange(2), [some_block(rng) for _ in range(rng.randrange(5))]
        add(flight, op, write, *blocks)
        alive[op] = [(write, block) for block in blocks]
        held = [(byte, w, o) for o, many in alive.items() for w, block in many for byte in block.covered()]
        for _ in range(20):
            base, size, writes = 990 + rng.randrange(330), rng.choice([1, 2, 8, 16, 33]), rng.randrange(2)
            wanted = {o for byte, w, o in held if base <= byte < base + size and (w or writes)}
            area = find(flight, base, size, writes)
            assert area.op in wanted if area else not wanted


def test_blocks_are_compared_byte_by_byte(flight: ctypes.CDLL) -> None:
    """Two columns of one matrix don't meet; a column and a row do."""
    add(flight, 1, 1, Block(8000, 800, 8, 80))
    area = Area()
    for block, meets in [(Block(8008, 792, 8, 80), 0), (Block(8240, 80, 0, 0), 1), (Block(8000, 800, 8, 80), 1)]:
        assert flight.mpilab_flight_find_blocks(ctypes.byref(block), ctypes.c_size_t(1), 0, ctypes.byref(area)) == meets


def test_ten_thousand_areas(flight: ctypes.CDLL) -> None:
    """Posted in any order, each is found, and its gaps are free; at last nothing is in flight."""
    order = list(range(10_000))
    random.Random(2).shuffle(order)
    for op in order:
        add(flight, op, 1, Block(10**6 + 64 * op, 32, 0, 0))
    for op in order[:1000]:
        area = find(flight, 10**6 + 64 * op + 31, 8, 0)
        assert area
        assert area.op == op
        assert find(flight, 10**6 + 64 * op + 32, 32, 1) is None
    for op in order:
        flight.mpilab_flight_remove(op)
    assert find(flight, 0, 10**9, 1) is None


def test_threads_see_what_stays_and_not_what_never_was(tmp_path: Path) -> None:
    """While two threads post and complete all the time, a third finds the area that stays, and free what is free."""
    sources = (FOLDER / "hammer.c", C_FOLDER / "flight.c")
    run(BIN / "mpicc", "-O2", "-pthread", "-I", C_FOLDER, *sources, "-o", tmp_path / "hammer")
    assert run(tmp_path / "hammer") == "0 wrong\n"
