"""Ranks watched while they run: where each stands, and whether some can never go on.

Theory of operation. Every rank publishes on the control page which MPI call each of its threads is in, with whom, and
which operations it has open (c/page.h). A rank whose threads have all stood in the same calls for a while, and have
had the processor meanwhile, is taken at its word; any other is running. From that comes a Snapshot, and deadlock.py
draws the conclusion. So a rank that computes for an hour is no deadlock, two that wait for each other are one within
a second, whatever the others do, and a busy machine only makes it later.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psutil

from mpilab import page
from mpilab.diagnosis import places
from mpilab.diagnosis.deadlock import Deadlock, explain
from mpilab.diagnosis.log import ANY
from mpilab.diagnosis.messages import named_by
from mpilab.diagnosis.order import BLOCKING_ON_WINDOW
from mpilab.diagnosis.snapshot import RankState, Snapshot, State, Wait

STILL_S = 0.6  # a rank that has not moved for so long stands still
TURNS, CPU_S = 10, 0.02  # and it has had the processor: so often, or for so long
LOOK_S = 0.1  # between two looks at the whole
POLLING_S, POLLS, INSIDE = 5.0, 1000, 0.5  # only polls: so long, at least so often, and so much of the time inside MPI
FROZEN_S = 5.0  # nobody has moved for so long, though nothing explains it
MEMBERSHIP = ("NEW_COMM", "FREE_COMM", "NEW_WIN", "FREE_WIN", "NEW_FILE")  # collectives over the communicator given


@dataclass
class _Pace:
    """When a rank last moved, and what it had used of the processor then."""

    mark: tuple[Any, ...] = ()
    since: float = 0.0
    used: tuple[float, int] = (0.0, 0)
    work: tuple[Any, ...] = ()  # calls but for polls that said no
    work_since: float = 0.0
    polls: int = 0  # until then
    looks: int = 0  # since then
    inside: int = 0  # of these, how often it was in an MPI call


class Watch:
    """Looks at a control page again and again."""

    def __init__(self, board: page.Page, ranks: int, eager_bytes: int = 0, polling_s: float = POLLING_S) -> None:
        """Watch the first `ranks` ranks; messages up to `eager_bytes` go eagerly.

        A rank that has only polled for `polling_s` waits (infinity: never; a lab's kernel that polls runs out of time).
        """
        self.board, self.count, self.eager, self.polling_s = board, ranks, eager_bytes, polling_s
        self._paces = [_Pace() for _ in range(ranks)]
        self._looked = 0.0
        self._moved_at = time.monotonic()
        self._kinds = page.call_kinds()
        self._lines: Mapping[int, str] = {}  # of Python kernels, by rank

    def deadlock(self) -> Deadlock | None:
        """Say why ranks can never go on; None when all may, or when it is too early to tell."""
        now = time.monotonic()
        if now - self._looked < LOOK_S:
            return None
        self._looked = now
        self._moved_at = now if self._moves(now) else self._moved_at
        still = [self._still(rank, now) for rank in range(self.count)]
        if not any(still) or not explain(self.snapshot(still, lines=False), self.eager):
            return None
        return explain(self.snapshot(still), self.eager)

    def frozen(self) -> bool:
        """Whether all ranks have stood in MPI, or are at their end, for long: stuck, though nothing says why."""
        return time.monotonic() - self._moved_at > FROZEN_S

    def _moves(self, now: float) -> bool:
        """Whether a rank computes, or has lately entered an MPI call."""
        inside = 0
        for rank, p in enumerate(self.board.ranks[: self.count]):
            if self._ended(rank, p):
                continue
            if not page.in_call(p) or now - self._paces[rank].since < STILL_S:
                return True
            inside += 1
        return not inside

    def explained(self, lines: Mapping[int, str]) -> Deadlock | None:
        """The deadlock that there is, with the lines that ranks of a Python program are in."""
        self._lines = lines
        return explain(self.snapshot(), self.eager)

    def snapshot(self, still: list[bool] | None = None, *, lines: bool = True) -> Snapshot:
        """Where all ranks stand; those that aren't `still` are running (default: all are taken at their word).

        Looking up lines takes a while, so that can be left out.
        """
        taken = still or [True] * self.count
        states = [self._state(rank, still=taken[rank], lines=lines) for rank in range(self.count)]
        return Snapshot(tuple(states), self._names())

    def _names(self) -> dict[int, str]:
        """What to call communicators: by their members."""
        names = {}
        for p in self.board.ranks[: self.count]:
            for c in p.comms[: p.comm_count]:
                if c.id > 1:
                    names[c.id] = named_by(p.members[c.first : c.first + c.size])
        return names | {1: "MPI_COMM_WORLD"}

    def alive(self, rank: int) -> bool:
        """Whether the rank's process still runs."""
        return _alive(self.board.ranks[rank].pid)

    def _still(self, rank: int, now: float) -> bool:
        """Whether a rank has stood in its MPI calls for a while."""
        p, pace = self.board.ranks[rank], self._paces[rank]
        calls = tuple(t.in_call for t in p.threads if t.entered)  # of threads that have called MPI at all
        mark = (page.entered(p), calls, p.life, p.phase)
        if self._only_polls(p, pace, now):
            return True
        if mark != pace.mark or not calls or not all(calls):
            pace.mark, pace.since, pace.used = mark, now, _used(p.pid)
            return False
        if now - pace.since < STILL_S:
            return False
        if self.board.name(calls[0]) == "MPI_Finalize":
            return True  # may wait for the process manager, asleep
        cpu, turns = _used(p.pid)
        return cpu - pace.used[0] >= CPU_S or turns - pace.used[1] >= TURNS

    def _only_polls(self, p: Any, pace: _Pace, now: float) -> bool:
        """Whether a rank has done nothing but ask MPI in vain, and hardly anything between."""
        polls = sum(t.polls for t in p.threads)
        work = (page.entered(p) - polls, p.life, p.phase)
        pace.looks, pace.inside = pace.looks + 1, pace.inside + bool(page.in_call(p))
        if work != pace.work:
            pace.work, pace.work_since, pace.polls, pace.looks, pace.inside = work, now, polls, 0, 0
        often = polls - pace.polls >= POLLS and pace.inside >= INSIDE * pace.looks
        return now - pace.work_since >= self.polling_s and often

    def _state(self, rank: int, *, still: bool, lines: bool) -> RankState:
        p = self.board.ranks[rank]
        entered = {c.id: c.turns for c in p.comms[: p.comm_count] if c.id}
        if state := self._ended(rank, p):
            return RankState(rank, state, entered=entered)
        threads = _inside(p)
        if not still or not threads:
            return RankState(rank, "running", entered=entered)
        where = _where(p.pid, [t.place for t in threads] + [o.place for o in p.posted if o.call]) if lines else {}
        first = threads[0]
        if rank in self._lines:
            where = dict.fromkeys((t.place for t in threads), self._lines[rank])
        call = self.board.name(first.in_call).removesuffix("_c")
        if call == "MPI_Finalize":
            waits = [Wait("finalize", call=call, where=where.get(first.place, ""))]
            return RankState(rank, "finalizing", call, where.get(first.place, ""), tuple(waits), entered=entered)
        waits, known = [], True
        for thread in threads:
            more, sure = self._waits(p, thread, where)
            waits += more
            known = known and sure
        any_of = len(threads) > 1 or bool(first.any)
        if not known or not waits:
            return RankState(rank, "running", call, where.get(first.place, ""), entered=entered)
        posted = tuple(
            w for o in p.posted if o.call and o.active and (w := self._posted(p, o, where)) and w not in waits
        )
        return RankState(rank, "mpi", call, where.get(first.place, ""), tuple(waits), any_of, posted, entered)

    def _ended(self, rank: int, p: Any) -> State | None:
        if p.phase == page.WAIT and not page.in_call(p):
            return "done"  # the host of a kernel waits for the others
        if p.life == page.FINALIZED:
            return "finalized"
        return "exited" if p.pid and (p.life >= page.EXITED or not self.alive(rank)) else None

    def _waits(self, p: Any, t: Any, where: Mapping[int, str]) -> tuple[list[Wait], bool]:
        """What a thread waits for, and whether that is all there is to know."""
        kind, call = self._kinds[t.in_call], self.board.name(t.in_call)
        name = call.removesuffix("_c").removeprefix("MPI_")
        place = where.get(t.place, "")
        if kind == "WAIT":
            return self._requests(p, t, where)  # a test is only looked at when the rank does nothing else
        if name.endswith("_init") or (name.startswith("I") and kind not in ("PROBE", "MPROBE")):
            return [], False  # returns at once
        if kind in ("SEND", "SENDRECV", "REPLACE"):
            found = _message(p, "send", t, call, place)
            if kind != "SEND":
                found += _message(p, "recv", t, call, place, second=True)
            return found, name != "Bsend"
        if kind in ("RECV", "PROBE", "MPROBE"):
            return _message(p, "recv", t, call, place), True
        if kind == "COLLECTIVE" or name == "Win_fence" or (kind in MEMBERSHIP and t.comm >= 0):
            found = _collective(p, t.comm, call, place)
        else:
            found = _on_window(p, t.comm, call, place) if name in BLOCKING_ON_WINDOW else []
        return found, bool(found)

    def _requests(self, p: Any, t: Any, where: Mapping[int, str]) -> tuple[list[Wait], bool]:
        found, known = [], True
        for handle in t.wait[: min(t.waits, page.WAITS)]:
            one = p.posted[(handle ^ (handle >> 12)) & (page.POSTED - 1)]
            wait = self._posted(p, one, where) if one.request == handle and one.call and one.active else None
            known = known and (wait is not None or not t.any)
            found += [wait] if wait else []
        return found, known and (not t.any or t.waits <= page.WAITS)

    def _posted(self, p: Any, one: Any, where: Mapping[int, str]) -> Wait | None:
        kind, call, place = self._kinds[one.call], self.board.name(one.call), where.get(one.place, "")
        if kind == "COLLECTIVE":
            return next(iter(_collective(p, one.comm, call, place, one.turn)), None)
        if call.startswith("MPI_P") or kind not in ("SEND", "RECV"):
            return None
        return next(iter(_message(p, "send" if kind == "SEND" else "recv", one, call, place)), None)


def _inside(p: Any) -> list[Any]:
    """The threads that are in an MPI call; one that polls is out of it for moments."""
    for _ in range(200):
        if found := [t for t in p.threads if t.in_call]:
            return found
    return []


def _message(p: Any, kind: Any, one: Any, call: str, place: str, *, second: bool = False) -> list[Wait]:
    """A wait for a message, with its peer as a world rank; none when the peer is MPI_PROC_NULL or not to be known."""
    peer, tag = (one.peer2, one.tag2) if second else (one.peer, one.tag)
    if peer == p.proc_null or not 0 <= one.comm < p.comm_count:
        return []
    comm = p.comms[one.comm]
    members = tuple(p.members[comm.first : comm.first + comm.size])
    if peer == p.any_source:
        peer = ANY
    elif 0 <= peer < comm.size:
        peer = members[peer]
    else:
        return []
    tag = ANY if kind == "recv" and tag == p.any_tag else tag
    return [Wait(kind, peer, tag, comm.id, max(one.bytes, 0), call.removesuffix("_c"), place, members=members)]


def _collective(p: Any, index: int, call: str, place: str, turn: int = 0) -> list[Wait]:
    if not 0 <= index < p.comm_count:
        return []
    comm = p.comms[index]
    members = tuple(p.members[comm.first : comm.first + comm.size])
    name = call.removesuffix("_c")
    return [Wait("collective", comm=comm.id, call=name, where=place, seq=turn or comm.turns, members=members)]


def _on_window(p: Any, index: int, call: str, place: str) -> list[Wait]:
    """A wait for some other rank of a window: the page doesn't tell for which."""
    if not 0 <= index < p.comm_count:
        return []
    comm = p.comms[index]
    members = tuple(p.members[comm.first : comm.first + comm.size])
    return [Wait("window", comm=comm.id, call=call, where=place, members=members)]


def _where(pid: int, addresses: list[int]) -> dict[int, str]:
    """File and line of return addresses in a live process."""
    found = places.of_process(pid, set(addresses))
    lines = places.lines(found.values())
    return {address: lines[place] for address, place in found.items()}


def _used(pid: int) -> tuple[float, int]:
    """Processor time in s, and how often the process went to sleep by itself."""
    try:
        process = psutil.Process(pid)
        times = process.cpu_times()
        return times.user + times.system, process.num_ctx_switches().voluntary
    except psutil.Error:
        return 0.0, 0


def _alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
