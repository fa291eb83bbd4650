# expect: eager-reliance - small objects are sent by both ranks before either receives; ranks: 2; line: 9
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank

for step in range(3):
    comm.send((step, rank), dest=other)
    got = comm.recv(source=other)
    assert got == (step, other)
print(rank, "exchanged")
