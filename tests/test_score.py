"""How many points each verdict and each speed earns."""

import math

import pytest

from mpilab.errors import HarnessError
from mpilab.score import FAST, RIGHT, STYLE, score
from mpilab.stats import Estimate, Speed
from mpilab.verdict import OK, Kind, Verdict

GAIN = Estimate(1.44, 1.40, 1.48)
NO_GAIN = Estimate(1.0, 0.99, 1.01)
POINTS = 10.0


def around(ratio: float) -> Estimate:
    """Return an estimate of `ratio`."""
    return Estimate(ratio, ratio - 0.02, ratio + 0.02)


@pytest.mark.parametrize("kind", sorted(set(Kind) - {Kind.OK, Kind.WRONG_CALLS}))
@pytest.mark.parametrize("speed", [None, Speed.BEST])
def test_what_is_not_right_earns_nothing(kind: Kind, speed: Speed | None) -> None:
    """A bad verdict earns 0 points however fast, and nothing is pending."""
    found = score(POINTS, Verdict(kind), speed, around(2), GAIN)
    assert (found.earned, found.pending) == (0, 0)


def test_the_old_style_earns_the_points_for_being_right() -> None:
    """WRONG_CALLS is right in the wrong style: the share for being right, and no speed."""
    found = score(POINTS, Verdict(Kind.WRONG_CALLS), None, None, None)
    assert (found.earned, found.pending) == (POINTS * RIGHT, 0)
    assert "being right" in found.why


@pytest.mark.parametrize(
    ("speed", "speedup", "share"),
    [
        (Speed.BEST, 1.6, 1.0),
        (Speed.AS_FAST, 1.42, 1.0),
        (Speed.FASTER, 1.2, 0.5),  # log 1.2 is half of log 1.44
        (Speed.FASTER, 1.1, math.log(1.1) / math.log(1.44)),
        (Speed.FASTER, 1.5, 1.0),  # never more than all
        (Speed.NO_DIFFERENCE, 1.0, 0.0),
        (Speed.NO_DIFFERENCE, 0.99, 0.0),
        (Speed.SLOWER, 0.5, 0.0),  # never less than none
    ],
)
def test_speed_earns_in_proportion_to_what_our_conversion_gains(speed: Speed, speedup: float, share: float) -> None:
    """Full marks as fast as the reference, less in proportion to the gain on a log scale, within 0 and 1."""
    found = score(POINTS, OK, speed, around(speedup + 0.02), GAIN)  # its low end counts
    assert found.earned == pytest.approx(POINTS * (RIGHT + STYLE + FAST * share), abs=0.005)
    assert found.pending == 0
    assert str(GAIN) in found.why


@pytest.mark.parametrize(
    ("speed", "share"),
    [(Speed.NO_DIFFERENCE, 1), (Speed.FASTER, 1), (Speed.AS_FAST, 1), (Speed.BEST, 1), (Speed.SLOWER, 0)],
)
def test_where_our_conversion_gains_nothing_not_slower_is_full_marks(speed: Speed, share: float) -> None:
    """A machine that shows no gain costs nobody points; being slower does."""
    found = score(POINTS, OK, speed, around(0.9 if speed is Speed.SLOWER else 1.0), NO_GAIN)
    assert found.earned == pytest.approx(POINTS * (RIGHT + STYLE + FAST * share))
    assert found.pending == 0


@pytest.mark.parametrize(("ratio", "share"), [(0.85, 1), (0.9, 1), (0.5, 0)])
def test_where_our_conversion_loses_being_as_fast_as_it_is_full_marks(ratio: float, share: float) -> None:
    """A machine on which the new style is slower costs nobody points who is as fast as we are; worse does."""
    found = score(POINTS, OK, Speed.SLOWER, around(ratio), around(0.85))
    assert found.earned == pytest.approx(POINTS * (RIGHT + STYLE + FAST * share))


@pytest.mark.parametrize(
    ("speed", "speedup", "gain"),
    [
        (Speed.UNDECIDED, around(0.5), GAIN),
        (None, None, None),
        (Speed.FASTER, around(1.2), None),
        (Speed.FASTER, None, GAIN),
    ],
)
def test_what_is_undecided_is_pending_and_never_slow(
    speed: Speed | None, speedup: Estimate | None, gain: Estimate | None
) -> None:
    """Without a decided measurement the speed's points wait; the others are earned."""
    found = score(POINTS, OK, speed, speedup, gain)
    assert found.earned == pytest.approx(POINTS * (RIGHT + STYLE))
    assert found.pending == pytest.approx(POINTS * FAST)
    assert "pending" in found.why


@pytest.mark.parametrize("speed", [None, *Speed])
@pytest.mark.parametrize("points", [0.5, 1, 7, 33.3])
def test_nobody_earns_more_than_there_is(speed: Speed | None, points: float) -> None:
    """Earned and pending points together are never more than the lab's."""
    for kind in Kind:
        for ratio in (0.1, 1.0, 1.44, 100.0):
            found = score(points, Verdict(kind), speed, around(ratio), GAIN)
            assert 0 <= found.earned <= points
            assert found.pending >= 0
            assert found.earned + found.pending <= points + 0.005


def test_no_score_is_made_of_what_is_no_number() -> None:
    """A measurement that isn't finite is ours to mend: HarnessError, never a score of NaN."""
    with pytest.raises(HarnessError):
        score(POINTS, OK, Speed.FASTER, Estimate(1.25, math.nan, 1.3), GAIN)
