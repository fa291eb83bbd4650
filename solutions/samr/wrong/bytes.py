# expect: ERRONEOUS_MPI - sends bytes to receives of doubles
"""The numbers are the same in doubles and in bytes, so a strip is sent as so many bytes. It arrives, here; but what
is sent as MPI_BYTE must be received as MPI_BYTE, and between machines that keep doubles differently it would be
wrong.
"""

import numpy as np
from mpi4py import MPI

from mpilab import kernel_work

ROWS, COLUMNS, SIZE, REGRID, APART = 4, 2, 2, 2, 5  # two columns for each rank; flames are five apart
UP, DOWN, LEFT, RIGHT, SIDES = range(5)  # face f is side f % SIDES of block f // SIDES
COARSE, FINE = (SIZE + 2) ** 2, (2 * SIZE + 2) ** 2  # cells, with a ring of ghosts
UNPACK, PACK = 0, 1
COST, AWAY = np.array([5, 24]), (-1, 1, -ROWS, ROWS)


class Kernel:
    """One rank's blocks."""

    def __init__(self, comm, shape, in_, out):
        self.comm, self.n, self.shape = comm, shape.n, shape
        self.in_, self.out = in_.reshape(-1, SIZE, SIZE, shape.n), out.reshape(-1, SIZE, SIZE, shape.n)
        self.blocks = ROWS * COLUMNS * comm.size
        self.cells = {}  # of blocks that are or were this rank's: those of level 0, those of level 1

    def deal(self, step):
        """Say which blocks are refined in a step, and whose each is: by where the middle of its work falls."""
        level = (np.arange(self.blocks) + ROWS // 2) // ROWS % APART == step // REGRID % APART
        cost = COST[level.astype(int)]
        before = np.cumsum(cost) - cost
        owner = (2 * before + cost) * self.comm.size // (2 * cost.sum())
        self.level, self.owner = level.astype(int).tolist(), owner.tolist()  # every rank knows those of all blocks
        self.first, self.last = np.searchsorted(owner, [self.comm.rank, self.comm.rank + 1]).tolist()
        for b in range(self.first, self.last):
            self.cells.setdefault(b, np.zeros((COARSE + FINE, self.n)))
        faces = range(self.first * SIDES, self.last * SIDES)
        self.ghosts = {f: np.zeros((SIZE << self.level[f // SIDES], self.n)) for f in faces}  # the strips that come
        self.going = {f: np.zeros((2 * SIZE, self.n)) for f in faces}

    def regrid(self, step):
        """Deal the blocks anew, and move those that change hands."""
        was, moves = self.owner, []
        self.deal(step)
        for b in range(self.blocks):
            if self.owner[b] == self.comm.rank != was[b]:
                moves.append(self.comm.Irecv(self.cells[b], was[b], b))
            if was[b] == self.comm.rank != self.owner[b]:
                moves.append(self.comm.Isend(self.cells[b], self.owner[b], b))
        MPI.Request.Waitall(moves)

    def grid(self, b, level):
        """Give a block's cells of a level, each with all its layers; its own cells count from 1."""
        size = (SIZE << level) + 2
        return self.cells[b][level * COARSE : level * COARSE + size * size].reshape(size, size, self.n)

    def agree(self, b, level):
        """Make a block's cells of the other level agree with those of this one."""
        coarse, fine = self.grid(b, 0)[1:-1, 1:-1], self.grid(b, 1)[1:-1, 1:-1]
        parts = fine[::2, ::2], fine[::2, 1::2], fine[1::2, ::2], fine[1::2, 1::2]
        if level:
            coarse[:] = 0.25 * (parts[0] + parts[1] + parts[2] + parts[3])
        else:
            for part in parts:
                part[:] = coarse

    def burn(self, b):
        """Burn what is in a block."""
        u = self.grid(b, self.level[b])
        u += 0.125 * u * (1 - u)
        self.agree(b, self.level[b])
        kernel_work(self.shape.work * (20 if self.level[b] else 4))

    def carry(self, b):
        """Carry on what is in a block."""
        u, c = self.grid(b, self.level[b]), 0.1 if self.level[b] else 0.05
        up, down, left, right = u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:]
        u[1:-1, 1:-1] = 0.25 * (up + down + left + right) - c * (down * down - up * up + (right * right - left * left))
        self.agree(b, self.level[b])

    def facing(self, f):
        """Give the face on face f.  Below the last block of a column is the first of the next: the mesh is a screw."""
        return (f // SIDES + AWAY[f % SIDES]) % self.blocks * SIDES + (f % SIDES ^ 1)

    def copy(self, way, f, level, strip):
        """Pack the cells of a level along face f into a strip, or unpack a strip into the ghosts there."""
        grid, edge = self.grid(f // SIDES, level), -1 - way if f % 2 else way
        along = grid[edge, 1:-1] if f % SIDES < LEFT else grid[1:-1, edge]
        to, what = (strip, along) if way == PACK else (along, strip)
        to[:] = what

    def step(self):
        """Burn, exchange the ghosts, do the work that needs none, carry."""
        blocks, faces = range(self.first, self.last), range(self.first * SIDES, self.last * SIDES)
        requests = []
        for f in faces:
            owner = self.owner[self.facing(f) // SIDES]
            if owner != self.comm.rank:
                requests.append(self.comm.Irecv(self.ghosts[f], owner, f))
        receives = requests[:]
        for b in blocks:
            self.burn(b)

        for f in faces:
            there = self.facing(f)
            owner, level = self.owner[there // SIDES], self.level[there // SIDES]
            strip = self.ghosts[there] if owner == self.comm.rank else self.going[f][: SIZE << level]
            self.copy(PACK, f, level, strip)
            if owner != self.comm.rank:
                requests.append(self.comm.Isend([strip, MPI.BYTE], owner, there))
        for b in blocks:
            kernel_work(self.shape.work * (4 if self.level[b] else 1))
            MPI.Request.Testall(receives)
        MPI.Request.Waitall(requests)

        for f in faces:
            self.copy(UNPACK, f, self.level[f // SIDES], self.ghosts[f])
        for b in blocks:
            self.carry(b)

    def run(self):
        """Do `steps` steps."""
        self.deal(0)
        for b in range(self.first, self.last):
            self.grid(b, 0)[1:-1, 1:-1] = self.in_[b - self.first]
            self.agree(b, 0)
        for i in range(self.shape.steps):
            if i > 0 and i % REGRID == 0:
                self.regrid(i)
            self.step()
        for b in range(self.first, self.last):
            self.out[b - self.first] = self.grid(b, 0)[1:-1, 1:-1]

    def free(self):
        """Give the cells and the strips back."""
        self.cells, self.ghosts = {}, {}
