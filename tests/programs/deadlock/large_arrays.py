# expect: deadlock - both ranks Send 8 MB before they Recv; ranks: 2; line: 11
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank

mine = np.full(1_000_000, rank, dtype=np.float64)
theirs = np.empty_like(mine)
comm.Send(mine, dest=other)
comm.Recv(theirs, source=other)
print(rank, theirs[0])
