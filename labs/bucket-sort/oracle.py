"""Oracle of `bucket-sort`: n keys on each rank, sorted by buckets in each of `steps` steps.

A key is an integer below KEYS; in each step every key is SHIFT larger than before, modulo KEYS.  WIDTH neighbouring
keys share a bucket, and a bucket goes to the rank in whose share of n keys it begins.  Small keys are more frequent,
on each rank by another measure, so that ranks send and receive uneven numbers of keys.

`in` holds a rank's keys; `out` holds how often the rank was given each key, in all steps together, and the sum.
n is from 1 to 2^20, so that all numbers of keys are small integers.
"""

import numpy as np

KEYS, BUCKETS, SHIFT = 1024, 64, 37
WIDTH = KEYS // BUCKETS
MOST = 1 << 20


def inputs(rng, case):
    """Return for each rank its keys."""
    if not 1 <= case.n <= MOST:
        raise ValueError(f"a rank has 1 to {MOST} keys: n must be so many")
    return [np.floor(KEYS * rng.random(case.n) ** (1 + rng.random())) for _ in range(case.ranks)]


def expected(case, inputs):
    """Return for each rank how often it was given each key, and how many keys in all."""
    keys = np.concatenate(inputs).astype(int)
    counts = np.zeros((case.ranks, KEYS))
    for step in range(case.steps):
        found = np.bincount((keys + step * SHIFT) % KEYS, minlength=KEYS)
        buckets = found.reshape(BUCKETS, WIDTH).sum(axis=1)
        owner = np.minimum((np.cumsum(buckets) - buckets) // case.n, case.ranks - 1)
        counts[np.repeat(owner, WIDTH), np.arange(KEYS)] += found
    return [np.append(own, own.sum()) for own in counts]


def hint(case, rank, wrong):
    """Say whether keys are missing or not the right ones."""
    if wrong[KEYS]:
        return (
            f"Rank {rank} counted too many keys or too few: is the sum complete before the buckets are dealt, and are "
            "all pieces of a message together as long as the message?"
        )
    return (
        f"Rank {rank} counted as many keys as it should, but not the right ones: was each piece complete before it was "
        "counted, and has each a place of its own?"
    )
