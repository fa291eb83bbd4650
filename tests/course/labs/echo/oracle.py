"""Every rank puts out twice what its right neighbour put in."""

import numpy as np


def inputs(rng, case):
    """n random numbers a rank."""
    if case.n < 1:
        raise ValueError("n must be at least 1")
    return [rng.random(case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    """The neighbour's numbers, doubled."""
    return [2 * inputs[(rank + 1) % case.ranks] for rank in range(case.ranks)]


def hint(case, rank, wrong):
    """A hint, to see that hints arrive."""
    return "Is that your right neighbour's?" if np.all(wrong) else ""
