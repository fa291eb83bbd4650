# expect: ok - Iallreduce while other data is computed on and the input is only read; ranks: 3
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
x = np.arange(20_000, dtype="d") + comm.rank
total = np.empty_like(x)
request = comm.Iallreduce(x, total, op=MPI.SUM)
norm = np.sqrt((x * x).sum())
while not request.Test():
    norm += np.sin(np.arange(100)).sum()
request.Wait()
print(comm.rank, total[-1], norm > 0)
assert total[0] == sum(range(comm.size))
