# expect: ERRONEOUS_MPI - the sends are never completed
"""What was needed has come, so the sends must have arrived too, and waiting for them seems to be idle. What has come
says nothing about what was sent, and an operation that is never completed keeps its request, and its right to the
buffer, for ever.
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
        self.now, self.next, self.came = np.zeros((3, FIELDS, shape.n))

    def step(self):
        """Exchange, work and mix once."""
        requests = [None] * (2 * FIELDS)

        for f in range(FIELDS):
            requests[f] = self.comm.Irecv(self.came[f], self.left, f)
        for f in range(FIELDS):
            requests[FIELDS + f] = self.comm.Isend(self.now[f], self.right, f)

        kernel_work(self.work)
        MPI.Request.Waitall(requests[:FIELDS])

        np.multiply(self.now, 0.25, out=self.next)
        self.next += 0.75 * self.came
        self.now, self.next = self.next, self.now

    def run(self):
        """Do `steps` steps."""
        self.now[:] = self.in_
        for _ in range(self.steps):
            self.step()
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
