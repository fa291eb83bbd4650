"""From verdict and speed to points.

Theory of operation. Pure. A kernel earns points for being right, for being in the style the lab is about, and for its
speed. Speed is scored against what our own conversion gains over the baseline on this machine, in this session: as
fast as it is full marks, less in proportion to the gain reached (on a log scale). Where our conversion gains nothing
here, not being slower is full marks; where it even loses, not being slower than it. What is undecided is pending:
never scored as slow.
"""

import math
from dataclasses import dataclass

from mpilab.errors import HarnessError
from mpilab.stats import MARGIN, Estimate, Speed
from mpilab.verdict import Kind, Verdict

RIGHT, STYLE, FAST = 0.4, 0.2, 0.4  # shares of a lab's points
assert math.isclose(RIGHT + STYLE + FAST, 1.0)


@dataclass(frozen=True)
class Score:
    """Points earned, points that wait for a decided measurement, and why."""

    earned: float
    pending: float
    why: str


def score(
    points: float,
    verdict: Verdict,
    speed: Speed | None,
    speedup: Estimate | None,
    reference_gain: Estimate | None,
    *,
    timed: bool = True,
) -> Score:
    """The score of a submission; `speed` is None when it was not timed; `timed` is whether the lab times anything."""
    if verdict.kind is Kind.WRONG_CALLS:
        return Score(round(points * RIGHT, 2), 0.0, "points for being right; style and speed come with the conversion")
    if verdict.kind is not Kind.OK:
        return Score(0.0, 0.0, "")
    if not timed:
        return Score(points, 0.0, "full marks: of this lab nothing is timed")
    base = round(points * (RIGHT + STYLE), 2)
    if speed is None or speedup is None or reference_gain is None or speed is Speed.UNDECIDED:
        return Score(
            base,
            round(points * FAST, 2),
            "the speed was not decided: its points are pending; `--budget 10` gives more time",
        )
    share, why = _share(speed, speedup, reference_gain)
    earned = base + points * FAST * share
    if not math.isfinite(earned):
        raise HarnessError(f"the score is {earned!r}, expected a finite number", then="tell us, please")
    return Score(round(earned, 2), 0.0, why)


def _share(speed: Speed, speedup: Estimate, gain: Estimate) -> tuple[float, str]:
    """The share of the speed's points, and why."""
    if speed in (Speed.BEST, Speed.AS_FAST):
        return 1.0, f"full marks for speed: our own conversion gains {gain} here"
    if gain.low <= 1 + MARGIN:
        text = f"our own conversion shows no gain on this machine ({gain})"
        if speed is not Speed.SLOWER:
            return 1.0, f"{text}, so not being slower earns full marks"
        if speedup.high >= gain.low:
            return 1.0, f"{text}, and yours is no slower than it"
        return 0.0, f"{text}, but yours is slower than that"
    share = min(max(math.log(speedup.low) / math.log(gain.estimate), 0.0), 1.0)
    return share, f"{share:.0%} of what our own conversion gains here ({gain}), by the low end of yours"
