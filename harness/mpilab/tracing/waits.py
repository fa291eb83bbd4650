"""What each call waited for.

Theory of operation.  A call that blocks is there from its start to its end; what it waited for is read off what the
other ranks did meanwhile.  Four reasons, each a stretch from the start of the call on:

- late sender: until the send of the message it receives began;
- late receiver: until the receive of the message it sends was posted, if the call lasted that long (else the message
  went eagerly, and nobody waited);
- at a collective: until the last rank that it needs had come: all of them, or the root of a Bcast or Scatter;
- unattended: both sides had been posted, but the partner was computing, and the message moved only when it came back
  into MPI (the partner's time outside MPI, up to the call of it during which the wait ended).

The first three begin together, so the longest is taken; the last counts from there.  So no second is counted twice.
What is left of a call's duration is the transfer itself, and the library.  Calls that test don't wait.
"""

from dataclasses import dataclass

import numpy as np

from mpilab.tracing import intervals, matching
from mpilab.tracing.recording import COLLECTIVE_GROUPS, NO_EVENT, RECEIVES, SENDS, WAITS, Flags, Floats, Ints, Recording

FROM_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
TO_ROOT = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
REASONS = ("late sender", "late receiver", "at a collective", "unattended")


@dataclass(frozen=True, eq=False)
class Waiting:
    """For each event, the seconds it waited for each of REASONS; and what its time was spent on."""

    seconds: dict[str, Floats]  # by reason
    sender_waited: Floats  # seconds of late sender in which the sender was in MPI itself
    collective: Flags  # the call is a collective, or completed only requests of collectives
    p2p: Flags  # the same for point-to-point; a call that is neither is something else


def waiting(trace: Recording) -> Waiting:
    """Find out what each event of the trace waited for."""
    start, end = trace.events["start"], trace.events["end"]
    made = _request_groups(trace)
    collective, p2p = _sides(trace, made)
    blocking = trace.is_call(SENDS | RECEIVES | WAITS) | trace.is_group(frozenset({"collective"}))
    limit = np.where(blocking, end, start)  # what doesn't block can't reach beyond its start
    reach = {
        "late sender": _late_sender(trace, limit),
        "late receiver": _late_receiver(trace, limit),
        "at a collective": _at_collective(trace, limit, made),
    }
    furthest = np.maximum.reduce([start, *reach.values()])
    seconds, taken = {}, np.zeros(len(start), bool)
    for reason, until in reach.items():
        mine = ~taken & (until == furthest) & (until > start)
        seconds[reason] = np.where(mine, until - start, 0.0)
        taken |= mine
    seconds["unattended"] = np.maximum(0.0, np.minimum(_unattended(trace, furthest, limit), limit - furthest))
    return Waiting(seconds, _sender_waited(trace, seconds["late sender"]), collective, p2p)


def _request_groups(trace: Recording) -> Flags:
    """For each request, whether a collective made it."""
    of_call = np.array([group in COLLECTIVE_GROUPS for group in trace.groups] + [False], bool)
    found: Flags = np.take(of_call, np.minimum(trace.requests["call"], len(trace.calls)))
    return found


def _sides(trace: Recording, made: Flags) -> tuple[Flags, Flags]:
    """Which events are about collectives, and which about point-to-point."""
    counts = np.zeros((2, len(trace.events)), np.int64)
    for column in ("event", "done"):
        there = trace.requests[column] != NO_EVENT
        np.add.at(counts, (made[there].astype(int), trace.requests[column][there]), 1)
    of_group = trace.is_group(COLLECTIVE_GROUPS)
    only = (counts[1] > 0) & (counts[0] == 0) & trace.is_group(frozenset({"request", "persistent"}))
    collective = of_group | only
    p2p = trace.is_group(frozenset({"p2p", "nonblocking", "persistent", "partitioned", "request"}))
    return collective, p2p & ~collective


def _furthest(count: int, event: Ints, until: Floats) -> Floats:
    """For each event the latest of its `until`, -inf for none."""
    result = np.full(count, -np.inf)
    np.maximum.at(result, event, until)
    return result


def _late_sender(trace: Recording, limit: Floats) -> Floats:
    send, recv = trace.messages["send"], trace.messages["recv"]
    return _furthest(len(limit), recv, np.minimum(trace.events["start"][send], limit[recv]))


def _late_receiver(trace: Recording, limit: Floats) -> Floats:
    known = trace.messages[(trace.messages["post"] != NO_EVENT) & (trace.messages["done"] != NO_EVENT)]
    done, posted = known["done"], trace.events["start"][known["post"]]
    return _furthest(len(limit), done, np.where(posted <= limit[done], posted, -np.inf))


def _at_collective(trace: Recording, limit: Floats, made: Flags) -> Floats:
    """Until the last one needed came."""
    events, count = trace.events, len(limit)
    blocking = np.flatnonzero(trace.is_group(frozenset({"collective"})))
    posts = trace.requests[made & (trace.requests["done"] != NO_EVENT)]
    came = np.concatenate((blocking, posts["event"])).astype(np.int64)
    waits = np.concatenate((blocking, posts["done"])).astype(np.int64)
    call = np.concatenate((events["call"][blocking], posts["call"])).astype(np.int64)
    order = np.lexsort((came, events["rank"][came]))
    came, waits, call = came[order], waits[order], call[order]
    rank, comm = events["rank"][came].astype(np.int64), events["comm"][came].astype(np.int64)
    names = np.array([name.replace("_I", "_").removesuffix("_init").lower() for name in trace.calls])
    skipped = np.char.find(names, "neighbor") >= 0  # these wait for neighbours only, and a trace doesn't know those
    keep = ~skipped[call] & (comm > 0)
    came, waits, call, rank, comm = (a[keep] for a in (came, waits, call, rank, comm))
    if not len(came):
        return np.full(count, -np.inf)
    number = np.unique(comm, return_inverse=True)[1]
    from_end = np.bincount(number, np.array(trace.dropped)[rank] > 0)[number] > 0
    turn = matching.nth_of_group([comm, call, rank], from_end)
    instance = np.unique(np.stack((comm, call, turn), axis=1), axis=0, return_inverse=True)[1].ravel()
    last = _furthest(int(instance.max()) + 1, instance, events["start"][came])[instance]
    is_root = events["peer"][came] == rank
    root_came = _furthest(int(instance.max()) + 1, instance, np.where(is_root, events["start"][came], -np.inf))[
        instance
    ]
    bare = np.array([name.lower() for name in FROM_ROOT]), np.array([name.lower() for name in TO_ROOT])
    from_root, to_root = (np.isin(names, some)[call] for some in bare)
    until = np.where(from_root, np.where(is_root, -np.inf, root_came), last)
    until = np.where(to_root & ~is_root, -np.inf, until)
    return _furthest(count, waits, np.minimum(until, limit[waits]))


def _unattended(trace: Recording, since: Floats, limit: Floats) -> Floats:
    """Seconds in which the partner of a message that both had posted was outside MPI, until it came back and let go."""
    events, result = trace.events, np.zeros(len(limit))
    known = trace.messages[trace.messages["post"] != NO_EVENT]
    for waits, partner in (("recv", "send"), ("done", "recv")):
        rows = known[known[waits] != NO_EVENT]
        event, rank = rows[waits], events["rank"][rows[partner]]
        both = np.maximum(events["start"][rows["send"]], events["start"][rows["post"]])
        np.maximum.at(result, event, _outside(trace, rank, np.maximum(both, since[event]), limit[event]))
    return result


def _outside(trace: Recording, rank: Ints, since: Floats, until: Floats) -> Floats:
    """How long each rank was outside MPI between `since` and the last time before `until` at which it entered MPI."""
    result = np.zeros(len(rank))
    for r in np.unique(rank):
        own, mine = trace.events[trace.events["rank"] == r], rank == r
        pieces = intervals.merge(own["start"], own["end"])
        last = np.searchsorted(pieces[0], until[mine], side="right") - 1
        came = np.where(last >= 0, pieces[0][last], -np.inf)
        came = np.maximum(came, since[mine])
        inside = intervals.held(pieces, came) - intervals.held(pieces, since[mine])
        result[mine] = came - since[mine] - inside
    return result


def _sender_waited(trace: Recording, late: Floats) -> Floats:
    """For each event, for how much of its lateness the sender was itself in MPI: a chain."""
    events, result = trace.events, np.zeros(len(late))
    rows = trace.messages[late[trace.messages["recv"]] > 0]
    start, rank = events["start"][rows["recv"]], events["rank"][rows["send"]]
    until = start + late[rows["recv"]]
    for r in np.unique(rank):
        own, mine = events[events["rank"] == r], rank == r
        pieces = intervals.merge(own["start"], own["end"])
        inside = intervals.held(pieces, until[mine]) - intervals.held(pieces, start[mine])
        np.maximum.at(result, rows["recv"][mine], inside)
    return np.minimum(result, late)
