"""What happened before what: the order that messages, collectives and epochs give the calls of all ranks.

Theory of operation.  All entries of all logs are taken in the order of time.  Each rank has a clock (one number for
every rank: the last call of that one which has begun before what this one does now).  A call that may let others go on
gives its rank's clock away when it is entered; one that others have let go on takes theirs when it returns.  So two
things are in order when the clock of the later one has reached the earlier one's rank that far.  Exclusive locks order
those that hold them.  In doubt something counts as in order, and then no conflict is told: a small value that one rank
writes into a window and another one reads afterwards is taken for a flag, and so is every collective but rooted ones
for a barrier.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge

from mpilab.diagnosis.collectives import kind_of
from mpilab.diagnosis.log import WINDOWS, Call, Comm, Done, Entry, Ret, Start
from mpilab.diagnosis.operations import Deeds, base

Clock = tuple[int, ...]
Event = tuple[int, Entry]
SHARED, EXCLUSIVE = 1, 2  # locks, as the log writes them
_FROM_ROOT, _TO_ROOT = {"bcast", "scatter", "scatterv"}, {"gather", "gatherv", "reduce"}
_SYNCHRONOUS = {"Ssend", "Issend", "Ssend_init"}
BLOCKING_ON_WINDOW = {  # calls that may wait for what other ranks of the window do, besides collective ones
    "Win_start", "Win_complete", "Win_wait", "Win_lock", "Win_lock_all", "Win_unlock", "Win_unlock_all", "Win_flush",
    "Win_flush_all",
}  # fmt: skip
_LOCKS = {"Win_lock": 0, "Win_lock_all": 0, "Win_unlock": 1, "Win_unlock_all": 1}


def events(ranks: Sequence[Deeds]) -> Iterator[Event]:
    """Yield (rank, entry) of all logs in the order of time."""
    for _, rank, entry in merge(*(_timed(deed) for deed in ranks), key=lambda one: one[0]):
        yield rank, entry


def _timed(deed: Deeds) -> list[tuple[int, int, Entry]]:
    """Return (time, rank, entry) of a log; of those without a time, a start has that of its call, others the next."""
    later, time = [], 0
    for entry in reversed(deed.log.entries):
        time = entry.t if isinstance(entry, Call | Ret) else time
        later.append(time)
    found, time = [], 0
    for entry, after in zip(deed.log.entries, reversed(later), strict=True):
        time = entry.t if isinstance(entry, Call | Ret) else time
        found.append((time if isinstance(entry, Start) else after or time, deed.log.rank, entry))
    return found


class Order:
    """The clocks of all ranks, moved on by `enter`, `done` and `leave` in the order of `events`."""

    def __init__(self, ranks: Sequence[Deeds], comms: Mapping[int, Comm]) -> None:
        """Begin; the messages of `ranks` have been matched."""
        self.comms = comms
        self.now = [[0] * len(ranks) for _ in ranks]
        self.held: dict[tuple[int, int, int], int] = {}  # rank, window, target: its lock
        self.posts: dict[tuple[int, int, int], list[Clock]] = defaultdict(list)  # window, who, for whom
        self.starts: Counter[tuple[int, int, int]] = Counter()  # window, who, at whom
        self._completes: dict[tuple[int, int, int], list[Clock]] = defaultdict(list)  # window, who, at whom
        self._groups: dict[tuple[int, int, str], list[int]] = {}
        self._locks: dict[tuple[int, int, int], list[int]] = {}  # window, target, sort of lock
        self._flags: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(dict)  # window, target: by place
        self._entered: dict[tuple[int, int, int], dict[int, Clock]] = defaultdict(dict)  # communicator, number, round
        self._given: dict[tuple[int, int], Clock] = {}
        self._taken: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        self._requests: dict[tuple[int, int], Call] = {}  # of collectives
        self._rounds: Counter[tuple[int, int]] = Counter()  # of persistent ones
        self._over: dict[int, list[tuple[Call, int]]] = defaultdict(list)  # collectives that the open call completed
        for one in (one for deed in ranks for one in deed.transfers):
            partner = one.partner
            if partner and one.completed and (not one.sends or base(one.call) in _SYNCHRONOUS):
                # what a partitioned send gives away when, its start doesn't tell: number 0
                number = 0 if partner.partitioned else partner.number
                self._taken[one.rank, one.completed].append((partner.rank, number))
        self._givers = {key for keys in self._taken.values() for key in keys}

    def clock(self, rank: int) -> Clock:
        """Return the clock of a rank."""
        return tuple(self.now[rank])

    def take(self, rank: int, clock: Sequence[int]) -> None:
        """Make all that `clock` has seen come before what `rank` does from now on."""
        own = self.now[rank]
        for one, number in enumerate(clock):
            own[one] = max(own[one], number)

    def members(self, comm: int) -> Sequence[int]:
        """Return the world ranks of a communicator or window."""
        return self.comms[comm].ranks if comm in self.comms else ()

    def target(self, call: Call) -> int:
        """Return the world rank that a call on a window names; -1 none."""
        members = self.members(call.comm)
        return members[call.dest] if call.dest is not None and 0 <= call.dest < len(members) else -1

    # ------------------------------------------------------------------------------------------------------- the calls
    def enter(self, rank: int, call: Call) -> None:
        """`rank` begins a call."""
        self.now[rank][rank] = call.n
        if (rank, call.n) in self._givers:
            self._given[rank, call.n] = self.clock(rank)
        if call.seq:
            self._entered[call.comm, call.seq, 0][rank] = self.clock(rank)
        elif call.comm >= WINDOWS:
            self._enter_epoch(rank, call, base(call.call))

    def _enter_epoch(self, rank: int, call: Call, name: str) -> None:
        win, members = call.comm, self.members(call.comm)
        if name in ("Win_start", "Win_post"):
            group = [members[one] for one in call.group if 0 <= one < len(members)]
            self._groups[rank, win, name] = group
            for one in group:
                if name == "Win_post":
                    self.posts[win, rank, one].append(self.clock(rank))
                else:
                    self.starts[win, rank, one] += 1
        elif name == "Win_complete":
            for one in self._groups.get((rank, win, "Win_start"), ()):
                self._completes[win, rank, one].append(self.clock(rank))
        for target in self._locked(call, name):
            if _LOCKS[name]:
                how = self.held.pop((rank, win, target), SHARED)
                lock = self._locks.setdefault((win, target, how), [0] * len(self.now))
                lock[:] = map(max, lock, self.now[rank])
            else:
                self.held[rank, win, target] = call.lock or SHARED

    def _locked(self, call: Call, name: str) -> Sequence[int]:
        """Return the ranks that a call locks or unlocks."""
        if name not in _LOCKS:
            return ()
        target = self.target(call)
        return self.members(call.comm) if name.endswith("_all") else [target] if target >= 0 else []

    def start(self, rank: int, entry: Start) -> None:
        """`rank` starts a persistent request."""
        call = self._requests.get((rank, entry.req))
        if call:
            self._rounds[rank, entry.req] += 1
            self._entered[call.comm, call.seq, self._rounds[rank, entry.req]][rank] = self.clock(rank)

    def done(self, rank: int, entry: Done) -> None:
        """`rank` completes a request."""
        call = self._requests.get((rank, entry.req))
        if call:
            self._over[rank].append((call, self._rounds[rank, entry.req]))

    def leave(self, rank: int, call: Call, ret: Ret) -> None:
        """`rank` returns from a call."""
        for sender, number in self._taken.get((rank, call.n), ()):
            self.take(rank, self._given.get((sender, number), ()) if number else self.now[sender])
        if ret.req and call.seq:
            self._requests[rank, ret.req] = call
        elif call.seq:
            self._over[rank].append((call, 0))
        elif call.comm >= WINDOWS:
            self._leave_epoch(rank, call, base(call.call))
        for one, number in self._over.pop(rank, ()):
            self._collective(rank, one, number)

    def _collective(self, rank: int, call: Call, number: int) -> None:
        operation, entered = kind_of(call.call)[0], self._entered[call.comm, call.seq, number]
        members = self.members(call.comm)
        root = members[call.root] if call.root is not None and 0 <= call.root < len(members) else -1
        if operation in _FROM_ROOT and root >= 0:
            self.take(rank, entered.get(root, ()))
        elif operation not in _TO_ROOT or root in (-1, rank):
            for clock in entered.values():
                self.take(rank, clock)

    def _leave_epoch(self, rank: int, call: Call, name: str) -> None:
        win = call.comm
        if name == "Win_complete":
            for one in self._groups.pop((rank, win, "Win_start"), ()):
                self.take(rank, self.gate(win, one, rank, self.starts[win, rank, one]))
        elif name == "Win_wait":
            self.waited(rank, win)
        elif name in ("Win_lock", "Win_lock_all"):
            for target in self._locked(call, name):
                self.take(rank, self._locks.get((win, target, EXCLUSIVE), ()))
                if call.lock == EXCLUSIVE:
                    self.take(rank, self._locks.get((win, target, SHARED), ()))

    def waited(self, rank: int, win: int) -> None:
        """The exposure epoch of `rank` is over: all accesses in it come before what follows."""
        for one in self._groups.pop((rank, win, "Win_post"), ()):
            index, completes = len(self.posts[win, rank, one]) - 1, self._completes[win, one, rank]
            if index < len(completes):
                self.take(rank, completes[index])

    def gate(self, win: int, target: int, origin: int, number: int) -> Clock:
        """Return the clock of the `number`-th post of `target` for `origin`: no access of that epoch comes before."""
        posts = self.posts[win, target, origin]
        return posts[number - 1] if 0 < number <= len(posts) else ()

    # ------------------------------------------------------------------------------------------------ flags in windows
    def raise_flag(self, rank: int, win: int, target: int, place: int) -> None:
        """`rank` writes a small value at `place` of the target's window."""
        flag = self._flags[win, target].setdefault(place, [0] * len(self.now))
        flag[:] = map(max, flag, self.now[rank])

    def see_flags(self, rank: int, win: int, target: int, places: range) -> None:
        """`rank` has read bytes of the target's window."""
        flags = self._flags.get((win, target), {})
        for place in [places[0]] if len(places) == 1 else [one for one in flags if one in places]:
            self.take(rank, flags.get(place, ()))


def awaited(ranks: Sequence[Deeds], comms: Mapping[int, Comm]) -> dict[int, list[int]]:
    """Return for each rank that stands in a call on a window on whom that waits, as far as the logs tell."""
    posts: Counter[tuple[int, int, int]] = Counter()
    starts: Counter[tuple[int, int, int]] = Counter()
    completes: Counter[tuple[int, int, int]] = Counter()
    groups: dict[tuple[int, int, str], list[int]] = {}
    stands = {deed.log.rank: next(iter(deed.open.values()), None) for deed in ranks}
    for deed in ranks:
        me = deed.log.rank
        for call in (entry for entry in deed.log.entries if isinstance(entry, Call) and entry.comm >= WINDOWS):
            name, win = base(call.call), call.comm
            members = comms[win].ranks if win in comms else []
            if name in ("Win_start", "Win_post"):
                groups[me, win, name] = [members[one] for one in call.group if 0 <= one < len(members)]
                (starts if name == "Win_start" else posts).update((win, me, one) for one in groups[me, win, name])
            elif name == "Win_complete" and call is not stands[me]:
                completes.update((win, me, one) for one in groups.get((me, win, "Win_start"), ()))
    found: dict[int, list[int]] = {}
    for me, stand in stands.items():
        name, win = (base(stand.call), stand.comm) if stand else ("", 0)
        if name in ("Win_start", "Win_complete"):
            group = groups.get((me, win, "Win_start"), [])
            found[me] = [one for one in group if posts[win, one, me] < starts[win, me, one]]
        elif name == "Win_wait":
            group = groups.get((me, win, "Win_post"), [])
            found[me] = [one for one in group if completes[win, one, me] < posts[win, me, one]]
    return found
