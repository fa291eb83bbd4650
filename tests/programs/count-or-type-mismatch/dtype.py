# expect: count-or-type-mismatch - an array of int64 is received as float64; ranks: 2; line: 9|12
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    data = np.arange(10)
    comm.Send(data, dest=1)
else:
    data = np.empty(10)
    comm.Recv(data, source=0)
print(rank, data[-1])
