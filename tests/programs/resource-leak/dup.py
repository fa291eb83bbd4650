# expect: resource-leak - a duplicated communicator is never freed: mpi4py doesn't do it; ranks: 2; line: 6
from mpi4py import MPI


def solve(comm: MPI.Comm) -> int:
    mine = comm.Dup()
    return mine.allreduce(mine.rank)


world = MPI.COMM_WORLD
for _ in range(2):
    total = solve(world)
print(world.rank, total)
