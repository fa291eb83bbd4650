"""Scale cases, measured: the time of a run, and how much of it the ranks spend in MPI calls.

Theory of operation.  Baseline, reference and submission are loaded side by side in one runner of plain processes
(engines.py) and run in rounds, in random order: one recorded run each, a warm-up before it.  Time is that of the
slowest rank; communication time is the mean over ranks of the time in MPI calls, read from the rings.  A round's ratios
are paired; estimates are medians over rounds (stats.py).  The oracle checks the numbers of each run.

This is for insight, not for grades: contenders share processes.

On emulated nodes ranks share the cores, so what messages and real arithmetic cost must be small beside the modelled
compute that sleeps.  A run without that compute tells what they cost; where it is a large share, the case is refused.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from mpilab import check, machine, page, stats
from mpilab.build import Artifact
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case
from mpilab.protocol import Array, Observation
from mpilab.runner import Runner
from mpilab.stats import Estimate
from mpilab.tracing import intervals, rings
from mpilab.verdict import Verdict

ROUNDS = 7  # the smallest and the largest of so many hold the median, but for 1.6 % of cases
ERROR = 0.05
RING = 1 << 14  # events of a rank
LIMIT_S = 120.0
COST_RUNS = 3  # without modelled compute; the quickest counts
MOST_COST = 0.35  # of a run, for messages and real arithmetic: more, and what is measured is this machine


class Sample(msgspec.Struct, frozen=True):
    """One run: seconds of the slowest rank, and mean seconds in MPI calls."""

    time_s: float
    communication_s: float


class Scaled(msgspec.Struct, frozen=True):
    """A scale case: samples[contender][round]; or why it was refused.

    cost_s: of an emulated case, each contender's seconds for messages and real arithmetic alone.
    """

    case: Case
    samples: dict[str, list[Sample]]
    refused: str = ""
    cost_s: dict[str, float] = {}

    def typical(self, who: str, of: str) -> float:
        """The median over rounds of "time" or "communication", in seconds."""
        return stats.median([getattr(sample, f"{of}_s") for sample in self.samples[who]])

    def ratio(self, who: str, of: str, to: str = "baseline") -> Estimate:
        """What `who` takes of `of`, over what `to` takes: below 1 is less."""
        pairs = zip(self.samples[who], self.samples[to], strict=True)
        least = 1e-9
        logs = [math.log(max(getattr(a, f"{of}_s"), least) / max(getattr(b, f"{of}_s"), least)) for a, b in pairs]
        return stats.estimate(logs, ERROR)


@dataclass(frozen=True)
class _Ready:
    """A case made ready: what goes in, what must come out."""

    case: Case
    inputs: list[Array]
    truth: list[Array]


def measure(on: Clusters, lab: Lab, paths: Mapping[str, Path], cases: list[Case], rounds: int = ROUNDS) -> list[Scaled]:
    """Run each of `cases` with the kernels at `paths` (a name for each; all of one language).

    Raises:
        HarnessError: a kernel can't be built, or its run went wrong.
    """
    artifacts = {who: on.artifact(path) for who, path in paths.items()}
    by_transport = {case.over: max(c.ranks for c in cases if c.over == case.over) for case in cases}
    runners = {over: on.many(ranks, over) for over, ranks in by_transport.items()}
    for runner in runners.values():
        for who, artifact in artifacts.items():
            _load(runner, who, artifact)
    found = []
    with on.measuring():
        for i, case in enumerate(cases):
            found.append(_measure(on, runners[case.over], lab, list(paths), case, rounds, (i, len(cases))))
    return found


def _load(runner: Runner, who: str, artifact: Artifact) -> None:
    if verdict := check.judge_load(runner.load(who, artifact.language, artifact.path), artifact.path.name):
        raise HarnessError(f"{who}: {verdict.message}", then="mend that first")


def _measure(
    on: Clusters, runner: Runner, lab: Lab, names: list[str], case: Case, rounds: int, part: tuple[int, int]
) -> Scaled:
    if not case.emulated and case.ranks > machine.cores():
        text = f"{case.ranks} ranks need as many cores, this machine has {machine.cores()}"
        return Scaled(case, {}, f"{text}: real compute on fewer measures nothing")
    rng = on.rng("scale", lab.id, case)
    inputs = lab.oracle.inputs(rng, case)
    ready = _Ready(case, inputs, lab.oracle.expected(case, inputs))
    runner.data([inputs])
    samples: dict[str, list[Sample]] = {who: [] for who in names}
    cost: dict[str, float] = {}
    for done in range(rounds):
        for i in rng.permutation(len(names)):
            share = (part[0] + (done + i / len(names)) / rounds) / part[1]
            on.progress(f"{case}: round {done + 1} of {rounds}", share)
            sample = _sample(runner, lab, names[i], ready.case, ready)
            samples[names[i]].append(sample)
            if case.emulated and names[i] not in cost:
                cost[names[i]] = _cost(runner, lab, names[i], ready)
            best = min(one.time_s for one in samples[names[i]])  # a moment of other load makes one longer
            if case.emulated and cost[names[i]] > MOST_COST * best:
                return Scaled(case, {}, _too_dear(names[i], cost[names[i]], best), cost)
    return Scaled(case, samples, "", cost)


def _cost(runner: Runner, lab: Lab, who: str, ready: _Ready) -> float:
    """Seconds of a run without modelled compute."""
    bare = msgspec.structs.replace(ready.case, work=0.0)
    return min(_sample(runner, lab, who, bare, ready).time_s for _ in range(COST_RUNS))


def _too_dear(who: str, cost_s: float, time_s: float) -> str:
    both = f"{cost_s * 1e3:.1f} ms of its {time_s * 1e3:.1f} ms"
    return (
        f"messages and real arithmetic of the {who} alone take {both} here: not small beside the modelled compute; "
        "take fewer ranks, smaller messages or more work"
    )


def _sample(runner: Runner, lab: Lab, who: str, case: Case, ready: _Ready) -> Sample:
    request = case.run(who, [t.size for t in ready.truth], [0, 0], [1], LIMIT_S)
    request = msgspec.structs.replace(request, warmup=1, ring=RING, groups=0xFF)
    observation, outputs, found = runner.run_and_read(request, _rings)
    verdict = _judge(lab, ready, observation, outputs)
    if verdict:
        raise HarnessError(
            f"{who} went wrong ({ready.case}): {verdict.kind}, {verdict.message}",
            then="`mpilab try` says more; a kernel is scaled when it is right",
        )
    return _in_mpi(found, case.ranks)


def _judge(lab: Lab, ready: _Ready, observation: Observation, outputs: list[Array]) -> Verdict | None:
    return check.judge_run(
        ready.case, observation, [[out] for out in outputs], [ready.truth], lab.oracle.rtol, lab.oracle.hint
    )


def _rings(folder: Path) -> list[rings.Ring]:
    """What the ranks recorded; of a run that went wrong perhaps nothing."""
    try:
        return rings.read(folder, calls=len(page.call_names()) + 1)[0]
    except HarnessError:
        return []


def _in_mpi(found: list[rings.Ring], ranks: int) -> Sample:
    """Of the last run: the slowest rank's seconds, and the mean over ranks of those in MPI calls."""
    lost = sum(ring.dropped for ring in found)
    if len(found) != ranks or lost:
        text = f"{len(found)} of {ranks} ranks' events can be read, {lost:,} events were dropped"
        raise HarnessError(text, then="take fewer steps")
    both = [_of_last_run(ring) for ring in found]
    return Sample(max(whole for whole, _ in both), sum(inside for _, inside in both) / ranks)


def _of_last_run(ring: rings.Ring) -> tuple[float, float]:
    """A rank's last run: its seconds, and those of them in MPI calls."""
    run = next(meta.region for meta in ring.meta if meta.name == "run")
    spans = np.flatnonzero((ring.events["call"] == rings.REGION) & (ring.events["request"] == run))
    begin, end = float(ring.start[spans[-1]]), float(ring.end[spans[-1]])
    calls = ring.events["call"] > 0
    inside = intervals.held(intervals.merge(ring.start[calls], ring.end[calls]), np.array([begin, end]))
    return end - begin, float(inside[1] - inside[0])
