# expect: crash|mpi-error|deadlock - an exception on one rank, the others wait for it for ever; ranks: 2; line: 7
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
settings = {"steps": 10} if rank == 0 else {}
steps = settings["steps"]
for step in range(steps):
    total = comm.allreduce(step)
    if rank == 0:
        print(step, total)
comm.Barrier()
