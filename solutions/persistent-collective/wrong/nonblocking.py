# expect: WRONG_CALLS - Iallreduce in each step instead of a persistent one
"""The sums are nonblocking, with the waits in the right places.  That is right and overlaps as much, but makes a
request in every step: the subject here is to make it once.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

DOT, SQUARES = 0, 1  # the two sums: u.x and r.r


class Kernel:
    """One rank's rows."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.work = comm, shape.steps, shape.work
        self.odd = comm.rank % 2
        self.d, self.u, self.b = in_.reshape(3, shape.n)
        self.x, self.squares = out[: shape.n], out[shape.n :]  # squares of the residual, in each step
        self.r = np.zeros(shape.n)
        self.part, self.sum = np.zeros((2, 2, 1))  # what this rank adds, and the sum of all ranks
        self.requests = [MPI.REQUEST_NULL, MPI.REQUEST_NULL]

    def step(self, number):
        """Go on to the next x."""
        self.part[DOT] = self.u @ self.x
        self.requests[DOT] = self.comm.Iallreduce(self.part[DOT], self.sum[DOT], MPI.SUM)

        self.r[:] = self.b - self.d * self.x
        kernel_work(self.work * (3 if self.odd else 1))
        self.requests[DOT].Wait()
        if number > 0:
            self.requests[SQUARES].Wait()
            self.squares[number - 1] = self.sum[SQUARES, 0]

        self.r -= self.u * self.sum[DOT]
        self.part[SQUARES] = self.r @ self.r
        self.requests[SQUARES] = self.comm.Iallreduce(self.part[SQUARES], self.sum[SQUARES], MPI.SUM)

        self.x += 0.25 * self.r
        kernel_work(self.work * (1 if self.odd else 3))

    def run(self):
        """Do `steps` steps."""
        self.x[:] = self.b
        for number in range(self.steps):
            self.step(number)
        self.requests[SQUARES].Wait()
        self.squares[-1] = self.sum[SQUARES, 0]

    def free(self):
        """Nothing to give back."""
