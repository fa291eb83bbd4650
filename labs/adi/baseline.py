"""adi: sweeps along the lines of x, then of y, then of z, through blocks of n x n x n cells, `steps` times.

A cell holds 20 quantities, as in a flow that burns; a sweep mixes into each cell something of the cell before it on its
line.  The ranks are a square that is closed in both directions, with a block each: along x the next block is that of
the rank on the right, along y of the one below, along z of the one below on the right.  A line begins at the last cell
of that line in the block before, as it is when the phase begins.  What a sweep needs to know of its lines is prepared
first; that needs no neighbour, takes nearly all of the time, and is modelled.  The ranks are coloured like a
chessboard: in each phase those of one colour have twice as much to prepare as the others, and in the next phase it is
the other way round.

Each phase starts a send and a receive, prepares, and waits for both, so the planes seem to travel meanwhile.  But a
plane above the eager limit moves only while its receiver is in an MPI call, and the receiver prepares.  The first wait,
the one for the send, lasts until the next rank has done that too: a phase takes as long as the slower of two ranks
needs.

Convert it: wait for a send only when its buffer is needed again, post each receive a phase ahead, and sweep first the
lines that make up the next phase's plane, so that it is sent before the others are prepared.  The pattern is that of a
benchmark on 25 processes, from a manual by Sun on reading profiles.
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
        for i in range(phases):
            axis = i % 3
            with region(NAMES[axis]):
                self.send_plane(axis)
                self.receive_plane(axis)
                self.prepare(i, 0, self.n - 1)
                self.sent[axis].Wait()
                self.came[axis].Wait()
                self.sweep(axis, 0, self.n - 1)

    def free(self):
        """Nothing to give back."""
