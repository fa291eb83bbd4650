"""A trace as a page: one HTML file with timeline, tables and plots, that needs no network and no server.

Theory of operation.  Summary, advice and notes are plain HTML, so that they can be read without scripts.  The arrays go
into the page as one compressed block, each column in the smallest type that holds its values, with a JSON table of what
stands where; the scripts (templates/trace-*.js, a theory of operation in each) turn them into typed arrays and draw.
Two traces share the lists of names, so that a call has one colour and one row in both.  A page carries at most
MOST_EVENTS events of a trace, the newest, and says what it left out.  Its content security policy forbids everything
but the page's own script and style, named by their hashes; text from the trace is escaped besides.
"""

import base64
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from mpilab.errors import HarnessError
from mpilab.report import TEMPLATES
from mpilab.tracing.recording import NO_EVENT, Recording

SCRIPTS = ("data", "draw", "move", "tables", "plots", "tabs")  # templates/trace-*.js, then trace.js
TABS = ("table", "events", "scatter", "histogram", "bandwidth")
FIELDS = {
    "call": "call",
    "group": "kind of call",
    "rank": "rank",
    "peer": "peer",
    "bytes": "bytes",
    "region": "region",
    "place": "place",
    "tag": "tag",
    "comm": "communicator",
    "thread": "thread",
}
MEASURES = {"duration": "duration of calls", "transfer": "time of messages", "bandwidth": "bandwidth of messages"}
TICK_S = 1e-10  # of times in the page: finer than any clock
MOST_EVENTS = 500_000  # 17 MB of page
LEVEL = 6  # of compression: 9 is slower and saves little
MOST_LANES = 512  # ranks that the timeline draws
NAMED = ("calls", "groups", "regions", "places")
CLOCK_ERROR_S = 1e-6  # what is below need not be said: the calls themselves take as long

Rows = npt.NDArray[np.void]
Line = tuple[
    str, str, str
]  # "MPI wait rate", "37 %", "of 2.1 s on 4 ranks"; a name that is indented belongs to the one before
Packed = tuple[
    str, int, int
]  # a type as "u2" or "f8", and where in the block of arrays its values begin and end, in bytes


@dataclass(frozen=True)
class View:
    """A trace, and what a tuner wants to hear of it first."""

    trace: Recording
    figures: Sequence[Line] = ()
    advice: str = ""  # one sentence: what would help
    link: str = ""  # to the page or lab that teaches it; http(s) or relative


def render(views: Sequence[View], tab: str = "table") -> str:
    """The page.

    Args:
        views: one trace, or two that are to be compared (before and after), shown on one time scale.
        tab: which of TABS is open at first.

    Raises:
        HarnessError: another number of traces than one or two, or a link that is not one to a page.
    """
    if len(views) not in (1, 2):
        raise HarnessError(f"a page shows one trace or two, not {len(views)}", then="give it the two to be compared")
    for view in views:
        if ":" in view.link and not view.link.startswith(("https://", "http://")):
            raise HarnessError(f"the link {view.link!r} leads to no page", then="give a relative one, or https://")
    if len({view.trace.title for view in views}) < len(views):
        views = [_named(view, which) for view, which in zip(views, ("first", "second"), strict=True)]
    style, script = _template("trace.css"), _script()
    short, cut = zip(*(_newest(view.trace, MOST_EVENTS) for view in views), strict=True)
    block = _Block()
    data = _data(short, block)
    fields = [*FIELDS.items(), *([("trace", "trace")] if len(views) == 2 else [])]
    return TEMPLATES.get_template("trace.html").render(
        title=" and ".join(dict.fromkeys(view.trace.title for view in views)) or "MPI trace",
        views=views,
        subtitles=[subtitle(view.trace) for view in views],
        cards=_cards(views[0].figures),
        compared=_compared(views),
        notes=[note for view, said in zip(views, cut, strict=True) for note in _said(view, said, len(views))],
        tab=tab,
        tabs=TABS,
        fields=fields,
        then_fields=_then(fields),
        measures=list(MEASURES.items()),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        # a "<" in a name must not end the block; JSON has it only in strings
        data=msgspec.json.encode(data).decode().replace("<", "\\u003c"),
        arrays=block.text(),
    )


def subtitle(trace: Recording) -> str:
    """Size, machine and versions in a line; of a version of many lines (MPICH's) the first."""
    counted = [(len(trace.events), "event"), (trace.ranks, "rank"), (len(trace.messages), "message")]
    size = ", ".join(f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counted)
    first = {name: str(value).strip().partition("\n")[0][:80] for name, value in trace.versions.items()}
    return "; ".join([size, *(f"{name} {value}" for name, value in first.items() if value)])


def notes(trace: Recording) -> list[str]:
    """What is to be known before believing the trace: dropped events, dead ranks, the clocks, and its own notes."""
    said = []
    dropped = {rank: n for rank, n in enumerate(trace.dropped) if n}
    if dropped:
        worst, total = max(dropped, key=lambda rank: dropped[rank]), sum(dropped.values())
        said.append(
            f"{len(dropped)} of {trace.ranks} ranks ran out of room and dropped their oldest events, {total:,} in all, "
            f"most of them ({dropped[worst]:,}) rank {worst}: record fewer groups of calls, or with a larger ring"
        )
    dead = [str(rank) for rank, finished in enumerate(trace.finished) if not finished]
    if dead:
        named = ", ".join(dead[:10]) + (", ..." if len(dead) > 10 else "")
        said.append(f"{len(dead)} of {trace.ranks} ranks did not reach MPI_Finalize: {named}")
    apart = max((e for e in trace.clock.get("offset_error_s", ()) if e is not None), default=0.0)
    if apart > CLOCK_ERROR_S:
        said.append(f"times of different ranks compare within {apart * 1e6:,.1f} µs: arrows may lean by as much")
    if trace.ranks > MOST_LANES:
        said.append(f"the timeline draws ranks 0 to {MOST_LANES - 1}; the tables and plots hold all {trace.ranks:,}")
    return [*said, *trace.notes]


def _named(view: View, which: str) -> View:
    """The view with `which` behind its trace's title."""
    return replace(view, trace=replace(view.trace, title=f"{view.trace.title} ({which})"))


def _said(view: View, cut: str, traces: int) -> list[str]:
    found = [*([cut] if cut else []), *notes(view.trace)]
    return [f"{view.trace.title}: {note}" for note in found] if traces > 1 else found


def _then(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The choices of a second field to group by: nothing comes first, or with two traces the trace."""
    return [fields[-1], ("", "nothing"), *fields[:-1]] if fields[-1][0] == "trace" else [("", "nothing"), *fields]


def _cards(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines in groups: one that isn't indented, with the indented ones that follow."""
    cards: list[list[Line]] = []
    for line in lines:
        if cards and line[0].startswith(" "):
            cards[-1].append(line)
        else:
            cards.append([line])
    return cards


def _compared(views: Sequence[View]) -> list[tuple[str, list[Line | None]]]:
    """The lines of all traces side by side, by name."""
    found = [{line[0]: line for line in view.figures} for view in views]
    return [(name, [each.get(name) for each in found]) for name in dict.fromkeys(n for each in found for n in each)]


def _template(name: str) -> str:
    return (Path(__file__).parents[1] / "templates" / name).read_text(encoding="utf-8")


def _script() -> str:
    """All scripts as one, in a scope of its own."""
    parts = [_template(f"trace-{name}.js") for name in SCRIPTS]
    return "\n".join(['(async () => { "use strict";', *parts, _template("trace.js"), "})();"])


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _newest(trace: Recording, most: int) -> tuple[Recording, str]:
    """The trace with its `most` newest events, and what that leaves out ('' for nothing)."""
    count, start = len(trace.events), trace.events["start"]
    if count <= most:
        return trace, ""
    since = np.partition(start, count - most)[count - most]
    kept = start >= since
    number = np.append(np.where(kept, np.cumsum(kept) - 1, NO_EVENT), NO_EVENT).astype("<u4")  # the last: of NO_EVENT

    def moved(rows: Rows, *needed: str) -> Rows:
        rows = rows[np.all([kept[rows[column]] for column in needed], axis=0)].copy()
        for column in {"send", "recv", "post", "event", "done"} & set(rows.dtype.names or ()):
            rows[column] = number[np.minimum(rows[column], count)]
        return rows

    short = replace(
        trace,
        events=trace.events[kept],
        messages=moved(trace.messages, "send", "recv"),
        requests=moved(trace.requests, "event"),
        regions_spans=trace.regions_spans[trace.regions_spans["end"] >= since],
    )
    shown = len(short.events)
    return short, f"this page shows the newest {shown:,} of {count:,} events; its time 0 is {since:.6f} s of the trace"


def _data(traces: Sequence[Recording], block: "_Block") -> dict[str, Any]:
    """What the scripts read: lists of names that all traces share, and each trace's columns."""
    names: dict[str, list[str]] = {}
    lookups: dict[str, list[npt.NDArray[np.int64]]] = {}
    for kind in NAMED:
        names[kind] = list(dict.fromkeys(name for trace in traces for name in getattr(trace, kind)))
        place = {name: i for i, name in enumerate(names[kind])}
        lookups[kind] = [np.array([place[n] for n in getattr(trace, kind)], np.int64) for trace in traces]
    groups = {call: group for trace in traces for call, group in zip(trace.calls, trace.groups, strict=True)}
    return {
        "format": "mpilab-view",
        "version": 1,
        "tick_s": TICK_S,
        "most_lanes": MOST_LANES,
        **names,
        "group_of": [names["groups"].index(groups[call]) for call in names["calls"]],
        "traces": [_trace(trace, block, {kind: lookups[kind][i] for kind in NAMED}) for i, trace in enumerate(traces)],
    }


def _trace(trace: Recording, block: "_Block", lookup: dict[str, npt.NDArray[np.int64]]) -> dict[str, Any]:
    events, messages, requests, spans = trace.events, trace.messages, trace.requests, trace.regions_spans
    zero = float(events["start"].min()) if len(events) else 0.0
    ends = [float(rows["end"].max()) - zero for rows in (events, spans) if len(rows)]
    messages = messages[np.argsort(events["start"][messages["send"]], kind="stable")]
    requests = requests[np.lexsort((requests["start"], requests["rank"]))]
    spans = spans[np.lexsort((-spans["end"], spans["start"], spans["rank"]))]  # outer regions before inner ones
    packed = {name: block.pack(events[name]) for name in ("rank", "peer", "tag", "bytes", "comm", "thread")}
    for name, kind in (("call", "calls"), ("region", "regions"), ("place", "places")):
        packed[name] = block.pack(lookup[kind][events[name]])
    return {
        "title": trace.title,
        "ranks": trace.ranks,
        "length_s": max(ends, default=0.0),
        "events": packed | _times(events, zero, block),
        "messages": {name: block.pack(messages[name]) for name in ("send", "recv", "bytes")},
        "requests": {name: block.pack(requests[name]) for name in ("event", "done")},  # their times are those events'
        "spans": {
            "rank": block.pack(spans["rank"]),
            "region": block.pack(lookup["regions"][spans["region"]]),
            **_times(spans, zero, block),
        },
    }


def _times(rows: Rows, zero: float, block: "_Block") -> dict[str, Packed]:
    """When each row starts, counted from the row before on its rank, and how long it lasts, in units of TICK_S."""
    start, length = (np.rint(values / TICK_S) for values in (rows["start"] - zero, rows["end"] - rows["start"]))
    first = np.flatnonzero(np.diff(rows["rank"].astype(int), prepend=-1))
    step = np.diff(start, prepend=0.0)
    step[first] = start[first]
    return {"step": block.pack(step), "length": block.pack(length)}


class _Block:
    """All arrays of the page behind each other, compressed: a page is read twice as fast as one with plain arrays."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def pack(self, values: npt.NDArray[Any]) -> Packed:
        """Put in a column in the smallest type that holds it; floats that are whole numbers become integers."""
        if values.dtype.kind == "f" and (values != np.trunc(values)).any():
            return self.add(values, "f8")
        low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
        kind = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
        if kind.itemsize == 8:
            return self.add(values, "f8")  # scripts have no integers of 64 bits
        return self.add(values, f"{kind.kind}{kind.itemsize}")

    def add(self, values: npt.NDArray[Any], kind: str) -> Packed:
        """Put in a column in this type."""
        part = values.astype(f"<{kind}").tobytes()
        self._parts.append(part)
        begin, self._size = self._size, self._size + len(part)
        return kind, begin, self._size

    def text(self) -> str:
        """The block as it stands in the page."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), LEVEL)).decode()
