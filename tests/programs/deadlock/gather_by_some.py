# expect: deadlock|call-mismatch - ranks without results skip the gather; ranks: 3; line: 10
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

found = [n for n in range(rank * 4, rank * 4 + 4) if n and n % 6 == 0]
everything = None
if found or rank == 0:
    everything = comm.gather(found, root=0)
if rank == 0:
    print(everything)
else:
    print(rank, "of", size, "found", found)
