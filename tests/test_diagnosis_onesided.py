"""Accesses to windows that conflict, and everything that orders them: from logs of the strict mode, as made up here."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from diagnosis_logs import Rank, found, ints

from mpilab.diagnosis.log import WINDOWS, Run, parse
from mpilab.diagnosis.onesided import common

WIN = WINDOWS | 77
ONE: list[Run] = [(0, 4, 0, 1)]
SHARED, EXCLUSIVE = 1, 2
Program = Callable[[list["Timed"]], None]


class Timed(Rank):
    """A log whose lines have times: of all ranks, in the order in which they are written."""

    clock = itertools.count(1)

    def write(self, **line: Any) -> None:
        """Write one line, with the time where the C library does so."""
        super().write(**line, **({"t": next(self.clock)} if line["k"] in ("call", "ret") else {}))

    def on(self, name: str, line: int = 0, **what: Any) -> None:
        """Make a call on the window."""
        self.ret(self.call(name, line=line, comm=WIN, **what))

    def access(self, name: str, line: int, target: int = 0, runs: Sequence[Run] = ONE, **what: Any) -> None:
        """Access the window of `target`."""
        self.on(name, line, dest=target, runs=list(runs), basic=what.pop("basic", "MPI_INT"), **what)

    def local(self, line: int, *, write: bool, runs: Sequence[Run] = ONE) -> None:
        """Touch the own memory of the window, before the next call."""
        self.write(k="local", n=self.number + 1, win=WIN, at=f"/x/k.c:{line}", write=int(write), runs=list(runs))


def window(size: int) -> list[Timed]:
    """Return the logs of so many ranks that have a window."""
    programs = [Timed(rank, size) for rank in range(size)]
    for one in programs:
        one.comm(WIN, range(size))
    return programs


def together(programs: Sequence[Timed], name: str = "Barrier", comm: int = 1, **what: Any) -> None:
    """Make a collective call on all ranks: all enter before any leaves."""
    calls = []
    for one in programs:
        one.seq[comm] = one.seq.get(comm, 0) + 1
        calls.append(one.call(name, comm=comm, seq=one.seq[comm], **what))
    for one, call in zip(programs, calls, strict=True):
        one.ret(call)


def fence(programs: Sequence[Timed]) -> None:
    """Call MPI_Win_fence on all ranks."""
    together(programs, "Win_fence", WIN)


def told(programs: Sequence[Timed]) -> list[str]:
    """Return the kinds of what is wrong."""
    return [one.kind for one in found(programs)]


# ------------------------------------------------------------------------------------------------ what is said of it
def test_a_race_names_both_accesses_their_ranks_and_the_bytes() -> None:
    """The two calls, their lines, the window's owner, and where they meet."""
    a, b, c = programs = window(3)
    fence(programs)
    b.access("Put", 10, target=2, runs=[(8, 16, 0, 1)])
    a.access("Get", 20, target=2, runs=[(20, 8, 0, 1)])
    fence(programs)
    one = found(programs)[0]
    assert (one.kind, one.rank, one.call, one.where) == ("rma-race", 0, "MPI_Get", "k.c:20")
    assert "rank 1's MPI_Put (k.c:10)" in one.message
    assert "rank 0's MPI_Get (k.c:20)" in one.message
    assert "the same 4 bytes of rank 2's window (from byte 20)" in one.message
    assert c.lines


def test_a_store_of_the_owner_is_called_so() -> None:
    """The owner's own loads and stores have no call; the finding is at the access from elsewhere."""
    a, b = programs = window(2)
    fence(programs)
    a.local(15, write=True)
    b.access("Put", 10)
    fence(programs)
    one = found(programs)[0]
    assert (one.kind, one.rank, one.where) == ("rma-race", 1, "k.c:10")
    assert "rank 0's store (k.c:15)" in one.message


def test_the_same_race_in_a_loop_is_told_once() -> None:
    """Ten epochs with the same two lines are one finding."""
    a, b, c = programs = window(3)
    for _ in range(10):
        fence(programs)
        b.access("Put", 10)
        c.access("Put", 11)
    fence(programs)
    assert told(programs) == ["rma-race"]
    assert a.lines


# ------------------------------------------------------------------------------------------------------ what conflicts
SUM, PROD, NO_OP = {"op": "MPI_SUM"}, {"op": "MPI_PROD"}, {"op": "MPI_NO_OP"}


@pytest.mark.parametrize(
    ("first", "second", "race"),
    [
        (("Put", {}), ("Put", {}), True),
        (("Put", {}), ("Get", {}), True),
        (("Get", {}), ("Get", {}), False),
        (("Get", {}), ("Accumulate", SUM), True),
        (("Put", {}), ("Fetch_and_op", NO_OP), True),
        (("Get", {}), ("Fetch_and_op", NO_OP), False),
        (("Accumulate", SUM), ("Get_accumulate", SUM), False),
        (("Accumulate", SUM), ("Accumulate", PROD), True),
        (("Accumulate", SUM), ("Fetch_and_op", NO_OP), False),
        (("Accumulate", SUM), ("Compare_and_swap", {}), False),
        (("Accumulate", SUM), ("Accumulate", {**SUM, "basic": "MPI_LONG"}), True),
        (("Accumulate", SUM), ("Accumulate", {**SUM, "basic": "-"}), False),
        (("Put", {}), ("Put", {"runs": [(4, 4, 0, 1)]}), False),
        (("Put", {"runs": [(0, 8, 24, 10)]}), ("Put", {"runs": [(8, 8, 24, 10)]}), False),
        (("Put", {"runs": [(0, 8, 24, 10)]}), ("Put", {"runs": [(100, 24, 0, 1)]}), True),
        (("Rput", {}), ("Raccumulate", SUM), True),
    ],
)
def test_what_conflicts_in_one_epoch(first: tuple[str, Any], second: tuple[str, Any], race: bool) -> None:  # noqa: FBT001
    """Two reads don't, nor accumulates of one operation and type, nor accesses to other bytes."""
    for (one, what), (other, more) in ((first, second), (second, first)):
        _, b, c = programs = window(3)
        fence(programs)
        b.access(one, 10, **what)
        c.access(other, 11, **more)
        fence(programs)
        assert told(programs) == ["rma-race"] * race


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("name", "what"), [("Put", {}), ("Get", {}), ("Accumulate", SUM)])
def test_loads_and_stores_conflict_like_gets_and_puts(name: str, what: dict[str, Any], write: bool) -> None:  # noqa: FBT001
    """Only a load and a Get go together."""
    a, b = programs = window(2)
    fence(programs)
    b.access(name, 10, **what)
    a.local(20, write=write)
    fence(programs)
    assert told(programs) == ["rma-race"] * (write or name != "Get")


@pytest.mark.parametrize(
    ("some", "others", "first"),
    [
        ([(0, 4, 0, 1)], [(4, 4, 0, 1)], None),
        ([(0, 5, 0, 1)], [(4, 4, 0, 1)], 4),
        ([(0, 1, 10, 100)], [(5, 1, 10, 100)], None),
        ([(0, 1, 10, 100)], [(5, 1, 7, 100)], 40),
        ([(0, 1, 10, 3)], [(30, 1, 0, 1)], None),
        ([(0, 1, 10, 4)], [(30, 1, 0, 1)], 30),
        ([(100, 4, 0, 1), (0, 4, 0, 1)], [(2, 1, 0, 1)], 2),
        ([(0, 1, 0, 5)], [(0, 1, 0, 5)], 0),
        ([(-8, 4, 4, 10**15)], [(7, 1, 0, 1)], 7),
    ],
)
def test_common_bytes_of_blocks(some: list[Run], others: list[Run], first: int | None) -> None:
    """Strides that interleave share nothing; the answer is the first byte that both have, whoever is asked first."""
    for a, b in ((some, others), (others, some)):
        shared = common(a, b)
        assert (shared[0] if shared else None) == first


# -------------------------------------------------------------------------------------------------- what brings order
def two_puts(programs: list[Timed], between: Program, *, flush: bool = True) -> list[str]:
    """Rank 1 puts, then something happens, then rank 2 puts to the same place; in passive epochs."""
    for one in programs:
        one.on("Win_lock_all")
    programs[1].access("Put", 10)
    if flush:
        programs[1].on("Win_flush", dest=0)
    between(programs)
    programs[2].access("Put", 11)
    for one in programs:
        one.on("Win_unlock_all")
    return told(programs)


def message(source: int, dest: int, name: str = "Send") -> Program:
    """Return a step: a message from one rank to another; the send returns while it is being received."""

    def step(programs: list[Timed]) -> None:
        send = programs[source].call(name, dest=dest, tag=0, sig=ints(1))
        receive = programs[dest].call("Recv", source=source, tag=0, sig=ints(1))
        programs[source].ret(send)
        programs[dest].ret(receive, source=source, tag=0)

    return step


def chain(*steps: Program) -> Program:
    """Return several steps as one."""

    def step(programs: list[Timed]) -> None:
        for one in steps:
            one(programs)

    return step


def collective(name: str, **what: Any) -> Program:
    """Return a collective call of all ranks as a step."""
    return lambda programs: together(programs, name, **what)


def ibarrier(programs: list[Timed]) -> None:
    """Start a nonblocking barrier everywhere, then wait for it everywhere."""
    requests = [one.coll("Ibarrier") for one in programs]
    for one, request in zip(programs, requests, strict=True):
        one.wait(request)


def persistent_barrier(programs: list[Timed]) -> None:
    """Start a persistent barrier twice."""
    requests = [one.coll("Barrier_init") for one in programs]
    for _ in range(2):
        for one, request in zip(programs, requests, strict=True):
            one.start(request)
        for one, request in zip(programs, requests, strict=True):
            one.wait(request)
    for one, request in zip(programs, requests, strict=True):
        one.free(request)


@pytest.mark.parametrize(
    ("between", "ordered"),
    [
        (lambda _: None, False),
        (collective("Barrier"), True),
        (collective("Allreduce", op="MPI_SUM"), True),
        (ibarrier, True),
        (persistent_barrier, True),
        (message(1, 2), True),
        (message(2, 1), False),
        (message(2, 1, "Ssend"), True),  # ends only when it is being received
        (message(0, 2), False),
        (chain(message(1, 0), message(0, 2)), True),
        (chain(message(0, 2), message(1, 0)), False),
        (collective("Bcast", root=1), True),
        (collective("Bcast", root=0), False),
        (collective("Reduce", root=2, op="MPI_SUM"), True),
        (collective("Reduce", root=0, op="MPI_SUM"), False),
    ],
)
def test_what_puts_one_access_behind_another(between: Program, ordered: bool) -> None:  # noqa: FBT001
    """Barriers do, messages from the first to the second, rooted collectives from or to the root."""
    expected = [] if ordered else ["rma-race"]
    assert two_puts(window(3), between) == expected


def test_a_barrier_completes_nothing() -> None:
    """Without a flush before it, the first Put is still under way."""
    assert two_puts(window(3), collective("Barrier"), flush=False) == ["rma-race"]


@pytest.mark.parametrize(("locks", "race"), [((SHARED, SHARED), True), ((SHARED, EXCLUSIVE), False)])
def test_exclusive_locks_keep_accesses_apart(locks: tuple[int, int], race: bool) -> None:  # noqa: FBT001
    """Whatever the order; shared locks don't."""
    _, b, c = programs = window(3)
    for one, lock in ((b, locks[0]), (c, locks[1])):
        one.on("Win_lock", dest=0, lock=lock)
        one.access("Put", 10 + one.rank)
        one.on("Win_unlock", dest=0)
    assert told(programs) == ["rma-race"] * race


def test_who_has_seen_a_flag_comes_after_it() -> None:
    """Put, flush, Accumulate to another place; who fetches that afterwards may read what was put."""
    _, b, c = programs = window(3)
    flag: list[Run] = [(64, 4, 0, 1)]
    for one in (b, c):
        one.on("Win_lock_all")
    b.access("Put", 10)
    b.on("Win_flush", dest=0)
    b.access("Accumulate", 11, runs=flag, op="MPI_REPLACE")
    c.access("Fetch_and_op", 20, runs=flag, op="MPI_NO_OP")
    c.on("Win_flush", dest=0)
    c.access("Get", 21)
    for one in (b, c):
        one.on("Win_unlock_all")
    assert told(programs) == []


@pytest.mark.parametrize(("name", "race"), [("Get", False), ("Put", True)])
def test_a_local_flush_completes_what_reads(name: str, race: bool) -> None:  # noqa: FBT001
    """After MPI_Win_flush_local a Get has happened, a Put not yet."""
    a, b = programs = window(2)
    b.on("Win_lock_all")
    b.access(name, 10)
    b.on("Win_flush_local", dest=0)
    together(programs)
    a.local(20, write=True)
    together(programs)
    b.on("Win_unlock_all")
    assert told(programs) == ["rma-race"] * race


@pytest.mark.parametrize(("name", "race"), [("Rget", False), ("Rput", True)])
def test_a_wait_completes_what_reads(name: str, race: bool) -> None:  # noqa: FBT001
    """After its Wait an Rget has happened, an Rput only left its buffer."""
    a, b = programs = window(2)
    b.on("Win_lock_all")
    b.wait(b.post(name, line=10, comm=WIN, dest=0, runs=ONE, basic="MPI_INT"))
    together(programs)
    a.local(20, write=True)
    together(programs)
    b.on("Win_unlock_all")
    assert told(programs) == ["rma-race"] * race


@pytest.mark.parametrize("flush", [False, True])
def test_accesses_of_one_rank_need_a_flush_between_them(flush: bool) -> None:  # noqa: FBT001
    """Put, then Get of the same bytes by the same rank."""
    _, b = programs = window(2)
    b.on("Win_lock", dest=0, lock=EXCLUSIVE)
    b.access("Put", 10)
    if flush:
        b.on("Win_flush", dest=0)
    b.access("Get", 11)
    b.on("Win_unlock", dest=0)
    assert told(programs) == ["rma-race"] * (not flush)


# ------------------------------------------------------------------------------------------ post, start, complete, wait
@pytest.mark.parametrize(("when", "race"), [("before", False), ("inside", True), ("after", False)])
def test_the_owner_keeps_off_between_post_and_wait(when: str, race: bool) -> None:  # noqa: FBT001
    """A store before the post or after the wait is in order, even when the start returns before the post."""
    a, b = programs = window(2)
    b.on("Win_start", group=[0])
    b.access("Put", 10)
    if when == "before":
        a.local(20, write=True)
    a.on("Win_post", group=[1])
    if when == "inside":
        a.local(20, write=True)
    b.on("Win_complete")
    a.on("Win_wait")
    if when == "after":
        a.local(20, write=True)
    together(programs)
    assert told(programs) == ["rma-race"] * race


@pytest.mark.parametrize("epochs", [1, 2])
def test_two_origins_need_an_epoch_each(epochs: int) -> None:
    """Two Puts in one exposure epoch are a race, in two they aren't."""
    a, b, c = programs = window(3)
    for group in [[b, c]] if epochs == 1 else [[b], [c]]:
        a.on("Win_post", group=[one.rank for one in group])
        for one in group:
            one.on("Win_start", group=[0])
            one.access("Put", 10 + one.rank)
        for one in group:
            one.on("Win_complete")
        a.on("Win_wait")
    assert told(programs) == ["rma-race"] * (epochs == 1)


def test_an_exposure_epoch_may_end_in_a_test() -> None:
    """A successful MPI_Win_test counts like MPI_Win_wait."""
    a, b = programs = window(2)
    a.on("Win_post", group=[1])
    b.on("Win_start", group=[0])
    b.access("Put", 10)
    b.on("Win_complete")
    number = a.call("Win_test", comm=WIN)
    a.ret(number)
    a.write(k="done", n=number, req=0)
    a.local(20, write=False)
    together(programs)
    assert told(programs) == []


# --------------------------------------------------------------------------------------------------- what isn't told
def test_nothing_is_told_where_the_order_is_not_known() -> None:
    """With an intercommunicator, whose messages can't be matched, or fences without a number, all may be in order."""
    for blind in ("inter", "fence"):
        _, b, c = programs = window(3)
        if blind == "inter":
            b.comm(9, [2], inter=1)
        else:
            b.on("Win_fence")
        b.access("Put", 10)
        c.access("Put", 11)
        assert told(programs) == [], blind


def test_an_access_outside_of_epochs_is_no_race_besides() -> None:
    """What the C library has found explains it."""
    _, b, c = programs = window(3)
    b.access("Put", 10)
    b.write(k="finding", kind="rma-epoch", n=b.number, text="MPI_Put is called outside of any epoch")
    c.access("Put", 11)
    assert told(programs) == ["rma-epoch"]


def test_an_access_that_mpi_refused_is_none() -> None:
    """Its error is told instead."""
    _, b, c = programs = window(3)
    fence(programs)
    b.ret(b.call("Put", comm=WIN, dest=0, runs=ONE, line=10), err=12, text="invalid")
    c.access("Put", 11)
    fence(programs)
    assert told(programs) == ["invalid-argument"]


def test_lines_that_make_no_sense_are_passed_over() -> None:
    """Runs of other shapes, ranks that don't exist, windows that nobody made: no finding, no exception."""
    a, b = programs = window(2)
    fence(programs)
    b.access("Put", 10, target=7)
    b.access("Put", 10, runs=[(0, 4, 0, 0), (0, -4, 0, 1)])
    a.write(k="local", n=3, win=5, at="", write=1, runs=[[0, 4, 0, 1]])
    b.on("Win_unlock", dest=0)
    b.on("Win_complete")
    b.on("Win_wait")
    fence(programs)
    assert told(programs) == []
    assert parse(0, b'{"k":"local","n":1,"win":1,"runs":[[1]]}\n').notes == [
        "1 lines in the log of rank 0 could not be read"
    ]


# ------------------------------------------------------------------------------------------------------------ deadlocks
def test_a_start_without_a_post_is_a_deadlock_that_names_the_target() -> None:
    """Rank 0 waits for the post of rank 1, which waits for rank 0 in a barrier."""
    a, b = programs = window(2)
    a.call("Win_start", line=10, comm=WIN, group=[1])
    b.coll("Barrier", done=False, line=20)
    one = found(programs, ended="stuck", plain="stuck")[0]
    assert one.kind == "deadlock"
    assert "rank 0 waits in MPI_Win_start (k.c:10) for rank 1 on a window" in one.message


def test_a_wait_whose_origins_have_completed_is_no_deadlock() -> None:
    """It is on its way, whatever the other rank does."""
    a, b = programs = window(2)
    a.on("Win_post", group=[1])
    b.on("Win_start", group=[0])
    b.on("Win_complete")
    a.call("Win_wait", comm=WIN)
    b.recv(0, done=False)
    assert [one.kind for one in found(programs, ended="stuck", plain="stuck")] == []


def test_a_missing_fence_is_named() -> None:
    """One rank is in MPI_Win_free while the others are in a fence."""
    a, b, c = programs = window(3)
    fence(programs)
    fence([a, b])
    together([c], "Win_free", WIN)
    assert told(programs) == ["call-mismatch"]
