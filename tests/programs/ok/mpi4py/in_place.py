# expect: ok - IN_PLACE in Allreduce, Reduce, Gather, Scatter, Allgather, Alltoall; ranks: 3
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
v = np.arange(size, dtype="i") + rank
comm.Allreduce(MPI.IN_PLACE, v, op=MPI.SUM)
if rank == 0:
    comm.Reduce(MPI.IN_PLACE, v, op=MPI.MAX, root=0)
    comm.Gather(MPI.IN_PLACE, v, root=0)
    comm.Scatter(v, MPI.IN_PLACE, root=0)
else:
    comm.Reduce(v, None, op=MPI.MAX, root=0)
    comm.Gather(v[rank : rank + 1], None, root=0)
    comm.Scatter(None, v[:1], root=0)
comm.Allgather(MPI.IN_PLACE, v)
comm.Alltoall(MPI.IN_PLACE, v)
print(rank, v.tolist())
