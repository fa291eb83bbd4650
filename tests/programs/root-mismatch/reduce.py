# expect: root-mismatch - every rank names itself as root; ranks: 3; line: 9
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
part = np.array([rank + 1.0])
total = np.zeros(1)
comm.Reduce(part, total, op=MPI.SUM, root=rank)
if rank == 0:
    print("total", total[0])
else:
    print("rank", rank)
