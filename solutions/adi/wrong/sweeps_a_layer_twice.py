# expect: WRONG_ANSWER - sweeps the last layer first, and then once more with the others
"""The last layer is swept first and sent, and then all layers are swept as before, the last one among them.  A sweep is
not like a copy: the second time it mixes into the cells what they have already.
"""

import math

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work, region

X, Y, Z = AXES = range(3)
CELL = 20
NAMES = "xyz"
SHARE = 0.5  # of the cell before, mixed into a cell


class Kernel:
    """One rank's block."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.n, self.steps = comm, shape.n, shape.steps
        self.work = shape.work  # to prepare all lines of a phase, on a rank that has little to do
        self.in_, self.out = in_, out
        block = out.reshape(self.n, self.n, self.n, CELL)
        # [i, layer, j]: cell i of a line along an axis, counted by layer and j in the directions of the other two
        self.lines = [block.transpose(axis, (axis + 1) % 3, (axis + 2) % 3, 3) for axis in AXES]
        # the last plane as it is sent, and that of the block before
        self.plane, self.halo = np.zeros((2, 3, self.n, self.n, CELL))
        self.sent, self.came = [MPI.REQUEST_NULL] * 3, [MPI.REQUEST_NULL] * 3  # their requests
        side = math.isqrt(comm.size)
        self.y, self.x = divmod(comm.rank, side)  # the rank's row and column
        right, down = [axis != Y for axis in AXES], [axis != X for axis in AXES]
        # the neighbours along each axis
        self.next = [(self.y + down[axis]) % side * side + (self.x + right[axis]) % side for axis in AXES]
        self.before = [(self.y - down[axis]) % side * side + (self.x - right[axis]) % side for axis in AXES]

    def send_plane(self, axis):
        """Send the last plane along an axis to the next rank."""
        self.sent[axis].Wait()

        self.plane[axis] = self.lines[axis][-1]
        self.sent[axis] = self.comm.Isend(self.plane[axis], self.next[axis], axis)

    def receive_plane(self, axis):
        """Receive the last plane of the rank before."""
        self.came[axis] = self.comm.Irecv(self.halo[axis], self.before[axis], axis)

    def prepare(self, i, first, last):
        """Find out what the sweep of phase i needs to know of the lines of layers `first` to `last`: modelled."""
        times = 1 + (self.x + self.y + i) % 2
        kernel_work(self.work * times * (last - first + 1) / self.n)

    def sweep(self, axis, first, last):
        """Sweep along the lines of layers `first` to `last`."""
        before = self.halo[axis][first : last + 1]
        for i in range(self.n):
            u = self.lines[axis][i, first : last + 1]
            u += SHARE * before
            u /= 1 + SHARE
            before = u

    def run(self):
        """Do `steps` steps of three phases."""
        phases = 3 * self.steps
        self.out[:] = self.in_

        self.receive_plane(X)
        self.send_plane(X)

        for i in range(phases):
            axis = i % 3
            with region(NAMES[axis]):
                ahead, is_last = (axis + 1) % 3, i + 1 == phases
                if not is_last:
                    self.receive_plane(ahead)

                self.prepare(i, self.n - 1, self.n - 1)
                self.came[axis].Wait()
                self.sweep(axis, self.n - 1, self.n - 1)
                if not is_last:
                    self.send_plane(ahead)
                self.prepare(i, 0, self.n - 2)
                self.sweep(axis, 0, self.n - 1)

        MPI.Request.Waitall(self.sent)

    def free(self):
        """Nothing to give back."""
