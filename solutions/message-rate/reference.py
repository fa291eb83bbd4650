"""message-rate: one rank sends `steps` messages to another, n doubles each, one after the other.

Ranks work in pairs: 0 sends to 1, 2 sends to 3; the last of an odd number sends to nobody.  in_[0] says in which mode a
sender sends: in standard mode, or in synchronous mode, where a send is not complete before its receive has begun.
The rest of `in_` is the message.  One of its elements grows by 1 before each sending, and both ranks add that element
up, so that no message can be missed.  out[0] is the sum, the rest of `out` is the message.

Buffer, count, peer and tag are the same for every message, so persistent requests are made of them once, in __init__.
A mode is a request's for good: a sender has one for each.  Start sends a message or begins to receive one, Wait
completes it as ever, and leaves the request inactive, ready for the next.  Free ends it.
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
        # step 1: make the requests once, one for each mode
        if self.sends:
            standard = comm.Send_init(self.message, self.peer, TAG)
            synchronous = comm.Ssend_init(self.message, self.peer, TAG)
            self.requests = [standard, synchronous]
        else:
            self.requests = [comm.Recv_init(self.message, self.peer, TAG)]

    def send_all(self):
        """Send all messages, in the mode that is asked for; return their sum."""
        mode, total, message = int(self.in_[0]), 0.0, self.message
        message[:] = self.in_[1:]
        for step in range(self.steps):
            i = step % self.n
            message[i] += 1
            # step 2: start the request instead of making one, and complete it as before
            self.requests[mode].Start()
            self.requests[mode].Wait()

            total += message[i]
        return total

    def receive_all(self):
        """Receive all messages; return their sum."""
        total, message = 0.0, self.message
        for step in range(self.steps):
            # step 2: start the request instead of making one, and complete it as before
            self.requests[0].Start()
            self.requests[0].Wait()

            total += message[step % self.n]
        return total

    def run(self):
        """Send or receive `steps` messages."""
        self.out[0] = self.send_all() if self.sends else self.receive_all()

    def free(self):
        """Give the requests back."""
        # step 3: free the requests, which Wait did not
        for request in self.requests:
            request.Free()
