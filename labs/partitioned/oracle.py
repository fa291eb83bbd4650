"""Oracle of `partitioned`: cells that grow, and a ring of ranks in which each adds up its left neighbour's history.

Each rank has 4 parts of n cells. In each of `steps` steps a cell x becomes x + x (1 - x) / 10; what the cells of a rank
are then is a row of its history.  `in` holds the cells at first, `out` for each cell the sum over all rows of the left
neighbour's history.  n is at least 1.  With one rank, it is its own neighbour.
"""

import numpy as np

PARTS = 4


def inputs(rng, case):
    """Return for each rank its cells."""
    if case.n < 1:
        raise ValueError("a part has at least 1 cell: n must be 1 or more")
    return [rng.random(PARTS * case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    """Return for each rank the sum of the rows of its left neighbour."""
    cells = np.array(inputs)
    total = np.zeros_like(cells)
    for _ in range(case.steps):
        cells = cells + 0.1 * cells * (1 - cells)
        total += cells
    return list(np.roll(total, 1, axis=0))


def hint(case, rank, wrong):
    """Say which parts are wrong."""
    parts = [str(part) for part, is_wrong in enumerate(wrong.reshape(PARTS, case.n).any(axis=1)) if is_wrong]
    whose = f"of rank {(rank - 1) % case.ranks}, the left neighbour of rank {rank}"
    if len(parts) == PARTS:
        return f"All parts are wrong: is each row {whose}, added once, and not before MPI says that it is there?"
    which = f"Part {parts[0]} is" if len(parts) == 1 else f"Parts {', '.join(parts[:-1])} and {parts[-1]} are"
    return f"{which} wrong, the others are right: was a row {whose}, marked ready or read too early in them?"
