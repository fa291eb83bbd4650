"""persistent-collective: an iteration with two sums over all ranks in each of `steps` steps.

It solves (D + u u^T) x = b, D diagonal and u a vector, so a product with this matrix takes a dot product, u.x.  A step
computes the residual r = b - D x - u (u.x) and the sum of its squares, r.r, and goes on to x + r / 4.  Each rank has n
rows; x after the last step and the r.r of every step are `out`.  kernel_work stands for rows that cost more: on odd
ranks the residual takes three units and the update one, on even ranks it is the other way round.

The sums are persistent collectives, each with a request that is bound to its two buffers.  All ranks make the two in
the same order, for that is what matches them; they may be started in any order.  u.x is under way while the residual
is computed as far as it needs no sum, r.r while x is updated and until the next step has got as far.  So ranks meet
once in a step, with an update and a residual done since, and these cost the same everywhere.

The gain is that of nonblocking collectives.  Persistence saves the set-up of each call, and in Python most of that is
the binding's: Start and Wait cost less than Iallreduce and Wait, and about as much as the blocking Allreduce.
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
        # step 1: bind each sum to a request, once, and free it at the end
        self.requests = [comm.Allreduce_init(self.part[i], self.sum[i], MPI.SUM) for i in (DOT, SQUARES)]

    def step(self, number):
        """Go on to the next x."""
        self.part[DOT] = self.u @ self.x
        # step 2: start a sum when this rank's part of it is ready
        self.requests[DOT].Start()

        self.r[:] = self.b - self.d * self.x
        kernel_work(self.work * (3 if self.odd else 1))
        # step 3: complete a sum when its result is needed, or its buffers are
        self.requests[DOT].Wait()
        if number > 0:
            self.requests[SQUARES].Wait()
            self.squares[number - 1] = self.sum[SQUARES, 0]

        self.r -= self.u * self.sum[DOT]
        self.part[SQUARES] = self.r @ self.r
        # step 2: start a sum when this rank's part of it is ready
        self.requests[SQUARES].Start()

        self.x += 0.25 * self.r
        kernel_work(self.work * (1 if self.odd else 3))

    def run(self):
        """Do `steps` steps."""
        self.x[:] = self.b
        for number in range(self.steps):
            self.step(number)
        # step 3: complete a sum when its result is needed, or its buffers are
        self.requests[SQUARES].Wait()
        self.squares[-1] = self.sum[SQUARES, 0]

    def free(self):
        """Give back the requests."""
        # step 1: bind each sum to a request, once, and free it at the end
        for request in self.requests:
            request.Free()
