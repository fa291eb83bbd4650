"""A trace for other tools: Chrome's trace JSON, which Perfetto reads, and CSV.

Theory of operation.  Perfetto wants slices on a track that don't overlap.  A rank is a process and a thread its track;
calls of a thread follow one another, and where a clock that ran backwards lets them overlap, the later one is cut.
Requests overlap by nature, and regions may: they are async events, each with an id of its own.  A message is a flow
from the slice of its send to that of its receive.  Times are microseconds with three digits, rounded before anything is
compared.  OTF2 is archive.py's.
"""

from typing import Any

import msgspec
import numpy as np

from mpilab.tracing import tables, text
from mpilab.tracing.recording import NO_CALL, Ints, Recording

Event = dict[str, Any]


def perfetto(trace: Recording) -> bytes:
    """The trace as JSON for ui.perfetto.dev or chrome://tracing."""
    start, end = slices(trace)
    found = [*_names(trace), *_calls(trace, start, end), *_messages(trace, start, end), *_spans(trace)]
    return msgspec.json.encode({"traceEvents": found, "displayTimeUnit": "ns", "otherData": {"title": trace.title}})


def events_csv(trace: Recording) -> str:
    """The events, one line each."""
    return tables.events_csv(trace)


def messages_csv(trace: Recording) -> str:
    """The messages: who sent what to whom, and when."""
    sent, received = (trace.events[trace.messages[side]] for side in ("send", "recv"))
    columns = (trace.messages["send"], trace.messages["recv"], sent["rank"], received["rank"], received["tag"],
               trace.messages["bytes"], sent["start"], received["end"])  # fmt: skip
    heads = ("send", "recv", "from", "to", "tag", "bytes", "start_s", "end_s")
    return text.csv_text(heads, zip(*(column.tolist() for column in columns), strict=True))


def requests_csv(trace: Recording) -> str:
    """The requests: from when to when each was outstanding."""
    names = [trace.calls[call] if call != NO_CALL else "" for call in trace.requests["call"].tolist()]
    rest = (trace.requests[name].tolist() for name in ("rank", "start", "end", "event", "done"))
    return text.csv_text(("call", "rank", "start_s", "end_s", "event", "done"), zip(names, *rest, strict=True))


def slices(trace: Recording) -> tuple[Ints, Ints]:
    """Start and end of each event in ns; on a track none begins before the last one ended."""
    start, end = (np.rint(trace.events[edge] * 1e9).astype(np.int64) for edge in ("start", "end"))
    lane = trace.events["rank"].astype(np.int64) * 2**16 + trace.events["thread"]
    for one in np.unique(lane):
        own = np.flatnonzero(lane == one)
        before = np.concatenate(([np.iinfo(np.int64).min], np.maximum.accumulate(end[own])[:-1]))
        start[own] = np.maximum(start[own], before)
        end[own] = np.maximum(start[own], end[own])
    return start, end


def _us(ns: int) -> float:
    return ns / 1000


def _names(trace: Recording) -> list[Event]:
    ranks = range(trace.ranks)
    named = [{"ph": "M", "name": "process_name", "pid": r, "args": {"name": f"rank {r}"}} for r in ranks]
    return named + [{"ph": "M", "name": "process_sort_index", "pid": r, "args": {"sort_index": r}} for r in ranks]


def _calls(trace: Recording, start: Ints, end: Ints) -> list[Event]:
    found = []
    for event, begin, until in zip(trace.events.tolist(), start.tolist(), end.tolist(), strict=True):
        rank, call, _, _, peer, tag, size, comm, place, region, thread = event
        known = {"peer": peer, "tag": tag, "bytes": size, "comm": comm, "place": trace.places[place],
                 "region": trace.regions[region]}  # fmt: skip
        found.append({"ph": "X", "name": trace.calls[call], "cat": trace.groups[call], "pid": rank, "tid": thread,
                      "ts": _us(begin), "dur": _us(until - begin), "args": known})  # fmt: skip
    return found


def _messages(trace: Recording, start: Ints, end: Ints) -> list[Event]:
    """Flows bind to the slice around them, so an arrow starts with its send and ends just inside its receive."""
    found = []
    rank, thread = trace.events["rank"].tolist(), trace.events["thread"].tolist()
    for number, message in enumerate(trace.messages.tolist()):
        send, recv, size = message[:3]
        common = {"name": "message", "cat": "message", "id": number}
        left, came = int(start[send]), max(int(start[recv]), int(end[recv]) - 1)
        found += [
            {"ph": "s", **common, "pid": rank[send], "tid": thread[send], "ts": _us(left), "args": {"bytes": size}},
            {"ph": "f", "bp": "e", **common, "pid": rank[recv], "tid": thread[recv], "ts": _us(came)},
        ]
    return found


def _spans(trace: Recording) -> list[Event]:
    """Requests and regions, as pairs of async events."""
    requests = [
        ("request", trace.calls[call] if call != NO_CALL else "request", rank, start, end)
        for rank, start, end, _, _, call in trace.requests.tolist()
    ]
    regions = [("region", trace.regions[i], rank, start, end) for rank, start, end, i in trace.regions_spans.tolist()]
    found = []
    for number, (kind, name, rank, start, end) in enumerate(requests + regions):
        common = {"cat": kind, "name": name, "id": number, "pid": rank, "tid": 0}
        found += [{"ph": ph, **common, "ts": _us(round(t * 1e9))} for ph, t in (("b", start), ("e", end))]
    return found
