# expect: ok - a window with fences, then passive locks; ranks: 3
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
memory = np.zeros(size, dtype="i")
window = MPI.Win.Create(memory, disp_unit=4, comm=comm)
value = np.array([rank + 1], dtype="i")
window.Fence()
for target in range(size):
    window.Put(value, target, target=(rank, 1, MPI.INT))
window.Fence()
total = int(memory.sum())
window.Fence(MPI.MODE_NOSUCCEED)
one = np.ones(1, dtype="i")
window.Lock(0, MPI.LOCK_SHARED)
window.Accumulate(one, 0, target=(0, 1, MPI.INT), op=MPI.SUM)
window.Unlock(0)
comm.Barrier()
window.Free()
print(rank, total)
assert total == size * (size + 1) // 2
