# expect: deadlock - sent with tag 1, received with tag 2; ranks: 2; line: 12
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
buffer = np.zeros(10, dtype="i")
if rank == 0:
    buffer[:] = 5
    comm.Send(buffer, dest=1, tag=1)
else:
    comm.Recv(buffer, source=0, tag=2)
print(rank, buffer[0])
