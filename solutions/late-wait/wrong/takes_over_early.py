# expect: WRONG_ANSWER - uses what came before the receives are complete
"""What came is taken over before the wait, since the second phase was surely long enough for it. A receive is
complete when its wait returns, and not before; and what is swapped away is a buffer in which a message is still to
come.
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

        np.mean(self.now, axis=0, out=self.mean)
        kernel_work(self.amount(step, 0))

        for way in range(WAYS):
            leaving = self.leaving[way]

            np.add(self.now[way], self.mean, out=leaving)
            leaving *= 0.5
            requests.append(self.comm.Isend(leaving, self.neighbour[way], way))

        self.tally += self.mean
        kernel_work(self.amount(step, 1))

        self.now[:] = self.came
        MPI.Request.Waitall(requests)

    def run(self):
        """Do `steps` steps."""
        self.now[:], self.tally[:] = self.in_, 0
        for step in range(self.steps):
            self.step(step)
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
