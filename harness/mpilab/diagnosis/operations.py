"""What a rank did, from its log: messages posted, collective calls made, requests still active, errors returned.

Theory of operation.  One pass over the entries of a log.  A call that sends or receives posts a `Transfer` (a Sendrecv
two); a persistent one does so at each start.  Completions fill in which message a receive got and take the request out
of the active ones, so what is left at the end was never completed.  A matched probe posts the receive, because it is
the probe that chooses the message.  Ranks become world ranks here; messages on communicators that cannot be translated
(intercommunicators) are left out rather than guessed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from mpilab.diagnosis.log import (
    ANY,
    PROC_NULL,
    Call,
    Done,
    Entry,
    Free,
    Lost,
    RankLog,
    Reported,
    Ret,
    Signature,
    Start,
    place,
    signature,
)  # fmt: skip

_BOTH = {"Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"}
STANDARD = {"Send", "Isend", "Send_init"} | _BOTH  # sends whose mode the library chooses
_SENDS = _BOTH | {
    *("Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend"),
    *("Send_init", "Bsend_init", "Ssend_init", "Rsend_init", "Psend_init"),
}
_RECEIVES = _BOTH | {"Recv", "Irecv", "Recv_init", "Precv_init"}
_MATCHED_RECEIVES = {"Mrecv", "Imrecv"}
TRUNCATE, IN_STATUS, PENDING = 14, 17, 18  # error classes of MPICH


def base(call: str) -> str:
    """Return "Send" for MPI_Send and MPI_Send_c."""
    return call.removeprefix("MPI_").removesuffix("_c")


@dataclass(slots=True, kw_only=True)
class Transfer:
    """One end of a message: posted by `rank`, to or from `peer` (world ranks); `number` is that of the call."""

    rank: int
    sends: bool
    call: str
    where: str
    comm: int
    peer: int
    tag: int
    number: int  # of the call that posted or started it: the order of posting on its rank
    sig: Signature | None = None
    partitioned: bool = False
    done: bool = False
    completed: int = 0  # by which call
    void: bool = False  # cancelled, or refused by MPI: there was no message
    partner: "Transfer | None" = None

    @property
    def bytes(self) -> int:
        """The size of the message, or of the room for it."""
        return self.sig.bytes if self.sig else 0


@dataclass(slots=True)
class Request:
    """A request: the call that made it, its messages, whether it is active."""

    call: Call
    persistent: bool
    active: bool
    transfers: list[Transfer]
    started: Call | None = None
    cancelled: bool = False


@dataclass(slots=True)
class Collective:
    """The `call.seq`-th collective call of `rank` on a communicator; entered and left: positions in its log."""

    rank: int
    call: Call
    where: str
    entered: int
    left: int = -1


@dataclass(slots=True)
class Deeds:
    """All that a rank did.  `open`: calls that have not returned; `active`: requests; `errors`: calls that failed."""

    log: RankLog
    table: Mapping[str, str]  # which line each place of the log is
    transfers: list[Transfer] = field(default_factory=list)
    collectives: list[Collective] = field(default_factory=list)
    active: dict[int, Request] = field(default_factory=dict)
    errors: list[tuple[Call, int, str]] = field(default_factory=list)
    open: dict[int, Call] = field(default_factory=dict)
    reported: list[tuple[Call | None, Reported]] = field(default_factory=list)
    threaded: bool = False  # calls were made while others were under way
    overwritten: dict[int, Call] = field(default_factory=dict)  # by request: the call that overwrote its handle

    def where(self, call: Call) -> str:
        """Return the line of a call; "" unknown."""
        return self.place(call.at)

    def place(self, at: str) -> str:
        """Return the line of a place of the log; "" unknown."""
        return place(at, self.table)


def deeds(log: RankLog, table: Mapping[str, str]) -> Deeds:
    """Return what the rank of `log` did; `table` says which line each place of the log is."""
    return _Replay(log, table).run()


class _Replay:
    def __init__(self, log: RankLog, table: Mapping[str, str]) -> None:
        self.log, self.out = log, Deeds(log, table)
        self.rank = log.rank
        self.requests: dict[int, Request] = {}
        self.posted: dict[int, list[Transfer]] = {}  # by call, until it returns
        self.inside: dict[int, Collective] = {}
        self.calls: dict[int, Call] = {}
        self.probed: list[tuple[int, Transfer]] = []  # messages chosen by a matched probe and not yet received
        self.where: dict[str, str] = {}

    def run(self) -> Deeds:
        for position, entry in enumerate(self.log.entries):
            match entry:
                case Call():
                    self._call(entry, position)
                case Ret():
                    self._ret(entry, position)
                case _:
                    self._other(entry)
        self.out.active = {key: one for key, one in self.requests.items() if one.active}
        self.out.transfers = [one for one in self.out.transfers if not one.void]
        return self.out

    def _other(self, entry: Entry) -> None:
        if isinstance(entry, Start):
            request = self.requests.get(entry.req)
            if request:
                self._start(request, self.calls.get(entry.n))
        elif isinstance(entry, Done):
            self._done(entry)
        elif isinstance(entry, Free):
            request = self.requests.pop(entry.req, None)
            if request and request.cancelled:
                _void(request.transfers)
        elif isinstance(entry, Lost):
            if entry.by in self.calls:
                self.out.overwritten[entry.req] = self.calls[entry.by]
        elif isinstance(entry, Reported):
            made = self.requests.get(entry.req)
            self.out.reported.append((self.calls.get(entry.n) or (made.call if made else None), entry))

    def _place(self, at: str) -> str:
        if at not in self.where:
            self.where[at] = place(at, self.out.table)
        return self.where[at]

    def _call(self, call: Call, position: int) -> None:
        name = base(call.call)
        self.out.threaded = self.out.threaded or bool(self.out.open)
        self.calls[call.n] = self.out.open[call.n] = call
        if call.seq:
            one = Collective(self.rank, call, self._place(call.at), position)
            self.inside[call.n] = one
            self.out.collectives.append(one)
        elif name in _MATCHED_RECEIVES:
            self.posted[call.n] = self._matched_receive(call)
        elif name == "Cancel":
            for key in (*call.reqs, call.req):
                if key in self.requests:
                    self.requests[key].cancelled = True
        else:
            ends = list(self._ends(call, name))
            self.posted[call.n] = ends
            if not name.endswith("_init"):
                self.out.transfers += ends

    def _ends(self, call: Call, name: str) -> Iterator[Transfer]:
        """Yield what the call posts: nothing, a send, a receive or both."""
        for sends, rank, tag, sig in (
            (True, call.dest, call.stag if name in _BOTH else call.tag, call.ssig if name in _BOTH else call.sig),
            (False, call.source, call.rtag if name in _BOTH else call.tag, call.rsig if name in _BOTH else call.sig),
        ):
            if rank is None or name not in (_SENDS if sends else _RECEIVES):
                continue
            peer = self._world(call.comm, rank)
            if peer is not None:
                one = self._transfer(call, sends=sends, peer=peer, tag=tag)
                one.sig, one.partitioned = signature(sig), name.startswith("P")
                yield one

    def _transfer(self, call: Call, *, sends: bool, peer: int, tag: int) -> Transfer:
        return Transfer(
            rank=self.rank,
            sends=sends,
            call=call.call,
            where=self._place(call.at),
            comm=call.comm,
            peer=peer,
            tag=tag,
            number=call.n,
        )

    def _world(self, comm: int, rank: int) -> int | None:
        """Return the world rank of `rank` in `comm`, or ANY; None when there is none or it cannot be known."""
        known = self.log.comms.get(comm)
        if known is None or known.inter or rank == PROC_NULL:
            return None
        if rank == ANY:
            return ANY
        return known.ranks[rank] if 0 <= rank < len(known.ranks) else None

    def _ret(self, ret: Ret, position: int) -> None:
        call = self.out.open.pop(ret.n, None)
        if call is None:
            return
        ends = self.posted.pop(ret.n, [])
        if ret.err:
            self.out.errors.append((call, ret.err, ret.text))
            if ret.err not in (TRUNCATE, IN_STATUS, PENDING):
                _void(ends)
        if ret.n in self.inside:
            self.inside.pop(ret.n).left = position
        name = base(call.call)
        if ret.req and not ret.err:
            persistent = name.endswith("_init")
            self.requests[ret.req] = Request(call, persistent, not persistent, ends)
        elif name in ("Mprobe", "Improbe"):
            self._probed(call, ret)
        elif name not in ("Start", "Startall"):
            for one in ends:
                self._complete(one, ret)

    def _probed(self, call: Call, ret: Ret) -> None:
        peer = None if ret.err or ret.source is None else self._world(call.comm, ret.source)
        if peer is not None:
            self.probed.append((ret.msg, self._transfer(call, sends=False, peer=peer, tag=ret.tag)))

    def _matched_receive(self, call: Call) -> list[Transfer]:
        """Post the receive of a probed message, in the order of its probe: that of this name, else the last one."""
        named = [one for one in self.probed if one[0] == call.msg] or self.probed
        if not named:
            return []
        self.probed.remove(named[-1])
        one = named[-1][1]
        one.call, one.where, one.sig = call.call, self._place(call.at), signature(call.sig)
        self.out.transfers.append(one)
        return [one]

    def _start(self, request: Request, call: Call | None) -> None:
        first = request.started is None
        request.active, request.started = True, call or request.call
        if request.transfers and request.transfers[0].partitioned:  # matched once, in the order of the init calls
            if first:
                self.out.transfers += request.transfers
            return
        number = request.started.n
        request.transfers = [
            replace(one, number=number, done=False, completed=0, void=False) for one in request.transfers
        ]
        self.out.transfers += request.transfers

    def _done(self, done: Done) -> None:
        request = self.requests.get(done.req)
        if request is None:
            return
        for one in request.transfers:
            if done.cancelled:
                one.void = True
            self._complete(one, done)
        request.active = False
        if not request.persistent:
            del self.requests[done.req]

    def _complete(self, one: Transfer, status: Ret | Done) -> None:
        one.done, one.completed = True, status.n
        if not one.sends and status.source is not None and not one.partitioned:
            peer = self._world(one.comm, status.source)
            if peer is not None and peer != ANY:
                one.peer, one.tag = peer, status.tag


def _void(ends: list[Transfer]) -> None:
    for one in ends:
        one.void = True
