# expect: missing-wait|request-lifecycle - the request of Isend is dropped at once; ranks: 3; line: 10
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
data = np.full(50, rank, dtype="d")
if rank == 0:
    for dest in range(1, size):
        comm.Isend(data, dest=dest)
else:
    comm.Recv(data, source=0)
comm.Barrier()
print(rank, data[0])
