"""partitioned: cells that grow, and their history, which four threads write and the neighbour on the right adds up.

Each rank has four parts of n cells.  In each of `steps` steps the cells grow, and what they are then is the next row
of the rank's history; threads write it, one for each part.  The ranks are a ring: a row goes to the right, and the
row that comes from the left is added to `out`.  One part of each row is hard and takes four times as long (modelled
work), and it is another one in each row.

A row is sent when it is whole, so the threads are joined after every row: three of them stand idle while the fourth has
the hard part, in every row.  But a part needs no more than the same part of the row before.

Convert it: make each row a partitioned message, with a partition for each thread.  The threads run through all rows and
are joined once; each marks its part of a row ready when it is written, and adds what has arrived from the left.  MPI is
initialised with THREAD_SERIALIZED: one thread at a time may call it, so threads need a lock.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

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

    def grow(self, row, part):
        """Write a part of a row of this rank's history."""
        old = self.mine[row - 1, part] if row else self.in_[part]
        kernel_work(self.work * (EASY if (row + part + self.rank) % PARTS else HARD))
        self.mine[row, part] = old + 0.1 * old * (1 - old)

    def add(self, row, part):
        """Add a part of a row of the left neighbour's history."""
        self.out[part] += self.theirs[row, part]

    def in_threads(self, produce):
        """Call produce(part) for each part in a thread, and wait for all; raise what one of them raised."""
        with ThreadPoolExecutor(PARTS) as threads:
            list(threads.map(produce, range(PARTS)))

    def run(self):
        """Write and send `steps` rows, receive and add as many."""
        self.out[:] = 0
        for row in range(self.steps):
            self.in_threads(partial(self.grow, row))
            receive = self.comm.Irecv(self.theirs[row], self.left)
            send = self.comm.Isend(self.mine[row], self.right)
            MPI.Request.Waitall([receive, send])
            for part in range(PARTS):
                self.add(row, part)

    def free(self):
        """Nothing to give back."""
