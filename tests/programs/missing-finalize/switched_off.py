# expect: missing-finalize - mpi4py's own Finalize is switched off and none is called; ranks: 2
import mpi4py

mpi4py.rc.finalize = False
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
total = comm.allreduce(rank)
if rank == 0:
    print("sum of", size, "ranks:", total)
comm.Barrier()
