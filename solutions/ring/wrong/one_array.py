# expect: CRASHED - sends from and receives into the same array at once
"""One array is sent and received into at once, which saves the other.  Two buffers of a call may not overlap: what
comes may be written before what goes has been read.  This library notices when a rank sends to itself; else the
numbers would be wrong.  Sendrecv_replace is made for one array.
"""

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

    def pass_on(self):
        """Give `out` to the right and take it from the left."""
        self.comm.Sendrecv(self.out, self.right, TAG, self.out, self.left, TAG)

    def is_late(self, step):
        """Tell whether this is the one rank in eight that works eight times as long in this step."""
        return (self.comm.rank - 2 * step) % 8 == 0

    def run(self):
        """Pass the block on `steps` times."""
        self.out[:] = self.in_
        for step in range(self.steps):
            self.pass_on()
            kernel_work(8 * self.work if self.is_late(step) else self.work)
            self.out *= 0.5
            self.out += self.in_

    def free(self):
        """Nothing to give back."""
