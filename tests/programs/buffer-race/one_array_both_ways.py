# expect: buffer-race - one array is sent and received into at the same time; ranks: 2; line: 9
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, other = comm.rank, 1 - comm.rank
values = np.full(8, rank, dtype="i")
send = comm.Isend(values, dest=other)
receive = comm.Irecv(values, source=other)
MPI.Request.Waitall([send, receive])
print(rank, values.tolist())
