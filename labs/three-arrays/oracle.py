"""Oracle of `three-arrays`: three arrays of n doubles on each rank, and four reductions of whole arrays in each step.

The average of A1 over all elements of all ranks scales A2; the least and the greatest element of A2 and the average
make the new A3; the sum of A3 over all ranks is the result.  A2 and A3 go on from step to step, A1 stays.

`in` holds A1, A2 and A3, one after the other; `out` holds the average, the minimum, the maximum and the sum of the
last step, then A3. n is at least 1.  Averages near 1 and extremes near 1/4 and 3/4 keep the numbers bounded.
"""

import numpy as np

RTOL = 1e-10  # libraries add in orders of their own


def inputs(rng, case):
    """Return for each rank its three arrays, concatenated."""
    if case.n < 1:
        raise ValueError("an array has at least 1 element: n must be 1 or more")
    return [
        np.concatenate([0.5 + rng.random(case.n), 0.25 + 0.5 * rng.random(case.n), rng.random(case.n)])
        for _ in range(case.ranks)
    ]


def expected(case, inputs):
    """Return each rank's average, minimum, maximum, sum and A3 after the last step."""
    a1, a2, a3 = np.array(inputs).reshape(case.ranks, 3, case.n).transpose(1, 0, 2)
    average = a1.mean()
    for _ in range(case.steps):
        a2 = a2 * average
        low, high = a2.min(), a2.max()
        a3 = (a3 + average) * (low + high) * 0.5
    return [np.concatenate([[average, low, high, a3.sum()], own]) for own in a3]


def hint(_case, rank, wrong):
    """Name the first result that is wrong."""
    average, low, high, total = wrong[:4]
    if average:
        return "The average is wrong already: is the sum over all ranks divided by elements times ranks?"
    if low or high:
        which = "Minimum and maximum are" if low and high else "The minimum is" if low else "The maximum is"
        return (
            f"{which} wrong, the average is right: was its reduction complete before it was read, and has it an "
            "operation and a buffer of its own?"
        )
    if total and not wrong[4:].any():
        return (
            f"Only the sum is wrong: A3 is right on rank {rank}, so look at another rank's, or at the last reduction."
        )
    return "Minimum and maximum are right, A3 is not: is it updated once with each of them in every step?"
