# expect: ok - pickled objects by send and recv, bcast, scatter, gather; ranks: 3
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

config = {"steps": 10, "name": "heat"} if rank == 0 else None
config = comm.bcast(config, root=0)
part = comm.scatter([list(range(i)) for i in range(size)] if rank == 0 else None, root=0)
if rank == 0:
    replies = [comm.recv(source=i, tag=11) for i in range(1, size)]
    print(config["name"], replies)
else:
    comm.send({"rank": rank, "part": part}, dest=0, tag=11)
lengths = comm.gather(len(part), root=0)
if rank == 0:
    assert lengths == list(range(size))
