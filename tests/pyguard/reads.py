"""Reads of buffers that MPI is still receiving into, each in a line that says RACE."""
# ruff: noqa: ANN001, ANN201, ANN204, D102, D103 - what a program does is in its functions' names

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank


def exchange(room):
    """Post a receive and a send."""
    return [comm.Irecv(room, source=other), comm.Isend(np.ones_like(room), dest=other)]


def a_sum():
    room = np.zeros(1000)
    requests = exchange(room)
    total = room.sum()  # RACE
    MPI.Request.Waitall(requests)
    return total


def one_element():
    room = np.zeros(1000)
    requests = exchange(room)
    first = float(room[0]) * 0.25  # RACE
    MPI.Request.Waitall(requests)
    return first


def single_precision():
    room = np.zeros(1000, dtype="f")
    requests = exchange(room)
    mean = -room[3:5].mean()  # RACE
    wide = np.float64(room[0])
    MPI.Request.Waitall(requests)
    return mean, wide


def widened():
    room = np.zeros(1000, dtype="f")
    requests = exchange(room)
    wide = room.astype("d") + 1.0  # RACE
    MPI.Request.Waitall(requests)
    return wide


def complex_numbers():
    room = np.zeros(1000, dtype="D")
    requests = exchange(room)
    half = room * 0.5  # RACE
    MPI.Request.Waitall(requests)
    return half


def integers_copied():
    room, copy = np.zeros(1000, dtype="i"), np.zeros(1000, dtype="i")
    requests = exchange(room)
    copy[:] = room  # RACE
    MPI.Request.Waitall(requests)


def made_a_list():
    room = np.zeros(10)
    requests = exchange(room)
    numbers = room.tolist()  # RACE
    MPI.Request.Waitall(requests)
    return numbers


def the_row_beside():
    grid = np.zeros((6, 10))
    requests = exchange(grid[0])
    grid[3] = grid[2] + grid[4]
    grid[1] = grid[0] + grid[2]  # RACE
    MPI.Request.Waitall(requests)


def a_persistent_receive():
    room = np.zeros(10)
    receive = comm.Recv_init(room, source=other)
    for step in range(2):
        receive.Start()
        send = comm.Isend(np.ones(10), dest=other)
        early = room.copy() if step else None  # RACE
        MPI.Request.Waitall([receive, send])
    receive.Free()
    return early


def result_of_a_collective():
    part, total = np.ones(10), np.zeros(10)
    request = comm.Iallreduce(part, total)
    mean = total / comm.size  # RACE
    request.Wait()
    return mean


class Field:
    """Keeps what it computes."""

    def __init__(self):
        self.room, self.new = np.zeros(100), np.zeros(100)

    def step(self):
        np.add(self.room, 1.0, out=self.new)  # RACE


def in_an_object():
    field = Field()
    requests = exchange(field.room)
    field.step()
    MPI.Request.Waitall(requests)


for case in (
    a_sum, one_element, single_precision, widened, complex_numbers, integers_copied, made_a_list, the_row_beside,
    a_persistent_receive, result_of_a_collective, in_an_object,
):  # fmt: skip
    case()
