# expect: operator-mismatch - MIN on rank 0, MAX elsewhere; ranks: 2; line: 10
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
t = np.array([0.5 + rank])
extreme = np.empty(1)
op = MPI.MIN if rank == 0 else MPI.MAX
comm.Allreduce(t, extreme, op=op)
print(rank, extreme[0])
