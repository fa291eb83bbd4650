"""The files that the C library leaves behind, read into arrays as they are.

Theory of operation.  In record mode each rank R maps a file `ring-R` and writes its events into it, so that the file is
there however the program ends; what is named by numbers in it stands in `meta-R.jsonl`.  docs/trace-format.md describes
both.  This module believes nothing that it reads: a rank whose ring can't be read is left out with a note that says
why, and only when no rank's can, is there an error.  What the numbers mean together is gather.py's.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from mpilab.errors import HarnessError
from mpilab.tracing.recording import MOST_RANKS, Floats, Ints, Rows

MAGIC = b"MPILABR"
VERSION = 1
HEADER_BYTES = 4096
HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("event_bytes", "<u4"),
        ("rank", "<u4"),
        ("ranks", "<u4"),
        ("capacity", "<u8"),  # events that fit
        ("written", "<u8"),  # events ever written; event i is in slot i % capacity
        ("ticks_per_s", "<f8"),
        ("tick0", "<u8"),  # the clock of the events, and CLOCK_MONOTONIC, read together at the start
        ("ns0", "<i8"),
        ("tick1", "<u8"),  # and at the end; 0: the program died before
        ("ns1", "<i8"),
        ("offset_s", "<f8"),  # to be added to this rank's time to get rank 0's
        ("offset_error_s", "<f8"),
        ("clock_error_s", "<f8"),
        ("groups", "<u4"),  # bit mask of the recorded groups
        ("finished", "<u4"),  # 1 after MPI_Finalize
        ("host", "S64"),
        ("clock", "S16"),  # "tsc" or "monotonic"
    ]
)
RING_EVENT = np.dtype(
    [
        ("start", "<u8"),  # ticks
        ("end", "<u8"),
        ("request", "<u8"),  # the request's handle; of a region, its id
        ("bytes", "<u8"),
        ("place", "<u8"),  # return address of the call, 0 unknown
        ("call", "<i4"),  # the call's number, or one of the below
        ("peer", "<i4"),  # rank in comm: destination, source, root; -1 none
        ("tag", "<i4"),
        ("comm", "<i4"),
        ("thread", "<u4"),
        ("region", "<u4"),  # id of the innermost open region
    ]
)
# What an event is that is no call.  All but REGION follow the call they belong to, and have its times.
REGION, COMPLETION, START, RECEIVE_PART = -1, -2, -3, -4
KINDS = (REGION, COMPLETION, START, RECEIVE_PART)


class Meta(msgspec.Struct, frozen=True):
    """A line of a side file: it names a communicator, a region or a module, or tells of the program."""

    comm: int | None = None
    ranks: list[int] = []
    region: int | None = None
    name: str = ""
    module: str | None = None
    base: int = 0
    size: int = 0
    program: Any = None
    mpi: Any = None
    machine: Any = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Ring:
    """What one rank recorded."""

    rank: int
    ranks: int
    events: Rows  # of RING_EVENT, in the order in which they were written
    zero_ns: int  # when its clock read zero_ns ...
    offset_s: float  # ... and this is to be added to have rank 0's time ...
    start: Floats  # ... these seconds count from
    end: Floats
    dropped: int
    finished: bool
    groups: int  # bit mask of what was recorded
    clock: dict[str, Any]
    meta: list[Meta]
    notes: list[str] = field(default_factory=list)


def read(folder: Path, *, calls: int) -> tuple[list[Ring], list[str]]:
    """Read all rings of a folder.

    Args:
        folder: where `ring-R` and `meta-R.jsonl` are.
        calls: how many call numbers there are; an event with a higher one is damaged.

    Returns:
        The rings by rank, and notes on what could not be read.

    Raises:
        HarnessError: no ring can be read.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.startswith("ring-"))
    except OSError as error:
        raise HarnessError(f"no trace can be read from {folder}: {error.strerror}") from error
    found: dict[int, Ring] = {}
    notes = []
    for path in paths:
        try:
            ring = _ring(path, calls)
        except ValueError as error:
            notes.append(f"{path.name}: {error}")
        except OSError as error:
            notes.append(f"{path.name}: {error.strerror}")
        else:
            found[ring.rank] = ring
    if not found:
        why = "\n  ".join(["no rank left a readable ring", *notes]) if notes else "no rank left a ring"
        then = "did the program call MPI_Init, and is it linked against a shared MPI library?"
        raise HarnessError(f"there is no trace in {folder}: {why}", then=then)
    return [found[rank] for rank in sorted(found)], notes


def _ring(path: Path, calls: int) -> Ring:
    """Read one rank's files; raises ValueError with what is wrong, or OSError."""
    if not path.is_file():
        raise ValueError("is not a file")
    with path.open("rb") as file:
        header = _header(file.read(HEADER_BYTES), path.name)
        events, missing = _events(file, header)
    notes = [f"the file is cut off: {missing:,} events are missing"] if missing else []
    good = _plausible(events, calls)
    if not good.all():
        notes.append(f"{np.count_nonzero(~good):,} events are damaged and left out")
        events = events[good]
    rate, said = _rate(header)
    notes += said
    start, end = (_seconds(events[when], header, rate) for when in ("start", "end"))
    notes += _mend(events, start, end)
    if not header["finished"]:
        notes.append("the program ended before MPI_Finalize")
    rank = int(header["rank"])
    meta, said = _meta(path.with_name(f"meta-{rank}.jsonl"))
    return Ring(
        rank=rank,
        ranks=int(header["ranks"]),
        events=events,
        zero_ns=int(header["ns0"]),
        offset_s=_finite(header["offset_s"]),
        start=start,
        end=end,
        dropped=max(0, int(header["written"]) - int(header["capacity"])),
        finished=bool(header["finished"]),
        groups=int(header["groups"]),
        clock={
            "clock": header["clock"].decode(errors="replace"),
            "host": header["host"].decode(errors="replace"),
            "error_s": _finite(header["clock_error_s"]),
            "offset_error_s": _finite(header["offset_error_s"]),
        },
        meta=meta,
        notes=[f"rank {rank}: {note}" for note in notes + said],
    )


def _events(file: BinaryIO, header: np.void) -> tuple[Rows, int]:
    """The events in the order they were written, and how many of them the file is too short for."""
    capacity, written = int(header["capacity"]), int(header["written"])
    slots = min(capacity, written)
    there = min(slots, (os.fstat(file.fileno()).st_size - HEADER_BYTES) // RING_EVENT.itemsize)
    raw = np.fromfile(file, RING_EVENT, there)
    oldest = min(written % capacity, len(raw)) if written > capacity else 0
    return np.concatenate((raw[oldest:], raw[:oldest])), slots - len(raw)


def _header(content: bytes, name: str) -> np.void:
    """The header, checked."""
    if not content:
        raise ValueError("is empty")
    if len(content) < HEADER_BYTES:
        raise ValueError(f"is cut off: {len(content):,} bytes, the header alone has {HEADER_BYTES:,}")
    header: np.void = np.frombuffer(content, HEADER, 1)[0]
    rank, ranks = int(header["rank"]), int(header["ranks"])
    if header["magic"] != MAGIC:
        raise ValueError("is not a ring of events")
    if header["version"] != VERSION or header["event_bytes"] != RING_EVENT.itemsize:
        what = f"is of version {header['version']} with events of {header['event_bytes']} bytes"
        raise ValueError(f"{what}; this mpilab reads version {VERSION} with {RING_EVENT.itemsize}")
    if not 0 < ranks <= MOST_RANKS:
        raise ValueError(f"says that there are {ranks:,} ranks")
    if rank >= ranks or name != f"ring-{rank}":
        raise ValueError(f"says that it is of rank {rank} of {ranks}")
    if header["capacity"] == 0:
        raise ValueError("has no room for events")
    return header


def _plausible(events: Rows, calls: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    call = events["call"]
    return ((call > 0) & (call < calls)) | np.isin(call, KINDS)


def _rate(header: np.void) -> tuple[float, list[str]]:
    """Ticks a second, and what is odd about them."""
    stated = _finite(header["ticks_per_s"])
    notes: list[str] = []
    if header["tick1"]:
        ticks, ns = int(header["tick1"]) - int(header["tick0"]), int(header["ns1"]) - int(header["ns0"])
        if ticks > 0 and ns > 0:
            return ticks / ns * 1e9, notes
        notes.append("the clock ran backwards between start and end; the stated rate is used")
    if stated > 0:
        return stated, notes
    return 1e9, [*notes, "the clock's rate is unknown; a tick is taken for a nanosecond"]


def _seconds(ticks: Ints, header: np.void, rate: float) -> Floats:
    since = (ticks - header["tick0"]).astype(np.int64)  # wraps round, so that times before the start are negative
    return np.asarray(since / rate, np.float64)


def _mend(events: Rows, start: Floats, end: Floats) -> list[str]:
    """Make each event end no sooner than it starts; say how often the clock ran backwards."""
    inside = end < start
    end[inside] = start[inside]
    back = np.count_nonzero(inside)
    for thread in np.unique(events["thread"]):
        own = (events["thread"] == thread) & (events["call"] > 0)
        back += np.count_nonzero(np.diff(start[own]) < 0)
    return [f"the clock ran backwards {back:,} times; durations there are not to be believed"] if back else []


def _meta(path: Path) -> tuple[list[Meta], list[str]]:
    """Read the side file; lines that say nothing readable are counted."""
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        content = b""
    if not content:
        return [], [f"{path.name} is missing or empty: names of regions, files and communicators are unknown"]
    found, bad = [], 0
    for line in content.splitlines():
        try:
            found.append(msgspec.json.decode(line, type=Meta))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            bad += 1
    return found, [f"{bad} lines of {path.name} can't be read"] if bad else []


def _finite(value: np.floating[Any]) -> float:
    return float(value) if np.isfinite(value) else 0.0
