# expect: unmatched-message - an object is sent to rank 1, which doesn't receive it; ranks: 2; line: 7
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    request = comm.isend("log entry", dest=1, tag=5)
    request.Free()
comm.Barrier()
if rank == 1 and comm.iprobe(source=0, tag=6):
    print(comm.recv(source=0, tag=6))
print(rank, "done")
