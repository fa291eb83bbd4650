# expect: ERRONEOUS_MPI - frees the request that it used, and not the other mode's
"""Only the request of the mode that was asked for is freed.  The other one was never started, but Ssend_init made it:
what was made has to be freed, used or not.
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
            total += message[i]
        return total

    def receive_all(self):
        """Receive all messages; return their sum."""
        total, message = 0.0, self.message
        for step in range(self.steps):
            self.requests[0].Start()
            self.requests[0].Wait()
            total += message[step % self.n]
        return total

    def run(self):
        """Send or receive `steps` messages."""
        self.out[0] = self.send_all() if self.sends else self.receive_all()

    def free(self):
        """Give the requests back."""
        mode = int(self.in_[0]) if self.sends else 0
        self.requests[mode].Free()
