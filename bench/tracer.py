"""What does the tracer cost: nanoseconds a call in modes off and record, above the same call past the library?

Theory of operation.  Three operations: a Send to nobody, the cheapest call there is; Irecv, Isend, Wait, Wait of a
message to oneself; a ping-pong of two ranks.  A sample is a few dozen of them, some microseconds long, so that most
samples are undisturbed.  The three ways (past the library, off, record) take turns in random order, and what counts is
the difference to the sample past the library in the same turn.

In C one process does all three: it calls PMPI_X, or MPI_X with the mode written on its control page (bench/tracer.c).
mpi4py calls MPI_X only, so there are two programs, one with the library and one without, which are asked in turn and
sleep in between.  Each measurement is made by several processes one after the other, because each has a memory layout
of its own; ranks are bound to cores.

Of each process the lower deciles of the samples are compared: the undisturbed ones.  The result is the median over the
processes, the interval from the lowest to the highest of them.  Calls of a ping-pong: the four that follow one another
in a round trip.

Run it on an otherwise idle machine: python bench/tracer.py (two minutes).  Writes docs/bench-tracer.md and .json.
"""

import argparse
import contextlib
import ctypes
import json
import mmap
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
MPIEXEC = Path(sys.executable).parent / "mpiexec"
WAYS = ("direct", "off", "record")
MODES = {"direct": 0, "off": 0, "record": 1}
TARGETS = {"off": 5.0, "record": 40.0}  # ns a call
RING = "65536"
OPERATIONS = {"null": (1, "Send to MPI_PROC_NULL"), "self": (1, "Irecv, Isend, Wait, Wait to oneself"),
              "pingpong": (2, "ping-pong of two ranks")}  # fmt: skip
STAMPS = "stamps"  # in tracer.c: the clock read twice
CALLS = {"null": 1, "self": 4, "pingpong": 4}  # of a round, one after the other
ROUNDS = {"C": {"null": 200, "self": 50, "pingpong": 10}, "mpi4py": {"null": 50, "self": 20, "pingpong": 10}}
BYTES = 8

HEAD = """# What the tracer costs

Made by `python bench/tracer.py`, machine by machine. Nanoseconds a call, [interval]; how they are measured stands at
the top of `bench/tracer.py`. The targets: off at most 5, record at most 40.
"""
FOOT = """A row of the ring is 64 bytes: each call writes one, and each request that it completes another.
mpi4py's rows compare two programs, which by themselves differ by some nanoseconds (a ping-pong by tens).
Off isn't nothing: a rank publishes which call it is in, so that a deadlock is named in every mode.
"""
Samples = dict[str, list[float]]  # way: nanoseconds a call, turn by turn


# ---- C ---------------------------------------------------------------------------------------------------------------


def c_samples(operation: str, turns: int, folder: Path) -> Samples:
    """One process, or two ranks, that take all turns."""
    from mpilab import build
    from mpilab.diagnosis.program import run

    flags = ["-O2", f"-I{build.C_FOLDER}", str(HERE / "tracer.c")]
    code, said = build.compile_c([*flags, "-o", "tracer"], folder)
    assert code == 0, said
    ranks, rounds = OPERATIONS.get(operation, (1,))[0], ROUNDS["C"].get(operation, 50)
    command = [str(folder / "tracer"), operation, str(BYTES), str(rounds), str(turns)]
    ran = run(command, ranks, folder, "record", 300, {"MPILAB_RING": RING})
    assert ran.end == "finished", ran.printed
    samples: Samples = {way: [] for way in WAYS}
    for line in (folder / "output").read_text().splitlines():
        _, _, way, ns = line.split()
        samples[way].append(float(ns))
    return samples


# ---- mpi4py ----------------------------------------------------------------------------------------------------------


def worker(folder: Path) -> None:
    """A rank that waits for a line "operation mode", takes a sample, and waits again."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    mode = _mode_switch(world.rank)
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[(world.rank + 1) % len(cores)]})
    answers = (folder / "answers").open("w") if world.rank == 0 else None
    with (folder / f"questions-{world.rank}").open() as questions:
        for line in questions:
            operation, number = line.split()
            mode(int(number))
            round_of = _round(operation, MPI)
            if OPERATIONS[operation][0] > 1:
                world.Barrier()
            ns = _timed(round_of, ROUNDS["mpi4py"][operation]) / CALLS[operation]
            if answers:
                print(ns, file=answers, flush=True)
    mode(0)


def _mode_switch(rank: int) -> Callable[[int], None]:
    """What writes this rank's mode on the control page; nothing without one."""
    from mpilab import page

    path = os.environ.get("MPILAB_PAGE")
    if not path:
        return lambda _mode: None
    structure = page.structure()
    with Path(path).open("r+b") as file:
        shared = mmap.mmap(file.fileno(), 0)
    mine = structure.from_buffer(shared, rank * ctypes.sizeof(structure))

    def write(mode: int) -> None:
        mine.mode = mode

    return write


def _round(operation: str, mpi: Any) -> Callable[[], None]:
    out, in_ = np.zeros(BYTES, np.uint8), np.zeros(BYTES, np.uint8)
    world, own = mpi.COMM_WORLD, mpi.COMM_SELF

    def null() -> None:
        world.Send(out, mpi.PROC_NULL)

    def to_oneself() -> None:
        received, sent = own.Irecv(in_, 0), own.Isend(out, 0)
        received.Wait()
        sent.Wait()

    def first() -> None:
        world.Send(out, 1)
        world.Recv(in_, 1)

    def second() -> None:
        world.Recv(in_, 0)
        world.Send(out, 0)

    return {"null": null, "self": to_oneself, "pingpong": second if world.rank else first}[operation]


def _timed(work: Callable[[], None], times: int) -> float:
    """Nanoseconds for each of `times`."""
    work()
    begin = time.perf_counter_ns()
    for _ in range(times):
        work()
    return (time.perf_counter_ns() - begin) / times


class Program:
    """Worker ranks, with the library or without, that answer questions."""

    def __init__(self, ranks: int, folder: Path, *, library: bool) -> None:
        """Start them."""
        from mpilab import build, page
        from mpilab.diagnosis.program import THROTTLE

        folder.mkdir()
        variables = {}
        if library:
            self.board = page.Page(folder / "page", ranks)
            libraries = build.libraries()
            variables = {"MPILAB_PAGE": str(folder / "page"), "MPILAB_MODE": "record", "MPILAB_TRACE": str(folder),
                         "MPILAB_RING": RING, "LD_PRELOAD": f"{libraries}/life.so {libraries}/pmpi.so"}  # fmt: skip
        for name in ("answers", *(f"questions-{rank}" for rank in range(ranks))):
            os.mkfifo(folder / name)
        settings = [word for name, value in variables.items() for word in ("-genv", name, value)]
        command = [MPIEXEC, "-n", str(ranks), *settings, sys.executable, __file__, "--worker", folder]
        self._process = subprocess.Popen(command, env={**THROTTLE, **os.environ}, stdin=subprocess.DEVNULL)
        self._answers = (folder / "answers").open()
        self._questions: list[IO[str]] = [(folder / f"questions-{rank}").open("w") for rank in range(ranks)]

    def sample(self, operation: str, mode: int) -> float:
        """Nanoseconds a call."""
        for question in self._questions:
            print(operation, mode, file=question, flush=True)
        return float(self._answers.readline())

    def end(self) -> None:
        """Let them leave."""
        for question in self._questions:
            question.close()
        self._process.wait()
        self._answers.close()


def python_samples(operation: str, turns: int, folder: Path) -> Samples:
    """Two programs that are asked in turn."""
    ranks = OPERATIONS[operation][0]
    programs = [Program(ranks, folder / "without", library=False), Program(ranks, folder / "with", library=True)]
    samples: Samples = {way: [] for way in WAYS}
    try:
        for _ in range(turns):
            for way in random.sample(WAYS, len(WAYS)):
                samples[way].append(programs[way != "direct"].sample(operation, MODES[way]))
    finally:
        for program in programs:
            program.end()
    return samples


# ---- both ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that goes away."""
    from mpilab import sweep

    folder = sweep.new_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def summary(samples: list[Samples]) -> dict[str, list[float]]:
    """Of each way: estimate, and the ends of its interval; of "direct" itself, of the others what they add to it."""
    result = {}
    for way in WAYS:
        base = 0.0 if way == "direct" else 1.0
        values = [np.quantile(one[way], 0.1) - base * np.quantile(one["direct"], 0.1) for one in samples]
        result[way] = [float(np.median(values)), float(min(values)), float(max(values))]
    return result


def write(cpu: str, measured: dict[str, Any]) -> None:
    """docs/bench-tracer.md and .json: this machine's figures beside those of others."""
    path = DOCS / "bench-tracer.json"
    machines = (json.loads(path.read_text()) if path.exists() else {}) | {cpu: measured}
    path.write_text(json.dumps(machines, default=lambda value: round(value, 2)) + "\n")
    text = "\n".join([HEAD, *(table(name, one) for name, one in machines.items()), FOOT])
    (DOCS / "bench-tracer.md").write_text(text)
    print(table(cpu, measured))


def table(cpu: str, measured: dict[str, Any]) -> str:
    """One machine's figures in Markdown."""
    stamps, found = measured["stamps"], measured["found"]
    clock = f"Reading the clock twice takes {stamps:.0f} ns here, and each recorded call does." if stamps else ""
    lines = [
        f"## {cpu}\n",
        f"On {measured['date']}, {measured['about']}. {clock}".rstrip() + "\n",
        "| calls | past the library | off, above that | record, above that | targets |",
        "|---|---|---|---|---|",
    ]
    for language, operations in found.items():
        for operation, ways in operations.items():
            cells = [f"{mid:,.0f}" if way == "direct" else f"{mid:.1f} [{low:.1f}, {high:.1f}]"
                     for way, (mid, low, high) in ways.items()]  # fmt: skip
            met = all(ways[way][0] <= target for way, target in TARGETS.items())
            name = f"{language}: {OPERATIONS[operation][1]}"
            lines.append(f"| {name} | {' | '.join(cells)} | {'met' if met else 'missed'} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=7, help="processes for each measurement")
    parser.add_argument("--turns", type=int, default=3000, help="of each process (mpi4py: a third)")
    arguments = parser.parse_args()
    if arguments.worker:
        worker(arguments.worker)
        return
    from mpilab import machine

    load = os.getloadavg()[0]
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    with scratch() as folder:
        stamps = summary([c_samples(STAMPS, arguments.turns, folder)])["direct"][0]
    for language, samples_of, turns in (
        ("C", c_samples, arguments.turns),
        ("mpi4py", python_samples, arguments.turns // 3),
    ):
        for operation in OPERATIONS:
            samples = []
            for _ in range(arguments.runs):
                with scratch() as folder:
                    samples.append(samples_of(operation, turns, folder))
            found.setdefault(language, {})[operation] = summary(samples)
            print(language, operation, found[language][operation], flush=True)
    here = machine.describe()
    about = f"{here['cores']} cores, load {load:.1f}"
    write(here["cpu"], {"date": time.strftime("%Y-%m-%d"), "about": about, "stamps": stamps, "found": found})


if __name__ == "__main__":
    main()
