"""Oracle of `message-rate`: one rank sends `steps` messages of n doubles to another.

Rank 0 sends to 1, 2 to 3, and the last of an odd number to nobody.  `in` holds the mode, 0 for standard and 1 for
synchronous, then the n elements of the message; what a receiver has there is of no account.  Before each message one
element grows by 1: the first, then the second, and so on, over and over.  `out` holds the sum of those elements, each
as it was sent, then the message as it was at last.  n and steps are at least 1.
"""

import numpy as np

MODES = 2


def inputs(rng, case):
    """Return for each rank its mode and a message: pairs send in standard mode, in synchronous mode, and so on."""
    if case.n < 1:
        raise ValueError("a message has at least 1 element: n must be 1 or more")
    return [np.concatenate([[rank // 2 % MODES], rng.random(case.n)]) for rank in range(case.ranks)]


def expected(case, inputs):
    """Return for each rank the sum and the last message: its own, or that of the rank it receives from."""
    return [_sent(case, inputs[rank - rank % 2][1:].copy()) for rank in range(case.ranks)]


def _sent(case, message):
    total = 0.0
    for step in range(case.steps):
        message[step % case.n] += 1
        total += message[step % case.n]
    return np.concatenate([[total], message])


def hint(case, rank, wrong):
    """Say which of the two is wrong, the sum or the message."""
    who = "sends" if rank % 2 == 0 else "receives"
    if not wrong[1:].any():
        return (
            f"The last message is right, the sum is not: rank {rank} {who}, does it do so {case.steps} times in every "
            "run, and does it read an element only when its message is complete?"
        )
    if rank % 2 == 0:
        return (
            f"Rank {rank} sends: is its message copied from `in` in every run, and one element raised before each send?"
        )
    return (
        f"Rank {rank} receives: is a receive started and completed for every message, and does the request of rank "
        f"{rank - 1} send the buffer that changes?"
    )
