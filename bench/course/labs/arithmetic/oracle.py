"""The neighbour's numbers; the arithmetic leaves no trace."""


def inputs(rng, case):
    """N random numbers a rank."""
    return [rng.random(case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    """The neighbour's."""
    return [inputs[(rank + 1) % case.ranks] for rank in range(case.ranks)]
