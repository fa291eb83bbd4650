# expect: WRONG_ANSWER - adds what came at every test that answers yes
"""What came is added where the test says that it is there. It says so again after every further piece, since null
requests count as complete, and each time the heat is added once more.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

SIDES = LEFT, RIGHT = 0, 1  # a message's tag is the way it goes
SHARE = 0.125, 0.25

PIECES = 8


class Kernel:
    """One rank's plate."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.work = comm, shape.steps, shape.work
        self.in_, self.out = in_, out
        self.neighbour = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
        self.now, self.spreading, self.leaving = np.zeros((3, shape.n))
        self.came = np.zeros((2, shape.n))  # what came, by the way it went

    def amount(self, step, phase):
        """Return the operations in a phase (0 or 1) of a step."""
        return self.work * (1 + (self.comm.rank * step + 2 * phase) % 3)

    def spread(self):
        """Phase 0: heat spreads along the plate; nothing leaves at its ends."""
        flow = 0.1 * np.diff(self.now)
        self.spreading[:] = self.now
        self.spreading[1:] -= flow
        self.spreading[:-1] += flow

    def step(self, step):
        """Spread, give and take once."""
        receives = [self.comm.Irecv(self.came[side], self.neighbour[1 - side], side) for side in SIDES]

        self.spread()
        kernel_work(self.amount(step, 0))
        for side in SIDES:
            np.multiply(self.spreading, SHARE[side], out=self.leaving)
            send = self.comm.Isend(self.leaving, self.neighbour[side], side)
            send.Wait()

        np.multiply(self.spreading, 0.625, out=self.now)
        for _ in range(PIECES):
            kernel_work(self.amount(step, 1) / PIECES)
            if MPI.Request.Testall(receives):
                self.now += self.came[LEFT]
                self.now += self.came[RIGHT]

        MPI.Request.Waitall(receives)

    def run(self):
        """Do `steps` steps."""
        self.now[:] = self.in_
        for step in range(self.steps):
            self.step(step)
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
