"""Oracle of `ring`: a block of n doubles goes round the ring of ranks, `steps` times.

In each step every rank gives its block to the rank on its right, and its next block is half of what came from the
left plus its own `in`.  `in` and `out` hold n doubles; n is at least 1.
"""

import numpy as np


def inputs(rng, case):
    """Return for each rank the block it starts with."""
    if case.n < 1:
        raise ValueError("a block has at least 1 double: n must be 1 or more")
    return [rng.random(case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    """Return each rank's block after the last step."""
    own = np.array(inputs)
    block = own
    for _ in range(case.steps):
        block = 0.5 * np.roll(block, 1, axis=0) + own  # row r moves to row r + 1
    return list(block)


def hint(case, rank, wrong):
    """Say what a wrong answer looks like."""
    if not wrong.all():
        first, last = np.flatnonzero(wrong)[[0, -1]]
        return (
            f"Only elements {first} to {last} of {case.n} are wrong: are count and datatype those of the whole block?"
        )
    if case.ranks > 2:
        left = (rank - 1) % case.ranks
        return (
            f"Every element is wrong. Rank {rank} must receive from its left, rank {left}, in every step: "
            "with 1 or 2 ranks left and right are the same, from 3 on a wrong direction shows."
        )
    return "Every element is wrong: is there one exchange, then one update, in each of the steps?"
