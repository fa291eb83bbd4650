"""Which message went to which receive: the matching of MPI replayed, and what does not fit.

Theory of operation.  Receives of a rank on a communicator are taken in the order in which they were posted; each takes
the earliest message not yet taken from its source with its tag, which is MPI's non-overtaking rule.  A receive from any
source that completed says where its message came from; one that didn't takes what is left over at the end.  Matched
pairs are compared (type, size); what remains are the message queues.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mpilab.diagnosis.findings import Finding, finding, ranks_text
from mpilab.diagnosis.log import ANY, WINDOWS, Comm, Signature
from mpilab.diagnosis.operations import Deeds, Transfer

PACKED = "MPI_PACKED"
MANY = 500  # unmatched messages say enough


@dataclass(frozen=True)
class Matching:
    """Pairs (send, receive) in the order of the receives, and both message queues."""

    pairs: list[tuple[Transfer, Transfer]]
    sends: list[Transfer]
    receives: list[Transfer]


def match(ranks: Iterable[Deeds]) -> Matching:
    """Match the messages of all ranks; sets each transfer's partner."""
    sends: dict[tuple[int, int, int, bool], list[Transfer]] = defaultdict(list)  # by comm, from, to, partitioned
    receives: list[Transfer] = []
    for one in (one for deed in ranks for one in deed.transfers):
        if one.sends:
            sends[one.comm, one.rank, one.peer, one.partitioned].append(one)
        else:
            receives.append(one)
    receives.sort(key=lambda one: (one.rank, one.peer == ANY, one.number))
    senders: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for comm, source, dest, partitioned in sends:
        senders[comm, dest, partitioned].append(source)
    pairs = []
    queues = {key: _Queue(some) for key, some in sends.items()}
    for receive in receives:
        key = receive.comm, receive.rank, receive.partitioned
        for source in [receive.peer] if receive.peer != ANY else senders[key]:
            queue = queues.get((receive.comm, source, receive.rank, receive.partitioned))
            send = queue.take(receive.tag) if queue else None
            if send:
                send.partner, receive.partner = receive, send
                pairs.append((send, receive))
                break
    left = [one for some in sends.values() for one in some if one.partner is None]
    return Matching(pairs, left, [one for one in receives if one.partner is None and not one.done])


class _Queue:
    """The messages of one rank to another on one communicator, taken in order: per tag, or the first of all."""

    def __init__(self, sends: list[Transfer]) -> None:
        self.all = sorted(sends, key=lambda one: one.number)
        self.first = 0
        self.by_tag: dict[int, list[Transfer]] = defaultdict(list)
        for one in reversed(self.all):
            self.by_tag[one.tag].append(one)

    def take(self, tag: int) -> Transfer | None:
        if tag != ANY:
            queue = self.by_tag.get(tag)
            return queue.pop() if queue else None
        while self.first < len(self.all):
            one = self.all[self.first]
            queue = self.by_tag[one.tag]
            if queue and queue[-1] is one:
                return queue.pop()
            self.first += 1
        return None


# --------------------------------------------------------------------------------------------------- types and sizes
def fits(sent: Signature, room: Signature) -> bool:
    """Whether a message of signature `sent` may be received as `room`, as far as the two show it; sizes apart."""
    if PACKED in (sent.basic, room.basic) or sent.elements == 0:
        return True
    if sent.elements == room.elements:
        return sent.hash == room.hash
    if sent.elements > room.elements:  # more elements in no more bytes: other types; in more bytes: a truncation
        return sent.bytes > room.bytes and (sent.basic == room.basic or "-" in (sent.basic, room.basic))
    return room.basic in ("-", sent.basic)  # a shorter message: its types must begin the receive's


def described(sig: Signature) -> str:
    """Return "4 MPI_INT", or "6 elements of mixed types", or "nothing"."""
    if sig.elements == 0:
        return "nothing"
    return f"{sig.elements:,} {sig.basic}" if sig.basic != "-" else f"{sig.elements:,} elements of mixed types"


def at(where: str) -> str:
    """Return " (kernel.c:41)", or nothing for a place that is not known."""
    return f" ({where})" if where else ""


def compare(pairs: Iterable[tuple[Transfer, Transfer]]) -> Iterator[Finding]:
    """Yield a finding for each message that does not fit its receive in size or in type."""
    for send, receive in pairs:
        if send.sig is None or receive.sig is None or send.partitioned:
            continue
        if send.sig.bytes > receive.sig.bytes:
            kind = "" if fits(send.sig, receive.sig) else f"; the types differ too: {_types(send.sig, receive.sig)}"
            text = (
                f"rank {send.rank} sends {send.sig.bytes:,} bytes in {send.call}{at(send.where)}; rank {receive.rank}"
                f" has room for {receive.sig.bytes:,} bytes in {receive.call}{at(receive.where)}{kind}"
            )
            yield finding("truncation", receive.rank, receive.call, receive.where, text)
        elif not fits(send.sig, receive.sig):
            text = (
                f"rank {send.rank} sends {described(send.sig)} in {send.call}{at(send.where)}; rank {receive.rank}"
                f" receives them as {described(receive.sig)} in {receive.call}{at(receive.where)}"
            )
            yield finding("count-or-type-mismatch", receive.rank, receive.call, receive.where, text, rule="message")


def _types(sent: Signature, room: Signature) -> str:
    return f"{described(sent)} and {described(room)}"


# -------------------------------------------------------------------------------------------------- the message queues
def near(one: Transfer, others: Iterable[Transfer], comm_name: Callable[[int], str]) -> tuple[Transfer, str] | None:
    """Return the unmatched operation of the other direction that `one` was probably meant for, and how they differ.

    The same two ranks but another tag or communicator; else the same tag and one wrong rank.
    """
    best: tuple[int, Transfer, str] | None = None
    for other in others:
        same_ranks = other.rank == one.peer and other.peer in (one.rank, ANY)
        same_tag = other.tag == one.tag or ANY in (other.tag, one.tag)
        if other.partitioned != one.partitioned:
            score, how = (1, "one is partitioned, and only partitioned meets partitioned") if same_ranks else (9, "")
        elif same_ranks and other.comm == one.comm:
            score, how = 0, f"its tag is {other.tag}, not {one.tag}"
        elif same_ranks and same_tag:
            score, how = 1, f"it is on {comm_name(other.comm)}, not on {comm_name(one.comm)}"
        elif same_tag and other.comm == one.comm and (other.rank == one.peer) != (other.peer == one.rank):
            wrong = f"it is by rank {other.rank}" if other.peer == one.rank else f"it names {_peer(other)}"
            score, how = 2, wrong
        else:
            continue
        if how and (best is None or score < best[0]):
            best = score, other, how
    return (best[1], best[2]) if best else None


def unmatched(matching: Matching, comms: Mapping[int, Comm]) -> Iterator[Finding]:
    """Yield a finding for each message that nobody received and each receive that got none, near misses as one."""

    def name(comm: int) -> str:
        return comm_name(comm, comms)

    sends, receives = matching.sends[:MANY], matching.receives[:MANY]
    explained: set[int] = set()
    for one, others in [*((send, receives) for send in sends), *((receive, sends) for receive in receives)]:
        if id(one) in explained:
            continue
        explained.add(id(one))
        close = near(one, (other for other in others if id(other) not in explained), name)
        text = told(one)
        if close:
            other, how = close
            explained.add(id(other))
            text += f"; rank {other.rank}'s {other.call}{at(other.where)} does not match it: {how}"
        yield finding("unmatched-message", one.rank, one.call, one.where, text)


def told(one: Transfer) -> str:
    """Return an unmatched operation in words."""
    tag, place = "any tag" if one.tag == ANY else f"tag {one.tag}", f"{one.call}{at(one.where)}"
    if one.sends:
        size = f"{one.bytes:,} bytes with {tag}"
        return f"rank {one.rank} sends {size} to rank {one.peer} in {place}, and nobody receives them"
    return f"rank {one.rank} waits for a message with {tag} from {_peer(one)} in {place}, and none is sent"


def _peer(one: Transfer) -> str:
    return "any rank" if one.peer == ANY else f"rank {one.peer}"


def comm_name(comm: int, comms: Mapping[int, Comm]) -> str:
    """Return MPI_COMM_WORLD, a communicator's own name, or who is in it."""
    if comm >= WINDOWS:
        return "a window"
    known = comms.get(comm)
    if known and known.name:
        return known.name
    return "MPI_COMM_WORLD" if comm == 1 else named_by(known.ranks) if known else f"communicator {comm}"


def named_by(ranks: Iterable[int]) -> str:
    """Return a name for a communicator that has none: by its members."""
    return f"the communicator of {ranks_text(ranks)}"
