"""What is to be recorded, and what came of it.

Theory of operation.  The C library keeps the newest calls of each rank in a ring of a chosen size, of chosen groups of
calls (c/record.c).  A `Choice` says which; `collect` turns the rings of a run into a trace while the binaries that it
names are still there, so that calls get their lines.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mpilab import machine
from mpilab.diagnosis import places
from mpilab.errors import HarnessError
from mpilab.tracing import gather
from mpilab.tracing.model import Trace
from mpilab.tracing.rings import HEADER_BYTES, RING_EVENT

GROUPS = {"p2p": 1, "request": 2, "collective": 4, "io": 8}  # as in c/wrap.h
EVERYTHING = 0xFF  # communicators, windows and all others too
RING, MOST_RING = 1 << 16, 1 << 24  # events of a rank
ROOM = 1.2  # times what the rings take must be free


@dataclass(frozen=True)
class Choice:
    """What to record.

    `ring` is how many events a rank keeps at least (a power of two is made of it); `groups` are names of GROUPS, all
    calls by default; only what happens between `begin_s` and `end_s`, counted from the program's start, is recorded.
    """

    ring: int = RING
    groups: Sequence[str] = ()
    begin_s: float = 0.0
    end_s: float = float("inf")

    def __post_init__(self) -> None:
        if not 1 <= self.ring <= MOST_RING:
            raise HarnessError(f"a ring of {self.ring:,} events", then=f"let it hold 1 to {MOST_RING:,}")
        if unknown := [name for name in self.groups if name not in GROUPS]:
            raise HarnessError(f"there is no group of calls {unknown[0]!r}", then=f"name some of {', '.join(GROUPS)}")
        if not 0 <= self.begin_s < self.end_s:
            raise HarnessError(
                f"recording from {self.begin_s:g} s to {self.end_s:g} s", then="let it begin before it ends"
            )

    @property
    def mask(self) -> int:
        """The groups as the C library takes them."""
        return sum(GROUPS[name] for name in set(self.groups)) or EVERYTHING

    def must_fit(self, folder: Path, ranks: int) -> None:
        """Raise HarnessError where `folder` has no room for the rings."""
        size = ranks * (HEADER_BYTES + (1 << (self.ring - 1).bit_length()) * RING_EVENT.itemsize)
        free = shutil.disk_usage(folder).free
        if free < ROOM * size:
            text = f"{ranks} rings of {self.ring:,} events take {size / 1e6:,.0f} MB, {folder} has {free / 1e6:,.0f} MB"
            raise HarnessError(text, then="choose a smaller --ring, or set TMPDIR to a folder with more room")


@dataclass(frozen=True)
class Recorded:
    """A trace, why the run did not come to its end ('' when it did), and what it printed."""

    trace: Trace
    ended: str = ""
    printed: str = ""


def collect(folder: Path, title: str, program: str, ended: str = "") -> Trace:
    """Make the trace of what a run left in `folder`; `ended` says why the run did not come to its end.

    Raises HarnessError when there is nothing in it to show.
    """
    trace = gather.read(folder, title=title, lines=_lines)
    about = machine.describe()
    versions = {"program": program} | trace.versions | {"machine": f"{about['cpu']}, {about['cores']} cores"}
    trace = replace(trace, versions=versions)
    return trace.noted(ended) if ended else trace


def _lines(wanted: list[tuple[str, int]]) -> list[str]:
    """File and line of return addresses, given as binary and offset."""
    calls = [f"{module}+{max(0, offset - 1):#x}" for module, offset in wanted]
    found = places.lines(calls)
    return [found.get(call, "") for call in calls]
