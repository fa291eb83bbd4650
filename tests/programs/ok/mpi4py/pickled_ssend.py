# expect: ok - large objects each way, as the receive is posted before with a buffer that is large enough; ranks: 2
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank
buffer = bytearray(1 << 20)
request = comm.irecv(buffer, source=other, tag=0)
comm.ssend(list(range(50_000)), dest=other, tag=0)
data = request.wait()
print(rank, len(data), data[-1])
