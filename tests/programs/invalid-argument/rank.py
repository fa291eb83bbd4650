# expect: invalid-argument - the last rank sends to rank + 1; ranks: 3; line: 8
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
x = np.array([rank], dtype="i")
request = comm.Isend(x, dest=rank + 1)
if rank > 0:
    comm.Recv(x.copy(), source=rank - 1)
request.Wait()
print(rank)
