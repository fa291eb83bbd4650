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
        self.spare, self.came = np.zeros((2, FIELDS, shape.n))

    def step(self, now, new):
        """Exchange, work and mix once."""

        for f in range(FIELDS):
            self.comm.Isend(now[f], self.right, f).Wait()

        kernel_work(self.work)
        for f in range(FIELDS):
            self.comm.Irecv(self.came[f], self.left, f).Wait()

        np.multiply(now, 0.25, out=new)
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
