# expect: ok - Bsend with an attached buffer on both sides; ranks: 2
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, other = comm.rank, 1 - comm.rank
MPI.Attach_buffer(bytearray(8 * 1000 * 2 + 2 * MPI.BSEND_OVERHEAD))
out, into = np.full(1000, rank, dtype="d"), np.empty(1000)
comm.Bsend(out, dest=other)
out[:] = -1
comm.Bsend(out, dest=other, tag=1)
comm.Recv(into, source=other)
print(rank, into[0])
comm.Recv(into, source=other, tag=1)
MPI.Detach_buffer()
assert into[0] == -1
