# expect: ok - tasks for whoever asks: ANY_SOURCE and objects; ranks: 4
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
READY, TASK, RESULT, STOP = range(4)
if rank == 0:
    tasks, results, stopped = list(range(30)), [], 0
    status = MPI.Status()
    while stopped < size - 1:
        data = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == RESULT:
            results.append(data)
        elif tasks:
            comm.send(tasks.pop(), dest=status.Get_source(), tag=TASK)
        else:
            comm.send(None, dest=status.Get_source(), tag=STOP)
            stopped += 1
    print(len(results), sum(results))
else:
    status = MPI.Status()
    while True:
        comm.send(None, dest=0, tag=READY)
        task = comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == STOP:
            break
        comm.send(task**2, dest=0, tag=RESULT)
