"""Oracle of `late-wait`: particles of n kinds that hop on a torus of sites, one site on each rank.

The grid has as many rows as the largest divisor of `ranks` that is not above its root; a rank's site is at row
rank // columns, column rank % columns.  Of each kind, a site has some particles that go up, down, left and right.  In
each of `steps` steps the four numbers come halfway to their mean, the mean is added to the site's tally, and the
particles hop to the next site on their way.  `in` holds the four times n numbers, `out` the same after the last step,
then the tally. n is at least 1.
"""

import numpy as np

WAYS = 4
HOPS = ((-1, 0), (1, 0), (-1, 1), (1, 1))  # by how much, along which axis: up, down, left, right


def sites(ranks):
    """Return the rows and columns of the grid."""
    rows = max(i for i in range(1, ranks + 1) if i * i <= ranks and ranks % i == 0)
    return rows, ranks // rows


def inputs(rng, case):
    """Return for each rank the particles at its site, by the way they go."""
    if case.n < 1:
        raise ValueError("there is at least 1 kind of particles: n must be 1 or more")
    return list(rng.random((case.ranks, WAYS * case.n)))


def expected(case, inputs):
    """Return each rank's particles after the last step, and its tally."""
    now = np.array(inputs).reshape(*sites(case.ranks), WAYS, case.n)
    tally = np.zeros_like(now[:, :, 0])
    for _ in range(case.steps):
        mean = now.mean(axis=2)
        tally += mean
        leaving = 0.5 * (now + mean[:, :, None])
        now = np.stack([np.roll(leaving[:, :, way], *HOPS[way]) for way in range(WAYS)], axis=2)
    return list(np.concatenate([now, tally[:, :, None]], axis=2).reshape(case.ranks, -1))


def hint(case, rank, wrong):
    """Name the ways by which what is wrong came in."""
    names = ("up", "down", "left", "right")
    *ways, tally = wrong.reshape(WAYS + 1, case.n).any(axis=1)
    came = " and ".join(name for name, is_wrong in zip(names, ways, strict=True) if is_wrong)
    if not came:
        return "The particles are right, the tally is not: is the mean added once in every step, and to a tally of 0?"
    more = "; the tally shows that it began before the last step" if tally and case.steps > 1 else ""
    return (
        f"On rank {rank} the particles that go {came} are wrong{more}: were they complete when they were used, and did "
        "each message keep a buffer of its own until its send was complete?"
    )
