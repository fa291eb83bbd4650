"""What rings hold is read as it is, and whatever is wrong with them is said, with what could be read."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from ring_builder import Rank

from mpilab.errors import HarnessError
from mpilab.tracing import gather, rings
from mpilab.tracing.model import Trace
from mpilab.tracing.recording import NO_CALL, NO_EVENT

SECONDS = 1e-3  # of a millisecond


def sender() -> Rank:
    """Rank 0 of two: one MPI_Send of 8 bytes, from 1 to 2 ms."""
    return Rank(0).call("MPI_Send", 1, 2, peer=1, tag=3, bytes=8)


def receiver() -> Rank:
    """Rank 1: the MPI_Recv of it, from 1.5 to 2.5 ms."""
    return Rank(1).call("MPI_Recv", 1.5, 2.5, peer=0, tag=3, bytes=8)


def read(folder: Path, *ranks: Rank) -> Trace:
    """Write the ranks' rings and read them."""
    for rank in ranks:
        rank.write(folder)
    return gather.read(folder)


def test_events_have_common_times_world_peers_and_names(tmp_path: Path) -> None:
    """Ticks become seconds since the first event, peers ranks in the world, numbers names."""
    trace = read(tmp_path, sender(), receiver())
    assert trace.calls == ["MPI_Recv", "MPI_Send"]
    assert trace.groups == ["p2p", "p2p"]
    assert trace.events["start"] == pytest.approx([0, 0.5 * SECONDS], abs=1e-9)
    assert trace.events["end"] == pytest.approx([1 * SECONDS, 1.5 * SECONDS], abs=1e-9)
    assert trace.events["peer"].tolist() == [1, 0]
    assert trace.events["bytes"].tolist() == [8, 8]
    assert (trace.title, trace.notes, trace.finished) == ("prog", [], [True, True])


def test_clocks_of_two_nodes_are_aligned(tmp_path: Path) -> None:
    """Another node's clock, which counts from another moment, is brought to rank 0's by its offset."""
    late = receiver()
    sender().write(tmp_path)
    late.write(tmp_path, ns0=1_000_000_000, ns1=1_000_000_000 + 10_000_000, tick1=late.zero + 20_000_000,
               offset_s=7000 - 1.0, offset_error_s=2e-6)  # fmt: skip
    trace = gather.read(tmp_path)
    assert trace.events["start"] == pytest.approx([0, 0.5 * SECONDS], abs=1e-8)
    assert trace.clock["offset_error_s"] == [0, 2e-6]


def test_the_rate_of_the_clock_is_measured_between_start_and_end(tmp_path: Path) -> None:
    """Two readings of both clocks say how long a tick is, whatever the header states."""
    one = sender()
    one.write(tmp_path, ticks_per_s=1.0, tick1=one.zero + 1000, ns1=7_000_000_000_000 + 500)
    assert gather.read(tmp_path).events["end"] == pytest.approx([1 * SECONDS])


def test_a_rank_that_never_finished_is_read_with_the_stated_rate(tmp_path: Path) -> None:
    """A program that died before the end leaves no second reading; its events have times all the same."""
    sender().write(tmp_path, tick1=0, ns1=0, finished=0)
    trace = gather.read(tmp_path)
    assert trace.events["end"] == pytest.approx([1 * SECONDS])
    assert trace.finished == [False, False]
    assert any("rank 0: the program ended before MPI_Finalize" in note for note in trace.notes)


def test_a_clock_without_any_rate_is_said(tmp_path: Path) -> None:
    """Where neither the rate nor a second reading is there, times are not believed."""
    sender().write(tmp_path, tick1=0, ticks_per_s=float("nan"))
    assert any("a tick is taken for a nanosecond" in note for note in gather.read(tmp_path).notes)


def test_the_newest_events_are_kept_in_order(tmp_path: Path) -> None:
    """Of ten events in a ring of four, the last four are there, oldest first, and six are counted as dropped."""
    one = Rank(0, ranks=1)
    for i in range(10):
        one.call("MPI_Barrier", i, i + 0.5)
    one.write(tmp_path, room=4)
    trace = gather.read(tmp_path)
    assert trace.events["start"] == pytest.approx([0, 1 * SECONDS, 2 * SECONDS, 3 * SECONDS])
    assert trace.dropped == [6]


def test_a_ring_of_one_event_is_a_trace(tmp_path: Path) -> None:
    """One event is enough for every view."""
    trace = read(tmp_path, Rank(0, ranks=1).call("MPI_Barrier", 3, 4))
    assert len(trace.events) == 1
    views = (trace.summary(), trace.timeline(), trace.table(), trace.scatter(), trace.histogram(), trace.bandwidth())
    for view in views:
        assert str(view)
        assert view._repr_html_()
        assert view.csv


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"magic": b"ELF"}, "is not a ring"),
        ({"version": 2}, "is of version 2 with events of 64 bytes; this mpilab reads version 1"),
        ({"event_bytes": 128}, "events of 128 bytes"),
        ({"ranks": 0}, "there are 0 ranks"),
        ({"ranks": 2**32 - 1}, "there are 4,294,967,295 ranks"),
        ({"rank": 1}, "is of rank 1 of 2"),
        ({"capacity": 0}, "has no room"),
    ],
)
def test_a_bad_header_is_named_and_the_other_rank_shown(change: dict[str, int], said: str, tmp_path: Path) -> None:
    """One unreadable ring is a note when another can be read, and an error that says the same when none can."""
    sender().write(tmp_path, **change)
    with pytest.raises(HarnessError, match=said):
        gather.read(tmp_path)
    receiver().write(tmp_path)
    trace = gather.read(tmp_path)
    assert len(trace.events) == 1
    assert any(said in note for note in trace.notes)
    assert any("1 of 2 ranks left no readable ring: 0" in note for note in trace.notes)


@pytest.mark.parametrize(("length", "said"), [(0, "is empty"), (100, "is cut off: 100 bytes"), (4095, "is cut off")])
def test_a_header_that_is_cut_off_is_named(length: int, said: str, tmp_path: Path) -> None:
    """A ring shorter than its header is unreadable, and says so."""
    path = sender().write(tmp_path)
    os.truncate(path, length)
    with pytest.raises(HarnessError, match=said):
        gather.read(tmp_path)


@pytest.mark.parametrize("written", [8, 11, 13])
@pytest.mark.parametrize("keep", [0, 1, 3, 7])
def test_of_a_ring_that_is_cut_off_the_rest_is_shown(keep: int, written: int, tmp_path: Path) -> None:
    """The slots that are there are shown in order, and the missing ones counted, wrapped around or not."""
    one = Rank(0, ranks=1)
    for i in range(written):
        one.call("MPI_Barrier", i, i + 0.5)
    os.truncate(one.write(tmp_path, room=8), rings.HEADER_BYTES + keep * 64 + 10)
    if not keep:
        with pytest.raises(HarnessError, match="8 events are missing"):
            gather.read(tmp_path)
        return
    trace = gather.read(tmp_path)
    there = sorted(i for i in range(written - 8, written) if i % 8 < keep)
    assert trace.events["start"] == pytest.approx([(i - there[0]) * SECONDS for i in there], abs=1e-9)
    assert any(f"{8 - keep} events are missing" in note for note in trace.notes)


def test_a_header_that_claims_the_impossible_costs_neither_time_nor_memory(tmp_path: Path) -> None:
    """2^60 events in a file of one: what is there is read, the rest is counted."""
    sender().write(tmp_path)
    path = tmp_path / "ring-0"
    content = bytearray(path.read_bytes())
    content[24:40] = (2**60).to_bytes(8, "little") * 2
    path.write_bytes(content)
    assert len(gather.read(tmp_path).events) == 1


def test_clocks_that_run_backwards_are_noted_and_mended(tmp_path: Path) -> None:
    """No event ends before it starts, events are sorted, and the note counts what was wrong."""
    trace = read(tmp_path, Rank(0, ranks=1).call("MPI_Barrier", 5, 4).call("MPI_Barrier", 2, 3))
    assert (trace.events["end"] >= trace.events["start"]).all()
    assert (np.diff(trace.events["start"]) >= 0).all()
    assert any("ran backwards 2 times" in note for note in trace.notes)


def test_a_clock_that_ended_before_it_began_is_noted(tmp_path: Path) -> None:
    """A second reading before the first can't calibrate, so the stated rate is used."""
    sender().write(tmp_path, tick1=17)
    trace = gather.read(tmp_path)
    assert trace.events["end"] == pytest.approx([1 * SECONDS])
    assert any("backwards between start and end" in note for note in trace.notes)


def test_damaged_events_are_left_out(tmp_path: Path) -> None:
    """A call number that no call has is no event."""
    trace = read(tmp_path, sender().row(9999, 3, 4).row(-77, 3, 4).row(0, 3, 4))
    assert len(trace.events) == 1
    assert any("3 events are damaged" in note for note in trace.notes)


def test_a_folder_without_rings_says_what_may_be_the_reason(tmp_path: Path) -> None:
    """No ring, no folder, only a pipe or a folder called ring: a clear message each, and nothing hangs."""
    with pytest.raises(HarnessError, match=r"no rank left a ring(.|\n)*MPI_Init"):
        gather.read(tmp_path)
    with pytest.raises(HarnessError, match="No such file"):
        gather.read(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "ring-0")
    (tmp_path / "ring-1").mkdir()
    with pytest.raises(HarnessError, match=r"ring-0: is not a file\n *ring-1: is not a file"):
        gather.read(tmp_path)


def test_a_trace_without_calls_says_so(tmp_path: Path) -> None:
    """A program that recorded nothing, or only a region, has nothing to show."""
    Rank(0, ranks=1).region(1, 0, 1).write(tmp_path)
    with pytest.raises(HarnessError, match="holds no MPI call"):
        gather.read(tmp_path)


def test_a_missing_or_broken_side_file_costs_only_names(tmp_path: Path) -> None:
    """Without meta-R.jsonl the world is assumed; lines that can't be read are counted."""
    sender().write(tmp_path)
    receiver().write(tmp_path)
    (tmp_path / "meta-0.jsonl").unlink()
    (tmp_path / "meta-1.jsonl").write_bytes(b'{"comm": 1, "ranks": [0, 1]}\n[3]\n\xff\xfe\n{"region": 1, "na')
    trace = gather.read(tmp_path)
    assert trace.events["peer"].tolist() == [1, 0]
    assert any("meta-0.jsonl is missing" in note for note in trace.notes)
    assert any("3 lines of meta-1.jsonl can't be read" in note for note in trace.notes)


def test_peers_of_other_communicators_become_world_ranks(tmp_path: Path) -> None:
    """Rank 0 of a communicator that is [2, 0] is rank 2 of the world; an unknown communicator's peers stay unknown."""
    one = Rank(0, ranks=3).call("MPI_Send", 0, 1, comm=4, peer=0).call("MPI_Send", 1, 2, comm=5, peer=0)
    one.meta.append({"comm": 4, "ranks": [2, 0]})
    trace = read(tmp_path, one)
    assert trace.events["peer"].tolist() == [2, -1]
    assert any("1 calls on communicators" in note for note in trace.notes)


def test_places_become_lines(tmp_path: Path) -> None:
    """An address goes to `lines` as module and offset, once; what it answers is the place; outside modules is ''."""
    one = Rank(0, ranks=1)
    for address in (0x5010, 0x9000, 0x5010):
        one.call("MPI_Barrier", 0, 1, place=address)
    one.meta.append({"module": "/x/kernel.so", "base": 0x5000, "size": 0x100})
    one.write(tmp_path)
    asked = []

    def lines(places: list[tuple[str, int]]) -> list[str]:
        asked.extend(places)
        return ["kernel.c:41"]

    trace = gather.read(tmp_path, lines=lines)
    assert asked == [("/x/kernel.so", 0x10)]
    assert [trace.places[i] for i in trace.events["place"]] == ["kernel.c:41", "", "kernel.c:41"]


def test_regions_are_named_and_agree_between_ranks(tmp_path: Path) -> None:
    """The same name is the same region, whatever number each rank gave it."""
    a, b = Rank(0), Rank(1)
    a.call("MPI_Barrier", 1, 2, region=1).region(1, 0, 3)
    b.call("MPI_Barrier", 1, 2, region=7).region(7, 0, 4).call("MPI_Barrier", 5, 6, region=3)
    a.meta.append({"region": 1, "name": "step"})
    b.meta.append({"region": 7, "name": "step"})
    trace = read(tmp_path, a, b)
    assert [trace.regions[i] for i in trace.events["region"]] == ["step", "step", "region 3"]
    assert [trace.regions[i] for i in trace.regions_spans["region"]] == ["step", "step"]
    assert trace.regions_spans["end"] - trace.regions_spans["start"] == pytest.approx([3 * SECONDS, 4 * SECONDS])


def test_large_counts_are_the_same_call(tmp_path: Path) -> None:
    """mpi4py's MPI_Send_c is MPI_Send."""
    from ring_builder import NUMBERS

    trace = read(tmp_path, Rank(0, ranks=1).row(NUMBERS["MPI_Send"] + 1, 0, 1, comm=1, peer=0))
    assert trace.calls == ["MPI_Send"]


def test_unrecorded_completions_leave_no_endless_requests(tmp_path: Path) -> None:
    """When Wait and Test were not recorded, nobody knows how long a request was open, and none is shown."""
    one = Rank(0).call("MPI_Isend", 0, 1, peer=1, bytes=8, request=5)
    one.write(tmp_path, groups=1)
    trace = gather.read(tmp_path)
    assert len(trace.requests) == 0
    assert any("were not recorded" in note for note in trace.notes)


def test_a_request_that_is_never_completed_stays_open(tmp_path: Path) -> None:
    """It lasts until the last event of its rank, and has no completion."""
    trace = read(tmp_path, Rank(0).call("MPI_Isend", 0, 1, peer=1, request=5).call("MPI_Barrier", 8, 9))
    assert trace.requests["end"] == pytest.approx([9 * SECONDS])
    assert trace.requests["done"].tolist() == [NO_EVENT]


def test_a_wait_tells_what_it_completed(tmp_path: Path) -> None:
    """Peer, tag and bytes: of a receive what came, of a send what was sent; of several only the bytes of all."""
    one = Rank(0).call("MPI_Isend", 0, 1, peer=1, tag=4, bytes=100, request=5)
    one.call("MPI_Irecv", 1, 2, peer=-1, tag=-1, bytes=999, request=6).call("MPI_Wait", 2, 3).done(5, peer=77, tag=9)
    one.call("MPI_Wait", 3, 4).done(6, peer=1, tag=7, bytes=40)
    one.call("MPI_Isend", 4, 5, peer=1, tag=4, bytes=10, request=5)
    one.call("MPI_Isend", 5, 6, peer=1, tag=4, bytes=20, request=6).call("MPI_Waitall", 6, 7).done(5).done(6)
    trace = read(tmp_path, one)
    waits = trace.events[trace.is_call(frozenset({"MPI_Wait", "MPI_Waitall"}))]
    assert waits["bytes"].tolist() == [100, 40, 30]
    assert waits["peer"].tolist() == [1, 1, -1]
    assert waits["tag"].tolist()[:2] == [4, 7]


def test_a_persistent_request_lives_anew_with_each_start(tmp_path: Path) -> None:
    """Two starts of one Send_init are two requests, made by MPI_Send_init; the Start tells where to."""
    one = Rank(0).call("MPI_Send_init", 0, 1, peer=1, tag=4, bytes=64, request=5)
    for at in (2, 5):
        one.call("MPI_Start", at, at + 1).sub(rings.START, request=5)
        one.call("MPI_Wait", at + 1, at + 2).done(5)
    one.call("MPI_Request_free", 8, 9, request=5)
    trace = read(tmp_path, one)
    assert [trace.calls[i] for i in trace.requests["call"]] == ["MPI_Send_init"] * 2
    assert trace.requests["start"] == pytest.approx([2 * SECONDS, 5 * SECONDS])
    assert trace.requests["end"] == pytest.approx([4 * SECONDS, 7 * SECONDS])
    starts = trace.events[trace.is_call(frozenset({"MPI_Start"}))]
    assert starts["bytes"].tolist() == [64, 64]
    assert starts["peer"].tolist() == [1, 1]


def test_a_start_whose_making_was_dropped_may_describe_itself(tmp_path: Path) -> None:
    """A ring too small for the Send_init still knows what is started when the start says so; else it stays open."""
    from ring_builder import NUMBERS

    one = Rank(0).call("MPI_Start", 2, 3)
    one.sub(rings.START, request=5, place=NUMBERS["MPI_Send_init"], comm=1, peer=1, tag=4, bytes=64)
    one.call("MPI_Wait", 3, 4).done(5)
    one.call("MPI_Start", 5, 6).sub(rings.START, request=9).call("MPI_Wait", 6, 7).done(9)
    two = Rank(1).call("MPI_Recv", 0, 4, peer=0, tag=4, bytes=64)
    trace = read(tmp_path, one, two)
    assert [None if i == NO_CALL else trace.calls[i] for i in trace.requests["call"]] == ["MPI_Send_init", None]
    assert len(trace.messages) == 1
    assert any("1 starts of requests whose making was dropped" in note for note in trace.notes)


def test_threads_may_interleave_their_rows(tmp_path: Path) -> None:
    """A sub-event belongs to the last call of its own thread, not of the ring."""
    one = Rank(0).call("MPI_Isend", 0, 1, peer=1, request=5)
    one.call("MPI_Wait", 1, 3).call("MPI_Barrier", 2, 3, thread=1)
    wait = one.rows[-2]
    one.rows.append({"start": wait["start"], "end": wait["end"], "call": rings.COMPLETION, "thread": 0, "request": 5})
    trace = read(tmp_path, one)
    assert trace.calls[trace.events["call"][trace.requests["done"][0]]] == "MPI_Wait"


def test_reading_does_nothing_for_each_event(tmp_path: Path) -> None:
    """As many lines of Python run for 200,000 rows as for 200: all work is NumPy's."""

    def write(folder: Path, rounds: int) -> Path:
        folder.mkdir()
        for rank in (0, 1):
            one = Rank(rank)
            one.call("MPI_Isend", 0, 0.1, peer=1 - rank, tag=1, bytes=8, request=5)
            one.call("MPI_Irecv", 0.1, 0.2, peer=1 - rank, tag=1, bytes=8, request=6)
            one.call("MPI_Waitall", 0.5, 0.9).done(5).done(6, peer=1 - rank, tag=1, bytes=8)
            path = one.write(folder)
            slots = np.fromfile(path, rings.RING_EVENT, offset=rings.HEADER_BYTES)
            later = np.repeat(np.arange(rounds, dtype=np.uint64) * 2_000_000, len(slots))
            slots = np.tile(slots, rounds)
            slots["start"] += later
            slots["end"] += later
            head = np.fromfile(path, rings.HEADER, 1)
            head["capacity"] = head["written"] = len(slots)
            head["tick1"] = 0
            path.write_bytes(head.tobytes().ljust(rings.HEADER_BYTES, b"\0") + slots.tobytes())
        return folder

    def lines(folder: Path) -> tuple[int, Trace]:
        count = 0

        def seen(*_: object) -> object:
            nonlocal count
            count += 1
            return seen

        before = sys.gettrace()
        sys.settrace(seen)
        try:
            trace = gather.read(folder)
        finally:
            sys.settrace(before)
        return count, trace

    small, large = write(tmp_path / "small", 20), write(tmp_path / "large", 20_000)
    gather.read(small)  # imports
    (few, _), (many, trace) = lines(small), lines(large)
    assert (len(trace.events), len(trace.messages), len(trace.requests)) == (120_000, 40_000, 80_000)
    assert many < 1.1 * few
