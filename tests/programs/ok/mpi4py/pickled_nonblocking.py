# expect: ok - isend and irecv of objects, waited for together; ranks: 3
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
left, right = (rank - 1) % size, (rank + 1) % size

receive = comm.irecv(source=left, tag=1)
send = comm.isend(["from", rank], dest=right, tag=1)
own = sum(i * i for i in range(10_000))
send.wait()
word, source = receive.wait()
print(rank, word, source, own)
assert source == left
