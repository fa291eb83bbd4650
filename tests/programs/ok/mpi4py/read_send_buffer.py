# expect: ok - an array that is being sent is read, sliced and sent again; ranks: 2
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, other = comm.rank, 1 - comm.rank
field = np.linspace(0, 1, 30_000) + rank
into, first = np.empty_like(field), np.empty(1)
requests = [
    comm.Irecv(into, other, 0),
    comm.Irecv(first, other, 1),
    comm.Isend(field, other, 0),
    comm.Isend(field[:1], other, 1),
]
copy = field.copy()
mean = field[::2].mean()
MPI.Request.Waitall(requests)
field += 1
print(rank, mean, into[-1], first[0], copy[0])
