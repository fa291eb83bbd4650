"""Oracle of `samr`: flames on a mesh of blocks in two levels.

The mesh has two columns of four blocks for each rank.  A block has 2 x 2 cells of n layers, and 4 x 4 of half the size
where a flame is; a flame lies in four blocks that follow each other, one in every five columns, and is a column further
every second step.  Here all blocks have both levels: the coarse cells of a refined block are means of four, the fine
ones of another are copies.  In a step u burns, u += u (1 - u) / 8; then all take a step of the scheme of Lax and
Friedrichs for u_t + (u^2 / 2)_x + (u^2 / 2)_y = 0.  The mesh is closed as a screw is: beside block b are blocks
b - 1 and b + 1, above and below it, and b - 4 and b + 4.

`in` and `out` hold a rank's blocks one after the other, at the coarse level: those that it has in the first step, and
those that it has in the last one.  Blocks are dealt in order, by cost: 24 if refined, else 5.  n is at least 1.
"""

import numpy as np

ROWS, COLUMNS, SIZE, REGRID, APART = 4, 2, 2, 2, 5


def deal(case, step):
    """Return which blocks are refined in a step, and the first block of each rank but 0."""
    blocks = np.arange(ROWS * COLUMNS * case.ranks)
    refined = (blocks + ROWS // 2) // ROWS % APART == step // REGRID % APART
    cost = np.where(refined, 24, 5)
    owner = (2 * np.cumsum(cost) - cost) * case.ranks // (2 * cost.sum())
    return np.flatnonzero(refined), np.searchsorted(owner, np.arange(1, case.ranks))


def inputs(rng, case):
    """Return for each rank the blocks it starts with."""
    if case.n < 1:
        raise ValueError("a mesh has at least 1 layer: n must be 1 or more")
    mesh = rng.random((ROWS * COLUMNS * case.ranks, SIZE, SIZE, case.n))
    return np.split(mesh, deal(case, 0)[1])


def mean(fine):
    """Return the coarse cells of fine ones."""
    return 0.25 * (fine[:, ::2, ::2] + fine[:, ::2, 1::2] + fine[:, 1::2, ::2] + fine[:, 1::2, 1::2])


def copies(coarse):
    """Return the fine cells of coarse ones."""
    return coarse.repeat(2, axis=1).repeat(2, axis=2)


def carry(u, some, c):
    """Return some of the blocks of u, a step later."""
    own, above, below, before, behind = (u[(some + away) % len(u)] for away in (0, -1, 1, -ROWS, ROWS))
    up, down = np.hstack([above[:, -1:], own[:, :-1]]), np.hstack([own[:, 1:], below[:, :1]])
    left = np.concatenate([before[:, :, -1:], own[:, :, :-1]], axis=2)
    right = np.concatenate([own[:, :, 1:], behind[:, :, :1]], axis=2)
    return 0.25 * (up + down + left + right) - c * (down * down - up * up + (right * right - left * left))


def both(coarse, fine, refined):
    """Return the blocks at both levels, from the fine cells of the refined ones and the coarse cells of the others."""
    coarse[refined] = mean(fine)
    everywhere = copies(coarse)
    everywhere[refined] = fine
    return coarse, everywhere


def burn(u):
    """Return u after it has burnt."""
    return u + 0.125 * u * (1 - u)


def expected(case, inputs):
    """Return each rank's blocks after the last step."""
    coarse = np.concatenate([blocks.reshape(-1, SIZE, SIZE, case.n) for blocks in inputs])
    fine = copies(coarse)
    for step in range(case.steps):
        refined, _ = deal(case, step)
        coarse, fine = both(burn(coarse), burn(fine[refined]), refined)
        coarse, fine = both(carry(coarse, np.arange(len(coarse)), 0.05), carry(fine, refined, 0.1), refined)
    return np.split(coarse, deal(case, case.steps - 1)[1])


def hint(case, rank, wrong):
    """Say how far into a rank's blocks the error has come, and what it came in with."""
    by_block = wrong.reshape(-1, SIZE * SIZE * case.n).any(axis=1)
    if case.ranks == 1:
        return "There are no messages with one rank: is every face packed, unpacked and carried in every step?"
    if not by_block.all():
        return (
            f"{by_block.sum()} of the {by_block.size} blocks of rank {rank} are wrong, so it came in with a strip: was "
            "the right one sent, at the level of its receiver, and was it complete before it was unpacked?"
        )
    return (
        f"All blocks of rank {rank} are wrong: did each strip keep its buffer until its send was complete, and was "
        "each receive complete before its strip was unpacked?"
    )
