"""persistent-collective: an iteration with two sums over all ranks in each of `steps` steps.

It solves (D + u u^T) x = b, D diagonal and u a vector, so a product with this matrix takes a dot product, u.x.  A step
computes the residual r = b - D x - u (u.x) and the sum of its squares, r.r, and goes on to x + r / 4.  Each rank has n
rows; x after the last step and the r.r of every step are `out`.  kernel_work stands for rows that cost more: on odd
ranks the residual takes three units and the update one, on even ranks it is the other way round.

The same two Allreduce, with the same arguments, are set up in every step.  And they block: all ranks wait for the
slowest residual, then for the slowest update, though all have four units to do in a step.  But D x needs no dot
product, and r.r is only written down.

Convert it: bind each sum to a persistent request, once, and free it at the end; start it when this rank's part of it
is ready; complete it when its result is needed, or when its buffers are.  For r.r, that is in the next step.
(Complete the two one by one: MPICH 5.0.2 hangs in a Waitall for an active and an inactive collective.)
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

    def step(self, number):
        """Go on to the next x."""
        self.part[DOT] = self.u @ self.x
        self.comm.Allreduce(self.part[DOT], self.sum[DOT], MPI.SUM)

        self.r[:] = self.b - self.d * self.x
        kernel_work(self.work * (3 if self.odd else 1))

        self.r -= self.u * self.sum[DOT]
        self.part[SQUARES] = self.r @ self.r
        self.comm.Allreduce(self.part[SQUARES], self.sum[SQUARES], MPI.SUM)
        self.squares[number] = self.sum[SQUARES, 0]

        self.x += 0.25 * self.r
        kernel_work(self.work * (1 if self.odd else 3))

    def run(self):
        """Do `steps` steps."""
        self.x[:] = self.b
        for number in range(self.steps):
            self.step(number)

    def free(self):
        """Nothing to give back."""
