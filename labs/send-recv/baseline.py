"""send-recv: fields that go round a ring of ranks, and work that has nothing to do with them.

Each rank has FIELDS fields of n values.  In each of `steps` steps they are sent to the rank on the right, the rank
does its work (kernel_work, which needs no message), and the fields of the rank on the left come in: a new value is a
quarter of the old one and three quarters of what came.  A single rank has no neighbours, and zeros come in.

The calls are blocking, so their order must not let all ranks send at once: even ranks send before their work, odd
ranks after they have received.  That never hangs, but a message above the eager limit waits for its receive.  So an
even rank waits until its neighbour has done its work, the neighbour then waits until the even rank has done its own:
of two neighbours one works and one waits, and each field waits for the one before it.

Convert it: post all receives and sends before the work, complete them all after it, just before what came is needed.
The story is that of a sample in a vendor's tuning guide.
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
        self.even = comm.rank % 2 == 0  # is this rank one of those that send first?
        self.spare, self.came = np.zeros((2, FIELDS, shape.n))

    def send_fields(self, now):
        """Send the fields to the right, one after the other."""
        for f in range(FIELDS):
            self.comm.Send(now[f], self.right, f)

    def receive_fields(self):
        """Receive the fields from the left, one after the other."""
        for f in range(FIELDS):
            self.comm.Recv(self.came[f], self.left, f)

    def step(self, now, new):
        """Exchange, work and mix once."""
        if self.even:
            self.send_fields(now)
        kernel_work(self.work)
        self.receive_fields()
        if not self.even:
            self.send_fields(now)
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
