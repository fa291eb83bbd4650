"""ring: every rank passes a block of n doubles round the ring of ranks, `steps` times.

In each step a rank gives its block to the rank on its right and takes the one of the rank on its left; its next
block is half of what came plus its own `in_`.  The block after the last step is `out`.

All ranks pass their blocks on at once: Sendrecv starts the send and the receive together and returns when both are
done, so no rank's send waits for its own receive, whatever the size and however many ranks there are.  A single
rank sends to itself, and needs no case of its own.  Sending first on even ranks and receiving first on odd ones
does as well (two transfers a step; with an odd number of ranks three), but Sendrecv says what is meant.
"""

import numpy as np

TAG = 1


class Kernel:
    """One rank of the ring."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.in_ = comm, shape.steps, in_
        self.left = (comm.rank - 1) % comm.size
        self.right = (comm.rank + 1) % comm.size
        self.out = out  # the block this rank holds
        self.came = np.zeros(shape.n)  # the block that comes from the left

    def pass_on(self):
        """Give `out` to the right and take `came` from the left."""
        self.comm.Sendrecv(self.out, self.right, TAG, self.came, self.left, TAG)

    def run(self):
        """Pass the block on `steps` times."""
        self.out[:] = self.in_
        for _ in range(self.steps):
            self.pass_on()
            np.multiply(self.came, 0.5, out=self.out)
            self.out += self.in_

    def free(self):
        """Nothing to give back."""
