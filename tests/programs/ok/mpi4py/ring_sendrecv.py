# expect: ok - arrays around a ring by Sendrecv and Sendrecv_replace; ranks: 4
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
left, right = (rank - 1) % size, (rank + 1) % size

mine = np.full(1000, rank, dtype=np.float64)
theirs = np.empty_like(mine)
total = mine.copy()
for _ in range(size - 1):
    comm.Sendrecv(mine, dest=right, recvbuf=theirs, source=left)
    total += theirs
    mine, theirs = theirs, mine
comm.Sendrecv_replace(total, dest=right, source=left)
print(rank, total[0])
assert total[0] == size * (size - 1) / 2
