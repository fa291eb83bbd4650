"""three-arrays: four reductions of whole arrays, and what is computed from them, in each of `steps` steps.

Each rank has its part of three arrays.  The average of A1 scales A2; the least and the greatest element of A2, and
the average again, make the new A3; the sum of A3 is the result.  A reduction combines the ranks' arrays element by
element, what is left is to reduce one array of n elements.  The last step's average, minimum, maximum and sum, and
A3, are `out`.  Modelled work comes with the update of A2 on even ranks, with that of A3 on odd ones.

The reductions are blocking: a rank stands in each until the others have come and its result is there.  But the
minimum is not needed before the maximum is started, and A3 can take the average while both are on their way.

Convert those two: start them as soon as A2 is ready, do what needs neither, and wait for each just before its
result is used.  The kernel is the one of an article by Intel on the collectives that came with MPI-3.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work


class Kernel:
    """One rank's part of the three arrays."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.n, self.steps = comm, shape.n, shape.steps
        # modelled compute of the updates: on even ranks that of A2, on odd ones that of A3
        self.work_a2, self.work_a3 = (0.0, shape.work) if comm.rank % 2 else (shape.work, 0.0)
        self.in_ = in_.reshape(3, shape.n)  # A1, A2 and A3 as they are at first
        self.results, self.a3 = out[:4], out[4:]
        self.a2 = np.zeros(shape.n)
        self.sum, self.low, self.high = np.zeros((3, shape.n))  # what the reductions give

    def step(self):
        """Reduce and compute once."""
        a1, a2, a3 = self.in_[0], self.a2, self.a3

        self.comm.Allreduce(a1, self.sum, MPI.SUM)
        average = self.sum.sum() / (self.n * self.comm.size)

        a2 *= average
        kernel_work(self.work_a2)
        self.comm.Allreduce(a2, self.low, MPI.MIN)
        self.comm.Allreduce(a2, self.high, MPI.MAX)

        a3 += average
        kernel_work(self.work_a3)
        low = self.low.min()
        high = self.high.max()
        a3 *= (low + high) * 0.5
        self.comm.Allreduce(a3, self.sum, MPI.SUM)

        self.results[:] = average, low, high, self.sum.sum()

    def run(self):
        """Do `steps` steps."""
        self.a2[:], self.a3[:] = self.in_[1], self.in_[2]
        for _ in range(self.steps):
            self.step()

    def free(self):
        """Nothing to give back."""
