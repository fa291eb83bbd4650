# expect: ok - Waitany over a pool, with a receive posted again for each message but the last; ranks: 3
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
ROUNDS = 5
if rank == 0:
    buffers = [np.empty(1, dtype="i") for _ in range(1, size)]
    pool = [comm.Irecv(buffers[i], source=i + 1) for i in range(size - 1)]
    left = [ROUNDS] * (size - 1)
    total = 0
    while True:
        i = MPI.Request.Waitany(pool)
        if i == MPI.UNDEFINED:
            break
        total += int(buffers[i][0])
        left[i] -= 1
        if left[i]:
            pool[i] = comm.Irecv(buffers[i], source=i + 1)
    print("total", total)
else:
    for step in range(ROUNDS):
        comm.Send(np.array([rank * 10 + step], dtype="i"), dest=0)
