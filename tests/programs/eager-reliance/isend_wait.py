# expect: eager-reliance - Isend().Wait() is a Send, and every rank of the ring begins with it; ranks: 3; line: 10
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
edge = np.array([rank], dtype="d")
halo = np.empty(1)
for step in range(4):
    comm.Isend(edge, dest=(rank + 1) % size, tag=step).Wait()
    comm.Recv(halo, source=(rank - 1) % size, tag=step)
    edge[0] = halo[0] + 1
print(rank, edge[0])
