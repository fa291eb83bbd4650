"""Echo, with one message."""


class Kernel:
    def __init__(self, comm, shape, in_, out):
        self.comm, self.shape, self.in_, self.out = comm, shape, in_, out
        self.left, self.right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size

    def run(self):
        for _ in range(self.shape.steps):
            self.comm.Sendrecv(self.in_, self.left, 0, self.out, self.right, 0)
            self.out *= 2

    def free(self):
        pass
