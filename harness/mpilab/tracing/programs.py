"""Any MPI program, recorded: C source, binary or Python script.

Theory of operation.  A C source is built as its owner would, with debug information for the lines of calls and with
mpilab.h at hand; then the program runs under plain mpiexec with the PMPI library in record mode (diagnosis/program.py),
which also ends it when it can never go on, takes too long or prints without end.  Whatever happened, the rings are
there, and what they hold is shown with a note of how the run ended.  Recording is switched on and off from outside by
writing `recording` on the ranks' control page; a rank that has not come to MPI yet is switched when it has.
"""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from mpilab import build, page, sweep
from mpilab.diagnosis import places
from mpilab.diagnosis.program import PROGRAM_LIBRARIES, Ran, prepare, run, signal_name
from mpilab.errors import HarnessError
from mpilab.tracing.choice import Choice, Recorded, collect
from mpilab.tracing.model import Trace

TIMEOUT_S = 60.0
MOST_RANKS = 256
FLAGS = ("-O2", "-g", "-std=gnu11", "-w")
DEFAULT = Choice()
TOLD = 600  # characters of what a program printed, in a message


def record(
    path: Path,
    ranks: int,
    arguments: Sequence[str] = (),
    *,
    choice: Choice = DEFAULT,
    timeout_s: float = TIMEOUT_S,
    settings: dict[str, str] | None = None,
) -> Recorded:
    """Run a program on `ranks` ranks and record it; `settings` are environment variables of its own.

    Raises HarnessError when it can't be run or observed, and when it recorded nothing.
    """
    if not 1 <= ranks <= MOST_RANKS or not timeout_s > 0:
        raise HarnessError(f"{ranks} ranks for {timeout_s:g} s", then=f"choose 1 to {MOST_RANKS} ranks, and some time")
    folder = sweep.new_folder()
    try:
        choice.must_fit(folder, ranks)
        command = _command(path, arguments, folder)
        switch = _Switch(choice)
        ran = run(command, ranks, folder, "record", timeout_s, _variables(choice) | (settings or {}), switch)
        ended = _ended(ran, timeout_s)
        if not any(folder.glob("ring-*")):
            raise _nothing(path, ran, ended)
        return Recorded(collect(folder, path.name, str(path), ended), ended, ran.printed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def trace(
    path: Path | str,
    ranks: int = 2,
    arguments: Sequence[str] = (),
    *,
    ring: int = DEFAULT.ring,
    groups: Sequence[str] = (),
    timeout_s: float = TIMEOUT_S,
) -> Trace:
    """Run a program on `ranks` ranks and return its trace; for notebooks.

    Args:
        path: a C source, a binary linked with MPICH, or a Python script.
        ranks: how many.
        arguments: what the program is given.
        ring: how many events each rank keeps, the newest ones.
        groups: which calls to record, of "p2p", "request", "collective", "io"; all by default.
        timeout_s: seconds the program may take at most.

    Raises:
        HarnessError: it can't be run or observed, or made no MPI call that was to be recorded.
    """
    return record(Path(path), ranks, arguments, choice=Choice(ring, groups), timeout_s=timeout_s).trace


class _Switch:
    """Switches each rank's recording on and off at the chosen times; called again and again while the program runs."""

    def __init__(self, choice: Choice) -> None:
        self._choice, self._start = choice, time.monotonic()
        self._on: set[int] = set()
        self._off: set[int] = set()

    def __call__(self, board: page.Page) -> None:
        now = time.monotonic() - self._start
        for rank, p in enumerate(board.ranks):
            if p.life != page.MPI:
                continue
            if self._choice.begin_s and now >= self._choice.begin_s and rank not in self._on:
                self._on.add(rank)
                p.recording = self._choice.mask
            if now >= self._choice.end_s and rank not in self._off:
                self._off.add(rank)
                p.recording = 0


def _variables(choice: Choice) -> dict[str, str]:
    off = {"MPILAB_OFF": "1"} if choice.begin_s else {}
    return {"MPILAB_RING": str(choice.ring), "MPILAB_GROUPS": str(choice.mask), **off}


def _command(path: Path, arguments: Sequence[str], folder: Path) -> Sequence[str]:
    """What is to be run; a source is built first."""
    if path.suffix == ".c" and path.is_file():
        source, binary = path.resolve(), folder / path.stem
        flags = [*FLAGS, f"-I{source.parent}", "-idirafter", str(build.C_FOLDER)]
        code, said = build.compile_c([*flags, str(source), "-o", str(binary), *PROGRAM_LIBRARIES], folder)
        if code != 0:
            raise HarnessError(f"{path} does not compile:\n{said or 'the compiler took too long'}", then="mend that")
        return [str(binary), *arguments]
    program = prepare(path, arguments, folder)
    if isinstance(program, str):
        raise HarnessError(f"{path} can't be run: {program}")
    return program.plain


def _ended(ran: Ran, timeout_s: float) -> str:  # noqa: PLR0911 - one line for each way to end
    """Why a run did not come to its end, or ''."""
    if ran.end == "stuck" and ran.deadlock:
        return f"the program got stuck: {ran.deadlock.message}"
    if ran.end == "timed_out":
        return f"the program was still running after {timeout_s:g} s and was ended"
    if ran.end == "flooded":
        return "the program printed without end and was ended"
    for rank, one in enumerate(ran.ranks):
        if one.signal:
            found = places.lines(one.crash_at)
            where = next((f" at {found[place]}" for place in one.crash_at if found[place]), "")
            return f"rank {rank} died of {signal_name(one.signal)}{where}"
        if one.aborted:
            return f"rank {rank} called MPI_Abort with code {one.abort_code}"
    if ran.end == "died":
        return f"the program ended with status {ran.status}"
    return ""


def _nothing(path: Path, ran: Ran, ended: str) -> HarnessError:
    """No rank opened a ring."""
    printed = ran.printed.strip()[:TOLD]
    said = f"; it printed:\n{printed}" if printed and ended else ""
    if all(one.life in (0, page.EXITED) for one in ran.ranks):
        how = ended or "it ran to its end"
        return HarnessError(
            f"{path} never called MPI_Init, so there is nothing to record: {how}{said}",
            then="is it the right program? mpilab records programs linked with MPICH, and mpi4py on it",
        )
    return HarnessError(
        f"{path} left no ring: {ended or 'there was no room for it'}{said}", then="choose a smaller --ring"
    )
