"""The referee: takes a file through the pipeline and writes the record.

Theory of operation.  submission -> build -> check -> time -> stats -> score -> record, in that order, each stage one
module; a bad verdict stops the flow.  This is the only module that knows the order.  What is known at any moment is in
an `Attempt`; whatever ends it (a verdict, Ctrl-C, a fault of ours), a record is made of that and stored, so nothing
measured is lost.
"""

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec
from numpy.random import Generator

from mpilab import build, check, machine, stats, time
from mpilab.attempt import Attempt
from mpilab.clusters import Clusters
from mpilab.diagnosis import log, places, timing
from mpilab.diagnosis.analysis import analyse
from mpilab.diagnosis.findings import finding
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case
from mpilab.protocol import Array, Observation, Run
from mpilab.record import Record, keep
from mpilab.runner import Runner
from mpilab.stats import Speed
from mpilab.submission import Submission, read, same_code
from mpilab.time import Contender
from mpilab.verdict import OK, Kind, Verdict

CHECK_LIMIT_S = 10.0  # a check case takes milliseconds
CHECK_SETS = 2
STRICT = ".strict"  # behind a slot's name: the kernel as it is built for strict runs
STRICT_LIMIT_S = 30.0


def attempt(on: Clusters, lab: Lab, path: Path, budget_s: float) -> Record:
    """Try one submission; returns its record, which is stored."""
    state = Attempt(lab, path)
    state.ratios = {
        # within one cluster each, because a cluster has a bias of its own, which then cancels
        "speedup": [(1.0, "control", "submission")],
        "reference_gain": [(1.0, "baseline", "reference")],
        "against_reference": [(1.0, "control", "submission"), (-1.0, "baseline", "reference")],
        "control": [(1.0, "baseline", "control")],
    }
    return _recorded(on, state, lambda: _try(on, state, budget_s))


def compare(on: Clusters, lab: Lab, a: Path, b: Path, budget_s: float) -> Record:
    """Hold kernel `b` against kernel `a`; both run in both clusters, so that no cluster is lucky."""
    state = Attempt(lab, b, compared_with=str(a))
    state.ratios = {"speedup": [(0.5, "a0", "b0"), (0.5, "a1", "b1")], "control": [(1.0, "a0", "a1")]}
    return _recorded(on, state, lambda: _compare(on, state, (a, b), budget_s))


def _recorded(on: Clusters, state: Attempt, work: Callable[[], None]) -> Record:
    """Do `work` and store the record of it, also when it is interrupted or fails."""
    started, begin = clock.strftime("%Y-%m-%dT%H:%M:%S%z"), clock.monotonic()
    try:
        work()
    except BaseException as error:
        state.interrupted = True
        state.because = f"{type(error).__name__}: {error}".rstrip(": ")
        if state.timed or state.verdict is not OK:
            keep(state.record(on, started, clock.monotonic() - begin))
        if isinstance(error, OSError):
            raise HarnessError(f"{error.filename or 'the system'}: {error.strerror}", then="mend that first") from error
        raise
    result = state.record(on, started, clock.monotonic() - begin)
    keep(result)
    return result


def _try(on: Clusters, state: Attempt, budget_s: float) -> None:
    artifact = _built(on, state, state.file)
    if artifact is None:
        return
    on.progress("loading", 0.1)
    state.verdict = _checked(on, on.theirs, state, "submission", artifact)
    if state.verdict.kind is not Kind.OK:
        return
    baseline = read(state.lab.baseline(artifact.language))
    assert isinstance(baseline, Submission)
    if same_code(baseline.text, state.source, artifact.language):
        text = "this is still the baseline: correct, and not yet converted"
        state.verdict = Verdict(Kind.NOT_ATTEMPTED, text)
    else:
        state.verdict = check.judge_calls(state.lab.manifest.calls, state.calls)
    if state.verdict.kind not in (Kind.OK, Kind.NOT_ATTEMPTED):
        return
    on.load_ours(state.lab, artifact.language)
    unconverted = on.artifact(state.lab.baseline(artifact.language))
    on.theirs.load("control", unconverted.language, unconverted.path)
    contenders = [
        Contender("baseline", on.ours, "baseline"),
        Contender("reference", on.ours, "reference"),
        Contender("submission", on.theirs, "submission"),
        Contender("control", on.theirs, "control"),
    ]
    _time(on, state, contenders, ["submission"], budget_s)
    control = state.ratio("control")
    odd = control is not None and not stats.trusted(control)
    if state.verdict.kind is Kind.OK and (odd or state.speed in (Speed.BEST, Speed.AS_FAST, Speed.FASTER)):
        _hold_against_clock(on, state, contenders[0], contenders[2])
    if odd or state.speed is None:
        on.theirs.replace()  # whatever the kernel did to its engines must not meet the next one


def _compare(on: Clusters, state: Attempt, files: tuple[Path, Path], budget_s: float) -> None:
    artifacts = {}
    for slot, path in zip("ab", files, strict=True):
        artifact = _built(on, state, path)
        if artifact is None:
            return
        artifacts[slot] = artifact
    if artifacts["a"].language != artifacts["b"].language:
        raise HarnessError("one file is C and the other Python", then="compare two of the same language")
    for slot, artifact in artifacts.items():
        verdict = _checked(on, on.theirs, state, slot, artifact)
        if verdict.kind is not Kind.OK:
            state.verdict = Verdict(verdict.kind, f"{artifact.path.stem}: {verdict.message}")
            return
        on.ours.load(slot, artifact.language, artifact.path)
    contenders = [
        Contender(f"{slot}{i}", runner, slot) for i, runner in enumerate((on.ours, on.theirs)) for slot in artifacts
    ]
    _time(on, state, contenders, [c.name for c in contenders], budget_s)


def _built(on: Clusters, state: Attempt, path: Path) -> build.Artifact | None:
    on.progress("building", 0.05)
    submission = read(path)
    if isinstance(submission, Verdict):
        state.verdict, state.language = submission, path.suffix.lstrip(".")
        return None
    state.language, state.source = submission.language, submission.text
    built = on.build_once(submission)
    if isinstance(built, Verdict):
        state.verdict = built
        return None
    state.remarks = "\n".join(filter(None, [built.warnings, *timing.notes(submission.text, submission.name)]))
    return built


def _checked(on: Clusters, runner: Runner, state: Attempt, slot: str, artifact: build.Artifact) -> Verdict:
    """Load a kernel and run all check cases, plain and strict; OK says that the numbers are right, and not by luck."""
    loaded = runner.load(slot, artifact.language, artifact.path)
    if verdict := check.judge_load(loaded, artifact.path.name):
        return verdict
    runner.load(f"{slot}{STRICT}", artifact.language, artifact.strict)
    cases = [_Checked.make(on, state.lab, slot, case) for case in state.lab.manifest.check]
    for strict, text in ((False, "checking"), (True, "checking strictly")):
        for i, one in enumerate(cases):
            on.progress(f"{text} {one.case}", 0.15 + (0.13 if strict else 0.0) + 0.13 * i / len(cases))
            if verdict := (_check_strictly(runner, state, one) if strict else _check_case(runner, state, one)):
                return verdict
    return OK


@dataclass(frozen=True)
class _Checked:
    """A check case made ready: its data, the request, and what must come out, one entry for each run."""

    case: Case
    sets: list[list[Array]]
    request: Run
    expected: list[list[Array]]

    @classmethod
    def make(cls, on: Clusters, lab: Lab, slot: str, case: Case) -> Self:
        sets = [lab.oracle.inputs(on.rng(lab.id, case, k), case) for k in range(CHECK_SETS)]
        truth = [lab.oracle.expected(case, inputs) for inputs in sets]
        order = [*range(CHECK_SETS), 0]
        n_out = [t.size for t in truth[0]]
        request = case.run(slot, n_out, order, list(range(len(order))), CHECK_LIMIT_S)
        return cls(case, sets, request, [truth[k] for k in order])

    def judge(self, lab: Lab, observation: Observation, outputs: list[Array]) -> Verdict | None:
        """What is wrong with a run of this case."""
        runs = len(self.expected)
        rows = [list(o.reshape(runs, -1)) if o.size else [o] * runs for o in outputs]
        return check.judge_run(self.case, observation, rows, self.expected, lab.oracle.rtol, lab.oracle.hint)


def _check_case(runner: Runner, state: Attempt, one: _Checked) -> Verdict | None:
    """A plain run; when its numbers are wrong, a strict one may say why."""
    home = runner.folder  # another one when the runner is replaced
    runner.data(one.sets)
    observation, _, outputs = runner.run(one.request)
    if one.case.ranks > 1:
        for report in observation.ranks:
            state.calls.update(report.calls)
    state.printed = next((r.printed for r in observation.ranks if r.printed.strip()), state.printed)
    verdict = one.judge(state.lab, observation, outputs)
    if stuck := observation.stuck:
        state.findings = [finding(stuck.kind, stuck.rank, stuck.call, stuck.where, stuck.message, rule=stuck.rule)]
    if verdict and verdict.kind is Kind.WRONG_ANSWER and runner.folder == home:
        _check_strictly(runner, state, one)
        more = f"\n{check.explained(state.findings[0])}" if state.findings else ""
        return Verdict(verdict.kind, verdict.message + more)
    return verdict


def _check_strictly(runner: Runner, state: Attempt, one: _Checked) -> Verdict | None:
    """A run with MPI as unkind as the standard permits."""
    request = msgspec.structs.replace(
        one.request, slot=f"{one.request.slot}{STRICT}", timeout_s=STRICT_LIMIT_S, strict=True
    )
    home = runner.folder
    runner.data(one.sets)
    observation, outputs, logs = runner.run_and_read(request, lambda folder: log.read_logs(folder, one.case.ranks))
    lines = places.lines(log.places(logs))
    state.findings = analyse(logs, ended=observation.end, plain_ended="finished", places=lines)
    if state.findings and runner.folder == home:
        runner.replace()  # requests may be open, communicators left
    wrong = one.judge(state.lab, observation, outputs)
    return check.judge_strict(one.case, observation, state.findings, wrong)


def _time(on: Clusters, state: Attempt, contenders: Sequence[Contender], judged: list[str], budget_s: float) -> None:
    """Rounds of all timed cases until the word is decided or the budget is spent."""
    cases = state.lab.manifest.time
    if (most := max(c.ranks for c in cases)) > machine.cores():
        state.speed = Speed.UNDECIDED
        state.because = (
            f"timing needs {most} cores, this machine gives {machine.cores()}: more ranks than cores measure nothing"
        )
        return
    rng = on.rng("time", clock.time_ns())
    with on.measuring():
        others = [r for r in (on.ours, on.theirs) if r is not contenders[0].runner]
        plans = [time.plan(c, state.lab.oracle, contenders[0], others, rng) for c in cases]
        state.timed = [time.Rounds(p, {c.name: [] for c in contenders}) for p in plans]
        begin = clock.monotonic()
        while state.speed is None and state.verdict.kind in (Kind.OK, Kind.NOT_ATTEMPTED):
            for rounds in state.timed:
                if len(plans) > 1:
                    for runner in (on.ours, on.theirs):
                        runner.data(rounds.plan.sets)
                _one_round(state, rounds, contenders, judged, rng)
            done = len(state.timed[-1].bursts[contenders[0].name])
            spent = (clock.monotonic() - begin) / budget_s
            on.progress(f"timing, round {done}", 0.4 + 0.6 * min(spent, 1.0))
            last = spent >= 1 and done >= stats.LOOKS[0]
            if done in stats.LOOKS or last:
                state.speed = _decide(state, last=last or done >= stats.LOOKS[-1])


def _one_round(
    state: Attempt, rounds: time.Rounds, contenders: Sequence[Contender], judged: list[str], rng: Generator
) -> None:
    bursts = time.one_round(rounds.plan, contenders, rng)
    for name, burst in bursts.items():
        if burst.verdict and name in judged:
            state.verdict = Verdict(burst.verdict.kind, f"in a timed run: {burst.verdict.message}")
            return
        if burst.verdict:
            raise HarnessError(f"our own {name} failed in a timed run: {burst.verdict.message}")
    for name, burst in bursts.items():
        rounds.bursts[name].append(burst)


def _decide(state: Attempt, *, last: bool) -> Speed | None:
    speedup, control = state.ratio("speedup"), state.ratio("control")
    reference = state.ratio("against_reference")
    if speedup is None or control is None:
        return Speed.UNDECIDED if last else None
    if state.compared_with:
        word = stats.direction(speedup, last=last)
        return {Speed.FASTER: Speed.FASTER_ONE, Speed.SLOWER: Speed.SLOWER_ONE}.get(word, word) if word else None
    assert reference is not None
    return stats.speed(speedup, reference, control, last=last)


def _hold_against_clock(on: Clusters, state: Attempt, honest: Contender, suspect: Contender) -> None:
    rounds = state.timed[-1]
    on.progress("holding the samples against the referee's clock", 0.98)
    said = time.against_clock(rounds.plan, honest, suspect, rounds, on.rng("long", clock.time_ns()))
    if said:
        state.verdict, state.speed = said, None
