"""Timing: bursts of short samples, in alternation.

Theory of operation.  Contenders are kernels loaded in warm runners.  A round gives each of them one burst, in random
order; a burst is one request to a runner: init, some warm-up runs, the samples, free.  A sample is one `kernel_run`
between a barrier and the slowest rank's return (MAX over ranks), with fresh input each time.  Each burst places its
buffers anew, so that no memory layout is always lucky.  `steps` is doubled or halved beforehand until a sample lasts
0.1 to 1 ms: shorter than the system's time slice, long enough for the clock.  Outputs of timed runs are checked too,
and a long burst is held against the referee's own clock.  This module decides nothing: stats.py does.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from mpilab import check, stats
from mpilab.errors import HarnessError
from mpilab.lab import Oracle
from mpilab.manifest import Case
from mpilab.protocol import Array, Observation
from mpilab.runner import Runner
from mpilab.verdict import Kind, Verdict

SHORTEST_S, LONGEST_S = 1e-4, 1e-3  # of a sample
BURST_S = 6e-3
LONG_BURST_S = 0.2
HIDDEN_S = 5e-3  # of a long burst: less is the machine's, and would be no use to a cheat
HIDDEN_SHARE = 0.15  # of what the samples claim
UNSEEN = 12  # input sets of a burst that tells whether a kernel remembers
REMEMBERS = 1.3  # times as fast on input that it has seen
WARMUP = 3
EMULATED_SAMPLES = 2  # of a burst: they last long, and sleep is steady
SETS = 3  # input sets, drawn from at random
LIMIT_S = 20.0


@dataclass(frozen=True)
class Contender:
    """A kernel in a slot of a warm runner."""

    name: str
    runner: Runner
    slot: str


@dataclass(frozen=True)
class Plan:
    """A timed case made ready: data, truth, and how many samples a burst has."""

    case: Case
    oracle: Oracle
    sets: list[list[Array]]
    truth: list[list[Array]]
    due: list[check.Due]  # of each set
    samples: int
    warmup: int


@dataclass(frozen=True)
class Burst:
    """One contender's burst: seconds of each sample (MAX over ranks), the referee's own time, what was wrong."""

    seconds: list[float]
    elapsed_s: float
    verdict: Verdict | None
    observation: Observation


@dataclass
class Rounds:
    """All bursts of a timed case so far, by contender's name."""

    plan: Plan
    bursts: dict[str, list[Burst]] = field(default_factory=dict)
    contenders: Sequence[Contender] = ()

    def done(self) -> int:
        """How many rounds there were."""
        return min(map(len, self.bursts.values()))

    def runners(self) -> list[Runner]:
        """Where the contenders run, each once."""
        return list({id(c.runner): c.runner for c in self.contenders}.values())

    def logs(self, slower: str, faster: str) -> list[float]:
        """Per round, the log of how many times as fast `faster` is as `slower`."""
        pairs = zip(self.bursts[slower], self.bursts[faster], strict=True)
        return [float(np.log(_typical(a) / _typical(b))) for a, b in pairs]


def plan(case: Case, oracle: Oracle, baseline: Contender, others: Sequence[Runner], rng: np.random.Generator) -> Plan:
    """Choose `steps` and the number of samples by the baseline's time; hand the data to all runners."""
    if case.emulated:  # as long as it must be for its modelled compute
        ready = _plan(case, oracle, rng, EMULATED_SAMPLES, warmup=1)
        for runner in (baseline.runner, *others):
            runner.data(ready.sets)
        return ready
    for _ in range(12):
        ready = _plan(case, oracle, rng, samples=9)
        baseline.runner.data(ready.sets)
        seconds = stats.median(_sound(burst(ready, baseline, rng), baseline).seconds)
        factor = 2 if seconds < SHORTEST_S else 0.5 if seconds > LONGEST_S else 1
        if factor == 1 or case.steps * factor < 1:
            break
        case = msgspec.structs.replace(case, steps=int(case.steps * factor))
    for runner in others:
        runner.data(ready.sets)
    samples = int(np.clip(BURST_S / seconds, 12, 60))
    return replace(ready, samples=samples, warmup=WARMUP)


def one_round(plan: Plan, contenders: Sequence[Contender], rng: np.random.Generator) -> dict[str, Burst]:
    """One burst of each contender, in random order; ends early with a burst that went wrong."""
    bursts: dict[str, Burst] = {}
    for i in rng.permutation(len(contenders)):
        bursts[contenders[i].name] = found = burst(plan, contenders[i], rng)
        if found.verdict:
            break
    return bursts


def burst(
    plan: Plan, contender: Contender, rng: np.random.Generator, samples: int | None = None, order: Sequence[int] = ()
) -> Burst:
    """One burst of `samples` samples (default: the plan's) on random input sets, or on those of `order`."""
    count = plan.warmup + (samples or plan.samples)
    order = list(order) or rng.integers(0, len(plan.sets), count).tolist()
    keep = int(rng.integers(plan.warmup, len(order)))
    n_out = [t.size for t in plan.truth[0]]
    request = plan.case.run(contender.slot, n_out, order, [keep], LIMIT_S)
    request = msgspec.structs.replace(request, warmup=plan.warmup)
    start = time.monotonic()
    ran = contender.runner.run(request)
    elapsed = time.monotonic() - start
    truth, rtol = [plan.truth[order[keep]]], plan.oracle.rtol
    found = check.judge_run(plan.case, ran.observation, [[o] for o in ran.outputs], truth, rtol, plan.oracle.hint)
    found = found or check.judge_sums(plan.case, ran.sums, [plan.due[k] for k in order])
    slowest = [] if found else np.max(ran.seconds, axis=0).tolist()
    return Burst(slowest, elapsed, found, ran.observation)


def against_clock(
    plan: Plan, honest: Contender, suspect: Contender, rounds: Rounds, rng: np.random.Generator
) -> Verdict | None:
    """Hold long bursts against the referee's clock; TAMPERED when the samples hide time.

    What a burst takes beyond its samples (input, barriers, the request itself) is known from the baseline.  Time that
    the suspect took beyond that was spent in runs that it reported as shorter.
    """
    said = ""
    for _ in range(3):  # a disturbed moment can look like a lie once, hardly three times
        usual, _, failed = _beyond(plan, honest, rounds, rng)
        if failed:
            raise HarnessError(f"our own {honest.name} failed: {failed.kind} {failed.message}")
        beyond, claimed, verdict = _beyond(plan, suspect, rounds, rng)
        if verdict or beyond <= 2 * max(usual, 0.0) + HIDDEN_SHARE * claimed + HIDDEN_S:
            return verdict
        said = f"its samples add up to {claimed:.3f} s, but the referee's clock saw {beyond:.3f} s more go by"
    return Verdict(Kind.TAMPERED, said)


def against_memory(
    plan: Plan, honest: Contender, suspect: Contender, rounds: Rounds, rng: np.random.Generator
) -> Verdict | None:
    """Hold runs on new input against those on input seen before; TAMPERED when a kernel remembers its results.

    Seen before is what comes a second time, and what the rounds had; the honest kernel says what other load does.
    """
    faster = 0.0
    for _ in range(3):
        fresh = _plan(plan.case, plan.oracle, rng, samples=2 * UNSEEN, warmup=plan.warmup, count=UNSEEN + 1)
        order = [UNSEEN] * plan.warmup + [k for k in range(UNSEEN) for _ in range(2)]
        found = {}
        for one in (honest, suspect):
            one.runner.data(fresh.sets)
            found[one.name] = burst(fresh, one, rng, order=order)
        if verdict := found[suspect.name].verdict:
            return verdict
        _sound(found[honest.name], honest)
        slower = {name: _new_over_known(one, rounds.bursts[name]) for name, one in found.items()}
        twice = found[suspect.name].seconds
        pairs = [new / max(seen, 1e-9) for new, seen in zip(twice[::2], twice[1::2], strict=True)]
        faster = max(stats.median(pairs), slower[suspect.name] / slower[honest.name])
        if faster < REMEMBERS:
            return None
    return Verdict(Kind.TAMPERED, f"it is {faster:.1f} times as fast on input that it has seen: it remembers results")


def _new_over_known(fresh: Burst, known: Sequence[Burst]) -> float:
    """How many times as long a run on new input takes as the rounds' runs did."""
    return max(stats.lower_decile(fresh.seconds[::2]), 1e-9) / stats.median([_typical(b) for b in known])


def _beyond(
    plan: Plan, contender: Contender, rounds: Rounds, rng: np.random.Generator
) -> tuple[float, float, Verdict | None]:
    """A long burst's seconds beyond its samples and beyond a short one's; those its samples claim; what went wrong."""
    short = rounds.bursts[contender.name]
    times = LONG_BURST_S / stats.median([b.elapsed_s for b in short])  # by the referee's clock, not the samples
    long = burst(plan, contender, rng, max(plan.samples, int(plan.samples * times)))
    claimed = sum(long.seconds)
    return long.elapsed_s - claimed - stats.median([b.elapsed_s - sum(b.seconds) for b in short]), claimed, long.verdict


def _typical(burst: Burst) -> float:
    return max(stats.lower_decile(burst.seconds), 1e-9)


def _sound(burst: Burst, contender: Contender) -> Burst:
    """The burst of a kernel of ours, which must be right."""
    if burst.verdict:
        raise HarnessError(f"our own {contender.name} failed: {burst.verdict.kind} {burst.verdict.message}")
    return burst


def _plan(
    case: Case, oracle: Oracle, rng: np.random.Generator, samples: int, warmup: int = WARMUP, count: int = SETS
) -> Plan:
    sets = [oracle.inputs(rng, case) for _ in range(count)]
    truth = [oracle.expected(case, s) for s in sets]
    return Plan(case, oracle, sets, truth, [check.due(t, oracle.rtol) for t in truth], samples, warmup)
