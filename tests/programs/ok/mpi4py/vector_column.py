# expect: ok - a column by a vector type, other columns of the array written meanwhile; ranks: 2
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.rank
a = np.zeros((50, 40))
a[:, 0] = rank + 1
column = MPI.DOUBLE.Create_vector(50, 1, 40).Commit()
receive = comm.Irecv([a.ravel()[39:], 1, column], source=1 - rank)
send = comm.Isend([a, 1, column], dest=1 - rank)
MPI.Request.Waitall([receive, send])
column.Free()
a[:, 5] = a[:, 39]
print(rank, a[49, 39], a[:, 5].sum())
assert a[0, 39] == 2 - rank
