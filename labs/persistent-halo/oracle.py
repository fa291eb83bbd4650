"""Oracle of `persistent-halo`: heat spreads along a closed chain of cells, n on each rank.

In each of `steps` steps every cell becomes half of itself and a quarter of each neighbour; the last cell of the
last rank and the first of the first are neighbours too.  `in` and `out` hold a rank's n cells; n is at least 1.
"""

import numpy as np


def inputs(rng, case):
    """Return for each rank the cells it starts with."""
    if case.n < 1:
        raise ValueError("a rank has at least 1 cell: n must be 1 or more")
    return [rng.random(case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    """Return each rank's cells after the last step."""
    cells = np.concatenate(inputs)
    for _ in range(case.steps):
        cells = 0.5 * cells + 0.25 * (np.roll(cells, 1) + np.roll(cells, -1))
    return np.split(cells, case.ranks)


def hint(case, _rank, wrong):
    """Say which halo the error came in with, if it was one."""
    if wrong[case.steps : case.n - case.steps].any():  # an error comes in at an edge and moves one cell a step
        return "Cells are wrong that no halo has reached yet: are all cells computed in every step, from the old array?"
    reached = {"left": wrong[: case.steps].any(), "right": wrong[-case.steps :].any()}
    sides = " and from the ".join(side for side, is_wrong in reached.items() if is_wrong)
    return (
        f"Only cells that the halo from the {sides} has reached are wrong: was it started and completed in every step, "
        "with the requests of the array that is old in that step?"
    )
