"""What a correct program may do around buffers in flight; it prints what it computes."""
# ruff: noqa: ANN001, ANN002, ANN201, ANN202, D103, T201 - what a program does is in its functions' names

import pickle
import sys
import threading

import numpy as np
from mpi4py import MPI
from mpi4py.MPI import COMM_WORLD

comm = COMM_WORLD
other = 1 - comm.rank


def say(*what):
    if comm.rank == 0:
        print(*what, flush=True)


def written_after_wait():
    data, room = np.zeros(100), np.empty(100)
    for step in range(5):
        data[:] = step
        receive, send = comm.Irecv(room, source=other), comm.Isend(data, dest=other)
        send.Wait()
        data[:] = -1.0
        receive.Wait()
        say(room.sum())


def read_while_it_is_sent():
    data, room = np.arange(100.0), np.empty(100)
    requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
    say(data.sum(), data[3])
    MPI.Request.waitall(requests)
    say(room.sum())


def other_rows_of_the_array():
    grid = np.zeros((6, 50))
    grid[1:5] = np.arange(200.0).reshape(4, 50)
    requests = [comm.Irecv(grid[0], source=other), comm.Isend(grid[1], dest=other)]
    requests += [comm.Irecv(grid[5], source=other), comm.Isend(grid[4], dest=other)]
    grid[2:4] *= 0.5
    inner = grid[1:4] + grid[2:5]
    MPI.Request.Waitall(requests)
    say(inner.sum(), grid.sum())


def a_pool():
    data, rooms = np.zeros((8, 10)), np.zeros((8, 10))
    receives = [comm.Irecv(rooms[i], source=other, tag=i) for i in range(8)]
    sends = [comm.Isend(data[i], dest=other, tag=i) for i in range(8)]
    total = 0.0
    for _ in range(8):
        done = MPI.Request.Waitany(receives)
        rooms[done] += 1.0
        total += rooms[done].sum()
        done = MPI.Request.Waitany(sends)
        data[done] = 7.0
    say(total)


def some_at_a_time():
    data, rooms = np.ones((8, 10)), np.zeros((8, 10))
    requests = [comm.Irecv(rooms[i], source=other, tag=i) for i in range(8)]
    requests += [comm.Isend(data[i], dest=other, tag=i) for i in range(8)]
    left = 16
    while left:
        for i in MPI.Request.Waitsome(requests) or []:
            (rooms if i < 8 else data)[i % 8] *= 3.0
            left -= 1
    say(rooms.sum(), data.sum())


def tested():
    data, room = np.ones(10), np.zeros(10)
    receive, send = comm.Irecv(room, source=other), comm.Isend(data, dest=other)
    while not MPI.Request.Testall([receive, send]):
        pass
    data[:] = room + 1.0
    say(data.sum())


def twice_at_once():
    data, rooms = np.ones(10), np.zeros((2, 10))
    requests = [comm.Irecv(room, source=other) for room in rooms]
    first, second = comm.Isend(data, dest=other), comm.Isend(data, dest=other)
    copy = MPI.Request(second)
    first.Wait()
    copy.Wait()
    data[:] = 2.0
    MPI.Request.Waitall(requests)
    say(rooms.sum())


def persistent():
    data, room = np.zeros(10), np.zeros(10)
    requests = [comm.Recv_init(room, source=other), comm.Ssend_init(data, dest=other)]
    for step in range(4):
        data[:] = step
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        say(room.sum())
    for request in requests:
        request.Free()


def collectives():
    data, total = np.ones(10), np.empty(10)
    request = comm.Iallreduce(data, total)
    squares = data**2
    request.Wait()
    data[:] = total
    comm.Ibarrier().Wait()
    comm.Iallreduce(MPI.IN_PLACE, data).Wait()
    say(squares.sum(), data.sum())


def read_only_stays_so():
    data, room = np.ones(10), np.zeros(10)
    data.flags.writeable = False
    requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
    say(data.flags.writeable, room.flags.writeable)
    MPI.Request.Waitall(requests)
    say(data.flags.writeable, room.flags.writeable)


def pickled():
    data = {"a": [1.0, 2.0], "b": np.ones(5)}
    request = comm.isend(data, dest=other)
    data["a"][0] = 9.0
    data["b"] += 1.0
    came = comm.recv(source=other)
    request.wait()
    say(came["a"], came["b"].sum(), len(pickle.dumps(comm.allgather(comm.rank))))


def other_communicators():
    half = comm.Split(comm.rank % 1)
    grid = half.Create_cart([2], periods=[True])
    data, room = np.ones(10), np.zeros(10)
    requests = [grid.Irecv(room, source=other), grid.Isend(data, dest=other)]
    MPI.Request.Waitall(requests)
    data[:] = 3.0
    say(room.sum(), type(half).__name__, type(grid).__name__, isinstance(grid, MPI.Comm))
    grid.Free()
    half.Free()


def garbage():
    data, room = np.ones(10), np.zeros(1000)
    requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
    for size in (1, 10, 1000, 100_000):
        new, ones = np.empty(size), np.full(size, -1)
        ones.view("d")[:1] = np.nan
        say(new.size, ones[-1] if size > 1 else 0)
    MPI.Request.Waitall(requests)


def with_a_debugger_of_its_own():
    lines = []

    def tracer(frame, event, _argument):
        lines.append((frame.f_code.co_name, event))
        return tracer

    data, room = np.ones(10), np.zeros(10)
    sys.settrace(tracer)
    requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
    say(1)
    MPI.Request.Waitall(requests)
    kept = sys.gettrace() is tracer
    sys.settrace(None)
    say(kept, ("say", "line") in lines)


def with_threads():
    data, room = np.ones(10), np.zeros(10)
    result = []

    def work():
        requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
        result.append(data.sum())
        MPI.Request.Waitall(requests)
        data[:] = room + 1.0

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    say(result, data.sum(), sys.gettrace())


for case in (
    written_after_wait, read_while_it_is_sent, other_rows_of_the_array, a_pool, some_at_a_time, tested, twice_at_once,
    persistent, collectives, read_only_stays_so, pickled, other_communicators, garbage, with_a_debugger_of_its_own,
    with_threads,
):  # fmt: skip
    say(case.__name__)
    case()
