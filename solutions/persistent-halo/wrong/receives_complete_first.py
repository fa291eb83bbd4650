# expect: DEADLOCK - completes the receives before it starts the sends
"""The receives are started and completed before any send is started: every rank waits for a cell that nobody has sent,
even one that is its own neighbour.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

TO_LEFT, TO_RIGHT = 1, 2  # a message's tag is the way it goes: two ranks are left and right of each other


class Kernel:
    """One rank's cells."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.steps, self.in_, self.out = comm, shape.steps, in_, out
        self.work = shape.work  # of a step, modelled; 0 in most cases
        self.left = (comm.rank - 1) % comm.size
        self.right = (comm.rank + 1) % comm.size
        # cells 1 to n are this rank's, 0 and n + 1 its halo
        self.cells = [np.zeros(shape.n + 2), np.zeros(shape.n + 2)]
        self.requests = [self.bind(cells) for cells in self.cells]

    def bind(self, cells):
        """Make the requests that receive the halo of `cells` and send its first and last cell."""
        return [
            self.comm.Recv_init(cells[:1], self.left, TO_RIGHT),
            self.comm.Recv_init(cells[-1:], self.right, TO_LEFT),
            self.comm.Send_init(cells[1:2], self.left, TO_LEFT),
            self.comm.Send_init(cells[-2:-1], self.right, TO_RIGHT),
        ]

    def run(self):
        """Let the heat spread for `steps` steps."""
        self.cells[0][1:-1] = self.in_
        for step in range(self.steps):
            old, new = self.cells[step % 2], self.cells[(step + 1) % 2]
            receives, sends = self.requests[step % 2][:2], self.requests[step % 2][2:]
            MPI.Prequest.Startall(receives)
            MPI.Request.Waitall(receives)
            MPI.Prequest.Startall(sends)
            MPI.Request.Waitall(sends)
            kernel_work(self.work)
            inner = np.add(old[:-2], old[2:], out=new[1:-1])
            inner *= 0.5
            inner += old[1:-1]
            inner *= 0.5
        self.out[:] = self.cells[self.steps % 2][1:-1]

    def free(self):
        """Free the requests: completing them did not."""
        for request in self.requests[0] + self.requests[1]:
            request.Free()
