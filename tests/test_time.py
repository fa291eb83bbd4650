"""How timed cases are made ready and what a burst says, with runners that only pretend: no clock and no MPI here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mpilab import check
from mpilab import time as timing
from mpilab.errors import HarnessError
from mpilab.lab import Oracle
from mpilab.manifest import Case
from mpilab.protocol import Array, Observation, RankReport, Run
from mpilab.runner import Ran
from mpilab.time import LONGEST_S, REMEMBERS, SHORTEST_S, WARMUP, Burst, Contender, Plan, Rounds
from mpilab.verdict import Kind, Verdict

ORACLE = """
def inputs(rng, case):
    return [rng.random(case.n) for _ in range(case.ranks)]

def expected(case, inputs):
    return [x + case.steps for x in inputs]
"""
CASE = Case(ranks=2, n=4, steps=8)
REQUEST_S, BARRIER_S = 5e-3, 2e-6  # what a request and a run take beyond the kernel
LONG = 63  # runs of the longest ordinary burst


class Clock:
    """A clock that only the pretending runners move."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Say what time it is."""
        return self.now


class Pretender:
    """A runner whose kernel takes `seconds(steps)` on its slowest rank, says `claim` of it, and is wrong or right.

    It takes only `again` of that on input that it has seen; `skipped` says which runs of a request it puts out 0 in.
    """

    def __init__(
        self,
        clock: Clock,
        seconds: Callable[[int], float],
        claim: float = 1.0,
        wrong: Callable[[Run], bool] | None = None,
        again: float = 1.0,
        skipped: Callable[[Run], Sequence[int]] | None = None,
    ) -> None:
        self.clock, self.seconds, self.claim, self.wrong = clock, seconds, claim, wrong or (lambda _: False)
        self.again, self.skipped = again, skipped or (lambda _: ())
        self.sets: Sequence[Sequence[Array]] = []
        self.seen: set[bytes] = set()
        self.requests: list[Run] = []
        self.hiccups: list[float] = []  # what the next long requests take longer

    def data(self, sets: Sequence[Sequence[Array]]) -> None:
        """Take the input sets for the runs to come."""
        self.sets = sets

    def run(self, request: Run) -> Ran:
        """Let the time of all runs go by, and answer as a runner does."""
        self.requests.append(request)
        each = np.array([self.lasts(request, k) for k in request.order])
        self.clock.now += REQUEST_S + float((each + BARRIER_S).sum())
        if each.size > LONG and self.hiccups:
            self.clock.now += self.hiccups.pop()
        out = [[self.sets[k][rank] + request.steps for k in request.order] for rank in range(request.ranks)]
        for k in self.skipped(request):
            out[-1][k][:] = 0
        if self.wrong(request):
            out[-1][request.keep[0]][0] += 1
        samples = each[request.warmup :] * self.claim
        return Ran(
            Observation("finished", [RankReport("returned")] * request.ranks, 0.0),
            [samples * (rank + 1) / request.ranks for rank in range(request.ranks)],
            [np.array([(o * check.weights(o.size)).sum() for o in rows]) for rows in out],
            [np.concatenate([rows[k] for k in request.keep]) for rows in out],
        )

    def lasts(self, request: Run, k: int) -> float:
        """How long a run on set `k` takes, which is seen from then on."""
        content = np.concatenate(self.sets[k]).tobytes()
        known = content in self.seen
        self.seen.add(content)
        return self.seconds(request.steps) * (self.again if known else 1.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that mpilab.time looks at."""
    found = Clock()
    monkeypatch.setattr(timing, "time", SimpleNamespace(monotonic=found.monotonic))
    return found


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    """An oracle that adds `steps`, so that another number of steps has another truth."""
    (tmp_path / "oracle.py").write_text(ORACLE, encoding="utf-8")
    return Oracle(tmp_path / "oracle.py")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run of the tests."""
    return np.random.default_rng(7)


def contender(name: str, runner: Pretender) -> Contender:
    """Return a contender on a pretending runner."""
    stand_in: Any = runner
    return Contender(name, stand_in, name)


def rounds_of(plan: Plan, contenders: Sequence[Contender], rng: np.random.Generator, count: int = 5) -> Rounds:
    """Run `count` rounds."""
    found = Rounds(plan, {c.name: [] for c in contenders})
    for _ in range(count):
        for name, burst in timing.one_round(plan, contenders, rng).items():
            found.bursts[name].append(burst)
    return found


@pytest.mark.parametrize(
    ("per_step", "steps"),
    [(3e-6, 1), (1e-7, 1), (9e-5, 1), (1e-4, 100), (2e-6, 10_000), (5e-4, 3), (1e-4, 1), (1e-3, 1)],
)
def test_steps_are_chosen_so_that_a_sample_is_short(
    clock: Clock, oracle: Oracle, rng: np.random.Generator, per_step: float, steps: int
) -> None:
    """However quick or slow a step is, a sample of the plan lasts 0.1 to 1 ms."""
    runner = Pretender(clock, lambda n: n * per_step)
    plan = timing.plan(Case(ranks=2, n=4, steps=steps), oracle, contender("baseline", runner), [], rng)
    assert SHORTEST_S <= plan.case.steps * per_step <= LONGEST_S
    assert (plan.case.ranks, plan.case.n) == (2, 4)


def test_what_fits_is_left_as_it_is(clock: Clock, oracle: Oracle, rng: np.random.Generator) -> None:
    """A case whose samples last as long as they should keeps its steps, and is tried once."""
    runner = Pretender(clock, lambda n: n * 5e-5)
    plan = timing.plan(CASE, oracle, contender("baseline", runner), [], rng)
    assert plan.case == CASE
    assert len(runner.requests) == 1


def test_there_is_at_least_one_step(clock: Clock, oracle: Oracle, rng: np.random.Generator) -> None:
    """A kernel that needs long for a single step is timed with that one."""
    plan = timing.plan(CASE, oracle, contender("baseline", Pretender(clock, lambda n: n * 5e-3)), [], rng)
    assert plan.case.steps == 1


@pytest.mark.parametrize(("sample_s", "samples"), [(1e-4, 60), (2e-4, 30), (3e-4, 20), (1e-3, 12), (8e-3, 12)])
def test_a_burst_has_as_many_samples_as_it_has_time_for(
    clock: Clock, oracle: Oracle, rng: np.random.Generator, sample_s: float, samples: int
) -> None:
    """A burst lasts about 6 ms, with 12 to 60 samples."""
    case = Case(ranks=2, n=4, steps=1)
    plan = timing.plan(case, oracle, contender("baseline", Pretender(clock, lambda _: sample_s)), [], rng)
    assert plan.samples == pytest.approx(samples, abs=1)


@pytest.mark.parametrize("per_step", [5e-5, 3e-6, 1e-9], ids=["fits", "doubled", "too quick for any steps"])
def test_all_runners_get_the_plans_data(
    clock: Clock, oracle: Oracle, rng: np.random.Generator, per_step: float
) -> None:
    """Whatever happened during the choice of steps, every runner ends with the plan's sets, whose truth is known."""
    baseline, other = (Pretender(clock, lambda n: n * per_step) for _ in range(2))
    plan = timing.plan(CASE, oracle, contender("baseline", baseline), [other], rng)  # type: ignore[list-item]
    assert other.sets is plan.sets
    assert baseline.sets is plan.sets
    for inputs, truth in zip(plan.sets, plan.truth, strict=True):
        for a, b in zip(inputs, truth, strict=True):
            assert np.array_equal(a + plan.case.steps, b)
    assert timing.burst(plan, contender("baseline", baseline), rng).verdict is None


def test_a_baseline_that_is_wrong_is_our_fault(clock: Clock, oracle: Oracle, rng: np.random.Generator) -> None:
    """When our own kernel fails, no submission is judged by it."""
    runner = Pretender(clock, lambda _: 3e-4, wrong=lambda _: True)
    with pytest.raises(HarnessError, match="our own baseline failed: WRONG_ANSWER"):
        timing.plan(CASE, oracle, contender("baseline", runner), [], rng)


@pytest.fixture
def plan(clock: Clock, oracle: Oracle, rng: np.random.Generator) -> Plan:
    """A plan for a kernel of 0.2 ms."""
    return timing.plan(CASE, oracle, contender("baseline", Pretender(clock, lambda _: 2e-4)), [], rng)


def ready(clock: Clock, plan: Plan, seconds: float, **other: Any) -> Pretender:
    """Return a runner that has the plan's data and takes `seconds` for a run."""
    runner = Pretender(clock, lambda _: seconds, **other)
    runner.data(plan.sets)
    return runner


def test_a_sample_is_the_slowest_ranks_time(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """Warm-up runs don't count, each other run is one sample, and it lasts as long as its slowest rank."""
    burst = timing.burst(plan, contender("x", ready(clock, plan, 2.5e-4)), rng)
    assert burst.verdict is None
    assert burst.seconds == pytest.approx([2.5e-4] * plan.samples)
    assert burst.elapsed_s == pytest.approx(REQUEST_S + (WARMUP + plan.samples) * (2.5e-4 + BARRIER_S))


def test_inputs_change_from_run_to_run(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """Every burst draws its inputs from all sets in another order, and looks at the output of another timed run."""
    runner = ready(clock, plan, 2e-4)
    for _ in range(20):
        timing.burst(plan, contender("x", runner), rng)
    orders = [tuple(request.order) for request in runner.requests]
    assert len(set(orders)) == 20
    assert {k for order in orders for k in order} == set(range(len(plan.sets)))
    kept = [k for request in runner.requests for k in request.keep]
    assert min(kept) >= WARMUP
    assert len(set(kept)) > 5


def test_a_wrong_output_of_a_timed_run_is_a_verdict(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """A kernel that is right only while it's checked is found out, and its times don't count."""
    burst = timing.burst(plan, contender("x", ready(clock, plan, 2e-4, wrong=lambda _: True)), rng)
    assert burst.verdict is not None
    assert burst.verdict.kind is Kind.WRONG_ANSWER
    assert burst.seconds == []


@pytest.mark.parametrize("first", [0, WARMUP], ids=["a warm-up", "a sample"])
def test_every_run_of_a_burst_counts(clock: Clock, plan: Plan, rng: np.random.Generator, first: int) -> None:
    """Of runs whose output doesn't come back, its weighted sum does: none is skipped unseen."""

    def skipped(request: Run) -> list[int]:
        return [first + (first in request.keep)]

    runner = ready(clock, plan, 2e-4, skipped=skipped)
    burst = timing.burst(plan, contender("x", runner), rng)
    (k,) = skipped(runner.requests[-1])
    assert burst.verdict is not None
    assert burst.verdict.kind is Kind.WRONG_ANSWER
    assert f"rank 1 put out wrong numbers in run {k + 1} of a burst" in burst.verdict.message
    assert burst.seconds == []


def test_a_round_gives_everybody_a_turn_in_another_order(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """Each contender has one burst a round, and none is always first or last."""
    runner = ready(clock, plan, 2e-4)
    three = [contender(name, runner) for name in "abc"]
    turns = []
    for _ in range(40):
        runner.requests.clear()
        assert sorted(timing.one_round(plan, three, rng)) == ["a", "b", "c"]
        turns.append("".join(request.slot for request in runner.requests))
    assert len(set(turns)) == 6


def test_a_round_ends_with_the_burst_that_went_wrong(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """After a failure a runner is another one: no more bursts of that round are asked for, and the failure is there."""
    sound, broken = ready(clock, plan, 2e-4), ready(clock, plan, 2e-4, wrong=lambda _: True)
    three = [contender("a", sound), contender("b", broken), contender("c", sound)]
    for _ in range(10):
        bursts = timing.one_round(plan, three, rng)
        *before, last = bursts
        assert last == "b"
        assert bursts["b"].verdict is not None
        assert all(bursts[name].verdict is None for name in before)


def burst_of(*seconds: float) -> Burst:
    """Return a burst with these samples."""
    return Burst(list(seconds), sum(seconds), None, Observation("finished", [], 0.0))


def test_a_log_ratio_is_paired_by_round(plan: Plan) -> None:
    """A moment in which everything takes three times as long leaves the ratio of its round as it is."""
    rounds = Rounds(plan, {"slow": [burst_of(2.0), burst_of(6.0)], "fast": [burst_of(1.0), burst_of(3.0)]})
    assert rounds.logs("slow", "fast") == pytest.approx([np.log(2)] * 2)
    assert rounds.logs("fast", "slow") == pytest.approx([-np.log(2)] * 2)


def test_disturbed_samples_do_not_move_a_log_ratio(plan: Plan) -> None:
    """A burst's few long samples are not its time."""
    rounds = Rounds(plan, {"a": [burst_of(*[1.0] * 10)], "b": [burst_of(*[1.0] * 6, 50.0, 60.0, 70.0, 80.0)]})
    assert rounds.logs("a", "b") == pytest.approx([0.0])


def test_a_burst_of_no_time_has_a_ratio_all_the_same(plan: Plan) -> None:
    """A kernel that claims to take no time at all gets a large number, not an error."""
    rounds = Rounds(plan, {"a": [burst_of(1e-4)], "b": [burst_of(0.0)]})
    assert np.isfinite(rounds.logs("a", "b")).all()


def held(
    clock: Clock, plan: Plan, rng: np.random.Generator, suspect: Pretender, honest: Pretender | None = None
) -> Verdict | None:
    """Return the verdict on holding `suspect` against the clock."""
    pair = [contender("baseline", honest or ready(clock, plan, 2e-4)), contender("submission", suspect)]
    return timing.against_clock(plan, *pair, rounds_of(plan, pair, rng), rng)


@pytest.mark.parametrize("seconds", [1e-6, 5e-5, 2e-4, 2e-3])
def test_the_clock_bears_out_an_honest_kernel(
    clock: Clock, plan: Plan, rng: np.random.Generator, seconds: float
) -> None:
    """Whether much faster or slower than the baseline, samples that are true are believed."""
    assert held(clock, plan, rng, ready(clock, plan, seconds)) is None


@pytest.mark.parametrize("claim", [0.75, 0.5, 0.1, 0.001, 0.0])
def test_the_clock_finds_a_liar(clock: Clock, plan: Plan, rng: np.random.Generator, claim: float) -> None:
    """A kernel that reports three quarters of its time or less is found out, with both numbers."""
    found = held(clock, plan, rng, ready(clock, plan, 2e-4, claim=claim))
    assert found is not None
    assert found.kind is Kind.TAMPERED
    assert "add up to" in found.message
    assert "clock" in found.message


@pytest.mark.parametrize("hiccups", [1, 2])
def test_a_disturbed_moment_is_no_lie(clock: Clock, plan: Plan, rng: np.random.Generator, hiccups: int) -> None:
    """A machine that stands still in one or two of the long bursts makes nobody a liar."""
    suspect = ready(clock, plan, 2e-4)
    suspect.hiccups = [10.0] * hiccups
    assert held(clock, plan, rng, suspect) is None
    assert suspect.hiccups == []


def long_ones_fail(request: Run) -> bool:
    """Say whether this is a long burst."""
    return len(request.order) > LONG


def test_a_kernel_that_fails_in_a_long_burst_is_no_liar(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """A kernel that goes wrong after hundreds of runs gets the verdict for that: its samples claim nothing."""
    found = held(clock, plan, rng, ready(clock, plan, 2e-4, wrong=long_ones_fail))
    assert found is not None
    assert found.kind is Kind.WRONG_ANSWER


def test_a_liar_is_not_saved_by_our_own_failure(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """When the baseline fails in its long burst there is nothing to compare with: our fault, and never silence."""
    broken = ready(clock, plan, 2e-4, wrong=long_ones_fail)
    with pytest.raises(HarnessError, match="our own baseline failed"):
        held(clock, plan, rng, ready(clock, plan, 2e-4, claim=0.1), broken)


def remembered(clock: Clock, plan: Plan, rng: np.random.Generator, runner: Pretender) -> Verdict | None:
    """What is said of a kernel after some rounds beside an honest one."""
    pair = contender("baseline", ready(clock, plan, 2e-4)), contender("submission", runner)
    rounds = rounds_of(plan, pair, rng)
    runner.requests.clear()
    return timing.against_memory(plan, *pair, rounds, rng)


@pytest.mark.parametrize("again", [0.7, 0.5, 0.01])
def test_a_kernel_that_remembers_is_found_out(clock: Clock, plan: Plan, rng: np.random.Generator, again: float) -> None:
    """A kernel that is faster on input that it has seen is found out, with how much faster."""
    found = remembered(clock, plan, rng, ready(clock, plan, 2e-4, again=again))
    assert found is not None
    assert found.kind is Kind.TAMPERED
    assert f"{1 / again:.1f} times as fast on input that it has seen" in found.message


@pytest.mark.parametrize("again", [1.0, 1.1 / REMEMBERS, 2.0])
def test_a_kernel_that_computes_each_time_is_believed(
    clock: Clock, plan: Plan, rng: np.random.Generator, again: float
) -> None:
    """A kernel that is as fast on any input, or nearly so, or slower when it goes on, does not remember."""
    runner = ready(clock, plan, 2e-4, again=again)
    assert remembered(clock, plan, rng, runner) is None
    (request,) = runner.requests  # and once is enough
    timed = request.order[request.warmup :]
    assert timed[::2] == timed[1::2] == sorted(set(timed))
    assert not set(request.order[: request.warmup]) & set(timed)


def test_memory_is_looked_for_with_new_input(clock: Clock, plan: Plan, rng: np.random.Generator) -> None:
    """Each try has input that no burst had before, also when the kernel has seen all of the plan's."""
    runner = ready(clock, plan, 2e-4, again=0.5)
    assert remembered(clock, plan, rng, runner) is not None


def test_a_kernel_that_fails_on_new_input_gets_the_verdict_for_that(
    clock: Clock, plan: Plan, rng: np.random.Generator
) -> None:
    """A wrong number is a wrong answer, whatever the times say."""
    found = remembered(clock, plan, rng, ready(clock, plan, 2e-4, wrong=lambda r: len(set(r.order)) > 5))
    assert found is not None
    assert found.kind is Kind.WRONG_ANSWER
