"""Other tools get what they ask for: Perfetto slices that don't overlap, OTF2 records in order, CSV."""

import csv
import io
import json
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from ring_builder import Rank

from mpilab.errors import HarnessError
from mpilab.tracing import archive, export, gather, rings
from mpilab.tracing.model import Trace


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """Two ranks with messages, blocking, nonblocking and persistent, collectives of both kinds, nested regions."""
    a, b = Rank(0), Rank(1)
    for rank, one, other in ((0, a, 1), (1, b, 0)):
        one.call("MPI_Isend", 0, 1, peer=other, tag=3, bytes=80, request=1)
        one.call("MPI_Irecv", 1, 2, peer=-2, tag=-1, bytes=99, request=2)
        one.call("MPI_Waitall", 4, 6).done(1).done(2, peer=other, tag=3, bytes=80)
        one.region(2, 3, 6).region(1, 0, 6).region(2, 6, 7)
        one.call("MPI_Bcast", 7, 9, peer=0, bytes=16)
        one.call("MPI_Iallreduce", 9, 9.5, bytes=8, request=5).call("MPI_Wait", 11, 12).done(5)
        one.call("MPI_Send_init" if not rank else "MPI_Recv_init", 12, 13, peer=other, tag=1, bytes=4, request=7)
        one.call("MPI_Start", 13, 14).sub(rings.START, request=7)
        one.call("MPI_Wait", 15, 16).done(7, peer=0 if rank else -1, tag=1, bytes=4)
        one.call("MPI_Isend", 17, 18, peer=other, tag=9, request=8)  # never received
        one.meta += [{"region": 1, "name": "outer"}, {"region": 2, "name": "inner"}]
    a.call("MPI_Send", 20, 21, comm=4, peer=0, tag=2, bytes=5)
    b.call("MPI_Recv", 20, 21, comm=4, peer=1, tag=2, bytes=5)
    folder = tmp_path / "rings"
    folder.mkdir()
    for one in (a, b):
        one.meta.append({"comm": 4, "ranks": [1, 0]})
        one.write(folder)
    return gather.read(folder)


def perfetto(trace: Trace) -> dict[str, list[dict[str, Any]]]:
    """The events by phase."""
    found = defaultdict(list)
    for event in json.loads(export.perfetto(trace))["traceEvents"]:
        found[event["ph"]].append(event)
    return found


def test_slices_of_a_track_do_not_overlap(trace: Trace, tmp_path: Path) -> None:
    """Neither in a good trace nor where the clock ran backwards; and every call is there."""
    odd = tmp_path / "odd"
    odd.mkdir()
    Rank(0, 1).call("MPI_Barrier", 0, 5).call("MPI_Barrier", 3, 4).call("MPI_Barrier", 1, 9).write(odd)
    for one in (trace, gather.read(odd)):
        tracks = defaultdict(list)
        for event in perfetto(one)["X"]:
            tracks[event["pid"], event["tid"]].append((round(event["ts"] * 1000), round(event["dur"] * 1000)))
        assert sum(map(len, tracks.values())) == len(one.events)
        for track in tracks.values():
            track.sort()
            assert all(ts + dur <= later for (ts, dur), (later, _) in pairwise(track))


def test_flows_begin_and_end_inside_their_slices(trace: Trace) -> None:
    """Each message has one start in the slice of its send and one end in that of its receive."""
    found = perfetto(trace)
    slices = {(e["pid"], e["tid"], e["ts"]): e for e in found["X"]}
    assert len(found["s"]) == len(found["f"]) == len(trace.messages) == 4
    for flow in found["s"] + found["f"]:
        around = [e for e in slices.values() if e["pid"] == flow["pid"] and e["ts"] <= flow["ts"] <= e["ts"] + e["dur"]]
        names = {e["name"] for e in around}
        assert names & (
            {"MPI_Isend", "MPI_Send", "MPI_Start"} if flow["ph"] == "s" else {"MPI_Waitall", "MPI_Wait", "MPI_Recv"}
        )


def test_requests_and_regions_are_async_pairs(trace: Trace) -> None:
    """Each opens once and closes once, later, with an id of its own."""
    found = perfetto(trace)
    begun, ended = ({e["id"]: e for e in found[ph]} for ph in "be")
    assert len(begun) == len(found["b"]) == len(trace.requests) + len(trace.regions_spans)
    assert begun.keys() == ended.keys()
    assert all(begun[i]["ts"] <= ended[i]["ts"] for i in begun)
    assert {e["name"] for e in found["b"]} >= {"MPI_Isend", "MPI_Iallreduce", "MPI_Send_init", "outer"}


def test_csv_has_a_line_for_each_row(trace: Trace) -> None:
    """Events with names, messages with their ends, requests with their calls."""
    events, messages, requests = (
        list(csv.DictReader(io.StringIO(make(trace))))
        for make in (export.events_csv, export.messages_csv, export.requests_csv)
    )
    assert (len(events), len(messages), len(requests)) == (len(trace.events), len(trace.messages), len(trace.requests))
    assert events[0]["call"] == "MPI_Isend"
    assert {(m["from"], m["to"], m["bytes"]) for m in messages} == {
        ("0", "1", "80.0"), ("1", "0", "80.0"), ("0", "1", "4.0"), ("0", "1", "5.0"),
    }  # fmt: skip
    assert requests[0]["call"] == "MPI_Isend"


def read_back(path: Path) -> list[tuple[str, Any]]:
    """All records of an OTF2 archive, each with the name of its location."""
    reader = pytest.importorskip("otf2").reader
    with reader.open(str(path)) as found:
        return [(location.name, event) for location, event in found.events]


def test_otf2_has_every_call_region_and_message(trace: Trace, tmp_path: Path) -> None:
    """Read back with the wheel's own reader: names, times, peers in the communicator, sizes, and balanced nesting."""
    records = read_back(archive.write(trace, tmp_path / "otf2"))
    stacks, entered = defaultdict(list), []
    for place, event in records:
        if type(event).__name__ == "Enter":
            stacks[place].append(event.region.name)
            entered.append(event.region.name)
        elif type(event).__name__ == "Leave":
            assert stacks[place].pop() == event.region.name, "calls and regions nest"
    assert not any(stacks.values())
    calls = [trace.calls[i] for i in trace.events["call"]]
    assert sorted(entered) == sorted([*calls, *(trace.regions[i] for i in trace.regions_spans["region"])])
    kinds = defaultdict(list)
    for place, event in records:
        kinds[type(event).__name__].append((place[:6], event))
    assert [(p, e.receiver, e.communicator.name, e.msg_length) for p, e in kinds["MpiSend"]] == [
        ("rank 0", 0, "communicator 4", 5)
    ]
    assert [(p, e.sender, e.msg_tag) for p, e in kinds["MpiRecv"]] == [("rank 1", 1, 2)]
    asked = {e.request_id for _, e in kinds["MpiIsend"]}
    assert len(asked) == 3
    assert asked == {e.request_id for _, e in kinds["MpiIsendComplete"]}
    assert {e.request_id for _, e in kinds["MpiIrecvRequest"]} == {e.request_id for _, e in kinds["MpiIrecv"]}
    assert [(e.root, e.size_sent) for _, e in kinds["MpiCollectiveEnd"]] == [(0, 16)] * 2
    assert len(kinds["NonBlockingCollectiveRequest"]) == len(kinds["NonBlockingCollectiveComplete"]) == 2
    times = [event.time for _, event in records]
    assert (min(times), max(times)) == (0, 21_000_000)


def test_otf2_is_never_written_over_something(trace: Trace, tmp_path: Path) -> None:
    """An archive is a folder of its own."""
    pytest.importorskip("otf2")
    with pytest.raises(HarnessError, match="exists"):
        archive.write(trace, tmp_path)


def test_without_the_wheel_the_command_is_named(trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no otf2 hears how to get it."""
    monkeypatch.setitem(sys.modules, "otf2", None)
    with pytest.raises(HarnessError, match="pip install otf2"):
        archive.write(trace, tmp_path / "otf2")
