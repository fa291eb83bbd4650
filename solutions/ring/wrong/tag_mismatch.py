# expect: DEADLOCK - the tags of send and receive differ
"""Each message carries the rank of its sender as tag, and each receive asks for the rank of the receiver: no message
ever matches, and all ranks wait.  Alone, a rank never notices.
"""

import numpy as np

from mpilab import kernel_work


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
        self.comm.Sendrecv(self.out, self.right, self.comm.rank, self.came, self.left, self.comm.rank)

    def is_late(self, step):
        """Tell whether this is the one rank in eight that works eight times as long in this step."""
        return (self.comm.rank - 2 * step) % 8 == 0

    def run(self):
        """Pass the block on `steps` times."""
        self.out[:] = self.in_
        for step in range(self.steps):
            self.pass_on()
            kernel_work(8 * self.work if self.is_late(step) else self.work)
            np.multiply(self.came, 0.5, out=self.out)
            self.out += self.in_

    def free(self):
        """Nothing to give back."""
