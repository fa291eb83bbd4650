# expect: message-race - the wildcard may take the message that the next receive names; ranks: 3; line: 9
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    first = comm.recv(source=MPI.ANY_SOURCE)
    second = comm.recv(source=2)
    print(first, second)
else:
    time.sleep(0.2 * rank)
    comm.send(rank, dest=0)
