"""Which events, requests and messages the rows of the rings stand for.

Theory of operation.  A row is a call or follows the call it tells about.  Rows that post or start a request are told
from those that complete it, and paired (matching.py).  Each request has an operation: the row of the call that made it,
which for a persistent request is an earlier one.  A send is a row with its operation; a receive is the row that knows
what came: of a blocking call itself, else the completion, whose status names source, tag and size even for wildcards.
Receives keep the order in which they were posted.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mpilab.tracing import matching
from mpilab.tracing.matching import Sides
from mpilab.tracing.recording import (
    EVENT,
    IRECEIVES,
    ISENDS,
    MESSAGE,
    NO_CALL,
    NO_EVENT,
    RECEIVE_INITS,
    RECEIVES,
    REQUEST,
    SEND_INITS,
    SENDRECVS,
    SENDS,
    STARTS,
    Flags,
    Ints,
    Rows,
)
from mpilab.tracing.rings import COMPLETION, RECEIVE_PART, REGION, START

Names = npt.NDArray[np.str_]

# The rows of all rings, one rank behind the other; call, peer (a rank in comm) and the rest as in rings.RING_EVENT.
ROW = np.dtype(
    [
        ("rank", "<i8"),
        ("start", "<f8"),  # seconds
        ("end", "<f8"),
        ("request", "<u8"),
        ("bytes", "<f8"),
        ("place", "<u8"),
        ("call", "<i8"),
        ("peer", "<i8"),
        ("tag", "<i8"),
        ("comm", "<i8"),
        ("thread", "<i8"),
        ("region", "<i8"),
    ]
)


@dataclass(frozen=True)
class Links:
    """How the rows belong together; all arrays but `rows` are parallel to the table of rows, -1 is none."""

    rows: Rows
    called: Flags  # the rows that are calls
    main: Ints  # the row of the call that a row belongs to: itself for a call
    event: Ints  # the index in the trace of the event that the row's call is
    opens: Flags  # posts or starts a request
    made: Ints  # for a row that opens or completes a request: the row that tells of its operation
    partner: Ints  # for a row that opens one, the row that completes it, and the other way round
    world: Ints  # peer as a rank in MPI_COMM_WORLD
    name: Ints  # the index in the trace's calls of the call, or of a request's operation; or -1
    calls: list[str]
    notes: list[str] = field(default_factory=list)


def link(rows: Rows, table: list[tuple[str, str]], comms: dict[int, list[int]]) -> Links:
    """Find out what belongs together.

    Args:
        rows: of ROW, the ranks' rows one behind the other, each rank's in the order they were written.
        table: name and group of each call number.
        comms: the world ranks of each communicator.
    """
    called = rows["call"] > 0
    # threads share a ring, so a call's rows are the next ones of its thread
    main = _last(called, rows["rank"] * (int(rows["thread"].max(initial=0)) + 1) + rows["thread"])
    main = np.where((main >= 0) & (rows["start"][main] == rows["start"]) & (rows["call"] != REGION), main, -1)
    event = np.full(len(rows), -1)
    order = np.lexsort((rows["start"][called], rows["rank"][called]))
    event[np.flatnonzero(called)[order]] = np.arange(len(order))
    event = np.where(main >= 0, event[main], -1)
    names, groups = (np.array(column) for column in zip(*table, strict=True))
    opens, made, partner = _requests(rows, names, groups)
    named = np.where(called, rows["call"], np.where(made == np.arange(len(rows)), rows["place"].astype(np.int64), 0))
    calls = sorted(set(names[np.unique(named)].tolist()) - {""})
    number = {call: i for i, call in enumerate(calls)}
    name = np.array([number.get(one, -1) for one in names.tolist()])[named]  # large-count forms have the same name
    # a completion names peers as the communicator of its operation does
    comm = np.where((rows["comm"] == 0) & (made >= 0), rows["comm"][made], rows["comm"])
    comm = np.where((comm == 0) & (main >= 0), rows["comm"][main], comm)
    rows = rows.copy()
    rows["comm"] = comm
    world, notes = _world(rows, comms)
    return Links(rows, called, main, event, opens, made, partner, world, name, calls, notes)


def _requests(rows: Rows, names: Names, groups: Names) -> tuple[Flags, Ints, Ints]:
    """Which rows open a request; which row is the operation of a row's request; who completes whom."""
    call = np.maximum(rows["call"], 0)
    has = (rows["call"] > 0) & (rows["request"] != 0)
    inits = has & np.char.endswith(names, "_init")[call]
    frees = has & (names == "MPI_Request_free")[call]
    posts = has & ~inits & (groups != "request")[call]
    starts = rows["call"] == START
    opens = posts | starts
    part = np.flatnonzero(opens | (rows["call"] == COMPLETION) | frees)
    handle = np.unique(rows["request"], return_inverse=True)[1]
    key = handle * (int(rows["rank"].max(initial=0)) + 1) + rows["rank"]
    partner = np.full(len(rows), -1)
    found = matching.pair_requests(key[part], opens[part])
    partner[part] = np.where(found >= 0, part[found], -1)
    every = np.arange(len(rows))
    itself = posts | (starts & (rows["place"] > 0) & (rows["place"] < len(names)))  # a start that says what it starts
    made = np.where(itself, every, np.where(starts, _last(inits, key), -1))
    closing = ~opens & (partner >= 0)
    made[closing] = made[partner[closing]]
    return opens, made, partner


def _last(flags: Flags, key: Ints) -> Ints:
    """For each row, the last flagged row up to and with it that has its key, or -1."""
    order = np.argsort(key, kind="stable")
    place = np.maximum.accumulate(np.where(flags[order], np.arange(len(order)), -1))
    found = np.where(place >= 0, order[place], -1)
    result = np.empty(len(key), np.int64)
    result[order] = np.where((found >= 0) & (key[found] == key[order]), found, -1)
    return result


def _world(rows: Rows, comms: dict[int, list[int]]) -> tuple[Ints, list[str]]:
    """Each row's peer as a rank in MPI_COMM_WORLD, -1 where there is none or it isn't known which."""
    world = np.full(len(rows), -1)
    unknown = 0
    for comm in np.unique(rows["comm"]).tolist():
        mine = (rows["comm"] == comm) & (rows["peer"] >= 0)
        members = np.array(comms.get(comm, []), np.int64)
        known = mine & (rows["peer"] < len(members))
        world[known] = members[rows["peer"][known]]
        unknown += int(np.count_nonzero(mine & ~known & (rows["call"] > 0)))
    said = f"{unknown:,} calls on communicators that the side files don't describe: their peers are unknown"
    return world, [said] if unknown else []


def events(links: Links) -> Rows:
    """The trace's events; start and end as in the rows, place and region left 0."""
    rows = links.rows[links.called]
    result = np.zeros(len(rows), EVENT)
    at = links.event[links.called]
    for column in ("rank", "start", "end", "tag", "bytes", "comm", "thread"):
        result[column][at] = rows[column]
    result["call"][at], result["peer"][at] = links.name[links.called], links.world[links.called]
    _describe(links, result)
    return result


def _describe(links: Links, result: Rows) -> None:
    """Let a Start or a Wait say what it started or completed: the bytes of all, peer and tag where it is only one."""
    names = np.array([name in STARTS or name.startswith(("MPI_Wait", "MPI_Test")) for name in links.calls], bool)
    sub = np.isin(links.rows["call"], (COMPLETION, START)) & (links.event >= 0) & (links.made >= 0)
    sub[sub] = names[result["call"][links.event[sub]]]
    row, event, made = np.flatnonzero(sub), links.event[sub], links.made[sub]
    received = (links.rows["call"][row] == COMPLETION) & _is(links, made, IRECEIVES | RECEIVE_INITS)
    source = np.where(received, row, made)  # of a receive the status tells what came; a send's status tells nothing
    result["bytes"][np.unique(event)] = 0
    np.add.at(result["bytes"], event, links.rows["bytes"][source])
    alone = np.bincount(event, minlength=len(result))[event] == 1
    result["peer"][event[alone]] = links.world[source[alone]]
    for column in ("tag", "comm"):
        result[column][event[alone]] = links.rows[column][source[alone]]


def requests(links: Links) -> Rows:
    """The trace's requests, in the order they were posted on each rank."""
    at = np.flatnonzero(links.opens & (links.event >= 0))
    done = np.where(links.partner[at] >= 0, links.event[links.partner[at]], -1)
    rank = links.rows["rank"][at]
    last = np.zeros(int(links.rows["rank"].max(initial=0)) + 1)
    np.maximum.at(last, links.rows["rank"], links.rows["end"])
    result = np.zeros(len(at), REQUEST)
    result["rank"], result["start"] = rank, links.rows["start"][links.main[at]]
    result["end"] = np.where(done >= 0, links.rows["end"][links.partner[at]], last[rank])
    result["event"], result["done"] = links.event[at], np.where(done >= 0, done, NO_EVENT)
    made = links.made[at]
    result["call"] = np.where(made >= 0, links.name[made], NO_CALL)
    return result


def messages(links: Links, dropped: Flags, error_s: float) -> tuple[Rows, list[str]]:
    """The trace's messages, and what is odd about them; `dropped` is for each rank whether its ring was too small."""
    rows, (sent, operation), (status, posted) = links.rows, _sends(links), _receives(links)
    sends = Sides(rows["comm"][operation], rows["rank"][sent], links.world[operation], rows["tag"][operation],
                  rows["start"][links.main[sent]])  # fmt: skip
    receives = Sides(rows["comm"][status], links.world[status], rows["rank"][status], rows["tag"][status],
                     rows["end"][status])  # fmt: skip
    s, r = matching.pair_messages(sends, receives, posted < 0, dropped, error_s)
    sent, operation, status, posted = sent[s], operation[s], status[r], posted[r]
    result = np.zeros(len(s), MESSAGE)
    result["send"], result["recv"] = links.event[sent], links.event[status]
    result["bytes"] = rows["bytes"][status]
    result["post"] = _event_or_none(links, posted)
    result["done"] = _event_or_none(links, np.where(links.opens[sent], links.partner[sent], sent))
    odd = np.count_nonzero(rows["bytes"][operation] != result["bytes"])
    said = f"{odd:,} messages were received with another size than they were sent with: arrows may be wrong there"
    return result[np.argsort(result["send"], kind="stable")], [said] if odd else []


def _event_or_none(links: Links, rows: Ints) -> Ints:
    """The events of the rows (-1: none)."""
    found = np.where(rows >= 0, links.event[rows], -1)
    return np.where(found >= 0, found, NO_EVENT)


def _is(links: Links, rows: Ints, names: frozenset[str]) -> Flags:
    """Whether the rows (-1: none) are calls of these names."""
    wanted = np.array([*(name in names for name in links.calls), False], bool)
    return wanted[np.where(rows >= 0, links.name[rows], -1)]


def _sends(links: Links) -> tuple[Ints, Ints]:
    """The rows that begin to send a message, in order, each with the row that says where to."""
    every = np.arange(len(links.rows))
    blocking = _is(links, every, SENDS)
    nonblocking = links.opens & _is(links, links.made, ISENDS | SEND_INITS)
    operation = np.where(nonblocking, links.made, every)
    rows = every[(blocking | nonblocking) & (links.event >= 0) & (links.world[operation] >= 0)]
    return rows, operation[rows]


def _receives(links: Links) -> tuple[Ints, Ints]:
    """The rows that say what was received, in the order of posting, each with the row that posted it or -1."""
    every, call = np.arange(len(links.rows)), links.rows["call"]
    blocking = _is(links, every, RECEIVES - SENDRECVS)
    part = call == RECEIVE_PART
    ours = _is(links, links.made, IRECEIVES | RECEIVE_INITS) | (links.made < 0)  # unknown, but only receives say whence
    completed = (call == COMPLETION) & ours
    rows = every[(blocking | part | completed) & (links.event >= 0) & (links.world >= 0)]
    posted = np.where(completed, links.partner, links.main)[rows]
    # what was posted before all that the ring still has comes first
    order = np.lexsort((np.where(posted >= 0, posted, rows - len(every)), links.rows["rank"][rows]))
    return rows[order], posted[order]
