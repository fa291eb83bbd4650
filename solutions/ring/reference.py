"""ring: every rank passes a block of n doubles round the ring of ranks, `steps` times.

In each step a rank gives its block to the rank on its right and takes the one of the rank on its left; its next
block is half of what came plus its own `in_`.  The block after the last step is `out`.

All ranks pass their blocks on at once: Sendrecv starts the send and the receive together and returns when both are
done, so no rank's send waits for its own receive, whatever the size and however many ranks there are.  Whoever is
late holds up its neighbours alone, and theirs a step later.  A single rank sends to itself, and needs no case of its
own.  Sending first on even ranks and receiving first on odd ones does as well (two transfers a step; with an odd
number of ranks three), but Sendrecv says what is meant.
"""

import numpy as np

from mpilab import kernel_work

TAG = 1


class Kernel:
    """One rank of the ring."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.in_ = comm, shape.steps, in_
        self.work = shape.work  # of a step, modelled; 0 in most cases
        self.left = (comm.rank - 1) % comm.size
        self.right = (comm.rank + 1) % comm.size
        self.out = out  # the block this rank holds
        self.came = np.zeros(shape.n)  # the block that comes from the left

    def pass_on(self):
        """Give `out` to the right and take `came` from the left."""
        # step 1: send to the right and receive from the left in one call, in which no rank goes first
        self.comm.Sendrecv(self.out, self.right, TAG, self.came, self.left, TAG)

    def is_late(self, step):
        """Tell whether this is the one rank in eight that works eight times as long in this step."""
        return (self.comm.rank - 2 * step) % 8 == 0

    def run(self):
        """Pass the block on `steps` times."""
        self.out[:] = self.in_
        for step in range(self.steps):
            # step 2: pass on in any case, for a rank that is alone gives its block to itself
            self.pass_on()

            kernel_work(8 * self.work if self.is_late(step) else self.work)
            np.multiply(self.came, 0.5, out=self.out)
            self.out += self.in_

    def free(self):
        """Nothing to give back."""
