"""send-recv: fields that go round a ring of ranks, and work that has nothing to do with them.

Each rank has FIELDS fields of n values.  In each of `steps` steps they are sent to the rank on the right, the rank
does its work (kernel_work, which needs no message), and the fields of the rank on the left come in: a new value is a
quarter of the old one and three quarters of what came.  A single rank has no neighbours, and zeros come in.

The receives are posted first, so that a message that comes has a place to go, then the sends; the order of the ranks
is of no matter any more, since none of these calls waits.  All fields are on their way at once, all ranks work at
once, and one Waitall completes the requests, one for each message, when what came is needed.  What is sent is only
read meanwhile.  The story is that of a sample in a vendor's tuning guide.
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
        # step 1: a request for each message
        requests = [None] * (2 * FIELDS)

        # step 2: post the receives, then the sends, before the work
        for f in range(FIELDS):
            requests[f] = self.comm.Irecv(self.came[f], self.left, f)
        for f in range(FIELDS):
            requests[FIELDS + f] = self.comm.Isend(now[f], self.right, f)

        kernel_work(self.work)
        # step 3: complete them all just before what came is needed
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

    def free(self):
        """Nothing to give back."""
