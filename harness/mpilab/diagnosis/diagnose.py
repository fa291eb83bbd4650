"""What is wrong with an MPI program: it is run plain and strict, and every finding is told.

Theory of operation. The plain run shows what the program does here; the strict run (c/strict.c) makes everything go
wrong that the standard permits, and its logs are compared across ranks (analysis.py). Where a receive takes a message
from any source, two more strict runs prefer the lowest and the highest rank: a program whose fate depends on that has
a race. The verdict follows from the findings and from how the runs ended.
"""

import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from mpilab import page, sweep
from mpilab.diagnosis import log, places, timing
from mpilab.diagnosis.analysis import analyse
from mpilab.diagnosis.findings import Finding, finding, tidy
from mpilab.diagnosis.program import Program, Ran, prepare, run, signal_name
from mpilab.diagnosis.snapshot import queues
from mpilab.errors import HarnessError

Word = Literal["ok", "erroneous", "deadlock", "crashed", "timed_out"]
TIMEOUT_S = 60.0
STRICT_FACTOR, STRICT_MORE_S = 20, 10  # a strict run may take so many times as long as the plain one, and so much more
SHOWN = 8  # ranks whose place is told

Progress = Callable[[str, float], None]


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What `mpilab diagnose` says of a program; its JSON form is this."""

    verdict: Word
    findings: list[Finding]
    program: str
    ranks: int
    plain: str  # how the plain run ended
    strict: str  # and the strict one
    notes: list[str] = []  # on how it measures time: no mistakes in MPI
    message_queues: str = ""  # unmatched sends and receives of a run that got stuck
    not_seen: str = ""  # what can't be found out about this kind of program
    printed: str = ""
    took_s: float = 0.0


@dataclass(frozen=True)
class _Observed:
    """A strict run and what its logs say."""

    ran: Ran
    logs: list[log.RankLog]
    findings: list[Finding]


def diagnose(
    path: Path,
    ranks: int,
    arguments: Sequence[str] = (),
    *,
    timeout_s: float = TIMEOUT_S,
    progress: Progress = lambda _text, _share: None,
) -> Diagnosis:
    """Diagnose a C source, a binary or a Python script on `ranks` ranks.

    Raises HarnessError when it can't be run or observed; a source that does not compile is one of those.
    """
    start = time.monotonic()
    folder = sweep.new_folder()
    try:
        progress("building", 0.0)
        program = prepare(path, arguments, folder)
        if isinstance(program, str):
            raise HarnessError(f"{path} does not compile:\n{program}", then="mend that first")
        found = _diagnose(path, ranks, program, folder, timeout_s, progress)
        if path.suffix in (".c", ".py"):
            source = path.read_text(encoding="utf-8", errors="replace")
            found = msgspec.structs.replace(found, notes=timing.notes(source, path.name))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return msgspec.structs.replace(found, took_s=round(time.monotonic() - start, 3))


def _diagnose(
    path: Path, ranks: int, program: Program, folder: Path, timeout_s: float, progress: Progress
) -> Diagnosis:
    progress("running it as it is", 0.15)
    plain = run(program.plain, ranks, folder, "off", timeout_s)
    _must_be_mpi(path, plain)
    limit = timeout_s if plain.end != "finished" else min(timeout_s, STRICT_FACTOR * plain.elapsed_s + STRICT_MORE_S)
    progress("running it strictly", 0.4)
    first = _strict(program, ranks, folder, limit, plain, "")
    findings = [*first.findings, *_crashes(first.ran, first.findings), *_crashes(plain, first.findings)]
    if not findings and any(map(_from_any, first.logs)):
        findings += _races(program, ranks, folder, limit, plain, progress)
    if not findings and plain.end == "stuck" and plain.deadlock:
        stuck = plain.deadlock
        findings = [finding(stuck.kind, stuck.rank, stuck.call, stuck.where, stuck.message, rule=stuck.rule)]
    if "finished" not in (plain.end, first.ran.end) and (raised := _raised(path, plain.printed)):
        findings = [raised]  # the others wait for a rank that has left
    stuck_in = first.ran if first.ran.snapshot else plain
    if not findings and "stuck" in (plain.end, first.ran.end):
        findings = [_unexplained(stuck_in)]
    return Diagnosis(
        verdict=_verdict(findings, plain, first.ran),
        findings=tidy(findings),
        program=str(path),
        ranks=ranks,
        plain=plain.end,
        strict=first.ran.end,
        message_queues=queues(stuck_in.snapshot) if stuck_in.snapshot and stuck_in.end == "stuck" else "",
        not_seen=program.blind,
        printed=plain.printed,
    )


def _unexplained(ran: Ran) -> Finding:
    """Nobody has moved for long, and no wait-for graph says why."""
    assert ran.snapshot is not None
    states = [s for s in ran.snapshot.ranks if s.call]
    standing = "; ".join(f"rank {s.rank} in {s.call}{f' ({s.where})' if s.where else ''}" for s in states[:SHOWN])
    more = f"; and {len(states) - SHOWN} more" if len(states) > SHOWN else ""
    first = states[0] if states else ran.snapshot.ranks[0]
    return finding("deadlock", first.rank, first.call, first.where, f"no rank has moved for seconds: {standing}{more}")


def _must_be_mpi(path: Path, ran: Ran) -> None:
    """A program that never calls MPI_Init can't be diagnosed; an MPI call before it is seen in the strict run."""
    if ran.end == "finished" and all(one.life in (0, page.EXITED) and not one.entered for one in ran.ranks):
        raise HarnessError(
            f"{path} ran to its end (status {ran.status}) and never called MPI_Init: there is nothing to observe",
            then="is it the right program? mpilab observes programs linked with MPICH, and mpi4py on it",
        )


def _strict(program: Program, ranks: int, folder: Path, limit_s: float, plain: Ran, wild: str) -> _Observed:
    """One strict run; `wild` is what receives from any source prefer: "", "low" or "high"."""
    for old in folder.glob("strict-*.jsonl"):
        old.unlink()
    ran = run(program.strict, ranks, folder, "strict", limit_s, {"MPILAB_WILD": wild} if wild else {})
    logs = log.read_logs(folder, ranks)
    lines = places.lines(log.places(logs))
    orderly = ran.end == "died" and all(one.end in log.ORDERLY for one in logs)  # mpiexec misses MPI_Finalize
    findings = analyse(
        logs, ended="finished" if orderly else ran.end, plain_ended=plain.end, snapshot=ran.snapshot, places=lines
    )
    return _Observed(ran, logs, findings)


def _from_any(one: log.RankLog) -> list[str]:
    """The places where a rank takes a message from any source."""
    return [entry.at for entry in one.entries if isinstance(entry, log.Call) and entry.source == log.ANY]


def _races(program: Program, ranks: int, folder: Path, limit_s: float, plain: Ran, progress: Progress) -> list[Finding]:
    """What goes wrong only when another message is taken: a race."""
    for share, wild in ((0.65, "low"), (0.8, "high")):
        progress(f"running it strictly, {wild}est ranks first", share)
        seen = _strict(program, ranks, folder, limit_s, plain, wild)
        bad = [*seen.findings, *_crashes(seen.ran, seen.findings)]
        if bad:
            cause = bad[0]
            lines = places.lines(log.places(seen.logs))
            takers = [lines.get(at, "") for one in seen.logs for at in _from_any(one)]
            where = next(filter(None, takers), cause.where)
            text = (
                "which message a receive from any source takes decides the fate of this program: when messages of the "
                f"{wild}est ranks are taken first, there is a {cause.kind}: {cause.message}"
            )
            return [finding("message-race", cause.rank, cause.call, where, text)]
    return []


def _crashes(ran: Ran, known: Sequence[Finding]) -> list[Finding]:
    """The signals that ended a run, when nothing found explains them."""
    if known or ran.end != "died":
        return []
    for rank, one in enumerate(ran.ranks):
        if one.signal:
            found = places.lines(one.crash_at)
            lines = [line for place in one.crash_at if (line := found[place])]
            chain = ", called from ".join(lines[:3])
            text = f"rank {rank} died of {signal_name(one.signal)}{' at ' + chain if chain else ''}"
            return [finding("crash", rank, "", lines[0] if lines else "", text)]
    for rank, one in enumerate(ran.ranks):
        if one.aborted:
            return [finding("crash", rank, "MPI_Abort", "", f"rank {rank} called MPI_Abort with code {one.abort_code}")]
    return []


def _raised(path: Path, printed: str) -> Finding | None:
    """The exception that ended a rank of a Python script, from what it printed."""
    _, _, text = printed.partition("Traceback (most recent call last):")
    lines = re.findall(rf'File "[^"]*{re.escape(path.name)}", line (\d+)', text)
    error = re.search(r"^(\w[\w.]*(?:Error|Exception|Interrupt|Exit)\b.*)$", text, re.MULTILINE)
    if path.suffix != ".py" or not lines or not error:
        return None
    where = f"{path.name}:{lines[-1]}"
    return finding("crash", -1, "", where, f"a rank raised {error[1]} ({where}) and left the others alone")


def _verdict(findings: Sequence[Finding], plain: Ran, strict: Ran) -> Word:
    kinds = {one.kind for one in findings}
    if kinds == {"crash"}:
        return "crashed"
    if "deadlock" in kinds or (plain.end == "stuck" and kinds):
        return "deadlock"
    if kinds:
        return "erroneous"
    if "died" in (plain.end, strict.end) or "flooded" in (plain.end, strict.end):
        return "crashed"
    if "timed_out" in (plain.end, strict.end):
        return "timed_out"
    return "deadlock" if "stuck" in (plain.end, strict.end) else "ok"
