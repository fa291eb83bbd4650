# expect: DEADLOCK - completes each send before posting a receive
"""Each call was replaced where it stood, and a wait put behind it. An Isend whose Wait follows at once is a Send, and
now all ranks send first: a short field goes into a buffer of the library, a long one waits for a receive that nobody
has posted.
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

        for f in range(FIELDS):
            self.comm.Isend(self.now[f], self.right, f).Wait()

        kernel_work(self.work)
        for f in range(FIELDS):
            self.comm.Irecv(self.came[f], self.left, f).Wait()

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
