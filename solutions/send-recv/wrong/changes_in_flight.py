# expect: WRONG_ANSWER - changes a send buffer while it is being sent
"""The fields are copied to a buffer to send from, and the buffer takes the quarter of the own values while the
messages travel: they have been sent. They have only begun to be; the neighbour gets whatever is there when the data
leave, a quarter of it.
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
        requests = [None] * (2 * FIELDS)
        new[:] = now

        for f in range(FIELDS):
            requests[f] = self.comm.Irecv(self.came[f], self.left, f)
        for f in range(FIELDS):
            requests[FIELDS + f] = self.comm.Isend(new[f], self.right, f)

        new *= 0.25
        kernel_work(self.work)
        MPI.Request.Waitall(requests)

        new += 0.75 * self.came

    def run(self):
        """Do `steps` steps."""
        now = self.in_
        for to_go in range(self.steps, 0, -1):
            new = self.out if to_go % 2 else self.spare  # the last step's is `out`
            self.step(now, new)
            now = new

    def free(self):
        """Nothing to give back."""
