# expect: CRASHED - rank 0 does not tell rank 1 what came out
"""Rank 1 halves another range then, and a message comes that is larger than its receive."""

from collections import Counter
from pathlib import Path

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

DATA, BACK, MIDDLE, END = range(1, 5)
MOST, SPOILED = 8, -1
NOTHING, TEST, OWN_SEND = range(3)  # what rank 1 does in MPI in the middle of its compute


def shared_memory():
    """Return its size in MiB, rounded."""
    lines = [
        line for line in Path("/proc/self/maps").read_text().splitlines() if "mpich" in line and "/dev/shm" in line
    ]
    ends = [line.split()[0].split("-") for line in lines]
    return float(round(sum(int(last, 16) - int(first, 16) for first, last in ends) / 2**20))


class Kernel:
    """Experiments between rank 0, which sends, and rank 1, which computes."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.work, self.out = comm, shape.work, out
        self.largest = int(in_[0])
        self.bytes = np.zeros(MOST * self.largest, dtype=np.int8)  # what is sent
        self.back = np.zeros_like(self.bytes)  # what is received
        self.nothing = np.zeros(0, dtype=np.int8)

    def receiver(self, size, count, middle):
        """Rank 1's side: move its calls to see what changes."""
        requests = [self.comm.Irecv(self.back[i * size : (i + 1) * size], 0, DATA) for i in range(count)]
        marks = []
        self.comm.Barrier()
        if middle == OWN_SEND:
            own = self.comm.Isend(self.bytes[:size], 0, BACK)
        kernel_work(self.work)
        if middle == TEST:
            MPI.Request.Testall(requests)
        if middle == OWN_SEND:
            own.Wait()
        if middle != NOTHING:
            marks.append(self.comm.Isend(self.nothing, 0, MIDDLE))
        kernel_work(self.work if middle == NOTHING else 10 * self.work)  # time for what the middle may have set off
        marks.append(self.comm.Isend(self.nothing, 0, END))
        MPI.Request.Waitall(requests)
        MPI.Request.Waitall(marks)

    def sender(self, size, count, middle):
        """Rank 0's side: how many of its sends were complete before rank 1's wait, and after its middle."""
        early, beyond = SPOILED, False
        back = self.comm.Irecv(self.back[:size], 1, BACK) if middle == OWN_SEND else MPI.REQUEST_NULL
        self.comm.Barrier()
        requests = [self.comm.Isend(self.bytes[i * size : (i + 1) * size], 1, DATA) for i in range(count)]
        late = self.comm.Iprobe(1, MIDDLE)  # it was sent too late to be tested in the middle
        while True:
            complete = sum(request.Get_status() for request in requests)
            if self.comm.Iprobe(1, END):
                break
            if (beyond or middle == NOTHING) and not late:
                early = complete  # rank 1 did not wait yet
            beyond = beyond or self.comm.Iprobe(1, MIDDLE)
        if middle != NOTHING:
            self.comm.Recv(self.nothing, 1, MIDDLE)
        self.comm.Recv(self.nothing, 1, END)
        MPI.Request.Waitall(requests)
        back.Wait()
        return early

    def experiment(self, size, count, middle):
        """Of `count` messages of `size` bytes, return how many are sent before rank 1 waits for them; both know it."""
        seen = Counter()
        found = np.zeros(1, dtype=np.intc)
        while not seen or max(seen.values()) < 2:  # what comes out twice is believed
            if self.comm.rank == 0:
                found[0] = self.sender(size, count, middle)
            else:
                self.receiver(size, count, middle)
            early = int(found[0])
            if early != SPOILED:
                seen[early] += 1
        return early

    def find_limit(self):
        """Return the largest message that is sent while the receiver computes."""
        limit, above = 0, self.largest
        while above - limit > 1:
            size = limit + (above - limit) // 2
            if self.experiment(size, 1, NOTHING):
                limit = size
            else:
                above = size
        return limit

    def answer(self):
        """Return what the five questions are answered with."""
        answers = [0.0] * 5
        limit = self.find_limit()
        answers[0] = limit
        answers[1] = self.experiment(limit // 3, MOST, NOTHING)
        answers[2] = self.experiment(limit + 1, 1, TEST)
        answers[3] = self.experiment(limit + 1, 1, OWN_SEND)
        answers[4] = shared_memory()
        return answers

    def run(self):
        """Answer; rank 0 has the answers."""
        answers = self.answer()
        if self.comm.rank == 0:
            self.out[:] = answers

    def free(self):
        """Nothing to give back."""
