# expect: WRONG_ANSWER - changes the fields while they are being sent
"""The quarter of its own values needs nothing that comes, so it is taken while the messages travel. But the fields
are a send buffer until their sends are complete: the neighbour gets whatever is there when the data leave, a quarter
of it.
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

        self.now *= 0.25
        kernel_work(self.work)
        MPI.Request.Waitall(requests)

        np.copyto(self.next, self.now)
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
