# expect: CRASHED - frees the request after each message and starts it again
"""Each request is freed as soon as its message is complete, as Wait does with an Isend.  The next start finds
REQUEST_NULL, and starting that is an error.
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
            self.requests[mode].Start()
            self.requests[mode].Wait()
            self.requests[mode].Free()
            total += message[i]
        return total

    def receive_all(self):
        """Receive all messages; return their sum."""
        total, message = 0.0, self.message
        for step in range(self.steps):
            self.requests[0].Start()
            self.requests[0].Wait()
            self.requests[0].Free()
            total += message[step % self.n]
        return total

    def run(self):
        """Send or receive `steps` messages."""
        self.out[0] = self.send_all() if self.sends else self.receive_all()

    def free(self):
        """Give the requests back."""
        for request in self.requests:
            if request != MPI.REQUEST_NULL:
                request.Free()
