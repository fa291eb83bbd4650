"""What a trace holds: its arrays, and what the calls in them are.

Theory of operation.  A recording is a few NumPy arrays of plain records, one row an event, message, request or span,
and the lists their columns point into.  All times are seconds on one clock, the first event near 0; all peers are ranks
in MPI_COMM_WORLD.  Everything else (what was waited for, tables, pictures, exports) is computed from these arrays and
never stored.  A large-count call is the call it is another form of: MPI_Send_c is MPI_Send here, because mpi4py makes
the one where C makes the other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

NO_EVENT = 2**32 - 1  # in place of an event's index: it is not in the trace
NO_CALL = 2**16 - 1  # in place of a call's index: the call is not in the trace
MOST_RANKS = 2**16

EVENT = np.dtype(
    [
        ("rank", "<u2"),
        ("call", "<u2"),  # index into calls
        ("start", "<f8"),  # seconds
        ("end", "<f8"),
        ("peer", "<i4"),  # destination, source or root; -1: none, or not one
        ("tag", "<i4"),
        ("bytes", "<f8"),
        ("comm", "<i4"),
        ("place", "<u4"),  # index into places
        ("region", "<u2"),  # index into regions: the innermost one the call was made in
        ("thread", "<u2"),
    ]
)
MESSAGE = np.dtype(
    [
        ("send", "<u4"),  # the event that posted or started the send
        ("recv", "<u4"),  # the event in which the receive completed
        ("bytes", "<f8"),
        ("post", "<u4"),  # the event that posted or started the receive, or NO_EVENT
        ("done", "<u4"),  # the event in which the send completed, or NO_EVENT
    ]
)
REQUEST = np.dtype(
    [
        ("rank", "<u2"),
        ("start", "<f8"),  # the start of the event that posted or started it
        ("end", "<f8"),  # the end of the event that completed it; of the rank's last event when none did
        ("event", "<u4"),  # the event that posted or started it
        ("done", "<u4"),  # the event that completed it, or NO_EVENT
        (
            "call",
            "<u2",
        ),  # index into calls: the one that made the request (MPI_Send_init, where event is the MPI_Start)
    ]
)
SPAN = np.dtype([("rank", "<u2"), ("start", "<f8"), ("end", "<f8"), ("region", "<u2")])

Rows = npt.NDArray[np.void]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
Flags = npt.NDArray[np.bool_]

_SEND_FORMS = ("send", "bsend", "ssend", "rsend")
SENDRECVS = frozenset({"MPI_Sendrecv", "MPI_Sendrecv_replace"})
ISENDRECVS = frozenset({"MPI_Isendrecv", "MPI_Isendrecv_replace"})
SENDS = frozenset({f"MPI_{x.capitalize()}" for x in _SEND_FORMS}) | SENDRECVS
ISENDS = frozenset({f"MPI_I{x}" for x in _SEND_FORMS}) | ISENDRECVS
SEND_INITS = frozenset({f"MPI_{x.capitalize()}_init" for x in _SEND_FORMS}) | {"MPI_Psend_init"}
RECEIVES = frozenset({"MPI_Recv", "MPI_Mrecv"}) | SENDRECVS
IRECEIVES = frozenset({"MPI_Irecv", "MPI_Imrecv"}) | ISENDRECVS
RECEIVE_INITS = frozenset({"MPI_Recv_init", "MPI_Precv_init"})
WAITS = frozenset({"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"})
STARTS = frozenset({"MPI_Start", "MPI_Startall"})
P2P_GROUPS = frozenset({"p2p", "nonblocking", "persistent", "partitioned"})
COLLECTIVE_GROUPS = frozenset({"collective", "nonblocking_collective", "persistent_collective"})

# What a call is to the eye: the classes that pictures colour, each with the character and the colour (Okabe and Ito's,
# told apart by the colour-blind) that stand for it.
CLASSES = {
    "send": ("s", "#0072b2"),
    "receive": ("r", "#56b4e9"),
    "wait": ("w", "#d55e00"),
    "collective": ("c", "#e69f00"),
    "other": ("o", "#cc79a7"),
}


def call_table() -> list[tuple[str, str]]:
    """Name and group of each MPI call, numbered as in the ring; number 0 is ('', ''), no call."""
    text = (Path(__file__).parents[1] / "c" / "calls.def").read_text(encoding="utf-8")
    table = [("", "")]
    for twice, group, name in re.findall(r"^CALL(S?)\((\w+), (\w+),", text, re.MULTILINE):
        plain = (f"MPI_{name}".removesuffix("_c"), group)
        table += [plain] * (2 if twice else 1)
    return table


def class_of(name: str, group: str) -> str:
    """The class of a call, a key of CLASSES."""
    if name in SENDS | ISENDS:
        return "send"
    if name in RECEIVES | IRECEIVES:
        return "receive"
    if name in WAITS or name.startswith("MPI_Test") or name.endswith("robe"):
        return "wait"
    return "collective" if group in COLLECTIVE_GROUPS else "other"


@dataclass(frozen=True, kw_only=True, eq=False)
class Recording:
    """The data of a trace, of at least one event; the arrays' columns are those of EVENT, MESSAGE, REQUEST and SPAN."""

    ranks: int
    title: str
    calls: list[str]  # the names of the calls that were made
    groups: list[str]  # parallel to calls, as in calls.def
    regions: list[str]  # names; the first is "", no region
    places: list[str]  # "file.c:41"; the first is "", unknown
    events: Rows  # sorted by (rank, start)
    messages: Rows
    requests: Rows
    regions_spans: Rows
    dropped: list[int]  # for each rank, how many of its oldest events were overwritten
    finished: list[bool]  # for each rank, whether it reached MPI_Finalize
    comms: dict[int, list[int]] = field(default_factory=dict)  # the world ranks of each communicator, in its order
    clock: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    versions: dict[str, Any] = field(default_factory=dict)  # program, MPI library, machine

    def is_call(self, names: frozenset[str]) -> Flags:
        """For each event, whether it is a call of one of these names."""
        return self._each([name in names for name in self.calls]).astype(bool)

    def is_group(self, groups: frozenset[str]) -> Flags:
        """For each event, whether it is a call of one of these groups."""
        return self._each([group in groups for group in self.groups]).astype(bool)

    def classes(self) -> npt.NDArray[np.uint8]:
        """For each event, the number of its class in CLASSES."""
        order = list(CLASSES)
        return self._each([order.index(class_of(*both)) for both in zip(self.calls, self.groups, strict=True)])

    def _each(self, of_call: Sequence[int]) -> npt.NDArray[np.uint8]:
        """For each event, its call's value of `of_call`."""
        values: npt.NDArray[np.uint8] = np.array(of_call, np.uint8)
        return np.take(values, self.events["call"])

    def window(self) -> tuple[float, float]:
        """The seconds in which every rank was recorded: from its first event on, where nothing was dropped.

        Where a rank dropped its oldest events, the window opens with the first event that it still has.
        """
        starts, rank = self.events["start"], self.events["rank"]
        late = [float(starts[rank == r].min()) for r in np.unique(rank) if self.dropped[r]]
        first = max(late) if late else float(starts.min())
        return first, max(first, float(self.events["end"].max()))


def join_notes(notes: list[str], most: int = 20) -> list[str]:
    """The first notes, and how many more there are."""
    return [*notes[:most], f"{len(notes) - most} more notes like these"] if len(notes) > most else notes
