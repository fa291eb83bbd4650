# expect: resource-leak - persistent requests and a type are never freed; ranks: 2; line: 7|9
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank
pair = MPI.INT.Create_contiguous(2).Commit()
out, into = np.array([comm.rank, 1], dtype="i"), np.zeros(2, dtype="i")
requests = [comm.Send_init([out, 1, pair], other), comm.Recv_init([into, 1, pair], other)]
for _ in range(3):
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
print(comm.rank, into.tolist())
