"""message-rate: one rank sends `steps` messages to another, n doubles each, one after the other.

Ranks work in pairs: 0 sends to 1, 2 sends to 3; the last of an odd number sends to nobody.  in_[0] says in which mode a
sender sends: in standard mode, or in synchronous mode, where a send is not complete before its receive has begun.
The rest of `in_` is the message.  One of its elements grows by 1 before each sending, and both ranks add that element
up, so that no message can be missed.  out[0] is the sum, the rest of `out` is the message.

Buffer, count, peer and tag are the same for every message.  All the same each message gets a request of its own: Isend
and Irecv make one, Wait frees it.

Convert it: make persistent requests once, in __init__, start them for each message, and free them at the end.
"""

from mpi4py import MPI

TAG = 1
STANDARD, SYNCHRONOUS = 0, 1  # what in_[0] may be


class Kernel:
    """One rank of a pair."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.n, self.steps, self.in_, self.out = comm, shape.n, shape.steps, in_, out
        # whether this rank sends, and the other rank of the pair
        self.sends = comm.rank % 2 == 0
        self.peer = comm.rank + 1 if self.sends else comm.rank - 1
        if self.peer == comm.size:
            self.peer = MPI.PROC_NULL
        self.message = out[1:]  # behind the sum

    def send_all(self):
        """Send all messages, in the mode that is asked for; return their sum."""
        mode, total, message = int(self.in_[0]), 0.0, self.message
        message[:] = self.in_[1:]
        for step in range(self.steps):
            i = step % self.n
            message[i] += 1
            if mode == SYNCHRONOUS:
                request = self.comm.Issend(message, self.peer, TAG)
            else:
                request = self.comm.Isend(message, self.peer, TAG)
            request.Wait()
            total += message[i]
        return total

    def receive_all(self):
        """Receive all messages; return their sum."""
        total, message = 0.0, self.message
        for step in range(self.steps):
            request = self.comm.Irecv(message, self.peer, TAG)
            request.Wait()
            total += message[step % self.n]
        return total

    def run(self):
        """Send or receive `steps` messages."""
        self.out[0] = self.send_all() if self.sends else self.receive_all()

    def free(self):
        """Nothing to give back."""
