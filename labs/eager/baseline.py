"""eager: when does a message leave?  A sender, a receiver that computes, and calls that can be moved.

MPI_Isend returns at once, but that says nothing about the message.  Up to some size it is put where the receiver will
find it, and the send is complete: it goes eagerly.  A larger one waits until the receiver is inside MPI and says where
it is to go: a rendezvous.  The standard leaves open where the limit is, and what else matters; experiments tell.

In an experiment rank 1 posts its receives (T0), computes, may do something in MPI in the middle (T1), computes (T2),
and only then waits for them (T3); rank 0 sends at once and looks again and again which of its sends are complete.
Marks that rank 1 sends are the clock: what is complete in a look, when the mark of T3 hasn't come after it, needed no
wait.

Answer the five questions that oracle.py lists: replace what is in `answer`.  As it stands it tells only how an
experiment is done; 0 answers nothing.
"""

from collections import Counter

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

DATA, BACK, MIDDLE, END = range(1, 5)
MOST, SPOILED = 8, -1
NOTHING, TEST, OWN_SEND = range(3)  # what rank 1 does in MPI in the middle of its compute


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
            self.comm.Bcast(found)
            early = int(found[0])
            if early != SPOILED:
                seen[early] += 1
        return early

    def answer(self):
        """Return what the five questions are answered with."""
        early = self.experiment(1000, 1, NOTHING)
        answers = [0.0] * 5
        answers[0] = 1000 if early else 0  # the limit is no less than that: but what is it, to the byte?
        return answers

    def run(self):
        """Answer; rank 0 has the answers."""
        answers = self.answer()
        if self.comm.rank == 0:
            self.out[:] = answers

    def free(self):
        """Nothing to give back."""
