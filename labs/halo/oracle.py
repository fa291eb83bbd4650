"""Oracle of `halo`: Jacobi sweeps on a grid of rows of n cells, its rows dealt to the ranks.

In each of `steps` sweeps every cell becomes the mean of its four neighbours; outside of the grid all is 0.  `in`
and `out` hold the rows of a rank, one after the other.  There are 7 rows: from 2 to 6 ranks they never deal out evenly,
and with 4 ranks the last one has a single row.  More than 7 ranks have 8 rows each but the last, which has 7.  n is at
least 1.
"""

import numpy as np

FEW = 7  # rows, and the ranks they are enough for


def rows(case):
    """Return the rows of the whole grid."""
    return FEW if case.ranks <= FEW else 8 * case.ranks - 1


def deal(case, grid):
    """Return for each rank its rows of `grid`: as even as can be, the first ranks have one more."""
    return np.array_split(grid, case.ranks)


def inputs(rng, case):
    """Return for each rank the rows it starts with."""
    if case.n < 1:
        raise ValueError("a row has at least 1 cell: n must be 1 or more")
    return deal(case, rng.random((rows(case), case.n)))


def expected(case, inputs):
    """Return each rank's rows after the last sweep."""
    grid = np.pad(np.concatenate(inputs).reshape(rows(case), case.n), 1)
    for _ in range(case.steps):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    return deal(case, grid[1:-1, 1:-1])


def hint(case, rank, wrong):
    """Say which halo the error came in with, if it was one."""
    where = wrong.reshape(-1, case.n).any(axis=1)
    reached = {"above": rank > 0 and where[0], "below": rank < case.ranks - 1 and where[-1]}
    sides = " and from ".join(side for side, is_wrong in reached.items() if is_wrong)
    if not sides:
        return "No row beside a halo is wrong, but others are: is every row swept in every step?"
    return (
        f"The row beside the halo from {sides} is wrong: did its receive complete before that row was computed, and is "
        "it the neighbour's edge row that was sent, in every step?"
    )
