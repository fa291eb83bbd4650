# expect: ok - Probe and Get_count, then an array of that size; matched probes besides; ranks: 3
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
if rank:
    comm.Send(np.arange(rank * 10, dtype="i"), dest=0, tag=rank)
    comm.send("x" * rank, dest=0, tag=100)
else:
    status = MPI.Status()
    for _ in range(1, size):
        comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        data = np.empty(status.Get_count(MPI.INT), dtype="i")
        comm.Recv(data, source=status.Get_source(), tag=status.Get_tag())
        print(len(data), "from", status.Get_source())
        message = comm.mprobe(source=status.Get_source(), tag=100)
        assert message.recv() == "x" * status.Get_source()
