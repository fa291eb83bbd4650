# expect: truncation - irecv's default buffer is 32 KiB, the object is larger; ranks: 2; line: 10|11
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    request = comm.isend(list(range(100_000)), dest=1, tag=3)
    request.wait()
else:
    request = comm.irecv(source=0, tag=3)
    data = request.wait()
    print(len(data))
print(rank, "done")
