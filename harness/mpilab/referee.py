"""The referee: takes a file through the pipeline and writes the record.

Theory of operation.  submission -> build -> check -> time -> stats -> score -> record, in that order, each stage one
module; a bad verdict stops the flow.  This is the only module that knows the order.  What is known at any moment is in
an `_Attempt`; whatever ends it (a verdict, Ctrl-C, a fault of ours), a record is made of that and stored, so nothing
measured is lost.
"""

import time as clock
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mpilab import build, check, stats, time
from mpilab.errors import HarnessError
from mpilab.lab import Case, Lab
from mpilab.protocol import Run
from mpilab.record import Record, TimedCase, keep
from mpilab.runner import Runner
from mpilab.score import score
from mpilab.stats import Estimate, Speed
from mpilab.submission import Submission, read, same_code
from mpilab.time import Contender
from mpilab.verdict import OK, Kind, Verdict

if TYPE_CHECKING:
    from mpilab.session import Session

CHECK_LIMIT_S = 10.0  # a check case takes milliseconds
CHECK_SETS = 2


@dataclass
class _Attempt:
    """What is known of an attempt so far."""

    lab: Lab
    file: Path
    verdict: Verdict = OK
    language: str = ""
    remarks: str = ""
    printed: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    timed: list[time.Rounds] = field(default_factory=list)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)  # name of a ratio -> slower, faster
    speed: Speed | None = None
    because: str = ""
    interrupted: bool = False
    compared_with: str = ""

    def ratio(self, name: str) -> Estimate | None:
        """The estimate of one of `pairs`, over all timed cases; None before the first look."""
        if name not in self.pairs or not self.timed:
            return None
        logs = [np.mean(row) for row in zip(*(self.logs(r, name) for r in self.timed), strict=False)]
        return stats.estimate([float(x) for x in logs]) if len(logs) >= stats.LOOKS[0] else None

    def logs(self, rounds: time.Rounds, name: str) -> list[float]:
        """Per round, the log ratio; a name of two pairs (`compare`) is their mean."""
        slower, faster = self.pairs[name]
        both = [rounds.logs(a, b) for a, b in zip(slower.split("+"), faster.split("+"), strict=True)]
        return [sum(row) / len(row) for row in zip(*both, strict=True)]


def attempt(session: "Session", lab: Lab, path: Path, budget_s: float) -> Record:
    """Try one submission; returns its record, which is stored."""
    state = _Attempt(lab, path)
    state.pairs = {
        "speedup": ("baseline", "submission"),
        "against_reference": ("reference", "submission"),
        "reference_gain": ("baseline", "reference"),
        "control": ("baseline", "control"),
    }
    return _recorded(session, state, lambda: _try(session, state, budget_s))


def compare(session: "Session", lab: Lab, a: Path, b: Path, budget_s: float) -> Record:
    """Hold kernel `b` against kernel `a`; both run in both clusters, so that no cluster is lucky."""
    state = _Attempt(lab, b, compared_with=str(a))
    state.pairs = {"speedup": ("a0+a1", "b0+b1"), "control": ("a0", "a1")}
    return _recorded(session, state, lambda: _compare(session, state, (a, b), budget_s))


def _recorded(session: "Session", state: _Attempt, work: Callable[[], None]) -> Record:
    """Do `work` and store the record of it, also when it is interrupted or fails."""
    started, begin = clock.strftime("%Y-%m-%dT%H:%M:%S%z"), clock.monotonic()
    try:
        work()
    except BaseException as error:
        state.interrupted = True
        state.because = f"{type(error).__name__}: {error}".rstrip(": ")
        if state.timed or state.verdict is not OK:
            keep(_record(session, state, started, clock.monotonic() - begin))
        raise
    result = _record(session, state, started, clock.monotonic() - begin)
    keep(result)
    return result


def _try(session: "Session", state: _Attempt, budget_s: float) -> None:
    artifact = _built(session, state, state.file)
    if artifact is None:
        return
    session.progress("loading", 0.1)
    state.verdict = _checked(session, session.theirs, state, "submission", artifact)
    if state.verdict.kind is not Kind.OK:
        return
    baseline = read(state.lab.baseline(artifact.language))
    assert isinstance(baseline, Submission)
    submission = read(state.file)
    if isinstance(submission, Submission) and same_code(baseline.text, submission.text, artifact.language):
        text = "this is still the baseline: correct, and not yet converted"
        state.verdict = Verdict(Kind.NOT_ATTEMPTED, text)
    else:
        state.verdict = check.judge_calls(state.lab.manifest.calls, state.calls)
    if state.verdict.kind not in (Kind.OK, Kind.NOT_ATTEMPTED):
        return
    session.load_ours(state.lab, artifact.language)
    unconverted = session.artifact(state.lab.baseline(artifact.language))
    session.theirs.load("control", unconverted.language, unconverted.path)
    contenders = [
        Contender("baseline", session.ours, "baseline"),
        Contender("reference", session.ours, "reference"),
        Contender("submission", session.theirs, "submission"),
        Contender("control", session.theirs, "control"),
    ]
    _time(session, state, contenders, ["submission"], budget_s)
    if state.verdict.kind is Kind.OK and state.speed in (Speed.BEST, Speed.AS_FAST, Speed.FASTER):
        _hold_against_clock(session, state, contenders[0], contenders[2])


def _compare(session: "Session", state: _Attempt, files: tuple[Path, Path], budget_s: float) -> None:
    artifacts = {}
    for slot, path in zip("ab", files, strict=True):
        artifact = _built(session, state, path)
        if artifact is None:
            return
        artifacts[slot] = artifact
    if artifacts["a"].language != artifacts["b"].language:
        raise HarnessError("one file is C and the other Python", then="compare two of the same language")
    for slot, artifact in artifacts.items():
        verdict = _checked(session, session.theirs, state, slot, artifact)
        if verdict.kind is not Kind.OK:
            state.verdict = Verdict(verdict.kind, f"{artifact.path.stem}: {verdict.message}")
            return
        session.ours.load(slot, artifact.language, artifact.path)
    contenders = [
        Contender(f"{slot}{i}", runner, slot)
        for i, runner in enumerate((session.ours, session.theirs))
        for slot in artifacts
    ]
    _time(session, state, contenders, [c.name for c in contenders], budget_s)


def _built(session: "Session", state: _Attempt, path: Path) -> build.Artifact | None:
    session.progress("building", 0.05)
    submission = read(path)
    if isinstance(submission, Verdict):
        state.verdict, state.language = submission, path.suffix.lstrip(".")
        return None
    state.language = submission.language
    built = build.build(submission, session.folder)
    if isinstance(built, Verdict):
        state.verdict = built
        return None
    state.remarks = built.warnings
    return built


def _checked(session: "Session", runner: Runner, state: _Attempt, slot: str, artifact: build.Artifact) -> Verdict:
    """Load a kernel and run all check cases; OK says only that the numbers are right."""
    loaded = runner.load(slot, artifact.language, artifact.path)
    if verdict := check.judge_load(loaded, artifact.path.name):
        return verdict
    cases = state.lab.manifest.check
    for i, case in enumerate(cases):
        session.progress(f"checking {case}", 0.15 + 0.25 * i / len(cases))
        if verdict := _check_case(session, runner, state, slot, case):
            return verdict
    return OK


def _check_case(session: "Session", runner: Runner, state: _Attempt, slot: str, case: Case) -> Verdict | None:
    oracle = state.lab.oracle
    sets = [oracle.inputs(session.rng(state.lab.id, case, k), case) for k in range(CHECK_SETS)]
    truth = [oracle.expected(case, inputs) for inputs in sets]
    runner.data(sets)
    order = [*range(CHECK_SETS), 0]
    request = Run(
        slot=slot,
        ranks=case.ranks,
        n=case.n,
        steps=case.steps,
        n_out=[t.size for t in truth[0]],
        order=order,
        keep=list(range(len(order))),
        warmup=0,
        timeout_s=CHECK_LIMIT_S,
    )
    observation, _, outputs = runner.run(request)
    rows = [list(o.reshape(len(order), -1)) if o.size else [o] * len(order) for o in outputs]
    if case.ranks > 1:
        for report in observation.ranks:
            state.calls.update(report.calls)
    state.printed = next((r.printed for r in observation.ranks if r.printed.strip()), state.printed)
    return check.judge_run(case, observation, rows, [truth[k] for k in order], oracle.rtol, oracle.hint)


def _time(session: "Session", state: _Attempt, contenders: Sequence[Contender], judged: list[str], budget_s: float) -> None:
    """Rounds of all timed cases until the word is decided or the budget is spent."""
    from mpilab.session import cores

    cases = state.lab.manifest.time
    if (most := max(c.ranks for c in cases)) > cores():
        state.speed = Speed.UNDECIDED
        state.because = f"timing needs {most} cores, this machine gives {cores()}: more ranks than cores measure nothing"
        return
    rng = session.rng("time", clock.time_ns())
    with session.measuring():
        others = [r for r in (session.ours, session.theirs) if r is not contenders[0].runner]
        plans = [time.plan(c, state.lab.oracle, contenders[0], others, rng) for c in cases]
        state.timed = [time.Rounds(p, {c.name: [] for c in contenders}) for p in plans]
        begin = clock.monotonic()
        while state.speed is None and state.verdict.kind in (Kind.OK, Kind.NOT_ATTEMPTED):
            for rounds in state.timed:
                if len(plans) > 1:
                    for runner in (session.ours, session.theirs):
                        runner.data(rounds.plan.sets)
                _one_round(state, rounds, contenders, judged, rng)
            done = len(state.timed[-1].bursts[contenders[0].name])
            spent = (clock.monotonic() - begin) / budget_s
            session.progress(f"timing, round {done}", 0.4 + 0.6 * min(spent, 1.0))
            last = spent >= 1 and done >= stats.LOOKS[0]
            if done in stats.LOOKS or last:
                state.speed = _decide(state, last=last or done >= stats.LOOKS[-1])


def _one_round(
    state: _Attempt, rounds: time.Rounds, contenders: Sequence[Contender], judged: list[str], rng: np.random.Generator
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


def _decide(state: _Attempt, *, last: bool) -> Speed | None:
    speedup, control = state.ratio("speedup"), state.ratio("control")
    reference = state.ratio("against_reference")
    if speedup is None or control is None:
        return Speed.UNDECIDED if last else None
    if state.compared_with:
        return stats.direction(speedup, stats.MARGIN, last=last)
    assert reference is not None
    return stats.speed(speedup, reference, control, last=last)


def _hold_against_clock(session: "Session", state: _Attempt, honest: Contender, suspect: Contender) -> None:
    rounds = state.timed[-1]
    session.progress("holding the samples against the referee's clock", 0.98)
    said = time.clock_disagrees(rounds.plan, honest, suspect, rounds, session.rng("long", clock.time_ns()))
    if said:
        state.verdict, state.speed = Verdict(Kind.TAMPERED, said), None


def _record(session: "Session", state: _Attempt, started: str, took_s: float) -> Record:
    from mpilab.session import machine

    ratios = {name: state.ratio(name) for name in state.pairs}
    points = state.lab.manifest.points
    result = score(points, state.verdict, state.speed, ratios["speedup"], ratios.get("reference_gain"))
    ours = "b0" if state.compared_with else "submission"
    return Record(
        lab=state.lab.id,
        language=state.language,
        file=str(state.file),
        verdict=state.verdict.kind,
        message=state.verdict.message,
        score=result.earned,
        points=points,
        pending=result.pending,
        why=state.because or result.why,
        speed=state.speed or "",
        rounds=sum(len(r.bursts[ours]) for r in state.timed),
        samples=sum(len(b.seconds) for r in state.timed for b in r.bursts[ours]),
        timed=[
            TimedCase(r.plan.case, {n: [[round(s, 9) for s in b.seconds] for b in bs] for n, bs in r.bursts.items()})
            for r in state.timed
        ],
        calls=dict(state.calls),
        printed=state.printed,
        remarks=state.remarks,
        machine=machine(),
        versions=session.versions() if state.timed else {},
        seed=session.seed,
        started=started,
        took_s=round(took_s, 3),
        interrupted=state.interrupted,
        compared_with=state.compared_with,
        **{name: value for name, value in ratios.items() if value is not None},
    )
