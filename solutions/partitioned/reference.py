"""partitioned: cells that grow, and their history, which four threads write and the neighbour on the right adds up.

Each rank has four parts of n cells.  In each of `steps` steps the cells grow, and what they are then is the next row
of the rank's history; threads write it, one for each part.  The ranks are a ring: a row goes to the right, and the
row that comes from the left is added to `out`.  One part of each row is hard and takes four times as long (modelled
work), and it is another one in each row.

Each row is a partitioned message with a partition for each thread, made once and started in every run.  No thread waits
for another: it marks its part ready when it is written, goes on, and does not touch that part again.  MPI sends a row
when it sees fit, at the latest when all its parts are ready.  A part that Parrived reports may be read at once, the
others after Waitall.  Partitioned sends match partitioned receives only, in the order in which they were made.  A lock
keeps the threads' calls apart; nobody blocks in MPI while it is held, or no part would get ready.
"""

from concurrent.futures import ThreadPoolExecutor

# step 2: let the threads run through all rows; each marks its part of a row ready when it is written
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
        # step 1: make each row a partitioned message, with a partition for each thread
        self.receives = [comm.Precv_init(row, PARTS, self.left, 0) for row in self.theirs]
        self.sends = [comm.Psend_init(row, PARTS, self.right, 0) for row in self.mine]
        # step 2: let the threads run through all rows; each marks its part of a row ready when it is written
        self.lock = Lock()  # held around a thread's calls of MPI

    def grow(self, row, part):
        """Write a part of a row of this rank's history."""
        old = self.mine[row - 1, part] if row else self.in_[part]
        kernel_work(self.work * (EASY if (row + part + self.rank) % PARTS else HARD))
        self.mine[row, part] = old + 0.1 * old * (1 - old)

    def add(self, row, part):
        """Add a part of a row of the left neighbour's history."""
        self.out[part] += self.theirs[row, part]

    # step 2: let the threads run through all rows; each marks its part of a row ready when it is written
    def ready(self, row, part):
        with self.lock:
            self.sends[row].Pready(part)

    # step 3: add the parts from the left that have arrived, and in the end the others
    def take(self, part):
        with self.lock:
            there = self.receives[self.added[part]].Parrived(part)
        if there:
            self.add(self.added[part], part)
            self.added[part] += 1

    # step 2: let the threads run through all rows; each marks its part of a row ready when it is written
    def produce(self, part):
        for row in range(self.steps):
            self.grow(row, part)
            self.ready(row, part)
            # step 3: add the parts from the left that have arrived, and in the end the others
            self.take(part)

    def in_threads(self, produce):
        """Call produce(part) for each part in a thread, and wait for all; raise what one of them raised."""
        with ThreadPoolExecutor(PARTS) as threads:
            list(threads.map(produce, range(PARTS)))

    def run(self):
        """Write and send `steps` rows, receive and add as many."""
        self.out[:] = 0
        # step 3: add the parts from the left that have arrived, and in the end the others
        self.added = [0] * PARTS  # rows of which each part has been added
        # step 2: let the threads run through all rows; each marks its part of a row ready when it is written
        requests = self.receives + self.sends
        MPI.Prequest.Startall(requests)
        self.in_threads(self.produce)
        MPI.Request.Waitall(requests)
        # step 3: add the parts from the left that have arrived, and in the end the others
        for part in range(PARTS):
            for row in range(self.added[part], self.steps):
                self.add(row, part)

    def free(self):
        """Give the requests back."""
        # step 1: make each row a partitioned message, with a partition for each thread
        for request in self.receives + self.sends:
            request.Free()
