# expect: ERRONEOUS_MPI - one request variable for the Isend and the Irecv of a field
"""One variable seems enough for the two operations of a field, and the sample that this lab is made of does it so.
But the request of the send is overwritten by that of the receive, and no call can complete the send any more. The
copy that is sent from makes the numbers right and nothing else: when it may be used again, or freed, nobody knows,
and every step leaves requests behind.
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
        self.sent, self.spare, self.came = np.zeros((3, FIELDS, shape.n))

    def step(self, now, new):
        """Exchange, work and mix once."""
        requests = [None] * FIELDS
        self.sent[:] = now

        for f in range(FIELDS):
            requests[f] = self.comm.Isend(self.sent[f], self.right, f)
            requests[f] = self.comm.Irecv(self.came[f], self.left, f)

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

    def free(self):
        """Nothing to give back."""
