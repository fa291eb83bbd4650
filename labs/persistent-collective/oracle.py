"""Oracle of `persistent-collective`: Richardson's iteration for (D + u u^T) x = b, with r.r written down in each step.

D is diagonal, u a vector; the residual is r = b - D x - u (u.x), and x becomes x + r / 4; x starts as b.  `in` holds a
rank's n elements of D, u and b, one after the other; `out` holds its part of x after the last step, then r.r of each
step. n is at least 1.  With D from 1 to 2 and u.u at most 1 all eigenvalues are between 1 and 3: the iteration
converges, and after a dozen steps r is still far from the rounding errors.
"""

import numpy as np

RTOL = 1e-10  # libraries add in orders of their own


def inputs(rng, case):
    """Return for each rank its parts of D, u and b, concatenated."""
    if case.n < 1:
        raise ValueError("a rank has at least 1 row: n must be 1 or more")
    scale = np.sqrt(case.n * case.ranks)
    return [
        np.concatenate([1 + rng.random(case.n), (0.5 + 0.5 * rng.random(case.n)) / scale, rng.random(case.n)])
        for _ in range(case.ranks)
    ]


def expected(case, inputs):
    """Return each rank's x after the last step, and r.r of every step."""
    d, u, b = np.array(inputs).reshape(case.ranks, 3, case.n).transpose(1, 0, 2)
    x, squares = b, []
    for _ in range(case.steps):
        r = b - d * x - u * (u * x).sum()
        squares.append((r * r).sum())
        x = x + 0.25 * r
    return [np.concatenate([own, squares]) for own in x]


def hint(case, _rank, wrong):
    """Tell a wrong dot product from a wrong sum of squares."""
    x, squares = wrong[: case.n].any(), wrong[case.n :]
    if not x:
        steps = ", ".join(str(step) for step in np.flatnonzero(squares)[:4])
        return (
            f"x is right, so the residual is; r.r is wrong in steps {steps}, from 0 on: was its sum complete before "
            "it was written down, in the place of its own step?"
        )
    if squares[0]:
        return "The residual of the first step is wrong: was u.x complete, over all ranks, before it was used?"
    return "The first residual is right, a later one is not: is u.x started anew in every step, with the new x?"
