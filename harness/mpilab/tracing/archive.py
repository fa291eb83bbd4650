"""A trace as an OTF2 archive, the format of Score-P, Vampir and Scalasca; needs the `otf2` wheel.

Theory of operation.  Each thread of a rank is a location, and its records stand in the order of time: entering and
leaving regions and calls, and within a call what it did: a message sent or received, a request made or completed, a
collective.  OTF2 names peers by their rank in the communicator, so the trace's world ranks are turned back.  Messages
that the trace knows only one side of are left out, because tools look for the other.  The wheel is imported only when
something is written, because few need it.
"""

import importlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from mpilab.errors import HarnessError
from mpilab.tracing import export
from mpilab.tracing.recording import COLLECTIVE_GROUPS, NO_CALL, NO_EVENT, SENDS, Recording

TICKS = 1_000_000_000  # a second
WORLD = 1
# Where within one moment a record stands: event i has its own at i + ENTER ...; regions open and close between events.
ENTER, DO, LEAVE, CLOSE, OPEN = 0.0, 0.1, 0.2, 0.3, 0.4
Lane = tuple[int, int]  # rank and thread
Entry = tuple[int, float, int, Any]  # tick, place within the moment, running number, the OTF2 event


def write(trace: Recording, folder: Path) -> Path:
    """Write the archive into a new folder and return its anchor file.

    Raises:
        HarnessError: the wheel is missing, the folder exists, or can't be written.
    """
    try:
        otf2 = importlib.import_module("otf2")
    except ImportError as error:
        raise HarnessError("OTF2 needs a package that is not installed", then="pip install otf2==3.2") from error
    if folder.exists():
        raise HarnessError(f"{folder} exists, and an OTF2 archive is a folder of its own", then="name a new one")
    try:
        with otf2.writer.open(str(folder), timer_resolution=TICKS) as archive:
            _Archive(otf2, archive, trace).write()
    except (importlib.import_module("_otf2").Error, otf2.error.TraceWriterError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise HarnessError(f"the OTF2 archive {folder} can't be written: {error}") from error
    return folder / "traces.otf2"


class _Archive:
    """An open archive with its definitions."""

    def __init__(self, otf2: Any, archive: Any, trace: Recording) -> None:
        self.otf2, self.archive, self.trace = otf2, archive, trace
        self.events: list[tuple[Any, ...]] = trace.events.tolist()
        self.starts, self.ends = export.slices(trace)
        spans = trace.regions_spans["start"]  # a region may begin before the first event, which is at 0
        self.zero = round(min(0.0, float(spans.min(initial=0.0))) * TICKS)
        self.lanes: dict[Lane, Any] = {}
        self.entries: dict[Lane, list[Entry]] = {}
        define = archive.definitions
        top = define.system_tree_node(trace.title or "program")
        for rank in range(trace.ranks):
            group = define.location_group(f"rank {rank}", system_tree_parent=top)
            threads = {0} | {event[10] for event in self.events if event[0] == rank}
            for thread in sorted(threads):
                self.lanes[rank, thread] = define.location(f"rank {rank} thread {thread}", group=group)
        mpi = otf2.Paradigm.MPI
        self.calls = [define.region(n, paradigm=mpi, source_file="MPI", region_role=self._role(i))
                      for i, n in enumerate(trace.calls)]  # fmt: skip
        self.regions = [define.region(name or "?", paradigm=otf2.Paradigm.USER) for name in trace.regions]
        ranks = tuple(self.lanes[rank, 0] for rank in range(trace.ranks))
        define.group("MPI ranks", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=mpi, members=ranks)
        self.comms, self.members = {}, {WORLD: list(range(trace.ranks))} | trace.comms
        for comm, members in self.members.items():
            group = define.group(f"ranks of {comm}", group_type=otf2.GroupType.COMM_GROUP, paradigm=mpi,
                                 members=tuple(ranks[member] for member in members))  # fmt: skip
            self.comms[comm] = define.comm("MPI_COMM_WORLD" if comm == WORLD else f"communicator {comm}", group=group)

    def write(self) -> None:
        """Write all records, each location's in the order of time."""
        self._add_calls()
        self._add_regions()
        self._add_messages()
        self._add_collectives()
        for lane, entries in self.entries.items():
            writer = self.archive.event_writer_from_location(self.lanes[lane])
            for entry in sorted(entries):
                writer.write(entry[3])

    def _begin(self, index: int, kind: str, *values: Any, place: float = DO) -> None:
        """Add an OTF2 event at the start of event `index`."""
        self._add(self._lane(index), int(self.starts[index]), index + place, kind, *values)

    def _end(self, index: int, kind: str, *values: Any, place: float = DO) -> None:
        """Add an OTF2 event at the end of event `index`."""
        self._add(self._lane(index), int(self.ends[index]), index + place, kind, *values)

    def _lane(self, index: int) -> Lane:
        return self.events[index][0], self.events[index][10]

    def _add(self, lane: Lane, tick: int, place: float, kind: str, *values: Any) -> None:
        own = self.entries.setdefault(lane, [])
        own.append((tick, place, len(own), getattr(self.otf2.events, kind)(tick - self.zero, *values)))

    def _add_calls(self) -> None:
        for index, event in enumerate(self.events):
            self._begin(index, "Enter", self.calls[event[1]], place=ENTER)
            self._end(index, "Leave", self.calls[event[1]], place=LEAVE)

    def _add_regions(self) -> None:
        """Each opens and closes behind the calls that have ended by then; outer ones open first and close last."""
        spans = [(r, round(a * TICKS), round(b * TICKS), i) for r, a, b, i in self.trace.regions_spans.tolist()]
        for rank, first, _, region in sorted(spans, key=lambda span: (span[1], -span[2])):
            self._add((rank, 0), first, self._ended(rank, first) + OPEN, "Enter", self.regions[region])
        for rank, first, last, region in sorted(spans, key=lambda span: (span[2], -span[1])):
            until = max(last, first + 1)
            self._add((rank, 0), until, self._ended(rank, until) + CLOSE, "Leave", self.regions[region])

    def _ended(self, rank: int, tick: int) -> int:
        """The last event of a rank that has ended at a moment; the one before its first when none has."""
        own = np.flatnonzero(self.trace.events["rank"] == rank)
        if not len(own):
            return 0
        return int(own[0] + np.searchsorted(self.ends[own], tick, side="right")) - 1

    def _add_messages(self) -> None:
        blocking = [name in SENDS for name in self.trace.calls]
        for number, (send, recv, moved, post, done) in enumerate(self.trace.messages.tolist()):
            source, call, _, _, _, tag, _, comm, *_ = self.events[send]
            dest = self.events[recv][0]
            comm, tag, size = self._comm(comm, source, dest), max(0, tag), int(moved)
            to, whence = (self._rank(comm, rank) for rank in (dest, source))
            known, asked, got = self.comms[comm], 2 * number, 2 * number + 1
            if blocking[call]:
                self._begin(send, "MpiSend", to, known, tag, size)
            else:
                self._begin(send, "MpiIsend", to, known, tag, size, asked)
                if done != NO_EVENT:
                    self._end(done, "MpiIsendComplete", asked)
            if post in (recv, NO_EVENT):
                self._end(recv, "MpiRecv", whence, known, tag, size)
            else:
                self._begin(post, "MpiIrecvRequest", got)
                self._end(recv, "MpiIrecv", whence, known, tag, size, got)

    def _add_collectives(self) -> None:
        """Blocking ones begin and end in their call; others are requests."""
        trace = self.trace
        for index, (rank, call, _, _, peer, _, size, comm, *_) in enumerate(self.events):
            if trace.groups[call] == "collective":
                self._begin(index, "MpiCollectiveBegin")
                self._end(index, "MpiCollectiveEnd", *self._collective(call, rank, comm, peer, size))
        for number, (_, _, _, event, done, call) in enumerate(trace.requests.tolist()):
            if call == NO_CALL or done == NO_EVENT or trace.groups[call] not in COLLECTIVE_GROUPS:
                continue
            rank, _, _, _, peer, _, size, comm, *_ = self.events[event]
            request = 2 * len(trace.messages) + number
            self._begin(event, "NonBlockingCollectiveRequest", request)
            values = self._collective(call, rank, comm, peer, size)
            self._end(done, "NonBlockingCollectiveComplete", *values, request)

    def _collective(self, call: int, rank: int, comm: int, root: int, size: float) -> tuple[Any, ...]:
        """Operation, communicator, root, bytes sent and received."""
        name = self.trace.calls[call].removeprefix("MPI_").removesuffix("_init").removeprefix("I").upper()
        kind = getattr(self.otf2.CollectiveOp, name.removeprefix("NEIGHBOR_"))
        comm = self._comm(comm, rank, max(root, 0))
        at = self._rank(comm, root) if root >= 0 else self.otf2.Undefined.UINT32.value
        return kind, self.comms[comm], at, int(size), int(size)

    def _comm(self, comm: int, *ranks: int) -> int:
        """The communicator, or the world where it isn't known or doesn't hold the ranks."""
        members = self.members.get(comm, [])
        return comm if all(rank in members for rank in ranks) else WORLD

    def _rank(self, comm: int, rank: int) -> int:
        return self.members[comm].index(rank)

    def _role(self, call: int) -> Any:
        role = self.otf2.RegionRole
        if self.trace.groups[call] in COLLECTIVE_GROUPS:
            return role.COLL_OTHER
        return role.POINT2POINT
