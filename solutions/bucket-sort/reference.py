"""bucket-sort: a parallel sort of integer keys, n on each rank, done anew in each of `steps` steps.

A key is one of KEYS numbers, and WIDTH neighbouring ones share a bucket.  A rank counts its keys by bucket; the sum
over all ranks says which buckets go to which rank, so that each gets about n keys.  The keys are arranged by bucket
and go to the owners of the buckets, who count how often each key came: ranks, buckets and counts in their order are
the sorted keys.  In each step a key is SHIFT larger.  `out` has the counts of all steps, then their sum.

The sum is on its way while the keys are arranged, which reads the counts and does not write them.  Who counts long
arranges little, so nobody waits long for the sum, and nobody waits again before the exchange.

The keys travel in pieces: what a rank sends to another is cut on both sides by the same rule.  At most two pieces are
in flight, each with its request, its counts and its places in both arrays, and none of these is touched before the
wait.  The next piece is started before the one that came is counted.  How far it gets meanwhile is up to who moves the
data: where that is this very core, it gets nowhere, and it costs little.

The kernel is one of the case studies in a manual of Sun's HPC ClusterTools.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

KEYS, BUCKETS, SHIFT = 1024, 64, 37
WIDTH = KEYS // BUCKETS
# step 2: cut each message into pieces, each with a place of its own
PIECES = 4


def place(counts):
    """Where each rank's keys begin, one rank's behind the other's."""
    return np.cumsum(counts, dtype=np.intc) - counts


# step 2: cut each message into pieces, each with a place of its own
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
        buckets = (self.keys // WIDTH).astype(np.uint8)
        self.arranged[:] = self.keys[np.argsort(buckets, kind="stable")]
        kernel_work(self.work * (self.comm.size - 1 - self.late(step)) / self.comm.size)

    def deal(self):
        """Deal the buckets to the ranks: a bucket goes to the one in whose share of n keys it begins."""
        owner = np.minimum(place(self.all) // self.n, self.comm.size - 1)
        self.send[:] = np.bincount(owner, self.own, minlength=self.comm.size)

    # step 3: start the next piece before the one that came is counted
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
        # step 1: arrange the keys while the sum is on its way
        total = self.comm.Iallreduce(self.own, self.all, MPI.SUM)
        self.arrange(step)
        total.Wait()

        self.deal()
        self.comm.Alltoall(self.send, self.recv)
        # step 3: start the next piece before the one that came is counted
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
