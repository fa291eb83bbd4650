"""Sets of times as sorted, disjoint intervals: pure NumPy.

Theory of operation.  What is asked of a trace again and again is for how long something held in a stretch of time.
`merge` makes any intervals disjoint; `held` then gives the time they cover up to each of many moments, by
interpolation, so a difference of two answers is the time covered between.
"""

import numpy as np

from mpilab.tracing.recording import Floats

Pieces = tuple[Floats, Floats]  # starts and ends


def merge(starts: Floats, ends: Floats) -> Pieces:
    """The union of intervals as sorted disjoint ones."""
    if not len(starts):
        return starts, ends
    order = np.argsort(starts, kind="stable")
    starts, reach = starts[order], np.maximum.accumulate(ends[order])
    first = np.concatenate(([True], starts[1:] > reach[:-1]))
    last = np.concatenate((first[1:], [True]))
    return starts[first], reach[last]


def held(pieces: Pieces, moments: Floats) -> Floats:
    """For each moment, how many seconds of the (disjoint) pieces lie before it."""
    starts, ends = pieces
    if not len(starts):
        return np.zeros(len(moments))
    edges = np.stack((starts, ends), axis=1).ravel()
    lengths = np.zeros(len(edges))
    lengths[1::2] = ends - starts
    return np.asarray(np.interp(moments, edges, np.cumsum(lengths)), np.float64)
