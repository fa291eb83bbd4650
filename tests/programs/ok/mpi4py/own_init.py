# expect: ok - Init and Finalize called by the program, with threads; ranks: 2
import threading

import mpi4py

mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
from mpi4py import MPI

provided = MPI.Init_thread(MPI.THREAD_MULTIPLE)
assert provided == MPI.THREAD_MULTIPLE
comm = MPI.COMM_WORLD
got = [None] * 3


def exchange(tag: int) -> None:
    got[tag] = comm.sendrecv(comm.rank * 10 + tag, 1 - comm.rank, tag, None, 1 - comm.rank, tag)


threads = [threading.Thread(target=exchange, args=(tag,)) for tag in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(comm.rank, got)
MPI.Finalize()
