# expect: DEADLOCK - never marks the parts of the last row
"""The parts of the last row are not marked, for the Waitall that follows is taken to send what is left.  A partitioned
message is complete when all its parts were marked ready, and Waitall waits for that.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

PARTS, EASY, HARD = 4, 1, 4


class Kernel:
    """One rank's cells and histories."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.rank = comm, comm.rank
        self.left, self.right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
        self.steps, self.work = shape.steps, shape.work
        self.in_, self.out = in_.reshape(PARTS, shape.n), out.reshape(PARTS, shape.n)
        # histories, this rank's and its left neighbour's: `steps` rows of PARTS parts of n cells
        self.mine, self.theirs = np.zeros((2, shape.steps, PARTS, shape.n))
        self.receives = [comm.Precv_init(row, PARTS, self.left, 0) for row in self.theirs]
        self.sends = [comm.Psend_init(row, PARTS, self.right, 0) for row in self.mine]
        self.lock = Lock()  # held around a thread's calls of MPI

    def grow(self, row, part):
        """Write a part of a row of this rank's history."""
        old = self.mine[row - 1, part] if row else self.in_[part]
        kernel_work(self.work * (EASY if (row + part + self.rank) % PARTS else HARD))
        self.mine[row, part] = old + 0.1 * old * (1 - old)

    def add(self, row, part):
        """Add a part of a row of the left neighbour's history."""
        self.out[part] += self.theirs[row, part]

    def ready(self, row, part):
        with self.lock:
            self.sends[row].Pready(part)

    def take(self, part):
        with self.lock:
            there = self.receives[self.added[part]].Parrived(part)
        if there:
            self.add(self.added[part], part)
            self.added[part] += 1

    def produce(self, part):
        for row in range(self.steps):
            self.grow(row, part)
            if row < self.steps - 1:
                self.ready(row, part)
            self.take(part)

    def in_threads(self, produce):
        """Call produce(part) for each part in a thread, and wait for all; raise what one of them raised."""
        with ThreadPoolExecutor(PARTS) as threads:
            list(threads.map(produce, range(PARTS)))

    def run(self):
        """Write and send `steps` rows, receive and add as many."""
        self.out[:] = 0
        self.added = [0] * PARTS  # rows of which each part has been added
        requests = self.receives + self.sends
        MPI.Prequest.Startall(requests)
        self.in_threads(self.produce)
        MPI.Request.Waitall(requests)
        for part in range(PARTS):
            for row in range(self.added[part], self.steps):
                self.add(row, part)

    def free(self):
        """Give the requests back."""
        for request in self.receives + self.sends:
            request.Free()
