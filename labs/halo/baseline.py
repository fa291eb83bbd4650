"""halo: Jacobi sweeps on a grid of rows of n cells, the rows dealt to the ranks from top to bottom.

In each of `steps` sweeps every cell becomes the mean of its four neighbours; outside of the grid all is 0.  A
rank's first row needs the last row of the rank above, its last row the first row of the rank below: copies of these
two rows, the halo, are kept around its own and exchanged before every sweep.

The exchange is blocking: rows go up, and when they have arrived others go down, and when those have arrived the
sweep begins.  But the two directions have nothing to do with each other, and most rows need no halo at all: they
could be swept while a neighbour is late.

Convert it: post all receives and sends at once, sweep the rows that need no halo while the messages travel,
complete all requests, then sweep the first and the last row.
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

    def exchange(self):
        """Send the first row up and the last row down, and receive the halo from below and from above."""
        rows = self.old[:, 1:-1]
        self.comm.Sendrecv(rows[1], self.above, UP, rows[self.rows + 1], self.below, UP)
        self.comm.Sendrecv(rows[self.rows], self.below, DOWN, rows[0], self.above, DOWN)

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
            self.exchange()
            self.sweep(step, 1, self.rows)
            self.old, self.new = self.new, self.old
        self.out[:] = self.old[1:-1, 1:-1]

    def free(self):
        """Nothing to give back."""
