# expect: WRONG_ANSWER - mixes what came before the receives are complete
"""The work is taken for the time that the messages need, so that they are there when it is done. Nothing says so: a
receive is complete when its Wait returns, and before that its buffer holds the step before, or half a message.
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
        np.multiply(self.now, 0.25, out=self.next)
        self.next += 0.75 * self.came
        MPI.Request.Waitall(requests)
        self.now, self.next = self.next, self.now

    def run(self):
        """Do `steps` steps."""
        self.now[:] = self.in_
        for _ in range(self.steps):
            self.step()
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
