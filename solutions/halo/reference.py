"""halo: Jacobi sweeps on a grid of rows of n cells, the rows dealt to the ranks from top to bottom.

In each of `steps` sweeps every cell becomes the mean of its four neighbours; outside of the grid all is 0.  A
rank's first row needs the last row of the rank above, its last row the first row of the rank below: copies of these
two rows, the halo, are kept around its own and exchanged before every sweep.

The exchange is nonblocking: receives are posted first, so that a row that comes has a place to go, then the sends.
All four travel at once, in any order, while the rows that need no halo are swept; those between posting and
completion only read the rows being sent.  Waitall completes every request, the sends too; then the first and the
last row have their halo.
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

    # step 1: post the receives first, each with a request of its own
    def post(self):
        """Post the receives of the halo from above and below, and send the first row up and the last row down."""
        rows = self.old[:, 1:-1]
        requests = [self.comm.Irecv(rows[0], self.above, DOWN), self.comm.Irecv(rows[self.rows + 1], self.below, UP)]
        # step 2: start the sends, which need a request each too
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
            # step 1: post the receives first, each with a request of its own
            requests = self.post()
            # step 3: sweep the rows that need no halo while the messages travel
            self.sweep(step, 2, self.rows - 1)
            # step 4: complete all four requests, then sweep the rows that need the halo
            MPI.Request.Waitall(requests)
            self.sweep(step, 1, 1)
            if self.rows > 1:
                self.sweep(step, self.rows, self.rows)

            self.old, self.new = self.new, self.old
        self.out[:] = self.old[1:-1, 1:-1]

    def free(self):
        """Nothing to give back."""
