"""What the intervals promise, tried on made-up noise; and the word that each interval earns."""

import math

import numpy as np
import pytest

from mpilab import stats
from mpilab.stats import ERROR, LOOKS, MARGIN, NARROW, WIDE, Estimate, Speed

EXACT = Estimate(1.0, 1.0, 1.0)
RUNS = 2000


def around(middle: float, half: float = 0.005) -> Estimate:
    """Return an estimate whose interval is `middle` +- `half`."""
    return Estimate(middle, middle - half, middle + half)


def skewed(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return log ratios whose true median is 0, with a long tail to one side, as a busy machine makes them."""
    return rng.exponential(0.1, count) - 0.1 * math.log(2)


@pytest.mark.parametrize("rounds", [LOOKS[0], LOOKS[3], LOOKS[-1]])
def test_the_interval_holds_the_true_median(rounds: int) -> None:
    """On skewed noise the interval misses the true median at most as often as it says, but for chance."""
    rng = np.random.default_rng(1)
    error = 0.05
    found = [stats.estimate(skewed(rng, rounds).tolist(), error) for _ in range(RUNS)]
    missed = sum(not e.low <= 1 <= e.high for e in found) / RUNS
    assert missed <= error + 3 * math.sqrt(error / RUNS)
    assert missed > 0  # it isn't simply as wide as the data


def test_the_interval_narrows_with_more_rounds() -> None:
    """More rounds tell more: with sixteen times as many the interval is about a quarter as wide."""
    rng = np.random.default_rng(2)

    def width(rounds: int) -> float:
        found = [stats.estimate(rng.normal(0, 0.02, rounds).tolist()) for _ in range(200)]
        return float(np.median([math.log(e.high / e.low) for e in found]))

    assert 2.5 < width(11) / width(176) < 7


def test_looking_again_and_again_costs_no_honesty() -> None:
    """Two kernels of the same speed, looked at at all looks, are called different in at most ERROR of runs."""
    rng = np.random.default_rng(3)
    called = 0
    for _ in range(RUNS):
        logs = (skewed(rng, LOOKS[-1]) - skewed(rng, LOOKS[-1])).tolist()
        looks = [stats.estimate(logs[:look]) for look in LOOKS]
        called += any(e.low > 1 or e.high < 1 for e in looks)
    assert called / RUNS <= ERROR + 3 * math.sqrt(ERROR / RUNS)


def test_a_true_difference_is_shown_and_never_the_wrong_way_round() -> None:
    """With 4 % noise a round, a true 5 % is called FASTER at the last look at the latest."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        logs = (math.log(1.05) + rng.normal(0, 0.04, LOOKS[-1])).tolist()
        words = [stats.direction(stats.estimate(logs[:look]), last=look == LOOKS[-1]) for look in LOOKS]
        assert Speed.SLOWER not in words
        assert Speed.FASTER in words


@pytest.mark.parametrize("rounds", [1, 3, 10])
def test_too_few_rounds_bound_nothing(rounds: int) -> None:
    """Before the first look the interval is all there is: nothing can be concluded from it."""
    found = stats.estimate([0.1] * rounds)
    assert found.estimate == pytest.approx(math.exp(0.1))
    assert (found.low, found.high) == (0.0, math.inf)
    assert stats.direction(found, last=False) is None
    assert stats.direction(found, last=True) is Speed.UNDECIDED


def test_the_first_look_has_an_interval() -> None:
    """At the first of LOOKS there is something to look at."""
    found = stats.estimate([0.0] * LOOKS[0])
    assert (found.low, found.high) == (1.0, 1.0)


def test_an_estimate_is_the_median_as_a_ratio() -> None:
    """Order and outliers don't matter."""
    assert stats.estimate([9.0, math.log(2), -9.0]).estimate == pytest.approx(2)
    assert stats.median([4, 1, 3, 2]) == 2.5


@pytest.mark.parametrize(
    ("samples", "expected"), [([5.0], 5), ([2.0, 1.0], 1), ([4.0, 3.0, 2.0, 1.0, 9.0], 1), ([*range(100, 0, -1)], 10)]
)
def test_a_burst_is_summed_up_by_its_lower_decile(samples: list[float], expected: float) -> None:
    """A tenth of the samples is at most so long."""
    assert stats.lower_decile(samples) == expected


def test_slow_moments_hardly_move_the_lower_decile() -> None:
    """Half of a burst may be disturbed, however much."""
    rng = np.random.default_rng(5)
    quiet = rng.normal(1.0, 0.01, 40)
    busy = np.concatenate([quiet[:20], quiet[20:] * 50])
    assert stats.lower_decile(busy.tolist()) == pytest.approx(stats.lower_decile(quiet.tolist()), rel=0.02)


@pytest.mark.parametrize(
    ("control", "expected"),
    [(around(1.0), True), (around(0.93), True), (around(1.09), True), (around(1.2), False), (around(0.8), False)],
)
def test_clusters_that_disagree_are_not_trusted(control: Estimate, expected: bool) -> None:  # noqa: FBT001
    """A control whose whole interval lies more than 10 % from 1 says that a cluster can't be trusted."""
    assert stats.trusted(control) is expected


@pytest.mark.parametrize(
    ("ratio", "now", "at_last"),
    [
        (around(1.1), Speed.FASTER, Speed.FASTER),
        (around(0.9), Speed.SLOWER, Speed.SLOWER),
        (around(1.0), Speed.NO_DIFFERENCE, Speed.NO_DIFFERENCE),
        (around(1.0, 0.04), None, Speed.NO_DIFFERENCE),
        (around(1.0, 0.06), None, Speed.UNDECIDED),
        (Estimate(1.03, 1.0 + MARGIN, 1.06), None, Speed.UNDECIDED),
        (Estimate(1.03, 1.001 + MARGIN, 1.06), Speed.FASTER, Speed.FASTER),
        (Estimate(0.97, 0.9, 1.0 - MARGIN), None, Speed.UNDECIDED),
        (Estimate(1.015, 1.001, 1.0 + NARROW), None, Speed.NO_DIFFERENCE),
        (Estimate(1.0, 1 / (1 + WIDE), 1.01), None, Speed.UNDECIDED),
    ],
)
def test_a_direction_is_called_when_the_interval_shows_it(ratio: Estimate, now: Speed | None, at_last: Speed) -> None:
    """Inside the margins nothing is called early, and at the last look every interval has its word."""
    assert stats.direction(ratio, last=False) is now
    assert stats.direction(ratio, last=True) is at_last


@pytest.mark.parametrize(
    ("speedup", "against", "control", "now", "at_last"),
    [
        (around(1.5), around(1.1), EXACT, Speed.BEST, Speed.BEST),
        (around(1.5), around(1.0), EXACT, Speed.AS_FAST, Speed.AS_FAST),
        (around(1.5), around(0.8), EXACT, Speed.FASTER, Speed.FASTER),
        (around(1.5), around(0.95, 0.1), EXACT, None, Speed.AS_FAST),
        (around(1.0), around(0.7), EXACT, Speed.NO_DIFFERENCE, Speed.NO_DIFFERENCE),
        (around(1.0), around(1.2), EXACT, Speed.NO_DIFFERENCE, Speed.NO_DIFFERENCE),
        (around(0.8), around(0.7), EXACT, Speed.SLOWER, Speed.SLOWER),
        (around(1.1, 0.3), around(1.0), EXACT, None, Speed.UNDECIDED),
        (around(1.03), around(1.0), around(1.04), Speed.AS_FAST, Speed.AS_FAST),
        (around(1.5), around(1.03), around(1.05), Speed.BEST, Speed.BEST),
        (around(1.5), around(1.0), around(1.2), None, Speed.UNDECIDED),
        (around(0.5), around(0.3), around(0.8), None, Speed.UNDECIDED),
    ],
)
def test_every_label_has_its_intervals(
    speedup: Estimate, against: Estimate, control: Estimate, now: Speed | None, at_last: Speed
) -> None:
    """Each word needs its interval; where the control itself differs by more than 10 %, nothing is decided."""
    assert stats.speed(speedup, against, control, last=False) is now
    assert stats.speed(speedup, against, control, last=True) is at_last


def test_an_estimate_reads_as_a_ratio_with_its_interval() -> None:
    """The text is the number and its bounds."""
    assert str(Estimate(1.234, 1.2, math.inf)) == "1.23 [1.20, inf]"
