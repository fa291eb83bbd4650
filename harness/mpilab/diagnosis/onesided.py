"""One-sided accesses of several ranks that touch the same bytes of a window with nothing to order them.

Theory of operation.  The log says of every Put, Get and Accumulate which bytes of its target's window it touches, and
of the owner's own loads and stores, too, where the compiler's instrumentation sees them.  An access is over at the
target when its origin has called what completes it (a fence, complete, unlock, flush).  Two accesses to the same bytes
conflict when one writes and they are not accumulates of one operation and type; they are a race when neither was over
before the other began (order.py) and no exclusive lock keeps them apart.  Among the accesses to one target only those
are kept at hand that are not yet over for everybody, and repetitions once.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mpilab.diagnosis.findings import Finding, finding
from mpilab.diagnosis.log import WINDOWS, Call, Comm, Done, Local, Ret, Run, Start
from mpilab.diagnosis.messages import at
from mpilab.diagnosis.operations import Deeds, base
from mpilab.diagnosis.order import EXCLUSIVE, Clock, Order, events

NEVER = 1 << 62
AT_HAND = 500  # accesses to one target that are compared
PAIRS = 5000  # doubtful pairs say enough
BLOCKS = 10_000  # of an access that are compared one by one
SMALL = 16  # bytes of a flag
_READS, _ACCUMULATES = {"Get", "Rget"}, {"Accumulate", "Raccumulate"}
_COMPLETE_ALL = {"Win_fence", "Win_complete", "Win_unlock_all", "Win_flush_all", "Win_free"}
_COMPLETE_ONE = {"Win_unlock", "Win_flush"}
_COMPLETE_HERE = {"Win_flush_local", "Win_flush_local_all"}


@dataclass(slots=True, kw_only=True, eq=False)
class Access:
    """An access of `rank` to bytes of the window of `target` (world ranks), with the clock it began at.

    `number` is its call's (of the owner's own loads and stores: the next call's); `done` that of the call which
    completed it, `gate` the number of the start whose post it waits for (0: none), `lock` the lock it is under.
    """

    rank: int
    win: int
    target: int
    call: str  # "" for loads and stores
    where: str
    reads: bool = False  # only
    operation: str | None = None  # of accumulates; "" is that of Compare_and_swap
    basic: str = "-"
    runs: list[Run]
    number: int
    clock: Clock
    lock: int = 0
    gate: int = 0
    done: int = NEVER
    fetches: bool = False
    void: bool = False
    low: int = 0  # the first byte
    high: int = 0  # the one behind the last

    def __post_init__(self) -> None:
        """Measure."""
        self.low = min(first for first, *_ in self.runs)
        self.high = max(first + size + stride * (count - 1) for first, size, stride, count in self.runs)

    @property
    def small(self) -> bool:
        """Whether it may be one to a flag."""
        return self.high - self.low <= SMALL


def compare(ranks: Sequence[Deeds], comms: Mapping[int, Comm]) -> Iterator[Finding]:
    """Yield each race; messages must have been matched (messages.match)."""
    if any(comm >= WINDOWS for comm in comms) and not any(comm.inter for comm in comms.values()):
        search = _Search(ranks, comms)
        if not search.blind:
            yield from search.run()


class _Search:
    def __init__(self, ranks: Sequence[Deeds], comms: Mapping[int, Comm]) -> None:
        self.ranks, self.order = ranks, Order(ranks, comms)
        self.at_hand: dict[tuple[int, int], dict[tuple[object, ...], Access]] = defaultdict(dict)
        self.open: dict[tuple[int, int], list[Access]] = defaultdict(list)  # by rank and window
        self.calls: dict[tuple[int, int], Call] = {}
        self.accesses: dict[tuple[int, int], Access] = {}  # by rank and call, until that returns
        self.requests: dict[tuple[int, int], Access] = {}
        self.pairs: list[tuple[Access, Access]] = []
        self.synced: set[tuple[int, int]] = set()  # ranks and windows with MPI_Win_sync
        self.blind = False  # there were too many communicators to number collectives
        for deed in ranks:
            for entry in deed.log.entries:
                if isinstance(entry, Call) and entry.call == "MPI_Win_sync":
                    self.synced.add((deed.log.rank, entry.comm))
                elif isinstance(entry, Call) and entry.call in ("MPI_Win_fence", "MPI_Barrier") and not entry.seq:
                    self.blind = True

    def run(self) -> Iterator[Finding]:
        for rank, entry in events(self.ranks):
            match entry:
                case Call():
                    self.calls[rank, entry.n] = entry
                    self.order.enter(rank, entry)
                    if entry.runs is not None:
                        self._access(rank, entry)
                case Local():
                    self._local(rank, entry)
                case Start():
                    self.order.start(rank, entry)
                case Done():
                    self.order.done(rank, entry)
                    self._request_done(rank, entry)
                case Ret():
                    self._ret(rank, entry)
        told = set()
        for a, b in self.pairs:
            key = a.where, a.call, b.where, b.call
            if not (a.void or b.void or key in told or self._before(a, b) or self._before(b, a)):
                told.add(key)
                yield _race(a, b)

    # ------------------------------------------------------------------------------------------- what the logs tell of
    def _access(self, rank: int, call: Call) -> None:
        name, target = base(call.call), self.order.target(call)
        if target < 0 or not call.runs:
            return
        is_put, is_get = name in ("Put", "Rput"), name in _READS
        one = Access(
            rank=rank,
            win=call.comm,
            target=target,
            call=call.call,
            where=self.ranks[rank].where(call),
            reads=is_get or call.op == "MPI_NO_OP",
            operation=None if is_put or is_get else call.op,
            basic=call.basic,
            runs=call.runs,
            number=call.n,
            clock=self.order.clock(rank),
            lock=self.order.held.get((rank, call.comm, target), 0),
            fetches=not is_put and name not in _ACCUMULATES,
        )
        if not one.lock:
            one.gate = self.order.starts[call.comm, rank, target]
        self.open[rank, call.comm].append(one)
        self.accesses[rank, call.n] = one
        if not one.reads and one.small:
            self.order.raise_flag(rank, one.win, target, one.low)
        self._compare(one)

    def _local(self, rank: int, entry: Local) -> None:
        if not entry.runs:
            return
        for first, size, stride, count in entry.runs:
            if not entry.write:
                self.order.see_flags(rank, entry.win, rank, range(first, first + size + stride * (count - 1)))
            elif size <= SMALL and count == 1:
                self.order.raise_flag(rank, entry.win, rank, first)
        self._compare(
            Access(
                rank=rank,
                win=entry.win,
                target=rank,
                call="",
                where=self.ranks[rank].place(entry.at),
                reads=not entry.write,
                runs=entry.runs,
                number=entry.n,
                clock=self.order.clock(rank),
                lock=self.order.held.get((rank, entry.win, rank), 0),
                done=entry.n,
            )
        )

    def _ret(self, rank: int, ret: Ret) -> None:
        call = self.calls.get((rank, ret.n))
        if call is None:
            return
        access = self.accesses.pop((rank, ret.n), None)
        if access and ret.err:
            access.void = True
        elif access and ret.req:
            self.requests[rank, ret.req] = access
        self.order.leave(rank, call, ret)
        name, target = base(call.call), self.order.target(call)
        if name in _COMPLETE_ALL or name in _COMPLETE_ONE or name in _COMPLETE_HERE:
            for one in self.open.pop((rank, call.comm), []):
                mine = name in _COMPLETE_ALL or name == "Win_flush_local_all" or one.target == target
                if mine and (one.fetches or name not in _COMPLETE_HERE):
                    self._over(one, call.n)
                else:
                    self.open[rank, call.comm].append(one)

    def _request_done(self, rank: int, done: Done) -> None:
        """A request is complete: so is what fetches; what writes still needs a flush."""
        call, access = self.calls.get((rank, done.n)), self.requests.pop((rank, done.req), None)
        if access and access.fetches and access.done == NEVER:
            self._over(access, done.n)
        elif call and base(call.call) == "Win_test" and not done.req:
            self.order.waited(rank, call.comm)

    def _over(self, one: Access, number: int) -> None:
        one.done = min(one.done, number)
        if one.fetches and one.small:
            self.order.see_flags(one.rank, one.win, one.target, range(one.low, one.low + 1))

    # -------------------------------------------------------------------------------------------------------- conflicts
    def _compare(self, new: Access) -> None:
        known = self.at_hand[new.win, new.target]
        low, high = new.low, new.high
        if len(self.pairs) < PAIRS:
            for old in [old for old in known.values() if old.low < high and old.high > low]:
                if self._conflict(old, new) and not self._before(old, new) and common(old.runs, new.runs):
                    self.pairs.append((old, new))
        key = new.rank, new.call, new.where, new.reads, new.operation, low, high, new.lock
        known.pop(key, None)  # the new one goes to the end
        if len(known) >= AT_HAND:
            self._prune(known)
        known[key] = new

    def _prune(self, known: dict[tuple[object, ...], Access]) -> None:
        """Forget what is over for everybody, and if that is too little the older half."""
        seen = [min(clock[rank] for clock in self.order.now) for rank in range(len(self.ranks))]
        keys = [key for key, one in known.items() if one.done <= seen[one.rank]]
        if len(known) - len(keys) > AT_HAND // 2:
            keys = list(known)[: AT_HAND // 2]
        for key in keys:
            del known[key]

    def _before(self, a: Access, b: Access) -> bool:
        """Whether `a` was over before `b` began."""
        if a.rank == b.rank:
            return a.done < b.number or (not a.call and a.done <= b.number)
        gate = self.order.gate(b.win, b.target, b.rank, b.gate) if b.gate else ()
        return b.clock[a.rank] >= a.done or (bool(gate) and gate[a.rank] >= a.done)

    def _conflict(self, a: Access, b: Access) -> bool:
        if (a.reads and b.reads) or not (a.call or b.call):
            return False
        if a.rank != b.rank and a.lock and b.lock and EXCLUSIVE in (a.lock, b.lock):
            return False
        if (a.rank, a.call, a.where, a.runs) == (b.rank, b.call, b.where, b.runs) and a.where:
            return False  # the same again: the same bytes, or its buffer has been changed under way
        if a.operation is not None and b.operation is not None:
            types_differ = "-" not in (a.basic, b.basic) and a.basic != b.basic
            differ = a.operation != b.operation and not {a.operation, b.operation} & {"MPI_NO_OP", ""}
            return a.rank != b.rank and (types_differ or differ)
        atomic, local = (a, b) if b.call == "" else (b, a)  # a loop that waits for a flag reads it that way
        polled = not local.call and atomic.operation is not None and atomic.small
        return not (polled and (local.rank, local.win) in self.synced)


def common(some: Sequence[Run], others: Sequence[Run]) -> tuple[int, int] | None:
    """Return the first bytes that two lists of blocks share, as (first, one behind the last); None for none."""
    for one in some:
        for other in others:
            few, many = (one, other) if one[3] <= other[3] else (other, one)
            for i in range(min(few[3], BLOCKS)):
                start = few[0] + i * few[2]
                k = max(0, -((many[0] + many[1] - 1 - start) // many[2])) if many[2] > 0 else 0  # ends behind `start`
                low = many[0] + k * many[2]
                if k < many[3] and low < start + few[1] and start < low + many[1]:
                    return max(low, start), min(low + many[1], start + few[1])
    return None


def _race(a: Access, b: Access) -> Finding:
    if not b.call:
        a, b = b, a  # the line of the access from elsewhere, which says more
    low, high = common(a.runs, b.runs) or (a.low, a.high)
    size = "byte" if high - low == 1 else f"{high - low:,} bytes"
    other = f"its own {_doing(b)}" if a.rank == b.rank else _named(b)
    text = (
        f"{_named(a)} and {other} touch the same {size} of rank {b.target}'s window (from byte {low:,}), and nothing"
        " orders them"
    )
    return finding("rma-race", b.rank, b.call, b.where, text)


def _named(one: Access) -> str:
    return f"rank {one.rank}'s {_doing(one)}"


def _doing(one: Access) -> str:
    verb = one.call or ("load" if one.reads else "store")
    return f"{verb}{f' with {one.operation}' if one.operation else ''}{at(one.where)}"
