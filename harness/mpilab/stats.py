"""From timed rounds to an interval and a word: pure, tested from recorded numbers.

Theory of operation (docs/statistics.md tells it at length).  A round gives each contender one burst of short samples; a
burst is summed up by its lower decile, which other load on the machine hardly moves; a round's log ratio of two
bursts is paired, so a slow moment hits both.  The estimate is the median of the rounds' log ratios; its interval is the
distribution-free one from order statistics.  Looks at the data come at fixed numbers of rounds and share one error
rate, so looking early costs no honesty.  A difference counts only beyond MARGIN.
The two kernels of a ratio run on the same cluster, because clusters differ by a bias of their own (where their memory
lies: mostly 1 %, up to 7 % for messages of one double); the control, the same kernel on both, shows it.
"""

import math
from collections.abc import Sequence
from enum import StrEnum

import msgspec

LOOKS = (11, 16, 24, 36, 54, 80, 120, 180)  # rounds at which the interval is looked at
ERROR = 0.01  # chance that any of an estimate's intervals misses, over all looks
MARGIN = 0.01  # the smallest difference that is called one
NARROW = 0.02  # an interval within so much of 1 shows that there is no difference
WIDE = 0.05  # a final interval within so much of 1 shows no difference
GUARD = 0.10  # a control further from 1 than so much: clusters that can't be trusted, and nothing is decided
SAME = 0.10  # not slower than the reference by more than so much is as fast


class Speed(StrEnum):
    """How fast a submission is, in words."""

    BEST = "faster than the reference"
    AS_FAST = "as fast as the reference"
    FASTER = "faster than the baseline"
    NO_DIFFERENCE = "no difference shown"
    SLOWER = "slower than the baseline"
    FASTER_ONE = "faster"  # of two kernels compared
    SLOWER_ONE = "slower"
    UNDECIDED = "undecided on this machine"


class Estimate(msgspec.Struct, frozen=True):
    """A ratio of times with its interval; above 1 the second contender is the faster."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.2f} [{self.low:.2f}, {self.high:.2f}]"


def lower_decile(samples: Sequence[float]) -> float:
    """The burst's summary, in the samples' unit."""
    ordered = sorted(samples)
    return ordered[(len(ordered) - 1) // 10]


def median(values: Sequence[float]) -> float:
    """The middle value."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def estimate(logs: Sequence[float], error: float = ERROR / len(LOOKS)) -> Estimate:
    """The median of log ratios as a ratio, with the interval that misses it with at most probability `error`."""
    ordered = sorted(logs)
    rank = _interval_rank(len(ordered), error)
    low, high = (ordered[rank - 1], ordered[-rank]) if rank else (-math.inf, math.inf)
    return Estimate(math.exp(median(ordered)), math.exp(low), math.exp(high))


def _interval_rank(n: int, error: float) -> int:
    """The largest k for which [k-th smallest, k-th largest] misses the median at most so often; 0: there is none."""
    tail, rank = 0.0, 0
    while rank < n // 2:
        tail += math.comb(n, rank) / 2**n
        if 2 * tail > error:
            break
        rank += 1
    return rank


def trusted(control: Estimate) -> bool:
    """Whether the same kernel on both clusters takes the same time, as far as clusters can agree."""
    return control.low < 1 + GUARD and control.high > 1 - GUARD


def direction(ratio: Estimate, *, last: bool) -> Speed | None:
    """FASTER, SLOWER or NO_DIFFERENCE as soon as the interval shows it; None: look again; with `last`, UNDECIDED."""
    if ratio.low > 1 + MARGIN:
        return Speed.FASTER
    if ratio.high < 1 - MARGIN:
        return Speed.SLOWER
    width = WIDE if last else NARROW
    if ratio.low > 1 / (1 + width) and ratio.high < 1 + width:
        return Speed.NO_DIFFERENCE
    return Speed.UNDECIDED if last else None


def speed(speedup: Estimate, against_reference: Estimate, control: Estimate, *, last: bool) -> Speed | None:
    """The word for a submission, or None when more rounds are needed; with `last` there are no more."""
    if not trusted(control):
        return Speed.UNDECIDED if last else None
    word = direction(speedup, last=last)
    if word is not Speed.FASTER:
        return word
    if against_reference.low > 1 + MARGIN:
        return Speed.BEST
    if against_reference.low > 1 / (1 + SAME):
        return Speed.AS_FAST
    if against_reference.high < 1 - MARGIN:
        return Speed.FASTER
    return Speed.AS_FAST if last else None  # as fast within the interval: the doubt is the student's benefit
