"""Strict logs made up for tests: a few lines of calls a rank, written as the C library writes them and read back."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from mpilab.diagnosis.analysis import analyse
from mpilab.diagnosis.findings import Finding
from mpilab.diagnosis.log import RankLog, parse

P, MODULUS = 1000003, 2**61 - 1
BYTES = {"MPI_INT": 4, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_BYTE": 1, "MPI_PACKED": 1}


def sig(*parts: tuple[int, str]) -> str:
    """Return the signature of some elements of one basic type after the other."""
    value, elements, size, names = 0, 0, 0, set()
    for count, name in parts:
        for _ in range(count):
            value = (value * P + sum(map(ord, name)) * 7919) % MODULUS
        elements += count
        size += count * BYTES[name]
        if count:
            names.add(name)
    return f"{value:x}/{elements}/{names.pop() if len(names) == 1 else '-'}/{size}"


def ints(count: int) -> str:
    """Return the signature of `count` MPI_INT."""
    return sig((count, "MPI_INT"))


def doubles(count: int) -> str:
    """Return the signature of `count` MPI_DOUBLE."""
    return sig((count, "MPI_DOUBLE"))


class Rank:
    """The log of one rank, written call by call."""

    def __init__(self, rank: int, ranks: int) -> None:
        """Begin with the lines of MPI_Init and of MPI_COMM_WORLD."""
        self.rank, self.lines, self.number, self.requests = rank, [], 0, 0
        self.seq: dict[int, int] = {}
        self.write(k="init", rank=rank, ranks=ranks, mpi="test", eager=8112)
        self.comm(1, range(ranks), "MPI_COMM_WORLD")

    def write(self, **line: Any) -> None:
        """Write one line."""
        self.lines.append(json.dumps({key: value for key, value in line.items() if value is not None}))

    def comm(self, number: int, ranks: Iterable[int], name: str = "", inter: int = 0) -> None:
        """Tell of a communicator."""
        self.write(k="comm", comm=number, ranks=list(ranks), name=name, inter=inter)

    def call(self, name: str, line: int = 0, **what: Any) -> int:
        """Enter a call at `line` of k.c; returns its number."""
        self.number += 1
        at = f"/x/k.c:{line}" if line else ""
        self.write(k="call", n=self.number, call=f"MPI_{name}", **{"at": at, "comm": 1, **what})
        return self.number

    def ret(self, number: int, **what: Any) -> None:
        """Return from a call."""
        self.write(k="ret", n=number, **{"err": 0, **what})

    def send(self, dest: int, data: str = ints(4), *, name: str = "Send", done: bool = True, **what: Any) -> None:
        """Send in a blocking call, which returns when `done`."""
        number = self.call(name, dest=dest, sig=data, **{"tag": 0, **what})
        if done:
            self.ret(number)

    def recv(self, source: int, data: str = ints(4), *, got: tuple[int, int] | None = None, done: bool = True,
             **what: Any) -> None:  # fmt: skip
        """Receive in a blocking call, a message (source, tag) `got` when that isn't what was asked for."""
        what = {"tag": 0, **what}
        number = self.call("Recv", source=source, sig=data, **what)
        if done:
            at, tag = got or (source, what["tag"])
            self.ret(number, source=at, tag=tag, bytes=0)

    def post(self, name: str, **what: Any) -> int:
        """Make a nonblocking or persistent request; returns its id."""
        self.requests += 1
        self.ret(self.call(name, **what), req=self.requests)
        return self.requests

    def isend(self, dest: int, data: str = ints(4), *, name: str = "Isend", **what: Any) -> int:
        """Post a send."""
        return self.post(name, dest=dest, sig=data, **{"tag": 0, **what})

    def irecv(self, source: int, data: str = ints(4), *, name: str = "Irecv", **what: Any) -> int:
        """Post a receive."""
        return self.post(name, source=source, sig=data, **{"tag": 0, **what})

    def start(self, *requests: int, line: int = 0) -> None:
        """Start persistent requests."""
        number = self.call("Startall", line=line, reqs=list(requests))
        for one in requests:
            self.write(k="start", n=number, req=one)
        self.ret(number)

    def wait(self, *requests: int, got: Sequence[tuple[int, int] | None] = (), name: str = "Waitall", line: int = 0,
             done: bool = True, cancelled: int = 0) -> None:  # fmt: skip
        """Complete requests; `got`: (source, tag) of the message of each receive."""
        number = self.call(name, line=line, reqs=list(requests))
        if not done:
            return
        for one, what in zip(requests, [*got, *[None] * len(requests)], strict=False):
            source, tag = what or (None, None)
            self.write(k="done", n=number, req=one, source=source, tag=tag, bytes=0, cancelled=cancelled)
        self.ret(number)

    def free(self, *requests: int, active: int = 0) -> None:
        """Free requests."""
        for one in requests:
            number = self.call("Request_free", req=one)
            self.write(k="free", n=number, req=one, active=active)
            self.ret(number)

    def coll(self, name: str, *, comm: int = 1, done: bool = True, **what: Any) -> int:
        """Make the next collective call on a communicator; returns the request of a nonblocking or persistent one."""
        self.seq[comm] = self.seq.get(comm, 0) + 1
        what = {"comm": comm, "seq": self.seq[comm], **what}
        if name[0] == "I" or name.endswith("_init"):
            return self.post(name, **what)
        number = self.call(name, **what)
        if done:
            self.ret(number)
        return 0

    def finalize(self, *, done: bool = True) -> None:
        """Call MPI_Finalize, and end in good order when `done`."""
        number = self.call("Finalize")
        if done:
            self.ret(number)
            self.end()

    def end(self, how: str = "finalized") -> None:
        """Write the last line."""
        self.write(k="end", how=how)

    def log(self) -> RankLog:
        """Read it back."""
        return parse(self.rank, "".join(f"{line}\n" for line in self.lines).encode())


def ranks(number: int) -> list[Rank]:
    """Return the logs of so many ranks, begun."""
    return [Rank(rank, number) for rank in range(number)]


def found(programs: Sequence[Rank], ended: str = "finished", plain: str = "finished", **what: Any) -> list[Finding]:
    """Return what is wrong; in a finished run all ranks that have no last line yet finalize."""
    if ended == "finished":
        for one in programs:
            if '"end"' not in one.lines[-1]:
                one.finalize()
    return analyse([one.log() for one in programs], ended=ended, plain_ended=plain, **what)


def kinds(programs: Sequence[Rank], ended: str = "finished", plain: str = "finished") -> list[str]:
    """Return the kinds of what is wrong."""
    return [one.kind for one in found(programs, ended, plain)]


def only(programs: Sequence[Rank], ended: str = "finished", plain: str = "finished") -> Finding:
    """Return the one thing that is wrong."""
    all_of_it = found(programs, ended, plain)
    assert len(all_of_it) == 1, all_of_it
    return all_of_it[0]
