"""Oracle of `send-recv`: four fields of n values on each rank of a ring.

In each of `steps` steps the fields go to the right; a new value is a quarter of the old one and three quarters of what
came from the left.  To a single rank zeros come.  `in` holds the fields of a rank, one after the other, `out` what they
are after the last step. n is at least 1.
"""

import numpy as np

FIELDS = 4


def inputs(rng, case):
    """Return for each rank the fields it starts with."""
    if case.n < 1:
        raise ValueError("a field has at least 1 value: n must be 1 or more")
    return list(rng.random((case.ranks, FIELDS * case.n)))


def expected(case, inputs):
    """Return each rank's fields after the last step."""
    now = np.array(inputs)
    for _ in range(case.steps):
        came = np.roll(now, 1, axis=0) if case.ranks > 1 else np.zeros_like(now)
        now = 0.25 * now + 0.75 * came
    return list(now)


def hint(case, rank, wrong):
    """Say which fields are wrong, and whom they come from."""
    if case.ranks == 1:
        return "A single rank has no neighbours: what comes in is 0 in every step, its sends and receives go nowhere."
    fields = np.flatnonzero(wrong.reshape(FIELDS, case.n).any(axis=1))
    left = (rank - 1) % case.ranks
    if len(fields) < FIELDS:
        which = " and ".join(str(f) for f in fields)
        return (
            f"Only field {which} of {FIELDS} is wrong: has each field a place, a tag and a request of its own, and is "
            "the last one treated like the first?"
        )
    return (
        f"All fields are wrong: were those of rank {left} complete when they were mixed in, and were they the ones of "
        "this step?"
    )
