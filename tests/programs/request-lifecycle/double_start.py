# expect: request-lifecycle - the persistent request is started twice; ranks: 2; line: 13
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
buffer = np.zeros(4)
if rank == 0:
    request = comm.Send_init(buffer, dest=1)
else:
    request = comm.Recv_init(buffer, source=0)
request.Start()
request.Start()
request.Wait()
request.Free()
