"""The strict log of each rank, read back: what it called, what came of it, which requests it started and completed.

Theory of operation.  The C library writes `strict-R.jsonl`, one line an event, in the order in which they happened on
rank R; a crash may cut off the last line, or leave no file.  Each line is decoded into one of the types below (the `k`
of the line says which), so nothing but these fields with these types ever gets further; a line that is none of them is
counted and skipped.  At most LIMIT_BYTES of a file are read.  Ranks in these lines are ranks of the line's
communicator; source -1 is MPI_ANY_SOURCE, -2 MPI_PROC_NULL, tag -1 MPI_ANY_TAG.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

ANY, PROC_NULL = -1, -2  # as the log writes them
ORDERLY = ("finalized", "exit", "returned")  # ends of a log that was written to its end
WORLD = 1  # the id of MPI_COMM_WORLD
WINDOWS = 1 << 30  # the ids of windows begin here: they are known like communicators
LIMIT_BYTES = 128 * 1024 * 1024  # about 600,000 lines
PIECE_BYTES = 1024 * 1024


class Signature(NamedTuple):
    """The sequence of basic types of some data: its hash, its length, the type when all are the same (else "-")."""

    hash: str
    elements: int
    basic: str
    bytes: int


@lru_cache(maxsize=4096)
def signature(text: str) -> Signature | None:
    """Return the signature written as "hash/elements/basic/bytes"; None when `text` is no signature."""
    match = re.fullmatch(r"([0-9a-f]{1,16})/(\d{1,18})/([^/]{1,128})/(\d{1,18})", text)
    return Signature(match[1], int(match[2]), match[3], int(match[4])) if match else None


Run = tuple[int, int, int, int]  # bytes of a window: the first, bytes of a block, stride, blocks


class Init(msgspec.Struct, frozen=True, tag_field="k", tag="init"):
    """The first line: this rank, how many there are, and the largest message that goes eagerly (bytes, 0 unknown)."""

    rank: int
    ranks: int
    eager: int = 0


class Comm(msgspec.Struct, frozen=True, tag_field="k", tag="comm"):
    """A communicator exists: the world ranks of its members in the order of their ranks in it."""

    comm: int
    ranks: list[int]
    name: str = ""
    inter: int = 0


class Call(msgspec.Struct, frozen=True, tag_field="k", tag="call"):
    """A call is entered; only the fields that the call has are set."""

    n: int
    call: str
    at: str = ""
    comm: int = 0
    dest: int | None = None
    source: int | None = None
    tag: int = 0
    stag: int = 0
    rtag: int = 0
    sig: str = ""
    ssig: str = ""
    rsig: str = ""
    reqs: list[int] = []
    req: int = 0
    msg: int = 0
    root: int | None = None
    op: str = ""
    send: list[str] | None = None
    recv: list[str] | None = None
    seq: int = 0
    t: int = 0  # ns
    lock: int = 0  # of a window: 1 shared, 2 exclusive
    group: list[int] = []
    basic: str = ""  # the type at the target of a one-sided access,
    runs: list[Run] | None = None  # and its bytes


class Ret(msgspec.Struct, frozen=True, tag_field="k", tag="ret"):
    """Call `n` returned with error class `err`; it made request `req`, or got a message from `source`."""

    n: int
    err: int = 0
    text: str = ""
    req: int = 0
    reqs: list[int] = []
    msg: int = 0
    source: int | None = None
    tag: int = 0
    t: int = 0


class Start(msgspec.Struct, frozen=True, tag_field="k", tag="start"):
    """Call `n` started persistent request `req`."""

    n: int
    req: int


class Done(msgspec.Struct, frozen=True, tag_field="k", tag="done"):
    """Call `n` completed request `req`; for a receive, the message that came."""

    n: int
    req: int
    source: int | None = None
    tag: int = 0
    cancelled: int = 0
    err: int = 0


class Free(msgspec.Struct, frozen=True, tag_field="k", tag="free"):
    """Call `n` freed request `req`."""

    n: int
    req: int
    active: int = 0


class Lost(msgspec.Struct, frozen=True, tag_field="k", tag="lost"):
    """At the end request `req`, made by call `n`, was still active; call `by` (0: none) overwrote its handle."""

    req: int
    n: int = 0
    by: int = 0


class Reported(msgspec.Struct, frozen=True, tag_field="k", tag="finding"):
    """What the C library found on the spot: in call `n`, or at `at` outside MPI about the operation of request `req`.

    `also` is a second place that belongs to it.
    """

    kind: str
    n: int = 0
    at: str = ""
    req: int = 0
    text: str = ""
    also: str = ""


class Local(msgspec.Struct, frozen=True, tag_field="k", tag="local"):
    """Before call `n` code at `at` loaded from (`write`: stored to) its own memory of a window."""

    n: int
    win: int
    at: str = ""
    write: int = 0
    runs: list[Run] = []


class Full(msgspec.Struct, frozen=True, tag_field="k", tag="full"):
    """The log had no room for more."""


class End(msgspec.Struct, frozen=True, tag_field="k", tag="end"):
    """How it ended: finalized, exit (without MPI_Finalize), abort, or error and mismatch (given up by strict mode)."""

    how: str = ""


Entry = Call | Ret | Start | Done | Free | Lost | Reported | Local
_DECODER = msgspec.json.Decoder(Init | Comm | Call | Ret | Start | Done | Free | Lost | Reported | Local | Full | End)


@dataclass(frozen=True)
class RankLog:
    """All that is known of one world rank: its entries in order, the communicators it is in, how it ended.

    `end` is "" for a log that just stops; `notes` say what was odd about the file.
    """

    rank: int
    entries: list[Entry] = field(default_factory=list)
    comms: dict[int, Comm] = field(default_factory=dict)
    init: Init | None = None
    end: str = ""
    notes: list[str] = field(default_factory=list)


def read_logs(folder: Path, ranks: int, limit_bytes: int = LIMIT_BYTES) -> list[RankLog]:
    """Return the logs of world ranks 0 to `ranks` - 1, of which any may be missing, cut off or damaged."""
    return [read_log(folder / f"strict-{rank}.jsonl", rank, limit_bytes) for rank in range(ranks)]


def read_log(path: Path, rank: int, limit_bytes: int = LIMIT_BYTES) -> RankLog:
    """Return what can be read of the log of `rank`; never raises for what is in the file."""
    data = bytearray()
    try:
        with path.open("rb") as file:
            while len(data) <= limit_bytes and (piece := file.read(PIECE_BYTES)):
                data += piece
                if b"\0" in piece:  # the file is as long as the longest log; what was not written is zero
                    del data[data.index(0) :]
                    break
    except OSError as error:
        return RankLog(rank, notes=[f"no log of rank {rank}: {error.strerror}"])
    log = parse(rank, bytes(data[:limit_bytes]))
    if len(data) > limit_bytes:
        log.notes.append(f"the log of rank {rank} is longer than {limit_bytes:,} bytes: the rest was not read")
    return log


def _written(file: BinaryIO, most: int) -> bytes:
    """Return what was written to a log: the file is larger, and empty behind it."""
    pieces, size = [], 0
    while size < most and (piece := file.read(min(1 << 20, most - size))):
        text, _, empty = piece.partition(b"\0")
        pieces.append(text)
        size += len(text)
        if empty or len(text) < len(piece):
            break
    return b"".join(pieces)


def parse(rank: int, data: bytes) -> RankLog:
    """Return the log of `rank` from what is in its file."""
    notes: list[str] = []
    lines = data.split(b"\n")
    if lines.pop():  # after the last end of line there is nothing, unless the rank was stopped while it wrote
        notes.append(f"the log of rank {rank} ends within a line")
    entries: list[Entry] = []
    comms: dict[int, Comm] = {}
    init, end, bad = None, "", 0
    decode = _DECODER.decode
    for line in lines:
        try:
            entry = decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):  # not UTF-8; endless brackets
            bad += 1
            continue
        if isinstance(entry, Comm):
            comms[entry.comm] = entry
        elif isinstance(entry, Init):
            init = entry
        elif isinstance(entry, End):
            end = end or entry.how  # what comes after MPI_Finalize is an end too
        elif isinstance(entry, Full):
            notes.append(f"the log of rank {rank} is full: what came later is not in it")
        else:
            entries.append(entry)
    if bad:
        notes.append(f"{bad:,} lines in the log of rank {rank} could not be read")
    return RankLog(rank, entries, comms, init, end, notes)


def places(logs: Iterable[RankLog]) -> set[str]:
    """Return every place ("/path/kernel.so+0x1234", "/path/x.py:12") that the logs name, for a table of what it is."""
    found = set()
    for log in logs:
        for entry in log.entries:
            if isinstance(entry, Call | Local):
                found.add(entry.at)
            elif isinstance(entry, Reported):
                found |= {entry.at, entry.also}
    return found - {""}


def place(at: str, table: Mapping[str, str]) -> str:
    """Return "kernel.c:41" for a place of the log: from `table`, or when it is a line already; else ""."""
    if at in table:
        return table[at]
    match = re.search(r"([^/]+:\d+)$", at)
    return match[1] if match else ""
