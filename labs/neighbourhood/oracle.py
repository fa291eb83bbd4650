"""Oracle of `neighbourhood`: heat in a network of cells, n on each rank.

The cells of a rank form a closed chain.  Ranks p < q are linked when q is p + 1 or 2 p + 1, but for the last rank of
an odd number, by 1 + (p + q) % 4 * (n // 8) links: link j joins cell 7 q + 2 j of p and cell 7 p + 2 j of q, both
counted round the chain.  In a step each cell takes a quarter of the difference to both neighbours in its chain and an
eighth of the difference to the other end of each link.  `in` and `out` hold a rank's cells. n is at least 1.  No cell
has more than four links, so no value leaves the range of the first ones, and their sum stays what it is.
"""

import numpy as np


def links(p, q, case):
    """Return how many links there are between cells of ranks p and q."""
    low, high = min(p, q), max(p, q)
    linked = high < case.ranks - case.ranks % 2 and high in (low + 1, 2 * low + 1)
    return 1 + (p + q) % 4 * (case.n // 8) if linked else 0


def neighbours(p, case):
    """Return the ranks that rank p is linked with."""
    return [q for q in range(case.ranks) if links(p, q, case)]


def inputs(rng, case):
    """Return for each rank the cells it starts with."""
    if case.n < 1:
        raise ValueError("a chain has at least 1 cell: n must be 1 or more")
    return [rng.random(case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    """Return each rank's cells after the last step."""
    cells = np.array(inputs)
    pairs = [(p, q, 2 * np.arange(links(p, q, case))) for p in range(case.ranks) for q in neighbours(p, case)]
    for _ in range(case.steps):
        new = 0.5 * cells + 0.25 * (np.roll(cells, 1, axis=1) + np.roll(cells, -1, axis=1))
        for p, q, along in pairs:
            mine, other = (7 * q + along) % case.n, (7 * p + along) % case.n
            np.add.at(new[p], mine, 0.125 * (cells[q, other] - cells[p, mine]))
        cells = new
    return list(cells)


def hint(case, rank, wrong):
    """Say with which neighbours the wrong cells are linked, while that can be told."""
    linked = {q: (7 * q + 2 * np.arange(links(rank, q, case))) % case.n for q in neighbours(rank, case)}
    if not linked:
        return (
            f"Rank {rank} has no neighbours, and is still a rank of the graph: its cells follow from its chain alone."
        )
    bad = [str(q) for q, cells in linked.items() if wrong[cells].any()]
    if not bad:
        return "No cell with a link is wrong, but others are: is the chain computed for all cells, from the old ones?"
    return (
        f"Cells linked with rank {' and rank '.join(bad)} are wrong, of the neighbours {', '.join(map(str, linked))}: "
        "had the ghosts arrived when they were used, and are neighbours, counts and displacements in the same order?"
    )
