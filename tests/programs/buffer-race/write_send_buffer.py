# expect: buffer-race - the array is refilled before the Isend is complete; ranks: 2; line: 10
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
data = np.zeros(100_000)
if rank == 0:
    request = comm.Isend(data, dest=1)
    data[:] = 1.0
    request.Wait()
else:
    comm.Recv(data, source=0)
print(rank, data[-1])
