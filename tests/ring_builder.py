"""Rings written by hand: what the C library leaves behind, from a few lines that say what each rank did."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mpilab.tracing import rings
from mpilab.tracing.recording import call_table

TICKS_PER_S = 2_000_000_000  # a tick is half a nanosecond
NUMBERS = {name: number for number, (name, _) in reversed(list(enumerate(call_table())))}
NOBODY = -1000000  # what the library writes where a call names no rank


@dataclass
class Rank:
    """What one rank did; times in milliseconds."""

    rank: int
    ranks: int = 2
    zero: int = 5_000_000_000  # the clock's reading at time 0
    rows: list[dict[str, int]] = field(default_factory=list)
    meta: list[dict[str, Any]] = field(default_factory=lambda: [{"program": "/home/x/prog", "mpi": "MPICH 5"}])
    handles: int = 100

    def call(self, name: str, start: float, end: float, **more: int) -> "Rank":
        """Add a call, as in `rank.call("MPI_Send", 1, 2, peer=1, bytes=8)`."""
        return self.row(NUMBERS[name], start, end, **({"comm": 1, "peer": NOBODY} | more))

    def sub(self, kind: int, **more: int) -> "Rank":
        """A sub-event of the last call."""
        last = next(row for row in reversed(self.rows) if row["call"] > 0)
        self.rows.append({"start": last["start"], "end": last["end"], "call": kind, "thread": last["thread"]} | more)
        return self

    def done(self, request: int, **more: int) -> "Rank":
        """The last call completed `request`; of a receive, say peer, tag and bytes."""
        return self.sub(rings.COMPLETION, request=request, **({"peer": NOBODY} | more))

    def row(self, call: int, start: float, end: float, **more: int) -> "Rank":
        """A row as it is."""
        first, last = (self.zero + round(ms * TICKS_PER_S / 1000) for ms in (start, end))
        self.rows.append({"start": first, "end": last, "call": call, "thread": 0} | more)
        return self

    def region(self, number: int, start: float, end: float) -> "Rank":
        """A region that ended."""
        return self.row(rings.REGION, start, end, request=number, peer=NOBODY)

    def write(self, folder: Path, room: int = 0, **header: Any) -> Path:
        """Write ring and side file; `room` for fewer events drops the oldest, `header` overrides its fields."""
        capacity = room or max(1, len(self.rows))
        head = np.zeros(1, rings.HEADER)
        end = max([row["end"] for row in self.rows], default=self.zero) + 1000
        values = {"magic": rings.MAGIC, "version": 1, "event_bytes": 64, "rank": self.rank, "ranks": self.ranks,
                  "capacity": capacity, "written": len(self.rows), "ticks_per_s": TICKS_PER_S, "tick0": self.zero,
                  "ns0": 7_000_000_000_000, "tick1": end, "ns1": 7_000_000_000_000 + (end - self.zero) // 2,
                  "clock_error_s": 1e-8, "groups": 255, "finished": 1, "host": b"here", "clock": b"tsc"}  # fmt: skip
        for name, value in (values | header).items():
            head[name] = value
        slots = np.zeros(capacity, rings.RING_EVENT)
        for i, row in enumerate(self.rows):
            slots[i % capacity] = np.zeros(1, rings.RING_EVENT)[0]
            for name, value in row.items():
                slots[name][i % capacity] = value
        path = folder / f"ring-{self.rank}"
        path.write_bytes(head.tobytes().ljust(rings.HEADER_BYTES, b"\0") + slots.tobytes())
        lines = [*self.meta, {"comm": 1, "ranks": list(range(self.ranks))}]
        path.with_name(f"meta-{self.rank}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path
