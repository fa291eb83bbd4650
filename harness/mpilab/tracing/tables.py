"""Tables and plots of a trace's calls, as data, CSV, text, HTML and small pictures.

Theory of operation.  Each function takes a recording and picks out calls, and returns a frozen view with the numbers as
arrays; the view knows how to show itself (text.py, svg.py).  A latency is the time from a call's start to its end,
whatever it did: an MPI_Isend returns before its message has left, so what its latency says about bandwidth is marked as
doubtful.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import RenderableType

from mpilab.errors import HarnessError
from mpilab.tracing import svg, text
from mpilab.tracing.recording import IRECEIVES, ISENDS, NO_EVENT, STARTS, WAITS, Flags, Floats, Ints, Recording

FIELDS = ("call", "rank", "bytes", "peer", "tag", "region", "comm", "place", "thread", "group", "completes")
AXES = {"end": "time when the call ended, s", "entry": "time when the call began, s", "bytes": "bytes"}
BINS = 30


@dataclass(frozen=True, repr=False, eq=False)
class Table(text.Shown):
    """Calls, counted; parallel columns, the row with the largest sum first."""

    fields: tuple[str, ...]  # what the rows are grouped by; the first is the call
    keys: tuple[tuple[str, ...], ...]  # for each row its fields' values
    count: Ints
    sum_s: Floats
    mean_s: Floats
    max_s: Floats
    bytes: Floats

    @property
    def csv(self) -> str:
        """All rows, in seconds and bytes."""
        numbers = zip(self.count, self.sum_s, self.mean_s, self.max_s, self.bytes, strict=True)
        rows = ((*key, *more) for key, more in zip(self.keys, numbers, strict=True))
        return text.csv_text((*self.fields, "count", "sum_s", "mean_s", "max_s", "bytes"), rows)

    def _cells(self) -> tuple[Sequence[str], list[list[str]]]:
        columns = zip(self.keys, self.count, self.sum_s, self.mean_s, self.max_s, self.bytes, strict=True)
        rows = [[*k, f"{n:,}", *map(text.duration, times), text.size(b)] for k, n, *times, b in columns]
        return (*self.fields, "count", "sum", "mean", "max", "bytes"), rows

    def __rich__(self) -> RenderableType:
        heads, rows = self._cells()
        return text.grid(f"MPI calls by {', '.join(self.fields)}", heads, rows, len(self.fields))

    def _repr_html_(self) -> str:
        heads, rows = self._cells()
        return svg.table(f"MPI calls by {', '.join(self.fields)}", heads, rows, text.ROWS, len(self.fields))


def table(trace: Recording, by: str | Sequence[str] = "call", call: str = "") -> Table:
    """Count, sum, mean and maximum of the latencies.

    Args:
        trace: what was recorded.
        by: one or several of FIELDS; the call always comes first.  "completes" is what a Wait or Test completed.
        call: only this call, "" all.

    Raises:
        HarnessError: there is no such field or call.
    """
    fields = tuple(dict.fromkeys(("call", *([by] if isinstance(by, str) else by))))
    if unknown := [name for name in fields if name not in FIELDS]:
        raise HarnessError(f"a table can't be grouped by {unknown[0]}", then=f"group by one of {', '.join(FIELDS)}")
    _, which = pick(trace, call)
    chosen = trace.events[which]
    columns = [_column(trace, name)[which] for name in fields]
    codes, index = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    index = index.ravel()
    latency = chosen["end"] - chosen["start"]
    count, total = (
        np.bincount(index, minlength=len(codes)),
        np.bincount(index, latency, minlength=len(codes)).astype(float),
    )
    most = np.zeros(len(codes))
    np.maximum.at(most, index, latency)
    moved = np.bincount(index, chosen["bytes"], minlength=len(codes)).astype(float)
    order = np.argsort(-total, kind="stable")
    keys = [tuple(_said(trace, name, int(v)) for name, v in zip(fields, codes[i], strict=True)) for i in order]
    mean = total / np.maximum(count, 1)
    return Table(fields, tuple(keys), count[order], total[order], mean[order], most[order], moved[order])


def pick(trace: Recording, call: str) -> tuple[str, Flags]:
    """The name of a call as MPI spells it, and which events are of it; "" is all.

    Raises:
        HarnessError: the trace has no such call.
    """
    if not call:
        return "", np.ones(len(trace.events), bool)
    names = [name.lower() for name in trace.calls]
    wanted = call.lower() if call.lower().startswith("mpi_") else f"mpi_{call.lower()}"
    if wanted not in names:
        raise HarnessError(f"the trace holds no {call}", then=f"it holds {', '.join(trace.calls)}")
    number = names.index(wanted)
    return trace.calls[number], np.asarray(trace.events["call"] == number)


def _column(trace: Recording, name: str) -> Ints:
    """A field as numbers that `_said` can say."""
    if name == "group":
        groups = sorted(set(trace.groups))
        return np.take(np.array([groups.index(g) for g in trace.groups], np.int64), trace.events["call"])
    if name == "completes":
        result = np.full(len(trace.events), -1, np.int64)
        done = trace.requests[(trace.requests["done"] != NO_EVENT) & (trace.requests["call"] < len(trace.calls))]
        result[done["done"]] = done["call"]
        return result
    values: Ints = np.asarray(trace.events[name], np.int64)
    return values


def _said(trace: Recording, name: str, value: int) -> str:
    names = {"call": trace.calls, "region": trace.regions, "place": trace.places, "group": sorted(set(trace.groups)),
             "completes": trace.calls}  # fmt: skip
    if name in names:
        return names[name][value] if value >= 0 else ""
    return "" if name == "peer" and value < 0 else str(value)


@dataclass(frozen=True, repr=False, eq=False)
class Scatter(text.Shown):
    """Latencies against something; parallel arrays, one point a call."""

    axis: str  # a key of AXES
    call: str
    x: Floats  # seconds or bytes
    latency_s: Floats
    event: Ints  # the point's index in the trace's events
    rank: Ints

    @property
    def csv(self) -> str:
        """All points."""
        points = zip(self.event, self.rank, self.x, self.latency_s, strict=True)
        return text.csv_text(("event", "rank", self.axis, "latency_s"), points)

    def _title(self) -> str:
        return f"Latency of {self.call or 'all calls'} against {AXES[self.axis].split(',')[0]}"

    def __rich__(self) -> RenderableType:
        order = np.argsort(-self.latency_s, kind="stable")[:10]
        said = text.size if self.axis == "bytes" else text.duration
        rows = [
            [str(self.event[i]), str(self.rank[i]), said(self.x[i]), text.duration(self.latency_s[i])] for i in order
        ]
        title = f"{self._title()}: {len(self.x):,} calls, the ten longest"
        return text.grid(title, ("event", "rank", self.axis, "latency"), rows)

    def _repr_html_(self) -> str:
        """A plot; of many points the longest, and some of the others."""
        if not len(self.x):
            return "<p>no calls</p>"
        order = np.argsort(-self.latency_s, kind="stable")
        half = svg.POINTS // 2
        rest = order[half:][:: max(1, len(order) // half)]
        drawn = np.concatenate((order[:half], rest))
        low, high, top = float(self.x.min()), float(self.x.max()), float(self.latency_s.max()) or 1e-9
        points = zip((self.x[drawn] - low) / (high - low or 1.0), self.latency_s[drawn] / top, strict=True)
        dots = [svg.dot(svg.across(x), svg.up(y)) for x, y in points]
        x_ticks = [(f, f"{low + f * (high - low):.4g}") for f in (0, 0.25, 0.5, 0.75, 1)]
        y_ticks = [(f, text.duration(f * top)) for f in (0, 0.5, 1)]
        said = f"{self._title()}: {len(self.x):,} calls, the longest {text.duration(top)}"
        return svg.picture(said, [*svg.axes(AXES[self.axis], x_ticks, y_ticks), *dots])


def scatter(trace: Recording, x: str = "end", call: str = "") -> Scatter:
    """Latency of each call (all, or only `call`) against its end, its entry or its bytes."""
    if x not in AXES:
        raise HarnessError(f"there is no axis {x}", then=f"take one of {', '.join(AXES)}")
    name, which = pick(trace, call)
    rows = trace.events[which]
    column = {"end": "end", "entry": "start", "bytes": "bytes"}[x]
    latency = rows["end"] - rows["start"]
    return Scatter(x, name, rows[column].astype(float), latency, np.flatnonzero(which), rows["rank"].astype(np.int64))


@dataclass(frozen=True, repr=False, eq=False)
class Histogram(text.Shown):
    """How often a latency lies between two edges; edges grow by the same factor."""

    call: str
    edges_s: Floats  # one more than counts
    counts: Ints

    @property
    def csv(self) -> str:
        """All bins."""
        return text.csv_text(
            ("from_s", "to_s", "count"), zip(self.edges_s[:-1], self.edges_s[1:], self.counts, strict=True)
        )

    def __rich__(self) -> RenderableType:
        most = max(1, int(self.counts.max(initial=0)))
        bars = [
            [text.duration(e), "#" * round(50 * n / most), f"{n:,}"]
            for e, n in zip(self.edges_s[:-1], self.counts, strict=True)
        ]
        shown = np.flatnonzero(self.counts)
        rows = bars[shown[0] : shown[-1] + 1] if len(shown) else []
        title = f"Latencies of {self.call or 'all calls'}"
        return text.grid(title, ("from", "", "calls"), rows, left=2)

    def _repr_html_(self) -> str:
        most = max(1, int(self.counts.max(initial=0)))
        width = (svg.across(1) - svg.across(0)) / max(1, len(self.counts))
        bars = []
        for number, count in enumerate(self.counts):
            top = svg.up(count / most)
            bars.append(svg.box(svg.across(0) + number * width, top, max(1, width - 1), svg.up(0) - top, svg.MARK))
        steps = np.linspace(0, len(self.edges_s) - 1, 6).astype(int)
        x_ticks = [(i / (len(self.edges_s) - 1), text.duration(self.edges_s[i])) for i in steps]
        axes = svg.axes("latency", x_ticks, [(0, "0"), (1, f"{most:,}")])
        return svg.picture(f"Histogram of latencies of {self.call or 'all calls'}", [*axes, *bars])


def histogram(trace: Recording, call: str = "", bins: int = BINS) -> Histogram:
    """The distribution of latencies of all calls, or only of `call`."""
    name, which = pick(trace, call)
    rows = trace.events[which]
    latency = np.maximum(rows["end"] - rows["start"], 1e-9)  # a clock tells no less than a nanosecond
    low, high = (latency.min(), latency.max()) if len(latency) else (1e-9, 1e-9)
    edges = np.geomspace(low, high if high > low else low * 2, bins + 1)
    edges[0], edges[-1] = low, max(edges[-1], high)
    return Histogram(name, edges, np.histogram(latency, edges)[0])


@dataclass(frozen=True, repr=False, eq=False)
class Bandwidth(text.Shown):
    """The effective bandwidth of each call that names bytes."""

    calls: tuple[str, ...]
    count: Ints
    mean_bytes: Floats  # of a call on one rank
    mean_s: Floats
    rank_bytes_per_s: Floats  # mean_bytes / mean_s
    all_bytes_per_s: Floats  # of all ranks that make the call, together
    doubtful: Flags  # the call returns before the data has moved, or waits for data that moved before

    @property
    def csv(self) -> str:
        """All calls."""
        heads = ("call", "count", "mean_bytes", "mean_s", "rank_bytes_per_s", "all_bytes_per_s", "doubtful")
        columns = (self.calls, self.count, self.mean_bytes, self.mean_s, self.rank_bytes_per_s, self.all_bytes_per_s,
                   self.doubtful)  # fmt: skip
        return text.csv_text(heads, zip(*columns, strict=True))

    def _cells(self) -> tuple[Sequence[str], list[list[str]]]:
        rows = []
        for i, call in enumerate(self.calls):
            speeds = [text.rate(v[i]) for v in (self.rank_bytes_per_s, self.all_bytes_per_s)]
            said = "data may move in other calls" if self.doubtful[i] else ""
            row = [call, f"{self.count[i]:,}", text.size(self.mean_bytes[i]), text.duration(self.mean_s[i])]
            rows.append([*row, *speeds, said])
        return ("call", "count", "mean bytes", "mean", "a rank", "all ranks", "note"), rows

    def __rich__(self) -> RenderableType:
        return text.grid("Effective bandwidth", *self._cells())

    def _repr_html_(self) -> str:
        return svg.table("Effective bandwidth", *self._cells(), text.ROWS)


def bandwidth(trace: Recording) -> Bandwidth:
    """Bytes over latency, of the calls that name bytes and took time."""
    latency, moved = trace.events["end"] - trace.events["start"], trace.events["bytes"]
    which = (moved > 0) & (latency > 0)
    call, rank = trace.events["call"][which], trace.events["rank"][which]
    used, index, count = np.unique(call, return_inverse=True, return_counts=True)
    bytes_, seconds = np.bincount(index, moved[which]) / count, np.bincount(index, latency[which]) / count
    ranks = np.array([len(np.unique(rank[call == c])) for c in used], np.int64)
    names = tuple(trace.calls[c] for c in used)
    vague = np.array([name in ISENDS | IRECEIVES | STARTS | WAITS or name.startswith("MPI_I") for name in names], bool)
    return Bandwidth(names, count, bytes_, seconds, bytes_ / seconds, ranks * bytes_ / seconds, vague)


def events_csv(trace: Recording, which: Flags | None = None) -> str:
    """The events as CSV, names in place of numbers; only some where `which` is given."""
    chosen = trace.events if which is None else trace.events[which]
    names = {"call": trace.calls, "place": trace.places, "region": trace.regions}
    columns = [np.array(names[n])[chosen[n]] if n in names else chosen[n] for n in chosen.dtype.names or ()]
    return text.csv_text(chosen.dtype.names or (), zip(*(column.tolist() for column in columns), strict=True))
