# expect: ERRONEOUS_MPI - waits for the sends of the last step only
"""The sends are waited for once, after the last sweep.  By then their variable holds the requests of the last step:
those of all the steps before are lost, and were never completed.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

UP, DOWN = 1, 2  # a message's tag is the way it goes


class Kernel:
    """One rank's rows."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps = comm, shape.steps
        self.work = shape.work  # of a row, modelled; 0 in most cases
        self.in_, self.out = in_.reshape(-1, shape.n), out.reshape(-1, shape.n)
        self.rows = len(self.in_)
        # the neighbours, PROC_NULL at the ends: then the halo stays 0
        self.above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
        self.below = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL
        # rows 1 to `rows` are this rank's, 0 and rows + 1 its halo; a 0 at each end of a row
        self.old = np.zeros((self.rows + 2, shape.n + 2))
        self.new = np.zeros((self.rows + 2, shape.n + 2))

    def post(self):
        """Post the receives of the halo from above and below, and send the first row up and the last row down."""
        rows = self.old[:, 1:-1]
        requests = [self.comm.Irecv(rows[0], self.above, DOWN), self.comm.Irecv(rows[self.rows + 1], self.below, UP)]
        requests += [self.comm.Isend(rows[1], self.above, UP), self.comm.Isend(rows[self.rows], self.below, DOWN)]
        return requests

    def sweep(self, step, first, last):
        """Compute rows `first` to `last` of the new grid.

        The modelled work of a row is four times as much on one rank in four, in each step another one.
        """
        kernel_work(self.work * (last - first + 1) * (4 if (self.comm.rank + step) % 4 == 0 else 1))
        new = self.new[first : last + 1, 1:-1]
        np.add(self.old[first - 1 : last, 1:-1], self.old[first + 1 : last + 2, 1:-1], out=new)
        new += self.old[first : last + 1, :-2]
        new += self.old[first : last + 1, 2:]
        new *= 0.25

    def run(self):
        """Sweep `steps` times."""
        self.old[1:-1, 1:-1] = self.in_
        for step in range(self.steps):
            requests = self.post()
            self.sweep(step, 2, self.rows - 1)
            MPI.Request.Waitall(requests[:2])
            self.sweep(step, 1, 1)
            if self.rows > 1:
                self.sweep(step, self.rows, self.rows)
            self.old, self.new = self.new, self.old
        MPI.Request.Waitall(requests[2:])
        self.out[:] = self.old[1:-1, 1:-1]

    def free(self):
        """Nothing to give back."""
