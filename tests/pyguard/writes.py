"""Writes of buffers in flight, each in a line that says RACE: two ranks exchange and change what they must not."""
# ruff: noqa: ANN001, ANN201, ANN202, D103 - what a program does is in its functions' names

import array
import ctypes

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank
got = np.zeros(1000)


def exchange(buffer, room=None):
    """Post a send and a receive."""
    room = got[: np.size(buffer)] if room is None else room
    return [comm.Irecv(room, source=other), comm.Isend(buffer, dest=other)]


def whole_array():
    data = np.zeros(1000)
    requests = exchange(data)
    data[:] = 1.0  # RACE
    MPI.Request.Waitall(requests)
    data[:] = 2.0


def one_element():
    data = np.zeros(1000)
    requests = exchange(data)
    data[123] += 1.0  # RACE
    MPI.Request.Waitall(requests)


def through_a_view():
    data = np.zeros((10, 10))
    diagonal = np.einsum("ii->i", data)
    requests = exchange(data)
    diagonal[3] = 1.0  # RACE
    MPI.Request.Waitall(requests)


def through_the_base():
    data = np.zeros((10, 10))
    requests = exchange(data[4])
    data[5] = 1.0
    data[2:5] = 1.0  # RACE
    data[0] = 1.0
    MPI.Request.Waitall(requests)


def column_of_an_array():
    data = np.zeros((10, 8))
    column = MPI.DOUBLE.Create_vector(10, 1, 8).Commit()
    requests = [comm.Irecv(got[:10], source=other), comm.Isend([data, 1, column], dest=other)]
    data[:, 1] = 1.0
    data[7, 0] = 1.0  # RACE
    MPI.Request.Waitall(requests)
    column.Free()


def scale(values, factor):
    scaled = values
    scaled *= factor  # RACE
    return scaled


def in_a_helper():
    data = np.ones(100)
    requests = exchange(data)
    scale(data, 3.0)
    MPI.Request.Waitall(requests)


def in_a_library():
    data = np.ones(100)
    requests = exchange(data)
    np.put_along_axis(data, np.array([3]), 5.0, axis=0)  # RACE
    MPI.Request.Waitall(requests)


def in_a_loop():
    data = np.zeros(100)
    requests = exchange(data)
    for i in range(10):
        if i == 7:
            data[i] = i  # RACE
    MPI.Request.Waitall(requests)


def numbers():
    yield 1.0
    yield 2.0


def in_a_generator():
    data = np.zeros(100)

    def fill():
        for number in numbers():
            yield
            data[5] = number  # RACE

    steps = fill()
    next(steps)
    requests = exchange(data)
    next(steps)
    MPI.Request.Waitall(requests)
    next(steps, None)


def with_a_handler():
    data = np.zeros(100)
    requests = exchange(data)
    try:
        data[1] = 1.0  # RACE
        data[100] = 1.0
    except IndexError:
        pass
    MPI.Request.Waitall(requests)


def a_bytearray():
    data = bytearray(800)
    requests = exchange(data, bytearray(800))
    data[4] = 1  # RACE
    MPI.Request.Waitall(requests)


def a_memoryview():
    data = bytearray(800)
    requests = exchange(data, bytearray(800))
    memoryview(data).cast("d")[3] = 1.0  # RACE
    MPI.Request.Waitall(requests)


def an_array():
    data = array.array("i", [0] * 100)
    requests = exchange(data, array.array("i", [0] * 100))
    data[99] = 5  # RACE
    MPI.Request.Waitall(requests)


def foreign_code():
    data = np.zeros(100)
    requests = exchange(data)
    ctypes.memset(data.ctypes.data, 1, 8)  # RACE
    MPI.Request.Waitall(requests)


def one_of_two_completed():
    data = np.zeros(100)
    rooms = np.zeros((2, 100))
    receives = [comm.Irecv(room, source=other) for room in rooms]
    first, second = comm.Isend(data, dest=other), comm.Isend(data, dest=other)
    first.Wait()
    data[0] = 1.0  # RACE
    second.Wait()
    MPI.Request.Waitall(receives)


def only_tested():
    data = np.zeros(100)
    receive, send = exchange(data)
    flag = False
    while not flag:
        flag = send.Test()
        if not flag:
            data[0] += 1.0  # RACE
    receive.Wait()


def persistent():
    data = np.zeros(100)
    send, receive = comm.Send_init(data, dest=other), comm.Recv_init(got[:100], source=other)
    for step in range(3):
        data[1] = step
        MPI.Prequest.Startall([receive, send])
        if step == 1:
            data[1] = 7.0  # RACE
        MPI.Request.Waitall([receive, send])
    send.Free()
    receive.Free()


def other_modes():
    data = np.zeros((3, 100))
    MPI.Attach_buffer(bytearray(10000))
    rooms = np.zeros((2, 100))
    requests = [comm.Irecv(room, source=other) for room in rooms]
    requests += [comm.Issend(data[0], dest=other), comm.Ibsend(data[1], dest=other)]
    data[0] = 1.0  # RACE
    data[1] = 1.0  # RACE
    MPI.Request.Waitall(requests)
    MPI.Detach_buffer()


def both_in_one():
    data = np.zeros(100)
    request = comm.Isendrecv(data, other, recvbuf=got[:100], source=other)
    data[2] = 1.0  # RACE
    request.Wait()


def collective():
    data, total = np.ones(100), np.zeros(100)
    request = comm.Iallreduce(data, total)
    data[0] = 5.0  # RACE
    request.Wait()


def root_of_a_broadcast():
    data = np.ones(100)
    request = comm.Ibcast(data, root=0)
    if comm.rank == 0:
        data[0] = 5.0  # RACE
    request.Wait()


def persistent_collective():
    data, total = np.ones(100), np.zeros(100)
    request = comm.Allreduce_init(data, total)
    request.Start()
    data[0] = 5.0  # RACE
    request.Wait()
    request.Free()


def a_receive_buffer():
    data, room = np.zeros(100), np.zeros(100)
    requests = exchange(data, room)
    room[0] = 1.0  # RACE
    MPI.Request.Waitall(requests)


for case in (
    whole_array, one_element, through_a_view, through_the_base, column_of_an_array, in_a_helper, in_a_library,
    in_a_loop, in_a_generator, with_a_handler, a_bytearray, a_memoryview, an_array, foreign_code, one_of_two_completed,
    only_tested, persistent, other_modes, both_in_one, collective, root_of_a_broadcast, persistent_collective,
    a_receive_buffer,
):  # fmt: skip
    case()
