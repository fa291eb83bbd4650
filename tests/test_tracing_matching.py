"""Who belongs to whom, by hand and against a random program whose truth is known."""

from pathlib import Path

import numpy as np
import pytest
from ring_builder import Rank

from mpilab.tracing import gather, rings
from mpilab.tracing.matching import nth_of_group, pair_requests
from mpilab.tracing.model import Trace
from mpilab.tracing.recording import NO_EVENT


def pairs(text: str) -> list[int]:
    """Pair the rows of one handle, "+" posts and "-" completes; return each row's partner."""
    return pair_requests(np.zeros(len(text), np.int64), np.array([c == "+" for c in text])).tolist()


@pytest.mark.parametrize(
    ("rows", "partners"),
    [
        ("", []),
        ("+-", [1, 0]),
        ("+-+-", [1, 0, 3, 2]),
        ("++--", [2, 3, 0, 1]),  # MPICH gives all sends that are complete at once the same handle
        ("-+-", [-1, 2, 1]),  # the posting of the first was dropped
        ("--+-+", [-1, -1, 3, 2, -1]),
        ("+--+-", [1, 0, -1, 4, 3]),
    ],
)
def test_completions_take_postings_in_order(rows: str, partners: list[int]) -> None:
    """A completion belongs to the oldest open posting of its handle, or to one that was dropped."""
    assert pairs(rows) == partners


def test_handles_do_not_disturb_each_other() -> None:
    """Interleaved handles are paired as if each were alone, against pairing one by one."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        keys, opens = rng.integers(4, size=60), rng.random(60) < 0.5
        open_, expected = {k: [] for k in range(4)}, np.full(60, -1)
        for i, (key, posts) in enumerate(zip(keys, opens, strict=True)):
            if posts:
                open_[key].append(i)
            elif open_[key]:
                first = open_[key].pop(0)
                expected[first], expected[i] = i, first
        assert pair_requests(keys, opens).tolist() == expected.tolist()


def test_rows_are_numbered_within_their_group() -> None:
    """From the start, or from the end where that is asked for."""
    keys = [np.array([1, 2, 1, 1, 2])]
    assert nth_of_group(keys, np.zeros(5, bool)).tolist() == [0, 0, 1, 2, 1]
    assert nth_of_group(keys, np.ones(5, bool)).tolist() == [-3, -2, -2, -1, -1]


def sizes(trace: Trace) -> list[tuple[float, float]]:
    """For each message the bytes its two ends name: the builder gives each message its own size."""
    sent, received = (trace.events[trace.messages[side]]["bytes"] for side in ("send", "recv"))
    return sorted(zip(sent.tolist(), received.tolist(), strict=True))


def test_streams_are_told_apart(tmp_path: Path) -> None:
    """Tags, communicators and directions are matched each for itself, whatever the order between them."""
    a, b = Rank(0), Rank(1)
    for at, (tag, comm) in enumerate([(1, 1), (2, 1), (1, 4), (1, 1)]):
        a.call("MPI_Send", at, at + 0.1, peer=1, tag=tag, comm=comm, bytes=at)
    for at, (tag, comm, size) in enumerate([(1, 4, 2), (2, 1, 1), (1, 1, 0), (1, 1, 3)]):
        b.call("MPI_Recv", at, at + 5, peer=0, tag=tag, comm=comm, bytes=size)
    for rank in (a, b):
        rank.meta.append({"comm": 4, "ranks": [0, 1]})
        rank.write(tmp_path)
    assert sizes(gather.read(tmp_path)) == [(i, i) for i in range(4)]


def test_receives_match_in_the_order_they_were_posted(tmp_path: Path) -> None:
    """Two receives that complete the other way round got the messages in the order of posting."""
    Rank(0).call("MPI_Send", 0, 1, peer=1, bytes=10).call("MPI_Send", 1, 2, peer=1, bytes=20).write(tmp_path)
    b = Rank(1).call("MPI_Irecv", 0, 0.1, peer=0, request=1).call("MPI_Irecv", 0.1, 0.2, peer=0, request=2)
    b.call("MPI_Wait", 5, 6).done(2, peer=0, bytes=20).call("MPI_Wait", 6, 7).done(1, peer=0, bytes=10)
    b.write(tmp_path)
    trace = gather.read(tmp_path)
    assert sizes(trace) == [(10, 10), (20, 20)]
    posted = trace.events["start"][trace.messages["post"]]
    assert posted == pytest.approx([0, 1e-4], abs=1e-9)


def test_a_wildcard_is_matched_by_its_status(tmp_path: Path) -> None:
    """A receive from any source with any tag belongs to the send that its status names."""
    Rank(0, ranks=3).call("MPI_Send", 0, 1, peer=2, tag=5, bytes=10).write(tmp_path)
    Rank(1, ranks=3).call("MPI_Send", 0, 1, peer=2, tag=6, bytes=20).write(tmp_path)
    c = Rank(2, ranks=3)
    for at in (0, 1):
        c.call("MPI_Irecv", at, at + 0.5, peer=-2, tag=-1, request=at + 1)
    c.call("MPI_Waitall", 2, 3).done(1, peer=1, tag=6, bytes=20).done(2, peer=0, tag=5, bytes=10).write(tmp_path)
    trace = gather.read(tmp_path)
    ends = [(int(trace.events["rank"][m["send"]]), float(m["bytes"])) for m in trace.messages]
    assert sorted(ends) == [(0, 10), (1, 20)]


def test_both_parts_of_a_sendrecv_are_messages(tmp_path: Path) -> None:
    """What a Sendrecv sends and what it receives are two arrows."""
    for rank in (0, 1):
        one = Rank(rank).call("MPI_Sendrecv", rank, 3, peer=1 - rank, tag=1, bytes=8)
        one.sub(rings.RECEIVE_PART, peer=1 - rank, tag=1, bytes=8).write(tmp_path)
    messages = gather.read(tmp_path).messages
    assert sorted(zip(messages["send"].tolist(), messages["recv"].tolist(), strict=True)) == [(0, 1), (1, 0)]


def test_persistent_sends_and_receives_are_messages(tmp_path: Path) -> None:
    """Each start of a persistent send belongs to one start of the persistent receive."""
    for rank, name in ((0, "MPI_Send_init"), (1, "MPI_Recv_init")):
        one = Rank(rank).call(name, 0, 1, peer=1 - rank, tag=1, bytes=8, request=9)
        for at in (2, 5):
            one.call("MPI_Startall", at, at + 1).sub(rings.START, request=9)
            one.call("MPI_Wait", at + 1, at + 2).done(9, peer=0 if rank else 77, tag=1, bytes=8)
        one.write(tmp_path)
    trace = gather.read(tmp_path)
    starts = trace.events["start"]
    assert starts[trace.messages["send"]] == pytest.approx([2e-3, 5e-3])
    assert starts[trace.messages["recv"]] == pytest.approx([3e-3, 6e-3])
    assert starts[trace.messages["post"]] == pytest.approx([2e-3, 5e-3])


def test_nothing_is_sent_to_nobody(tmp_path: Path) -> None:
    """MPI_PROC_NULL makes no message."""
    a = Rank(0, ranks=1).call("MPI_Send", 0, 1, peer=-1, bytes=8).call("MPI_Recv", 1, 2, peer=-1)
    a.write(tmp_path)
    assert len(gather.read(tmp_path).messages) == 0


def test_different_sizes_are_noted(tmp_path: Path) -> None:
    """A message that is received with another size than it was sent with is drawn, and doubted."""
    Rank(0).call("MPI_Send", 0, 1, peer=1, bytes=8).write(tmp_path)
    Rank(1).call("MPI_Recv", 0, 2, peer=0, bytes=4).write(tmp_path)
    assert any("1 messages were received with another size" in note for note in gather.read(tmp_path).notes)


def test_whole_streams_are_matched_even_with_wrong_clocks(tmp_path: Path) -> None:
    """Where nothing is missing, order alone decides: a clock that is a second off costs no arrow."""
    a, b = Rank(0), Rank(1)
    for at in range(3):
        a.call("MPI_Send", 1000 + at, 1000 + at + 0.5, peer=1, bytes=at)
        b.call("MPI_Recv", at, at + 0.6, peer=0, bytes=at)
    a.write(tmp_path)
    b.write(tmp_path)
    assert sizes(gather.read(tmp_path)) == [(i, i) for i in range(3)]


def random_program(rng: np.random.Generator, folder: Path) -> set[float]:
    """Write the rings of three ranks that exchange messages; return the sizes, one of its own for each message.

    Sends and receives are blocking or nonblocking, receives complete in any order after they were posted, and each
    ring is too small, so that it dropped some of its oldest events.
    """
    ranks = [Rank(r, ranks=3) for r in range(3)]
    now, number = 0.0, 0
    waiting: list[tuple[int, int, tuple[int, int, int]]] = []  # rank, request, what came
    for _ in range(120):
        now += 1
        source, dest = (int(r) for r in rng.permutation(3)[:2])
        tag, size, request = int(rng.integers(2)), number + 1, 100 + number
        number += 1
        if rng.random() < 0.5:
            ranks[source].call("MPI_Send", now, now + 0.2, peer=dest, tag=tag, bytes=size)
        else:
            ranks[source].call("MPI_Isend", now, now + 0.1, peer=dest, tag=tag, bytes=size, request=request)
            ranks[source].call("MPI_Wait", now + 0.1, now + 0.2).done(request)
        if rng.random() < 0.5:
            ranks[dest].call("MPI_Recv", now + 0.3, now + 0.4, peer=source, tag=tag, bytes=size)
        else:
            ranks[dest].call("MPI_Irecv", now + 0.3, now + 0.35, peer=-2, tag=-1, request=request)
            waiting.append((dest, request, (source, tag, size)))
        if len(waiting) > 5 or (waiting and rng.random() < 0.3):
            dest, request, (source, tag, size) = waiting.pop(int(rng.integers(len(waiting))))
            ranks[dest].call("MPI_Wait", now + 0.5, now + 0.6).done(request, peer=source, tag=tag, bytes=size)
    for at, (dest, request, (source, tag, size)) in enumerate(waiting):
        later = now + 1 + at
        ranks[dest].call("MPI_Wait", later, later + 0.5).done(request, peer=source, tag=tag, bytes=size)
    for rank in ranks:
        rank.write(folder, room=int(rng.integers(20, len(rank.rows) + 20)))
    return {float(i + 1) for i in range(number)}


@pytest.mark.parametrize("seed", range(20))
def test_a_random_program_with_drops_is_matched_without_a_mistake(seed: int, tmp_path: Path) -> None:
    """Every arrow joins the two ends of one message, and no message of which both ends are there lacks its arrow."""
    random_program(np.random.default_rng(seed), tmp_path)
    trace = gather.read(tmp_path)
    assert all(sent == received for sent, received in sizes(trace))
    sends, receives = set(), set()
    for i, event in enumerate(trace.events):
        name = trace.calls[event["call"]]
        if name in ("MPI_Send", "MPI_Isend"):
            sends.add(float(event["bytes"]))
        completed_receive = name == "MPI_Wait" and any(
            trace.calls[r["call"]] == "MPI_Irecv" for r in trace.requests[trace.requests["done"] == i]
        )
        if name == "MPI_Recv" or completed_receive:
            receives.add(float(event["bytes"]))
    assert {size for size, _ in sizes(trace)} == sends & receives
    assert min(trace.dropped) >= 0
    assert max(trace.dropped) > 0


def test_a_program_that_died_is_matched_from_its_start(tmp_path: Path) -> None:
    """A sender that went on after the receiver died has its last sends unmatched, not its first."""
    a, b = Rank(0), Rank(1)
    for at in range(5):
        a.call("MPI_Send", at, at + 0.1, peer=1, bytes=at)
    for at in range(2):
        b.call("MPI_Recv", at, at + 0.2, peer=0, bytes=at)
    a.write(tmp_path)
    b.write(tmp_path, finished=0, tick1=0)
    assert sizes(gather.read(tmp_path)) == [(0, 0), (1, 1)]


def test_receives_that_end_before_their_send_move_the_stream(tmp_path: Path) -> None:
    """A sender that dropped its oldest sends and died late: the last send has no receive, and time shows it."""
    a, b = Rank(0), Rank(1)
    for at in range(10):
        a.call("MPI_Send", at, at + 0.1, peer=1, bytes=at)
        if at < 8:
            b.call("MPI_Recv", at, at + 0.2, peer=0, bytes=at)
    a.write(tmp_path, room=6)
    b.write(tmp_path, finished=0)
    assert sizes(gather.read(tmp_path)) == [(i, i) for i in range(4, 8)]


def test_the_completion_of_a_send_is_known(tmp_path: Path) -> None:
    """A message names the call in which its send completed: itself when blocking, nobody when it never did."""
    a = Rank(0).call("MPI_Send", 0, 1, peer=1).call("MPI_Isend", 1, 2, peer=1, request=4).call("MPI_Wait", 3, 4).done(4)
    a.call("MPI_Isend", 5, 6, peer=1, request=4)
    b = Rank(1)
    for at in range(3):
        b.call("MPI_Recv", 10 + at, 11 + at, peer=0)
    a.write(tmp_path)
    b.write(tmp_path)
    assert gather.read(tmp_path).messages["done"].tolist() == [0, 2, NO_EVENT]
