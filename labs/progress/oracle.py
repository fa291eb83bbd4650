"""Oracle of `progress`: a plate of n cells on each rank of a ring.

In each of `steps` steps heat spreads along each plate (a tenth of every difference between two cells); then an eighth
of each cell goes to the plate on the left, a quarter to the one on the right, and the rest stays.  `in` and `out` are
the cells of a rank's plate.  A single rank is its own neighbour on both sides. n is at least 1.
"""

import numpy as np


def inputs(rng, case):
    """Return for each rank its plate at first."""
    if case.n < 1:
        raise ValueError("a plate has at least 1 cell: n must be 1 or more")
    return list(rng.random((case.ranks, case.n)))


def expected(case, inputs):
    """Return each rank's plate after the last step."""
    now = np.array(inputs)
    for _ in range(case.steps):
        padded = np.pad(now, ((0, 0), (1, 1)), mode="edge")
        now = now + 0.1 * (padded[:, :-2] - now) + 0.1 * (padded[:, 2:] - now)
        now = 0.625 * now + 0.125 * np.roll(now, -1, axis=0) + 0.25 * np.roll(now, 1, axis=0)
    return list(now)


def hint(case, rank, wrong):
    """Tell an error along the plate from one that came in with the wind."""
    if not wrong.all():
        return (
            "Only some cells are wrong: what comes from the neighbours concerns them all, so look at the plate itself."
        )
    left, right = (rank - 1) % case.ranks, (rank + 1) % case.ranks
    return (
        f"All cells are wrong: are the messages of ranks {left} and {right} complete when they are added, is each "
        "added once in a step, and did they leave before their buffer was filled again?"
    )
