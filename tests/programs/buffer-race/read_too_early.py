# expect: buffer-race - the received array is summed before Wait; ranks: 2
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank
mine = np.full(1000, rank + 1.0)
theirs = np.zeros(1000)
requests = [comm.Irecv(theirs, source=other), comm.Isend(mine, dest=other)]
total = mine.sum() + theirs.sum()
MPI.Request.Waitall(requests)
print(rank, total)
assert np.isfinite(theirs).all()
