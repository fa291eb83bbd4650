"""late-wait: particles that hop from site to site, on a grid of sites that is closed to a torus, one site on each rank.

A site holds particles of n kinds, and of each kind some that go up, down, left and right.  In each of `steps` steps
they collide, which brings the four numbers of a kind halfway to their mean, and then hop to the next site on their
way.  While they hop, the means are added to the site's tally.  Both phases do modelled work, 1 to 3 units of it,
differently on each rank and in each step.

The receives are posted first.  But each send is completed before the next one is started, because they share a
buffer, and above the eager limit it is complete only when the neighbour has entered an MPI call: so a rank waits for
four neighbours in turn, each perhaps in the middle of a phase, and those that it has still to send to wait for it.
What it sends is not even needed before the end of the step.

Convert it: give each message a buffer and a request of its own, start the sends one after another, and complete them
where the receives are completed.  The pattern is that of an article of 2004 on adaptive meshes.
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
        self.leaving = np.zeros(shape.n)

    def amount(self, step, phase):
        """Return the operations in a phase (0 or 1) of a step."""
        return self.work * (1 + (self.row + self.column * step + 2 * phase) % 3)

    def step(self, step):
        """Collide and hop once."""
        requests = [self.comm.Irecv(self.came[way], self.neighbour[way ^ 1], way) for way in range(WAYS)]

        np.mean(self.now, axis=0, out=self.mean)
        kernel_work(self.amount(step, 0))

        for way in range(WAYS):
            leaving = self.leaving
            np.add(self.now[way], self.mean, out=leaving)
            leaving *= 0.5
            send = self.comm.Isend(leaving, self.neighbour[way], way)
            send.Wait()

        self.tally += self.mean
        kernel_work(self.amount(step, 1))

        MPI.Request.Waitall(requests)
        self.now, self.came = self.came, self.now

    def run(self):
        """Do `steps` steps."""
        self.now[:], self.tally[:] = self.in_, 0
        for step in range(self.steps):
            self.step(step)
        self.out[:] = self.now

    def free(self):
        """Nothing to give back."""
