# expect: ERRONEOUS_MPI - completes the sends of the last step only
"""The waits of the sends were moved out of the loop, and out of the step as well: once, after the last step, seems
late enough. The handles of a step are overwritten by those of the next, so only the last sends are completed, and the
buffers are filled again while the others may still be on their way.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

WAYS = 4  # up, down, left, right: a message's tag is the way it goes; way ^ 1 is the way back


class Kernel:
    """One rank's site."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.work = comm, shape.steps, shape.work
        self.in_ = in_.reshape(WAYS, shape.n)
        self.out, self.tally = out[: in_.size].reshape(WAYS, shape.n), out[in_.size :]
        rows = max(i for i in range(1, comm.size + 1) if i * i <= comm.size and comm.size % i == 0)
        columns = comm.size // rows
        self.row, self.column = divmod(comm.rank, columns)
        self.neighbour = (
            (comm.rank - columns) % comm.size,
            (comm.rank + columns) % comm.size,
            self.row * columns + (self.column - 1) % columns,
            self.row * columns + (self.column + 1) % columns,
        )
        self.now, self.came = np.zeros((2, WAYS, shape.n))  # the particles by the way they go, n kinds each
        self.mean = np.zeros(shape.n)
        self.leaving = np.zeros((WAYS, shape.n))

    def amount(self, step, phase):
        """Return the operations in a phase (0 or 1) of a step."""
        return self.work * (1 + (self.row + self.column * step + 2 * phase) % 3)

    def step(self, step):
        """Collide and hop once."""
        requests = [self.comm.Irecv(self.came[way], self.neighbour[way ^ 1], way) for way in range(WAYS)]
        self.sends = []

        np.mean(self.now, axis=0, out=self.mean)
        kernel_work(self.amount(step, 0))

        for way in range(WAYS):
            leaving = self.leaving[way]

            np.add(self.now[way], self.mean, out=leaving)
            leaving *= 0.5
            self.sends.append(self.comm.Isend(leaving, self.neighbour[way], way))

        self.tally += self.mean
        kernel_work(self.amount(step, 1))

        MPI.Request.Waitall(requests)

        self.now, self.came = self.came, self.now

    def run(self):
        """Do `steps` steps."""
        self.now[:], self.tally[:] = self.in_, 0
        for step in range(self.steps):
            self.step(step)
        MPI.Request.Waitall(self.sends)
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
