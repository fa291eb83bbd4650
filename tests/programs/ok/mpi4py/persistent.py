# expect: ok - persistent requests for two arrays, started in turn, freed at the end; ranks: 2
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.rank
other = 1 - rank
sets = []
for k in range(2):
    out, into = np.zeros(100), np.zeros(100)
    requests = [comm.Send_init(out, dest=other, tag=k), comm.Recv_init(into, source=other, tag=k)]
    sets.append((out, into, requests))
for step in range(10):
    out, into, requests = sets[step % 2]
    out[:] = rank + step
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
    assert into[-1] == other + step
for _, _, requests in sets:
    for request in requests:
        request.Free()
print(rank, "done")
