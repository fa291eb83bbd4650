# expect: deadlock - both ranks call recv before send; ranks: 2; line: 9
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank

data = {"rank": rank, "values": [1, 2, 3]}
received = comm.recv(source=other, tag=7)
comm.send(data, dest=other, tag=7)
print(rank, "got", received["rank"])
print("done")
