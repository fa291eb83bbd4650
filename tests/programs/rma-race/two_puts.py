# expect: rma-race - two ranks put to the same place in one epoch; ranks: 3; line: 12
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
memory = np.full(2, -1, dtype="i")
window = MPI.Win.Create(memory, disp_unit=4, comm=comm)
value = np.array([rank], dtype="i")
window.Fence()
if rank:
    window.Put(value, 0, target=(1, 1, MPI.INT))
window.Fence()
window.Free()
print(rank, memory.tolist())
