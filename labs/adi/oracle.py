"""Oracle of `adi`: sweeps along x, y and z through blocks of n x n x n cells of 20 quantities, a block for each rank.

In each phase, u[i] = (u[i] + u[i - 1] / 2) / 1.5 along every line of an axis; before a line's first cell comes the last
cell of that line in the block before, as it was when the phase began.  The ranks are a square that is closed in both
directions, so their number must be one.  On a square of 2 x 2 the rank before is the next one too; only a larger square
tells them apart.  `in` and `out` hold a block, the quantities of a cell together, z running fastest. n is at least 1.
"""

import math

import numpy as np

CELL = 20
SHARE = 0.5
BACK = ((0, 1), (1, 0), (1, 1))  # rows and columns from the rank before, along x, y and z


def inputs(rng, case):
    """Return for each rank the block it starts with."""
    if case.n < 1:
        raise ValueError("a block has at least 1 x 1 x 1 cells: n must be 1 or more")
    if math.isqrt(case.ranks) ** 2 != case.ranks:
        raise ValueError(f"{case.ranks} ranks are no square: the number of ranks must be 1, 4, 9, 16, 25, ...")
    return [rng.random(case.n**3 * CELL) for _ in range(case.ranks)]


def expected(case, inputs):
    """Return each rank's block after the last phase."""
    side, n = math.isqrt(case.ranks), case.n
    blocks = np.array(inputs).reshape(side, side, n, n, n, CELL)
    for _ in range(case.steps):
        for axis, back in enumerate(BACK):
            u = np.moveaxis(blocks, 2 + axis, 0)  # u[i] is plane i of every block
            before = np.roll(u[-1], back, axis=(0, 1))
            for i in range(n):
                u[i] = before = (u[i] + SHARE * before) / (1 + SHARE)
    return list(blocks.reshape(case.ranks, -1))


def hint(case, rank, wrong):
    """Tell planes that came in part from planes that came too early."""
    cells = wrong.reshape(-1, CELL)
    if (cells.any(axis=1) & ~cells.all(axis=1)).mean() > 0.5:
        return f"Only some of a cell's {CELL} quantities are wrong: does a message hold the whole of a plane?"
    return (
        "A line begins at the last cell of the block before, swept along the axis before and not yet along this one. "
        "Is that what is sent, is its receive complete before it is used, and is each line swept once in a phase?"
    )
