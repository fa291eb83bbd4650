# expect: call-mismatch - one rank reduces while the others broadcast; ranks: 3; line: 10|12
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
x = np.full(4, rank, dtype="i")
y = np.zeros(4, dtype="i")
if rank == 1:
    comm.Allreduce(x, y)
else:
    comm.Bcast(x, root=0)
print(rank, x.tolist(), y.tolist())
