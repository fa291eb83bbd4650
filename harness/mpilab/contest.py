"""The timed cases: rounds of bursts until the intervals decide.

Theory of operation.  Each case has its contenders in runners of its platform.  A round gives each a burst (time.py);
after fixed numbers of rounds the intervals are looked at (stats.py), until they decide the word or the budget is
spent.  One session measures at a time.
"""

import time as clock
from collections.abc import Callable, Sequence

from numpy.random import Generator

from mpilab import machine, stats, time
from mpilab.attempt import Attempt
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.manifest import Case
from mpilab.stats import Speed
from mpilab.time import Contender
from mpilab.verdict import Kind, Verdict


def hold(
    on: Clusters,
    state: Attempt,
    contenders: Callable[[Case], Sequence[Contender]],
    judged: Sequence[str],
    budget_s: float,
) -> None:
    """Rounds of all timed cases until the word is decided or the budget is spent.

    `contenders` loads the kernels where a case is to run; of those in `judged` a wrong run is a verdict.
    """
    cases = state.lab.manifest.time
    if (most := max((c.ranks for c in cases if not c.emulated), default=0)) > machine.cores():
        state.speed = Speed.UNDECIDED
        state.because = (
            f"timing needs {most} cores, this machine gives {machine.cores()}: more ranks than cores measure nothing"
        )
        return
    rng = on.rng("time", clock.time_ns())
    with on.measuring():
        state.timed = [_ready(state, case, contenders(case), rng) for case in cases]
        begin = clock.monotonic()
        while state.speed is None and state.verdict.kind in (Kind.OK, Kind.NOT_ATTEMPTED):
            for rounds in state.timed:
                if len(cases) > 1:
                    for runner in rounds.runners():
                        runner.data(rounds.plan.sets)
                _one_round(state, rounds, judged, rng)
            done = state.timed[-1].done()
            spent = (clock.monotonic() - begin) / budget_s if budget_s > 0 else 1.0
            on.progress(f"timing, round {done}", 0.4 + 0.6 * min(spent, 1.0))
            last = spent >= 1 and done >= stats.LOOKS[0]
            if done in stats.LOOKS or last:
                state.speed = _decide(state, last=last or done >= stats.LOOKS[-1])


def _ready(state: Attempt, case: Case, contenders: Sequence[Contender], rng: Generator) -> time.Rounds:
    """A case planned, and its data where it runs."""
    others = [c.runner for c in contenders if c.runner is not contenders[0].runner]
    plan = time.plan(case, state.lab.oracle, contenders[0], others, rng)
    return time.Rounds(plan, {c.name: [] for c in contenders}, contenders)


def _one_round(state: Attempt, rounds: time.Rounds, judged: Sequence[str], rng: Generator) -> None:
    bursts = time.one_round(rounds.plan, rounds.contenders, rng)
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


def hold_against_clock(on: Clusters, state: Attempt, honest: str, suspect: str) -> None:
    """Hold long bursts of a submission against the referee's own clock; its verdict is TAMPERED when they hide time."""
    rounds = state.timed[-1]
    by_name = {c.name: c for c in rounds.contenders}
    on.progress("holding the samples against the referee's clock", 0.98)
    rng = on.rng("long", clock.time_ns())
    said = time.against_clock(rounds.plan, by_name[honest], by_name[suspect], rounds, rng)
    if on.boxed:
        said = said or time.against_memory(rounds.plan, by_name[honest], by_name[suspect], rounds, rng)
    if said:
        state.verdict, state.speed = said, None
