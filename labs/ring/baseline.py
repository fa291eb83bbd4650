"""ring: every rank passes a block of n doubles round the ring of ranks, `steps` times.

In each step a rank gives its block to the rank on its right and takes the one of the rank on its left; its next
block is half of what came plus its own `in_`.  The block after the last step is `out`.

The exchange is safe at every size: rank 0 sends first and all others receive first, so whoever sends finds a rank
that receives.  But see who waits for whom: rank 1 sends only when the block of rank 0 is there, rank 2 only when
that of rank 1 is there, ...  One message moves at a time, and a step takes as many transfers as there are ranks.
A rank that is late holds up all that come after it in the chain, and with the last one rank 0, and so all.

Break the chain, with blocking calls alone.  If even ranks send first and odd ones receive first, a step takes two
transfers, or three, however many ranks there are; there is a way to pass all blocks on at once, which two ranks
gain from too.  It must stay safe at every size, for an odd number of ranks, and for one.
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
        if self.comm.rank == 0:
            self.comm.Send(self.out, self.right, TAG)
            self.comm.Recv(self.came, self.left, TAG)
        else:
            self.comm.Recv(self.came, self.left, TAG)
            self.comm.Send(self.out, self.right, TAG)

    def is_late(self, step):
        """Tell whether this is the one rank in eight that works eight times as long in this step."""
        return (self.comm.rank - 2 * step) % 8 == 0

    def run(self):
        """Pass the block on `steps` times."""
        self.out[:] = self.in_
        for step in range(self.steps):
            if self.comm.size > 1:
                self.pass_on()
            else:  # alone: a blocking send to oneself would wait for ever
                self.came[:] = self.out
            kernel_work(8 * self.work if self.is_late(step) else self.work)
            np.multiply(self.came, 0.5, out=self.out)
            self.out += self.in_

    def free(self):
        """Nothing to give back."""
