# expect: WRONG_ANSWER - both reductions are MPI_MIN
"""The line was copied and its operation was not changed: the "maximum" is the minimum again."""

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
        low_request = self.comm.Iallreduce(a2, self.low, MPI.MIN)
        high_request = self.comm.Iallreduce(a2, self.high, MPI.MIN)

        a3 += average
        kernel_work(self.work_a3)
        low_request.Wait()
        low = self.low.min()
        high_request.Wait()
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
