"""From an observation to a verdict: is it right, and is it in the new style?

Theory of operation.  Pure: looks only at what a run did (protocol.Observation), what it put out and what the oracle
says.  The root cause comes first: when one rank raised and its peers are stuck waiting for it, the verdict is CRASHED,
not DEADLOCK.  NaN never passes.  Calls are judged over all cases of two and more ranks together.
"""

import signal
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mpilab.diagnosis.findings import Finding
from mpilab.manifest import Calls, Case
from mpilab.protocol import Array, Observation, RankReport
from mpilab.verdict import OK, Kind, Verdict

SHOW_FRAMES = 4

Hint = Callable[[Case, int, NDArray[np.bool_]], str]


def judge_load(observation: Observation, name: str) -> Verdict | None:
    """What is wrong with a kernel that was only loaded; None when nothing is."""
    for report in observation.ranks:
        if report.status == "raised":
            return Verdict(Kind.BUILD_FAILED, f"{name} cannot be loaded: {report.text}")
    return _misbehaviour(observation, f"while {name} was loaded") or _tampered(observation)


def judge_run(
    case: Case,
    observation: Observation,
    outputs: list[list[Array]],
    expected: list[list[Array]],
    rtol: float,
    hint: Hint,
) -> Verdict | None:
    """What is wrong with a run; None when nothing is.  outputs[rank][k] is held against expected[k][rank]."""
    verdict = _misbehaviour(observation, f"({case})") or _tampered(observation) or _memory(case, observation)
    if verdict:
        return verdict
    for rank, rows in enumerate(outputs):
        for row, truth in zip(rows, expected, strict=True):
            if verdict := _compare(case, rank, row, truth[rank], rtol, hint):
                return verdict
    for rank, report in enumerate(observation.ranks):
        if report.stray:
            text = f"rank {rank} was sent {report.stray} and never received it ({case}): every send needs its receive"
            return Verdict(Kind.ERRONEOUS_MPI, text)
    return None


Due = list[tuple[float, float]]  # of each rank: its output's weighted sum, and how far from it is near enough


def due(truth: list[Array], rtol: float) -> Due:
    """What the weighted sums of these outputs must be; the order of adding costs a little."""
    terms = [t * weights(t.size) for t in truth]
    return [(float(t.sum()), (rtol + 1e-13 + 2e-16 * t.size) * float(np.abs(t).sum())) for t in terms]


def judge_sums(case: Case, sums: list[Array], expected: list[Due]) -> Verdict | None:
    """What is wrong with outputs of which only the weighted sums came back: sums[rank][k], held against expected[k]."""
    for rank, row in enumerate(sums):
        for k, got in enumerate(row):
            total, slack = expected[k][rank]
            if not abs(got - total) <= slack:
                text = f"rank {rank} put out wrong numbers in run {k + 1} of a burst ({case}), and right ones in others"
                return Verdict(Kind.WRONG_ANSWER, text)
    return None


@cache
def weights(n: int) -> NDArray[np.float64]:
    """What each element of an output counts in its sum; host.c has the same."""
    j = np.arange(n, dtype=np.uint32)
    x = (j ^ (j >> np.uint32(15))) * np.uint32(2654435761)
    return 1.0 + ((x ^ (x >> np.uint32(13))) & np.uint32(0xFFFF)) / 65536.0


def as_they_are(rows: list[list[Array]]) -> list[list[Array]]:
    """What came out, as what must come out: then only how the run went is judged."""
    return [list(per_rank) for per_rank in zip(*rows, strict=True)]


def judge_strict(
    case: Case, observation: Observation, findings: Sequence[Finding], wrong: Verdict | None
) -> Verdict | None:
    """What a strict run of a kernel that is otherwise right shows; `wrong` is what `judge_run` says of that run.

    A kernel whose numbers are right only while MPI is kind is right by luck.
    """
    if findings:
        first = findings[0]
        more = f"\n(and {len(findings) - 1} more)" if len(findings) > 1 else ""
        return Verdict(
            Kind.ERRONEOUS_MPI, f"the numbers are right, but its MPI is not ({case}): {explained(first)}{more}"
        )
    if wrong:
        text = f"the numbers are right, but not when MPI is as unkind as the standard permits: {wrong.message}"
        return Verdict(Kind.ERRONEOUS_MPI, text)
    if observation.stuck:
        return Verdict(Kind.ERRONEOUS_MPI, f"{observation.stuck.message} ({case})")
    return None


def explained(finding: Finding) -> str:
    """A finding as text: where, what, and the rule."""
    place = f"{finding.where}: " if finding.where and finding.where not in finding.message else ""
    return f"{place}{finding.message}\n{finding.rule}"


def judge_calls(rules: Calls, calls: dict[str, int]) -> Verdict:
    """Whether a correct kernel made the calls it must, and none it must not; `calls` counts them over all ranks."""
    for entry in rules.require:
        names = entry.split("|")
        if not any(_count(calls, name) for name in names):
            text = f"the numbers are right, but {' or '.join(names)} was never called: this lab is about it"
            return Verdict(Kind.WRONG_CALLS, text)
    for name in rules.forbid:
        if count := _count(calls, name):
            text = f"the numbers are right, but {name} was called {count} times: the conversion does without it"
            return Verdict(Kind.WRONG_CALLS, text)
    return OK


def _count(calls: dict[str, int], name: str) -> int:
    return calls.get(name, 0) + calls.get(f"{name}_c", 0)


def _misbehaviour(observation: Observation, where: str) -> Verdict | None:
    """A crash, a hang, or anything else that kept a run from its end."""
    for rank, report in enumerate(observation.ranks):
        if text := _crash(report):
            return Verdict(Kind.CRASHED, f"rank {rank} {text} {where}{_printed(report)}")
    lost = [rank for rank, r in enumerate(observation.ranks) if r.status == "lost"]
    if observation.end == "finished" and not lost:
        return None
    standing = "; ".join(_standing(rank, report) for rank, report in enumerate(observation.ranks))
    if observation.end == "stuck":
        text = f"no rank has moved for seconds {where}: {standing}. Who sends what the other waits for?"
        if observation.stuck:
            text = f"{observation.stuck.message} {where}"
            text += f"\n{observation.stuck.queues}" if observation.stuck.queues else ""
        return Verdict(Kind.DEADLOCK, text)
    if observation.end == "timed_out":
        text = f"still running after {observation.elapsed_s:.0f} s {where}: {standing}. Is there a loop without an end?"
        return Verdict(Kind.TIMED_OUT, text)
    if observation.end == "flooded":
        loudest = max(observation.ranks, key=lambda report: len(report.printed))
        return Verdict(Kind.CRASHED, f"printed without end {where}; the first lines:{_printed(loudest)}")
    text = f"rank {' and '.join(map(str, lost))} ended without a word {where}; a kernel must return, not leave"
    return Verdict(Kind.CRASHED, text)


def _crash(report: RankReport) -> str:  # noqa: PLR0911 - one line for each way to crash
    if report.forked:
        return "started another process: a rank of an MPI program must not"
    if report.abort_code is not None:
        return f"called MPI_Abort with code {report.abort_code}"
    if report.signal:
        name = signal.Signals(report.signal).name if report.signal in set(signal.Signals) else str(report.signal)
        places = ", called from ".join(report.frames[:SHOW_FRAMES])
        return f"died of {name} in {report.phase}{': ' + places if places else ''}"
    if report.exited:
        return f"called exit() in {report.phase}; a kernel returns its error code instead"
    if report.status == "raised":
        return f"raised in {report.phase}: {report.text}\n "
    if report.error_call:
        return f"got an error from {_plain(report.error_call)}: {report.error_text.split(', error stack')[0]}"
    if report.status == "failed":
        return f"returned error code {report.code} from {report.phase}"
    return ""


def _plain(call: str) -> str:
    """A call's name as the student wrote it: mpi4py calls the large-count forms, MPI_Send_c."""
    return call.removesuffix("_c")


def _standing(rank: int, report: RankReport) -> str:
    """Where a rank stands: 'rank 1 in MPI_Recv'."""
    if report.in_call:
        return f"rank {rank} in {_plain(report.in_call)}"
    if report.status == "returned" or report.phase == "wait":
        return f"rank {rank} done with this run"
    return f"rank {rank} outside MPI, in {report.phase}"


def _tampered(observation: Observation) -> Verdict | None:
    for rank, report in enumerate(observation.ranks):
        if report.replaced:
            text = f"on rank {rank} it replaces {report.replaced}, which is not its own"
            return Verdict(Kind.TAMPERED, text)
    return None


def _memory(case: Case, observation: Observation) -> Verdict | None:
    for rank, report in enumerate(observation.ranks):
        if report.overrun:
            return Verdict(Kind.WRONG_ANSWER, f"rank {rank} of {case.ranks} wrote to {report.overrun} ({case})")
        if report.input_changed:
            return Verdict(
                Kind.WRONG_ANSWER, f"rank {rank} of {case.ranks} changed in[], which is only to read ({case})"
            )
    return None


def _compare(case: Case, rank: int, got: Array, truth: Array, rtol: float, hint: Hint) -> Verdict | None:
    if got.size != truth.size:
        return Verdict(Kind.WRONG_ANSWER, f"rank {rank}: out[] has {got.size} elements, expected {truth.size}")
    scale = np.maximum(np.abs(truth), np.abs(truth).max(initial=0.0))
    wrong = ~(np.abs(got - truth) <= rtol * scale)  # NaN compares false, so it's wrong
    if not wrong.any():
        return None
    first = int(np.argmax(wrong))
    value = "never written (NaN)" if np.isnan(got[first]) else f"{got[first]:.12g}"
    text = (
        f"on rank {rank} of {case.ranks} (n={case.n}, steps={case.steps}): out[{first}] is {value}, expected "
        f"{truth[first]:.12g}; {int(wrong.sum())} of {wrong.size} elements are wrong. {hint(case, rank, wrong)}"
    )
    return Verdict(Kind.WRONG_ANSWER, text.strip())


def _printed(report: RankReport) -> str:
    text = report.printed.strip()
    return "\n  it printed: " + "\n  ".join(text.splitlines()[:10]) if text else ""
