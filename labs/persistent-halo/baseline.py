"""persistent-halo: heat spreads along a closed chain of cells, n on each rank, in `steps` steps.

In each step every cell becomes half of itself and a quarter of each neighbour.  A rank's first cell needs the last
one of the rank on its left, its last cell the first one of the rank on its right: a halo of one cell on each side,
received before every step.  Two arrays take turns at being old and new, so nothing is copied.

The exchange is nonblocking, and its messages are as small as they can be.  In every step the same four calls are
set up with the same arguments, twice over: once for each of the arrays.

Convert it: set them up once, as persistent requests, start them in each step, and free them at the end.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

TO_LEFT, TO_RIGHT = 1, 2  # a message's tag is the way it goes: two ranks are left and right of each other


class Kernel:
    """One rank's cells."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.in_, self.out = comm, shape.steps, in_, out
        self.work = shape.work  # of a step, modelled; 0 in most cases
        self.left = (comm.rank - 1) % comm.size
        self.right = (comm.rank + 1) % comm.size
        # cells 1 to n are this rank's, 0 and n + 1 its halo
        self.cells = [np.zeros(shape.n + 2), np.zeros(shape.n + 2)]

    def start(self, cells):
        """Start to receive the halo of `cells` and to send its first and last cell."""
        return [
            self.comm.Irecv(cells[:1], self.left, TO_RIGHT),
            self.comm.Irecv(cells[-1:], self.right, TO_LEFT),
            self.comm.Isend(cells[1:2], self.left, TO_LEFT),
            self.comm.Isend(cells[-2:-1], self.right, TO_RIGHT),
        ]

    def run(self):
        """Let the heat spread for `steps` steps."""
        self.cells[0][1:-1] = self.in_
        for step in range(self.steps):
            old, new = self.cells[step % 2], self.cells[(step + 1) % 2]
            requests = self.start(old)
            MPI.Request.Waitall(requests)
            kernel_work(self.work)
            inner = np.add(old[:-2], old[2:], out=new[1:-1])
            inner *= 0.5
            inner += old[1:-1]
            inner *= 0.5
        self.out[:] = self.cells[self.steps % 2][1:-1]

    def free(self):
        """Nothing to give back."""
