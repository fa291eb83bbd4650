# expect: count-or-type-mismatch|truncation - the shape is right on the root only; ranks: 3; line: 11
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    table = np.ones((4, 5), dtype="f")
else:
    table = np.empty((4, 4), dtype="f")
comm.Bcast(table, root=0)
print(rank, table.sum())
