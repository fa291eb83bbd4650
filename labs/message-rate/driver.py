"""Measures this lab's baseline and reference in mpi4py: driver.py BASELINE.py REFERENCE.py N:MODE:MESSAGES:SECONDS ...

Theory of operation.  The same as driver.c, which tells it; here the cost of a start is what mpi4py and the MPI library
take together.  It runs under the interpreter of either environment, so it imports nothing of mpilab.
"""

import json
import os
import random
import runpy
import signal
import sys
from time import perf_counter
from types import SimpleNamespace

import mpi4py
import numpy as np

mpi4py.rc.threads = False  # as MPI_Init in driver.c

from mpi4py import MPI  # noqa: E402

LIMIT_S, MOST_ROUNDS, CLOCKS, TRIES = 120, 4000, 200, 20
WORLD = MPI.COMM_WORLD


def clock_cost():
    """Seconds of a clock read, undisturbed."""
    best = 1.0
    for _ in range(TRIES):
        begin = perf_counter()
        for _ in range(CLOCKS):
            last = perf_counter()
        best = min(best, (last - begin) / CLOCKS)
    return best


def burst(kind, shape, in_, out):
    """Seconds of a run on the slower rank, in a life of a kernel, and the sum it put out."""
    kernel = kind(WORLD, shape, in_, out)
    WORLD.Barrier()
    begin = perf_counter()
    kernel.run()
    seconds = perf_counter() - begin
    kernel.free()
    return WORLD.allreduce(seconds, MPI.MAX), float(out[0])


def start(message, mode, persistent, messages, clock_s):
    """Seconds to start one of `messages` messages, on the sender."""
    inside = 0.0
    if WORLD.rank == 1:
        for _ in range(messages):
            WORLD.Recv(message, 0, 0)
    elif persistent:
        request = make(mode)(message, 1, 0)
        for _ in range(messages):
            begin = perf_counter()
            request.Start()
            inside += perf_counter() - begin - clock_s
            request.Wait()
        request.Free()
    else:
        isend = WORLD.Issend if mode else WORLD.Isend
        for _ in range(messages):
            begin = perf_counter()
            request = isend(message, 1, 0)
            inside += perf_counter() - begin - clock_s
            request.Wait()
    return inside / messages


def make(mode):
    """The call that makes a request of that mode."""
    return WORLD.Ssend_init if mode else WORLD.Send_init


def make_and_free(message, mode, times):
    """Seconds to make and free a request that is never started."""
    init = make(mode)
    begin = perf_counter()
    for _ in range(times):
        init(message, 1, 0).Free()
    return (perf_counter() - begin) / times


def next_round(end, rounds):
    """What rank 0 says of the next round, to both: which kernel begins, or -1 when time is up."""
    return WORLD.bcast(random.randrange(2) if perf_counter() < end and rounds < MOST_ROUNDS else -1)


def measure(kinds, n, mode, messages, seconds):
    """Rounds of one case, as a line of JSON."""
    shape = SimpleNamespace(n=n, steps=messages, n_in=n + 1, n_out=n + 1, work=0.0)
    in_, out = np.full(n + 1, 0.5), np.zeros(n + 1)
    in_[0] = mode
    some, clock_s = messages // 4 + 1, clock_cost()
    rounds, sums, end = [], [0.0, 0.0], perf_counter() + seconds
    while (first := next_round(end, len(rounds))) >= 0:
        burst_s, start_s = [0.0, 0.0], [0.0, 0.0]
        for i in (first, 1 - first):
            burst_s[i], sums[i] = burst(kinds[i], shape, in_, out)
        for i in (first, 1 - first):
            start_s[i] = start(out[1:], mode, i, some, clock_s)
        rounds.append([*burst_s, *start_s, make_and_free(out[1:], mode, some)])
    sums = WORLD.bcast(sums, 1)  # what the receiver has
    if WORLD.rank == 0:
        print(json.dumps({"n": n, "mode": mode, "messages": messages, "sums": sums, "rounds": rounds}), flush=True)  # noqa: T201


def main():
    """Measure the cases of the command line."""
    signal.alarm(LIMIT_S)  # nothing of this outlives a fault elsewhere
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[WORLD.rank]})
    kinds = [runpy.run_path(path)["Kernel"] for path in sys.argv[1:3]]
    for case in sys.argv[3:]:
        n, mode, messages, seconds = case.split(":")
        measure(kinds, int(n), int(mode), int(messages), float(seconds))


if __name__ == "__main__":
    main()
