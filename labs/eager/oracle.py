"""Oracle of `eager`: five questions about this machine's MPI, which rank 0 answers in `out`.

What is right depends on the machine, the MPI library, its settings and what messages travel over, so `lab.toml` says
`truth = "reference"`: the harness runs our own experiments in the same place and holds the answers against those.  `in`
is one number, the largest message to look at, in bytes.
"""

import numpy as np

ASKED = (
    "the largest message that is sent while the receiver computes, in bytes",
    "how many of 8 messages of a third of that size are sent while the receiver computes",
    "whether one MPI_Test in the middle of its compute lets a message of one byte more go (1) or not (0)",
    "when both send so much at once, whether a wait for one's own send lets the other's go (1) or not (0)",
    "the shared memory that MPI has mapped in rank 0, in MiB, rounded",
)


def inputs(rng, case):
    """Return the largest size to look at, the same for all ranks."""
    if case.ranks != 2:
        raise ValueError("the experiments need 2 ranks, a sender and a receiver")
    if case.n < 1000:
        raise ValueError("n is the largest message to look at, in bytes: at least 1000")
    return [np.array([float(case.n + rng.integers(0, 1000))])] * 2


def expected(case, inputs):
    """Return room for the answers: what they are is measured."""
    return [np.zeros(len(ASKED)), np.zeros(0)]


def hint(case, rank, wrong):
    """Name the questions that are answered otherwise than we measure."""
    return "Here we measure something else for: " + "; ".join(ASKED[i] for i in np.flatnonzero(wrong)) + "."
