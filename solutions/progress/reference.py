"""progress: warm plates in a ring, one on each rank, and a wind that carries heat from plate to plate.

In each of `steps` steps heat first spreads along a plate of n cells.  An eighth of every cell then goes to the plate
on the left, a quarter to the one on the right, and the plate keeps the rest.  Both phases do modelled work, 1 to 3
units of it, differently on each rank and in each step, as on a mesh that is refined unevenly.

The receives are posted first, and a send is completed before its buffer is filled again.  The second phase is cut
into pieces with a test of the receives between them.  What the test answers is not looked at: it is there because MPI
moves data inside its calls, all that it can and not only those of the requests tested, so a neighbour that waits for
its send is let go after a piece at the latest.  Where all receives are complete their requests are null, and both the
tests that follow and the Waitall return at once.  A single test right after the sends would do nothing: there the
Wait has just done the same.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

SIDES = LEFT, RIGHT = 0, 1  # a message's tag is the way it goes
SHARE = 0.125, 0.25

# step 1: cut the second phase into pieces
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
        # step 1: cut the second phase into pieces
        for _ in range(PIECES):
            kernel_work(self.amount(step, 1) / PIECES)
            # step 2: test the receives after each piece, so that MPI can move what waits
            MPI.Request.Testall(receives)

        MPI.Request.Waitall(receives)
        self.now += self.came[LEFT]
        self.now += self.came[RIGHT]

    def run(self):
        """Do `steps` steps."""
        self.now[:] = self.in_
        for step in range(self.steps):
            self.step(step)
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
