"""A kernel of a lab, recorded on a session's warm engines.

Theory of operation.  The kernel is built, loaded and fed as for the referee, but in record mode, for one life of it:
init, a run that warms up, a run, free; each is a region of the trace.  The rings lie in the runner's folder and are
read as data.  Whether the result is right is said too, for a fast kernel that is wrong isn't fast.
"""

import time as clock
from pathlib import Path

import msgspec

from mpilab import check
from mpilab.build import Artifact
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case
from mpilab.submission import Submission, read, same_code
from mpilab.tracing.choice import Choice, Recorded, collect
from mpilab.verdict import Verdict

SLOT = "trace"
STEPS = 20  # at least, of a run: a few are too few to see what repeats
LIMIT_S = 20.0
DEFAULT = Choice()


def record(
    on: Clusters,
    lab: Lab,
    path: Path,
    *,
    ranks: int | None = None,
    steps: int | None = None,
    choice: Choice = DEFAULT,
    emulated: bool = False,
) -> Recorded:
    """Record the kernel at `path` with the first timed case of its lab that fits.

    Args:
        on: warm clusters.
        lab: whose kernel it is.
        path: a C or Python source.
        ranks: instead of the case's.
        steps: instead of the case's; at least STEPS by default.
        choice: what to record.
        emulated: take the lab's emulated case instead, the first with so many ranks.

    Raises:
        HarnessError: the kernel can't be built or loaded, there is no such case, or nothing was recorded.
    """
    case = _emulated_case(lab, ranks, steps) if emulated else _case(on, lab, ranks, steps)
    artifact = _artifact(on, path)
    runner = on.many(case.ranks, case.over) if emulated else on.theirs
    runner.versions()
    choice.must_fit(runner.folder, case.ranks)
    if verdict := check.judge_load(runner.load(SLOT, artifact.language, artifact.path), path.name):
        raise HarnessError(verdict.message, then="mend that first")
    inputs = lab.oracle.inputs(on.rng("trace", clock.time_ns()), case)
    truth = lab.oracle.expected(case, inputs)
    runner.data([inputs])
    request = case.run(SLOT, [t.size for t in truth], [0, 0], [0, 1], LIMIT_S)
    request = msgspec.structs.replace(request, warmup=1, ring=choice.ring, groups=choice.mask)
    on.progress(f"recording {path.name}, {case}", 0.6)
    observation, outputs, trace = runner.run_and_read(
        request, lambda folder: collect(folder, path.name, f"{path.name} of {lab.id}, {case}")
    )
    rows = [list(out.reshape(2, -1)) if out.size else [out] * 2 for out in outputs]
    experiment = lab.manifest.truth == "reference"  # what is right can't be said here
    expected = check.as_they_are(rows) if experiment else [truth, truth]
    verdict = check.judge_run(case, observation, rows, expected, lab.oracle.rtol, lab.oracle.hint)
    ended = f"{verdict.kind}: {verdict.message}" if verdict else ""
    printed = next((r.printed for r in observation.ranks if r.printed.strip()), "")
    return Recorded(trace.noted(ended) if ended else trace, ended, printed)


def is_baseline(lab: Lab, path: Path) -> bool:
    """Whether a file is its lab's baseline, but for comments and white space."""
    submission = read(path)
    if isinstance(submission, Verdict):
        return False
    baseline = lab.baseline(submission.language).read_text(encoding="utf-8")
    return same_code(baseline, submission.text, submission.language)


def _case(on: Clusters, lab: Lab, ranks: int | None, steps: int | None) -> Case:
    """The case to run: the first timed one with so many ranks, or the first with other ranks."""
    if ranks is not None and not 1 <= ranks <= on.ranks:
        raise HarnessError(f"{ranks} ranks: the engines are {on.ranks}", then=f"choose 1 to {on.ranks}")
    if steps is not None and steps < 1:
        raise HarnessError(f"{steps} steps", then="choose at least 1")
    cases = lab.manifest.time or [one for one in lab.manifest.check if one.over == "shared"]
    case = next((one for one in cases if one.ranks == ranks), cases[0])
    return msgspec.structs.replace(case, ranks=ranks or case.ranks, steps=steps or max(case.steps, STEPS))


def _emulated_case(lab: Lab, ranks: int | None, steps: int | None) -> Case:
    """The lab's first emulated case, or the first with so many ranks; `steps` as stated there."""
    cases = [one for one in lab.manifest.scale if one.emulated]
    fitting = [one for one in cases if ranks in (None, one.ranks)]
    if not fitting:
        there = ", ".join(sorted({str(one.ranks) for one in cases}, key=int)) or "none"
        raise HarnessError(f"{lab.id} has no emulated case with {ranks or 'any'} ranks", then=f"there are: {there}")
    return msgspec.structs.replace(fitting[0], steps=steps or fitting[0].steps)


def _artifact(on: Clusters, path: Path) -> Artifact:
    submission = read(path)
    built = on.build_once(submission) if isinstance(submission, Submission) else submission
    if isinstance(built, Verdict):
        raise HarnessError(f"{path} can't be built: {built.message}", then="mend that first")
    return built
