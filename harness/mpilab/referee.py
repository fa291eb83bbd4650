"""The referee: takes a file through the pipeline and writes the record.

Theory of operation.  submission -> build -> correctness -> contest -> score -> record, in that order, each stage one
module; a bad verdict stops the flow.  This is the only module that knows the order.  What is known at any moment is in
an `Attempt`; whatever ends it (a verdict, Ctrl-C, a fault of ours), a record is made of that and stored, so nothing
measured is lost.
"""

import time as clock
from collections.abc import Callable
from pathlib import Path

from mpilab import build, check, contest, correctness, stats
from mpilab.attempt import Attempt
from mpilab.clusters import Clusters
from mpilab.diagnosis import timing
from mpilab.errors import HarnessError
from mpilab.lab import SUFFIXES, Lab
from mpilab.manifest import Case
from mpilab.record import Record, keep
from mpilab.stats import Speed
from mpilab.submission import Submission, read, same_code
from mpilab.time import Contender
from mpilab.verdict import OK, Kind, Verdict


def attempt(on: Clusters, lab: Lab, path: Path, budget_s: float) -> Record:
    """Try one submission; returns its record, which is stored.

    What building and checking have left of `budget_s` is for timing, which takes its first look in any case.
    """
    state = Attempt(lab, path)
    state.ratios = {
        # within one cluster each, because a cluster has a bias of its own, which then cancels
        "speedup": [(1.0, "control", "submission")],
        "reference_gain": [(1.0, "baseline", "reference")],
        "against_reference": [(1.0, "control", "submission"), (-1.0, "baseline", "reference")],
        "control": [(1.0, "baseline", "control")],
    }
    return _recorded(on, state, lambda: _try(on, state, budget_s))


def broken(on: Clusters, lab: Lab, path: Path, why: str) -> Record:
    """The record of a kernel with which the engines' process fails each time, and without which it does not."""
    state = Attempt(lab, path, language=SUFFIXES.get(path.suffix, ""))
    state.ratios = {"speedup": [], "control": []}
    state.verdict = Verdict(Kind.CRASHED, f"it takes the process down that runs it: {why}")
    return _recorded(on, state, lambda: None)


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
    begin = clock.monotonic()
    artifact = _built(on, state, state.file)
    if artifact is None:
        return
    on.progress("loading", 0.1)
    waiting = clock.monotonic()
    on.theirs.versions()
    begin += clock.monotonic() - waiting  # clusters that are still starting aren't the kernel's affair
    baseline = read(state.lab.baseline(artifact.language))
    assert isinstance(baseline, Submission)
    untouched = same_code(baseline.text, state.source, artifact.language)
    if untouched and state.lab.manifest.truth == "reference":
        state.verdict = Verdict(Kind.NOT_ATTEMPTED, "this is still the baseline: its questions are not answered yet")
        return
    state.verdict = correctness.checked(on, on.theirs, state, "submission", artifact)
    if state.verdict.kind is not Kind.OK:
        return
    if untouched:
        state.verdict = Verdict(Kind.NOT_ATTEMPTED, "this is still the baseline: correct, and not yet converted")
    else:
        state.verdict = check.judge_calls(state.lab.manifest.calls, state.calls)
    if state.verdict.kind in (Kind.OK, Kind.NOT_ATTEMPTED) and state.lab.manifest.time:
        _race(on, state, artifact, begin + budget_s - clock.monotonic())


def _race(on: Clusters, state: Attempt, artifact: build.Artifact, left_s: float) -> None:
    """Time a submission beside baseline and reference."""
    unconverted = on.artifact(state.lab.baseline(artifact.language))

    def contenders(case: Case) -> list[Contender]:
        ours, theirs = on.pair(case)
        on.load_ours(state.lab, artifact.language, ours)
        theirs.load("submission", artifact.language, artifact.path)
        theirs.load("control", unconverted.language, unconverted.path)
        return [
            Contender("baseline", ours, "baseline"),
            Contender("reference", ours, "reference"),
            Contender("submission", theirs, "submission"),
            Contender("control", theirs, "control"),
        ]

    contest.hold(on, state, contenders, ["submission"], left_s)
    control = state.ratio("control")
    odd = control is not None and not stats.trusted(control)
    if state.verdict.kind is Kind.OK and (on.boxed or odd or state.speed in (Speed.BEST, Speed.AS_FAST, Speed.FASTER)):
        contest.hold_against_clock(on, state, "baseline", "submission")
    if on.boxed and state.verdict.kind is Kind.OK and (said := correctness.left_running(on.theirs)):
        state.verdict, state.speed = said, None
    if odd or state.speed is None:
        theirs = {id(c.runner): c.runner for r in state.timed for c in r.contenders if c.slot == "submission"}
        for runner in theirs.values():
            runner.replace()  # whatever the kernel did to its engines must not meet the next one


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
        verdict = correctness.checked(on, on.theirs, state, slot, artifact)
        if verdict.kind is not Kind.OK:
            state.verdict = Verdict(verdict.kind, f"{artifact.path.stem}: {verdict.message}")
            return
    if not state.lab.manifest.time:
        raise HarnessError(f"{state.lab.id} is an experiment: nothing of it is timed", then="`mpilab try` judges it")

    def contenders(case: Case) -> list[Contender]:
        both = tuple(enumerate(on.pair(case)))
        for _, runner in both:
            for slot, artifact in artifacts.items():
                runner.load(slot, artifact.language, artifact.path)
        return [Contender(f"{slot}{i}", runner, slot) for i, runner in both for slot in artifacts]

    contest.hold(on, state, contenders, ["a0", "a1", "b0", "b1"], budget_s)


def _built(on: Clusters, state: Attempt, path: Path) -> build.Artifact | None:
    on.progress("building", 0.05)
    submission = read(path)
    if isinstance(submission, Verdict):
        state.verdict, state.language = submission, path.suffix.lstrip(".")
        return None
    state.language, state.source = submission.language, submission.text
    built = on.build_theirs(submission)
    if isinstance(built, Verdict):
        state.verdict = built
        return None
    state.remarks = "\n".join(filter(None, [built.warnings, *timing.notes(submission.text, submission.name)]))
    return built
