"""Any MPI program, run under plain mpiexec with the PMPI library, and watched.

Theory of operation. The program gets a control page, a mode (off, record, strict) and a folder for what the library
writes. While it runs, the page tells whether ranks can never go on; time and output have limits. Whatever it ends
with, everything that carries the run's mark is killed and the shared memory it left is unlinked. What it printed is
shown, not interpreted.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mpilab import build, page, sweep
from mpilab.diagnosis.deadlock import Deadlock
from mpilab.diagnosis.snapshot import Snapshot
from mpilab.diagnosis.watch import Watch
from mpilab.errors import HarnessError
from mpilab.transport import eager_bytes

End = Literal["finished", "stuck", "timed_out", "died", "flooded"]
POLL_S = 0.02
OUTPUT_LIMIT = 64_000_000  # bytes that a program may print
SHOW_LIMIT = 4_000
GRACE_S = 3.0  # a rank that has left while others go on
PROGRAM_FLAGS = ("-O1", "-g", "-std=gnu11", "-w")  # its warnings are not what was asked for
PROGRAM_LIBRARIES = ("-lm", "-pthread")
THROTTLE = {  # more ranks than cores: without these a rank that waits burns its whole time slice
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1",
}


@dataclass(frozen=True)
class Rank:
    """How one rank ended: its life (page.py), the signal that killed it, where, what MPI_Abort was given."""

    life: int
    signal: int
    crash_at: tuple[str, ...]
    aborted: bool
    abort_code: int
    entered: int


@dataclass(frozen=True)
class Ran:
    """A run of a program: how it ended, its exit status, where its ranks stood when it was stuck, what it printed."""

    end: End
    status: int
    ranks: tuple[Rank, ...]
    elapsed_s: float
    printed: str
    deadlock: Deadlock | None = None
    snapshot: Snapshot | None = None


def run(
    command: Sequence[str],
    ranks: int,
    folder: Path,
    mode: str,
    timeout_s: float,
    extra: Mapping[str, str] | None = None,
    during: Callable[[page.Page], None] = lambda _board: None,
) -> Ran:
    """Run `command` on `ranks` ranks in `mode`; what the library writes goes to `folder`.

    `extra` are more environment variables; `during` is called with the control page again and again.
    """
    board = page.Page(folder / "page", ranks)
    output = folder / "output"
    sweep.become_subreaper()
    process = _start(command, ranks, folder, mode, extra or {})
    watch = Watch(board, ranks, eager_bytes())
    start = time.monotonic()
    try:
        end, deadlock, snapshot = _watch(process, watch, output, timeout_s, during)
        elapsed = time.monotonic() - start
        found = tuple(_rank(board.ranks[rank]) for rank in range(ranks))
    finally:
        sweep.kill_marked(folder.name)
        if process.poll() is None:
            process.kill()
        process.wait()
        sweep.unlink_orphan_segments()
    # what a program returns after MPI_Finalize is its own affair
    over = all(_over(board, rank) for rank in range(ranks))
    died = any(one.signal or one.aborted for one in found) or (process.returncode != 0 and not over)
    printed = output.read_bytes()[:SHOW_LIMIT].decode(errors="replace")
    return Ran(
        "died" if end == "finished" and died else end, process.returncode, found, elapsed, printed, deadlock, snapshot
    )


def _start(
    command: Sequence[str], ranks: int, folder: Path, mode: str, extra: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start the program under mpiexec; what it prints goes to a file."""
    libraries = build.libraries()
    variables = {
        "MPILAB_PAGE": str(folder / "page"),
        "MPILAB_MODE": mode,
        "MPILAB_EAGER": str(eager_bytes()),
        f"MPILAB_{'TRACE' if mode == 'record' else 'STRICT'}": str(folder),
        "LD_PRELOAD": f"{libraries}/life.so {libraries}/pmpi.so",
        **extra,
    }
    settings = [word for name, value in variables.items() for word in ("-genv", name, value)]
    mpiexec = str(Path(sys.executable).parent / "mpiexec")
    with (folder / "output").open("wb") as file:
        return subprocess.Popen(
            [mpiexec, "-n", str(ranks), *settings, *command],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # mpiexec dies with this process, and the ranks with mpiexec (c/life.c)
            env={**THROTTLE, **os.environ, sweep.MARK: folder.name, "LD_PRELOAD": f"{libraries}/life.so"},
        )


def _watch(
    process: "subprocess.Popen[bytes]",
    watch: Watch,
    output: Path,
    timeout_s: float,
    during: Callable[[page.Page], None],
) -> tuple[End, Deadlock | None, Snapshot | None]:
    start = time.monotonic()
    left_since = 0.0
    while process.poll() is None:
        time.sleep(POLL_S)
        now = time.monotonic()
        during(watch.board)
        ready = [p.pid for p in watch.board.ranks if p.pid and p.life == page.MPI and now - start < 1]
        sweep.unlink_segments(ready, sweep.MAIN_SEGMENT)
        if deadlock := watch.deadlock():
            return "stuck", deadlock, watch.snapshot()
        if watch.frozen():
            return "stuck", None, watch.snapshot()
        if now - start > timeout_s:
            return "timed_out", None, watch.snapshot()
        if output.stat().st_size > OUTPUT_LIMIT:
            return "flooded", None, None
        left_since = left_since or now if _all_left(watch) else 0.0
        if left_since and now - left_since > GRACE_S:  # its processes are gone, but mpiexec has not noticed
            return "died", None, None
    return "finished", None, None


def _over(board: page.Page, rank: int) -> bool:
    """Whether a rank came to MPI_Finalize; MPICH may end a program there that left messages or requests."""
    p = board.ranks[rank]
    return p.life % page.EXITED == page.FINALIZED or board.name(page.in_call(p)) == "MPI_Finalize"


def _all_left(watch: Watch) -> bool:
    return all(p.pid and not watch.alive(rank) for rank, p in enumerate(watch.board.ranks))


def _rank(p: Any) -> Rank:
    places = tuple(p.crash_at.decode(errors="replace").split("\n")[:-1])
    return Rank(p.life, p.signal, places, p.aborted == 1, p.abort_code, page.entered(p))


def signal_name(number: int) -> str:
    """SIGSEGV for 11."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


# ---- what is to be run -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """A program ready to run: its commands (plain, and with accesses watched), what can't be seen of it."""

    plain: tuple[str, ...]
    strict: tuple[str, ...]
    language: Literal["c", "python", "binary"]
    blind: str = ""


def prepare(path: Path, arguments: Sequence[str], folder: Path) -> Program | str:
    """Make `path` ready: C is built twice, a binary is looked at; returns what the compiler says when it fails."""
    if not path.is_file():
        raise HarnessError(f"there is no file {path}", then="give a C source, a binary or a Python script")
    if path.suffix == ".py":
        command = (sys.executable, str(path.resolve()), *arguments)
        blind = (
            "of a buffer in flight, writing the value that is there already and reading what is only printed or"
            " compared leave no trace"
        )
        return Program(command, command, "python", blind)
    if path.suffix == ".c":
        return _built(path.resolve(), arguments, folder)
    _must_be_observable(path)
    command = (str(path.resolve()), *arguments)
    return Program(
        command, command, "binary",
        "without its source, reads of a buffer in flight can't be seen, and writes only by checksums and poison",
    )  # fmt: skip


def _built(source: Path, arguments: Sequence[str], folder: Path) -> Program | str:
    here = f"-I{source.parent}"
    code, said = build.compile_c([*PROGRAM_FLAGS, here, str(source), "-o", "plain", *PROGRAM_LIBRARIES], folder)
    if code != 0:
        return said or "the compiler took too long"
    compiling, linking = build.race_flags()  # linking with the sanitizer's flag would bring its own runtime
    code, said = build.compile_c([*PROGRAM_FLAGS[1:], *compiling, here, "-c", str(source), "-o", "strict.o"], folder)
    if code == 0:
        code, said = build.compile_c(["strict.o", *linking, "-o", "strict", "-ldl", *PROGRAM_LIBRARIES], folder)
    blind = "" if code == 0 else "its accesses could not be watched: " + said.split("\n")[0]
    names = ("plain", "strict" if code == 0 else "plain")
    plain, strict = ((str(folder / name), *arguments) for name in names)
    return Program(plain, strict, "c", blind)


def _must_be_observable(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(4)
    if not os.access(path, os.X_OK):
        raise HarnessError(f"{path} is not executable", then="chmod +x it, or give a .c or .py file")
    if head[:2] == b"#!":
        return  # a script of some kind starts it
    if head != b"\x7fELF":
        raise HarnessError(f"{path} is no program of this machine", then="give a C source, an ELF binary or a .py file")
    said = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
    text = said.stdout + said.stderr
    if "not a dynamic executable" in text or "statically linked" in text:
        raise HarnessError(
            f"{path} is statically linked, so its MPI calls can't be observed",
            then="link it dynamically: without -static",
        )
    if "libmpi" not in text:
        raise HarnessError(f"{path} is not linked with an MPI library", then="build it with mpicc, or give its source")
    if "libmpi.so.40" in text:
        raise HarnessError(f"{path} is linked with Open MPI", then="build it with MPICH's mpicc: the one beside mpilab")
