# expect: ok - one rank sleeps for 3 s while the others wait; ranks: 2
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    time.sleep(3)
    comm.send("good morning", dest=1)
else:
    print(comm.recv(source=0))
comm.Barrier()
