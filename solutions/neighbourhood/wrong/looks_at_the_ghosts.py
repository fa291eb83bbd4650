# expect: TIMED_OUT - waits for the last ghost to change, without a call of MPI
"""The ghosts are marked, and the student looks at the last of them until it has changed, to know that the exchange is
complete.  Who computes in a loop makes no MPI calls, and this library moves data only in calls: the mark stays.  Test
would look and make progress; and a buffer in flight must not be read.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work


def links(p, q, ranks, n):
    """Return how many links there are between cells of ranks p and q."""
    low, high = min(p, q), max(p, q)
    linked = high < ranks - ranks % 2 and high in (low + 1, 2 * low + 1)
    return 1 + (p + q) % 4 * (n // 8) if linked else 0


class Kernel:
    """One rank's cells."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.rank, self.steps, self.work = comm, comm.rank, shape.steps, shape.work
        self.in_, self.out = in_, out
        # of the ends of links with each rank, to send as to receive
        self.counts = [links(self.rank, q, comm.size, shape.n) for q in range(comm.size)]
        self.displs = [sum(self.counts[:q]) for q in range(comm.size)]
        # at which cell each link ends, by neighbour
        self.cells = np.array(
            [(7 * q + 2 * j) % shape.n for q, count in enumerate(self.counts) for j in range(count)], int
        )
        self.old, self.new = np.zeros((2, shape.n))
        self.sent, self.ghosts = np.zeros((2, len(self.cells)))  # at this end of each link and at the other
        neighbours = [q for q, count in enumerate(self.counts) if count]
        self.counts, self.displs = ([values[q] for q in neighbours] for values in (self.counts, self.displs))
        self.graph = comm.Create_dist_graph_adjacent(neighbours, neighbours)

    def chain(self):
        """Compute what the chain gives to each cell: new from old."""
        self.new[:] = 0.5 * self.old + 0.25 * (np.roll(self.old, 1) + np.roll(self.old, -1))

    def step(self, number):
        """Exchange the ghosts and compute the new cells."""
        self.sent[:] = self.old[self.cells]
        send, receive = ([values, self.counts, self.displs, MPI.DOUBLE] for values in (self.sent, self.ghosts))
        self.ghosts[:] = -1
        request = self.graph.Ineighbor_alltoallv(send, receive)

        self.chain()
        kernel_work(self.work * (3 if (self.rank + number) % 2 else 1))
        while (self.ghosts[-1:] == -1).any():
            pass
        request.Wait()

        np.add.at(self.new, self.cells, 0.125 * (self.ghosts - self.sent))

    def run(self):
        """Do `steps` steps."""
        self.old[:] = self.in_
        for number in range(self.steps):
            self.step(number)
            self.old, self.new = self.new, self.old
        self.out[:] = self.old

    def free(self):
        """Give back the graph."""
        self.graph.Free()
