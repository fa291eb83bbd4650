# expect: ok - Scatterv and Gatherv of ragged parts, Allgatherv, Alltoallv; ranks: 3
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
counts = [2 * i + 1 for i in range(size)]
whole = np.arange(sum(counts), dtype="d") if rank == 0 else None
part = np.empty(counts[rank])
comm.Scatterv([whole, counts], part, root=0)
part *= -1
back = np.empty(sum(counts)) if rank == 0 else None
comm.Gatherv(part, [back, counts], root=0)
everything = np.empty(sum(counts))
comm.Allgatherv(part, [everything, counts])
out = np.full(sum(counts), rank, dtype="i")
into = np.empty(counts[rank] * size, dtype="i")
comm.Alltoallv([out, counts], [into, [counts[rank]] * size])
print(rank, everything.sum(), into.tolist())
