"""Where every rank stands at one moment: the call it is in, what it waits for, what it has posted.

Theory of operation.  Whoever watches the ranks (or reads their logs after the end) fills in these types; deadlock.py
draws the conclusion.  All ranks are world ranks.  Sends and receives are compared by rank, peer, tag and communicator,
in the order of posting, and those that match are taken away: what is left are the message queues.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mpilab.diagnosis.collectives import kind_of
from mpilab.diagnosis.log import ANY, WINDOWS, WORLD, Call, RankLog
from mpilab.diagnosis.messages import comm_name
from mpilab.diagnosis.operations import Deeds, Transfer, base
from mpilab.diagnosis.order import BLOCKING_ON_WINDOW, awaited

State = Literal["running", "mpi", "finalizing", "finalized", "exited", "done"]


@dataclass(frozen=True)
class Wait:
    """An operation that is not complete: what it is, with whom, and the call and place that posted it.

    `seq` is the number of a collective call on its communicator, and for messages the order of posting on the rank.
    `members` are the ranks of the communicator (empty: all), needed for collectives and receives from any rank.
    """

    kind: Literal["send", "recv", "collective", "partitioned", "finalize", "window"]
    peer: int = ANY
    tag: int = ANY
    comm: int = WORLD
    bytes: int = 0
    call: str = ""
    where: str = ""
    seq: int = 0
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class RankState:
    """One rank: its state (running: outside MPI), the call it is in, and where.

    It waits for all of `waits`, or with `any_of` for one of them; `posted` are its other incomplete operations.
    `entered` says how many collective calls it has entered, by communicator.
    """

    rank: int
    state: State
    call: str = ""
    where: str = ""
    waits: tuple[Wait, ...] = ()
    any_of: bool = False
    posted: tuple[Wait, ...] = ()
    entered: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """All ranks, in order of rank, and the names of communicators by id."""

    ranks: tuple[RankState, ...]
    comms: Mapping[int, str] = field(default_factory=dict)

    def comm(self, number: int) -> str:
        """Return the name of a communicator."""
        return self.comms.get(number) or comm_name(number, {})


@dataclass(slots=True, eq=False)
class Op:
    """An operation in the snapshot: of which rank, whether that waits for it, whether its partner is there too."""

    rank: int
    wait: Wait
    waited: bool
    matched: bool = False

    def transfer(self) -> Transfer:
        """Return this end of a message in the terms of the logs."""
        wait = self.wait
        return Transfer(
            rank=self.rank,
            sends=wait.kind == "send",
            call=wait.call,
            where=wait.where,
            comm=wait.comm,
            peer=wait.peer,
            tag=wait.tag,
            number=wait.seq,
            partitioned=wait.kind == "partitioned",
        )


def operations(snapshot: Snapshot) -> list[Op]:
    """Return all operations of all ranks; those whose partner is there too are marked as matched."""
    ops = [
        Op(state.rank, wait, waited)
        for state in snapshot.ranks
        for waited, some in ((True, state.waits or _implied(state)), (False, state.posted))
        for wait in some
    ]
    sends: dict[tuple[int, int], list[Op]] = defaultdict(list)  # by communicator and receiver, in the order of posting
    for one in sorted((one for one in ops if one.wait.kind == "send"), key=lambda one: one.wait.seq):
        sends[one.wait.comm, one.wait.peer].append(one)
    receives = sorted(  # those from any rank take what is left: in doubt all may go on
        (one for one in ops if one.wait.kind == "recv"), key=lambda one: (one.wait.peer == ANY, one.wait.seq)
    )
    for one in receives:
        queue = sends[one.wait.comm, one.rank]
        for send in queue:
            if one.wait.peer in (ANY, send.rank) and one.wait.tag in (ANY, send.wait.tag):
                one.matched = True
                if base(one.wait.call) not in ("Probe", "Mprobe"):  # those look, and leave it where it is
                    send.matched = True
                    queue.remove(send)
                break
    partitioned = {(one.rank, one.wait.peer) for one in ops if one.wait.kind == "partitioned"}
    for one in ops:
        if one.wait.kind == "partitioned":
            one.matched = (one.wait.peer, one.rank) in partitioned
    return ops


def _implied(state: RankState) -> tuple[Wait, ...]:
    return (Wait("finalize", call=state.call or "MPI_Finalize"),) if state.state == "finalizing" else ()


def queues(snapshot: Snapshot, rows: int = 20) -> str:
    """Return the unmatched sends and receives as two small tables, at most `rows` lines each; "" for none."""
    lines: list[str] = []
    left = [one for one in operations(snapshot) if not one.matched]
    for kind, title, heads in (
        ("send", "sent and not received", ("from", "to")),
        ("recv", "waited for and not sent", ("at", "from")),
    ):
        ours = [one for one in left if one.wait.kind == kind]
        if not ours:
            continue
        lines += [f"{title}: {len(ours):,}", f"  {heads[0]:>5} {heads[1]:>5} {'tag':>6} {'bytes':>12}  call"]
        for one in ours[:rows]:
            wait = one.wait
            peer, tag = ("any" if value == ANY else str(value) for value in (wait.peer, wait.tag))
            comm = "" if wait.comm == WORLD else snapshot.comm(wait.comm)
            place = " ".join(filter(None, (wait.call, wait.where, comm)))
            lines.append(f"  {one.rank:>5} {peer:>5} {tag:>6} {wait.bytes:>12,}  {place}")
        if len(ours) > rows:
            lines.append(f"  and {len(ours) - rows:,} more")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------------ from the logs
def from_deeds(ranks: list[Deeds]) -> Snapshot:
    """Return where the ranks stood when their logs stopped; transfers must have been matched (messages.match)."""
    comms = {comm: known.name for deed in ranks for comm, known in deed.log.comms.items() if known.name}
    known = {comm: one for deed in ranks for comm, one in deed.log.comms.items()}
    windows = awaited(ranks, known)
    return Snapshot(tuple(_state(deed, windows.get(deed.log.rank, [ANY])) for deed in ranks), comms)


def _state(deed: Deeds, awaited_in_window: Sequence[int]) -> RankState:
    log = deed.log
    entered: dict[int, int] = {}
    for one in deed.collectives:
        entered[one.call.comm] = max(entered.get(one.call.comm, 0), one.call.seq)
    call = next(iter(deed.open.values()), None)
    if log.end or call is None or deed.threaded:  # of threads the log doesn't tell which of them compute
        ends: dict[str, State] = {"": "running", "finalized": "finalizing", "returned": "done"}
        state = ends.get(log.end, "exited")
        return RankState(log.rank, state, posted=_posted(deed, ()), entered=entered)
    name, where = base(call.call), deed.where(call)
    requests = [deed.active[key] for key in (*call.reqs, call.req) if key in deed.active]
    own = [one for one in deed.transfers if one.number == call.n and not one.done]
    for request in requests:
        own += request.transfers
    waits = [_wait(one, log) for one in own if one.partner is None or not one.partner.done]
    waits += [_collective(request.call, deed) for request in requests if request.call.seq]
    if call.seq and kind_of(call.call)[1] == "blocking":
        waits.append(_collective(call, deed))
    if call.comm >= WINDOWS and name in BLOCKING_ON_WINDOW:
        members = _members(log, call.comm)
        waits += [Wait("window", one, 0, call.comm, 0, call.call, where, call.n, members) for one in awaited_in_window]
    if name in ("Probe", "Mprobe"):
        waits += _probe(call, deed)
    if name == "Finalize":
        waits.append(Wait("finalize", call=call.call, where=where))
    any_of = name in ("Waitany", "Waitsome")
    if any_of and len(waits) < len(own):
        waits = []  # one of them has its message already
    state = "running" if name.startswith(("Test", "Iprobe", "Improbe")) else "mpi"
    return RankState(
        rank=log.rank,
        state="finalizing" if name == "Finalize" else state,
        call=call.call,
        where=where,
        waits=tuple(waits),
        any_of=any_of,
        posted=_posted(deed, own),
        entered=entered,
    )


def _posted(deed: Deeds, waited: Iterable[Transfer]) -> tuple[Wait, ...]:
    """Return what is under way besides `waited`: no receive that is done, no send whose message has come."""
    skip = {id(one) for one in waited}
    return tuple(
        _wait(one, deed.log)
        for one in deed.transfers
        if (one.sends or not one.done) and (one.partner is None or not one.partner.done) and id(one) not in skip
    )


def _wait(one: Transfer, log: RankLog) -> Wait:
    return Wait(
        kind="partitioned" if one.partitioned else "send" if one.sends else "recv",
        peer=one.peer,
        tag=one.tag,
        comm=one.comm,
        bytes=one.bytes,
        call=one.call,
        where=one.where,
        seq=one.number,
        members=_members(log, one.comm),
    )


def _collective(call: Call, deed: Deeds) -> Wait:
    members = _members(deed.log, call.comm)
    return Wait("collective", comm=call.comm, call=call.call, where=deed.where(call), seq=call.seq, members=members)


def _probe(call: Call, deed: Deeds) -> Iterator[Wait]:
    members = _members(deed.log, call.comm)
    if call.source is not None and call.source < len(members) and call.source >= ANY:
        peer = ANY if call.source == ANY else members[call.source]
        yield Wait("recv", peer, call.tag, call.comm, 0, call.call, deed.where(call), call.n, members)


def _members(log: RankLog, comm: int) -> tuple[int, ...]:
    known = log.comms.get(comm)
    return tuple(known.ranks) if known and not known.inter else ()
