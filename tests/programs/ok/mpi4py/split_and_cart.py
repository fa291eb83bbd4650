# expect: ok - Split with UNDEFINED, a Cartesian grid, both freed; ranks: 4
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
color = 0 if world.rank < 2 else MPI.UNDEFINED
pair = world.Split(color, world.rank)
value = world.rank
if pair != MPI.COMM_NULL:
    value = pair.allreduce(value)
    pair.Free()
grid = world.Create_cart([2, 2], periods=[True, False])
source, dest = grid.Shift(1, 1)
halo = np.full(1, -1, dtype="i")
grid.Sendrecv(np.array([grid.rank], dtype="i"), dest, 0, halo, source, 0)
line = grid.Sub([True, False])
print(world.rank, value, halo[0], line.allreduce(1))
line.Free()
grid.Free()
