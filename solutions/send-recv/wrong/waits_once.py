# expect: ERRONEOUS_MPI - completes the sends of the last step only
"""What came is waited for in every step, but the sends only once, after the last one: till then nobody needs to know.
The handles of a step are overwritten by those of the next, so only the last sends are completed, and the buffers are
filled again while the others may still be on their way.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

FIELDS = 4  # a message's tag is its field


class Kernel:
    """One rank's fields."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.work = comm, shape.steps, shape.work
        self.in_, self.out = in_.reshape(FIELDS, shape.n), out.reshape(FIELDS, shape.n)
        # the neighbours, PROC_NULL when there is one rank: then `came` stays 0
        self.left = (comm.rank - 1) % comm.size if comm.size > 1 else MPI.PROC_NULL
        self.right = (comm.rank + 1) % comm.size if comm.size > 1 else MPI.PROC_NULL
        self.spare, self.came = np.zeros((2, FIELDS, shape.n))

    def step(self, now, new):
        """Exchange, work and mix once."""
        requests = [None] * FIELDS

        for f in range(FIELDS):
            requests[f] = self.comm.Irecv(self.came[f], self.left, f)
        self.sends = [self.comm.Isend(now[f], self.right, f) for f in range(FIELDS)]

        kernel_work(self.work)
        MPI.Request.Waitall(requests)

        np.multiply(now, 0.25, out=new)
        new += 0.75 * self.came

    def run(self):
        """Do `steps` steps."""
        now = self.in_
        for to_go in range(self.steps, 0, -1):
            new = self.out if to_go % 2 else self.spare  # the last step's is `out`
            self.step(now, new)
            now = new
        MPI.Request.Waitall(self.sends)

    def free(self):
        """Nothing to give back."""
