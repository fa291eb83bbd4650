# expect: ERRONEOUS_MPI - arranges the keys by the counts that are being summed
"""To save an array, the counts themselves become the places in which the next key of each bucket goes, and are made
counts again afterwards.  But their sum is on its way: nobody may write them before the wait, not even for a moment.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

KEYS, BUCKETS, SHIFT = 1024, 64, 37
WIDTH = KEYS // BUCKETS
PIECES = 4


def place(counts):
    """Where each rank's keys begin, one rank's behind the other's."""
    return np.cumsum(counts, dtype=np.intc) - counts


def cut(counts, at, p):
    """How many of each rank's keys are in piece p, and where they begin."""
    begin, end = counts * p // PIECES, counts * (p + 1) // PIECES
    return end - begin, at + begin


class Kernel:
    """One rank's keys, and those that it is given."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.n, self.steps, self.work = comm, shape.n, shape.steps, shape.work
        self.in_, self.out = in_, out
        self.keys, self.arranged = np.zeros((2, shape.n), np.intc)  # this rank's keys, the same by bucket
        self.received = np.zeros(comm.size * shape.n, np.intc)  # those that came: at worst all
        self.own, self.all = np.zeros((2, BUCKETS), np.intc)  # how many keys are in each bucket, here and on all ranks
        self.send, self.recv = np.zeros((2, comm.size), np.intc)  # how many keys go to and come from each rank

    def late(self, step):
        """How late this rank is in a step, from 0 to ranks - 1: they take turns."""
        return (self.comm.rank + step) % self.comm.size

    def count(self, step):
        """Make the keys of a step and count them by bucket."""
        self.keys[:] = (self.in_.astype(np.intc) + step * SHIFT) % KEYS
        self.own[:] = np.bincount(self.keys // WIDTH, minlength=BUCKETS)
        kernel_work(self.work * self.late(step) / self.comm.size)

    def arrange(self, step):
        """Put the keys into the order of their buckets; who counts longest has least to do here."""
        ends = self.own
        ends[:] = np.cumsum(self.own)
        buckets = (self.keys // WIDTH).astype(np.uint8)
        order = np.argsort(buckets, kind="stable")
        for bucket in range(BUCKETS):
            at = slice(ends[bucket - 1] if bucket else 0, ends[bucket])
            self.arranged[at] = self.keys[order[at]]
        self.own[:] = np.diff(ends, prepend=0)
        kernel_work(self.work * (self.comm.size - 1 - self.late(step)) / self.comm.size)

    def deal(self):
        """Deal the buckets to the ranks: a bucket goes to the one in whose share of n keys it begins."""
        owner = np.minimum(place(self.all) // self.n, self.comm.size - 1)
        self.send[:] = np.bincount(owner, self.own, minlength=self.comm.size)

    def start(self, p):
        """Start to exchange piece p."""
        sent, came = cut(self.send, place(self.send), p), cut(self.recv, place(self.recv), p)
        return self.comm.Ialltoallv([self.arranged, sent], [self.received, came])

    def tally(self, counts, at):
        """Count the keys that came: so many from each rank, each rank's at one place."""
        keys = np.concatenate([self.received[a : a + n] for a, n in zip(at, counts, strict=True)])
        self.out[:KEYS] += np.bincount(keys, minlength=KEYS)
        self.out[KEYS] += keys.size
        kernel_work(self.work * keys.size / self.n)

    def step(self, step):
        """Sort the keys of one step."""
        self.count(step)
        total = self.comm.Iallreduce(self.own, self.all, MPI.SUM)
        self.arrange(step)
        total.Wait()

        self.deal()
        self.comm.Alltoall(self.send, self.recv)
        requests = [self.start(0)]
        for p in range(PIECES):
            if p + 1 < PIECES:
                requests.append(self.start(p + 1))
            requests[p].Wait()
            self.tally(*cut(self.recv, place(self.recv), p))

    def run(self):
        """Sort `steps` times."""
        self.out[:] = 0
        for step in range(self.steps):
            self.step(step)

    def free(self):
        """Nothing to give back."""
