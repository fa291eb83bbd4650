"""From the rings of all ranks to one trace.

Theory of operation.  The events of all rings are laid behind one another in one table, rank by rank, in the order they
were written, on one clock; linking.py says which rows belong together.  What the rings name by number (communicators,
regions, the places of calls) gets its name from the side files.  What can't be known, because a ring had no room for
it or a file is gone, is left open and noted, never guessed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mpilab.errors import HarnessError
from mpilab.tracing import linking, recording, rings
from mpilab.tracing.linking import Links
from mpilab.tracing.model import Trace
from mpilab.tracing.recording import NO_CALL, NO_EVENT, SPAN, Ints, Rows
from mpilab.tracing.rings import REGION, Ring

REQUEST_BIT = 2  # of the mask of recorded groups: Wait, Test and their kin
WORLD = 1  # the id of MPI_COMM_WORLD
UNKNOWN_BYTES = 2.0**63  # at least so many are no size

T = TypeVar("T")
Table = list[tuple[str, str]]  # name and group of each call number
Lines = Callable[[list[tuple[str, int]]], list[str]]


def no_lines(places: list[tuple[str, int]]) -> list[str]:
    """The default: nothing is known about any place."""
    return [""] * len(places)


def read(folder: Path, *, title: str = "", lines: Lines = no_lines) -> Trace:
    """Read what a recorded program left in `folder`.

    Args:
        folder: holds `ring-R` and `meta-R.jsonl` of each rank.
        title: what the trace is called; the program's name by default.
        lines: turns (module, offset of a return address in it) pairs into texts like "file.c:41", "" unknown.

    Returns:
        The trace; its notes say what could not be read.

    Raises:
        HarnessError: there is nothing in it to show.
    """
    table = recording.call_table()
    found, notes = rings.read(folder, calls=len(table))
    notes += [note for ring in found for note in ring.notes]
    rows, versions = _rows(found), _versions(found)
    if not (rows["call"] > 0).any():
        why = ": ".join(["it holds no MPI call", *notes])
        then = "record a part of the program that communicates, and all groups of calls"
        if any(ring.dropped for ring in found):
            then = "record with a larger ring: what was kept belongs to calls that were dropped"
        raise HarnessError(f"the trace of {title or folder} can't be shown: {why}", then=then)
    return _trace(found, rows, notes, table, lines, title or Path(str(versions.get("program", ""))).name or folder.name)


def _trace(found: list[Ring], rows: Rows, notes: list[str], table: Table, lines: Lines, title: str) -> Trace:
    """The trace that the rows of the rings are."""
    ranks = max(ring.ranks for ring in found)
    comms = _comms(found, ranks)
    links = linking.link(rows, table, comms)
    dropped = _by_rank({ring.rank: ring.dropped for ring in found}, ranks, 0)
    requests, said = _requests(found, links)
    messages, odd = linking.messages(links, np.array(dropped) > 0, _error_s(found))
    region_names, region = _regions(found, rows)
    place_names, place = _places(found, rows, lines)
    events, spans = linking.events(links), _spans(rows, region)
    events["region"][links.event[links.called]] = region[links.called]
    events["place"][links.event[links.called]] = place[links.called]
    zero = events["start"].min()
    for array in (events, requests, spans):
        array["start"] -= zero
        array["end"] -= zero
    groups = dict(table)
    return Trace(
        ranks=ranks,
        title=title,
        calls=links.calls,
        groups=[groups[name] for name in links.calls],
        regions=region_names,
        places=place_names,
        events=events,
        messages=messages,
        requests=requests,
        regions_spans=spans,
        dropped=dropped,
        finished=_by_rank({ring.rank: ring.finished for ring in found}, ranks, missing=False),
        comms=comms,
        clock={name: _by_rank({r.rank: r.clock[name] for r in found}, ranks, None) for name in found[0].clock},
        notes=recording.join_notes([*_missing(found, ranks), *notes, *links.notes, *said, *odd]),
        versions=_versions(found),
    )


def _requests(found: list[Ring], links: Links) -> tuple[Rows, list[str]]:
    """The requests; those whose completion may just not have been recorded are left out."""
    requests, notes = linking.requests(links), []
    if unknown := np.count_nonzero(requests["call"] == NO_CALL):
        notes.append(f"{unknown:,} starts of requests whose making was dropped: what they sent or received is unknown")
    if not all(ring.groups & REQUEST_BIT for ring in found):
        notes.append("the calls that complete requests were not recorded: how long they were open is unknown")
        requests = requests[requests["done"] != NO_EVENT]
    return requests, notes


def _by_rank(values: dict[int, T], ranks: int, missing: T) -> list[T]:
    return [values.get(rank, missing) for rank in range(ranks)]


def _missing(found: list[Ring], ranks: int) -> list[str]:
    """What is to be said about ranks without a ring."""
    notes = []
    if len({ring.ranks for ring in found}) > 1:
        notes.append("the rings are of programs with different numbers of ranks")
    there = {ring.rank for ring in found}
    gone = [str(rank) for rank in range(ranks) if rank not in there]
    if gone:
        named = ", ".join(gone[:10]) + (" and more" if len(gone) > 10 else "")
        notes.append(f"{len(gone)} of {ranks} ranks left no readable ring: {named}")
    return notes


def _rows(found: list[Ring]) -> Rows:
    """All rings' events, rank by rank, in the order they were written, on rank 0's clock."""
    parts = []
    for ring in found:
        part = np.zeros(len(ring.events), linking.ROW)
        for column in ("request", "bytes", "place", "call", "peer", "tag", "comm", "thread", "region"):
            part[column] = ring.events[column]
        part["bytes"][part["bytes"] >= UNKNOWN_BYTES] = 0
        part["rank"] = ring.rank
        later = (ring.zero_ns - found[0].zero_ns) * 1e-9 + ring.offset_s
        part["start"], part["end"] = ring.start + later, ring.end + later
        parts.append(part)
    return np.concatenate(parts)


def _error_s(found: list[Ring]) -> float:
    """By how much two ranks' clocks may disagree, in seconds."""
    return 2 * max(float(ring.clock["offset_error_s"]) + float(ring.clock["error_s"]) for ring in found)


def _comms(found: list[Ring], ranks: int) -> dict[int, list[int]]:
    """The world ranks of each communicator that a side file names."""
    comms = {WORLD: list(range(ranks))}
    for ring in found:
        for line in ring.meta:
            if line.comm is not None and all(0 <= rank < ranks for rank in line.ranks):
                comms[line.comm] = line.ranks
    return comms


def _regions(found: list[Ring], rows: Rows) -> tuple[list[str], Ints]:
    """The regions' names, and for each row which one it was made in; for a region's own row, which it is."""
    names = {"": 0}
    which = np.zeros(len(rows), np.int64)
    wanted = np.where(rows["call"] == REGION, rows["request"].astype(np.int64), rows["region"])
    for ring in found:
        named = {line.region: line.name for line in ring.meta if line.region is not None}
        mine = rows["rank"] == ring.rank
        ids, index = np.unique(wanted[mine], return_inverse=True)
        numbers = [names.setdefault(named.get(i, f"region {i}") if i else "", len(names)) for i in ids.tolist()]
        which[mine] = np.array(numbers, np.int64)[index]
    return list(names), which


def _spans(rows: Rows, region: Ints) -> Rows:
    """The regions' spans, sorted by rank and start."""
    own = rows["call"] == REGION
    spans = np.zeros(np.count_nonzero(own), SPAN)
    for column in ("rank", "start", "end"):
        spans[column] = rows[column][own]
    spans["region"] = region[own]
    return spans[np.lexsort((spans["start"], spans["rank"]))]


def _places(found: list[Ring], rows: Rows, lines: Lines) -> tuple[list[str], Ints]:
    """The places' names, and for each row which one it was called from."""
    wanted: dict[tuple[str, int], int] = {}
    which = np.full(len(rows), -1)
    for ring in found:
        modules = [(line.base, line.base + line.size, line.module) for line in ring.meta if line.module]
        mine = rows["rank"] == ring.rank
        addresses, index = np.unique(rows["place"][mine], return_inverse=True)
        numbers = []
        for address in addresses.tolist():
            within = next(((name, address - low) for low, high, name in modules if low <= address < high), None)
            numbers.append(wanted.setdefault(within, len(wanted)) if within else -1)
        which[mine] = np.array(numbers, np.int64)[index]
    said = lines(list(wanted)) if wanted else []
    names = {"": 0}
    number = np.array([*(names.setdefault(text, len(names)) for text in said), 0], np.int64)
    return list(names), number[which]


def _versions(found: list[Ring]) -> dict[str, Any]:
    """What the first side file that tells says of program, MPI library and machine."""
    told: dict[str, Any] = {}
    for line in (line for ring in found for line in ring.meta):
        for name in ("program", "mpi", "machine"):
            if (value := getattr(line, name)) is not None:
                told.setdefault(name, value)
    return told
