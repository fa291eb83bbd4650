"""Which message meets which receive, and what is said when they don't fit or don't meet."""

import pytest
from diagnosis_logs import Rank, doubles, found, ints, kinds, only, ranks, sig

from mpilab.diagnosis.log import signature
from mpilab.diagnosis.messages import Matching, fits, match
from mpilab.diagnosis.operations import deeds


def matched(programs: list[Rank]) -> Matching:
    """Match the messages of these ranks."""
    return match([deeds(one.log(), {}) for one in programs])


def sizes(programs: list[Rank]) -> list[tuple[int, int]]:
    """Return the sizes of what was sent and of the room, of each pair."""
    return [(send.bytes, receive.bytes) for send, receive in matched(programs).pairs]


# ------------------------------------------------------------------------------------------------------- signatures
CHARS, BYTES, PACKED = sig((8, "MPI_CHAR")), sig((8, "MPI_BYTE")), sig((8, "MPI_PACKED"))
MIXED, MIXED_TWICE = sig((1, "MPI_INT"), (1, "MPI_DOUBLE")), sig(*[(1, "MPI_INT"), (1, "MPI_DOUBLE")] * 2)


@pytest.mark.parametrize(
    ("sent", "room", "good"),
    [
        (ints(4), ints(4), True),
        (ints(4), ints(9), True),
        (ints(0), doubles(3), True),
        (ints(4), doubles(2), False),
        (ints(2), sig((2, "MPI_FLOAT")), False),
        (ints(2), CHARS, False),
        (CHARS, ints(2), False),
        (ints(2), BYTES, False),
        (BYTES, ints(2), False),
        (BYTES, BYTES, True),
        (PACKED, ints(2), True),
        (ints(2), PACKED, True),
        (MIXED, MIXED, True),
        (MIXED, sig((1, "MPI_DOUBLE"), (1, "MPI_INT")), False),
        (MIXED, MIXED_TWICE, True),
        (ints(1), MIXED, True),  # one may be the beginning of the other
        (MIXED, ints(9), False),
        (ints(9), ints(4), True),  # too long, which is another mistake
    ],
)
def test_types_must_be_the_same_sequence(sent: str, room: str, good: bool) -> None:  # noqa: FBT001
    """MPI_BYTE meets only MPI_BYTE, MPI_PACKED anything, and a receive may be longer."""
    one, other = signature(sent), signature(room)
    assert one is not None
    assert other is not None
    assert fits(one, other) == good


def test_a_type_mismatch_names_both_sides() -> None:
    """What is sent where, and what is received where."""
    a, b = ranks(2)
    a.send(1, ints(4), line=10)
    b.recv(0, doubles(4), line=20)
    one = only([a, b])
    assert (one.kind, one.rank, one.call, one.where) == ("count-or-type-mismatch", 1, "MPI_Recv", "k.c:20")
    assert "rank 0 sends 4 MPI_INT in MPI_Send (k.c:10)" in one.message
    assert "rank 1 receives them as 4 MPI_DOUBLE in MPI_Recv (k.c:20)" in one.message
    assert "3.3.1" in one.rule


def test_a_truncation_has_its_sizes_the_right_way_round() -> None:
    """What the sender sent is larger than the receiver's room, and MPI's own error is not told again."""
    a, b = ranks(2)
    a.send(1, ints(10), line=10)
    b.ret(b.call("Recv", line=20, source=0, tag=0, sig=ints(5)), err=14, text="Message truncated; 20 of 40")
    one = only([a, b])
    assert one.kind == "truncation"
    assert (
        "rank 0 sends 40 bytes in MPI_Send (k.c:10); rank 1 has room for 20 bytes in MPI_Recv (k.c:20)" in one.message
    )


def test_the_error_of_a_truncation_is_not_told_again() -> None:
    """Whichever call returned it."""
    a, b = ranks(2)
    a.send(1, ints(10))
    request = b.irecv(0, ints(5), line=20)
    b.ret(b.call("Wait", line=21, reqs=[request]), err=14, text="Message truncated")
    one = only([a, b], "died", "died")
    assert (one.kind, one.where) == ("truncation", "k.c:20")


def test_a_truncated_message_of_another_type_is_one_finding() -> None:
    """Too long and of another type is told together."""
    a, b = ranks(2)
    a.send(1, doubles(10))
    b.recv(0, ints(5))
    one = only([a, b])
    assert one.kind == "truncation"
    assert "10 MPI_DOUBLE and 5 MPI_INT" in one.message


def test_a_mismatch_in_a_loop_on_many_ranks_is_one_finding() -> None:
    """The same two lines, again and again, are one mistake."""
    programs = ranks(4)
    for _ in range(50):
        for one in programs[1:]:
            programs[0].send(one.rank, ints(4), line=10)
            one.recv(0, doubles(4), line=20)
    assert "the same on ranks 1-3, 150 times in all" in only(programs).message


# --------------------------------------------------------------------------------------------------------- matching
def test_messages_do_not_overtake() -> None:
    """Of two messages with one tag the first meets the first receive, whatever comes between."""
    a, b = ranks(2)
    for count, tag in ((1, 0), (2, 7), (3, 0)):
        a.send(1, ints(count), tag=tag)
    b.recv(0, ints(20), tag=7)
    b.recv(0, ints(10), tag=0)
    b.recv(0, ints(30), tag=0)
    assert sizes([a, b]) == [(8, 80), (4, 40), (12, 120)]


def test_receives_are_matched_in_the_order_of_posting() -> None:
    """The receive posted first gets the first message, though it is completed last."""
    a, b = ranks(2)
    a.send(1, ints(1))
    a.send(1, ints(2))
    first, second = b.irecv(0, ints(10)), b.irecv(0, ints(20))
    b.wait(second, got=[(0, 0)])
    b.wait(first, got=[(0, 0)])
    assert sizes([a, b]) == [(4, 40), (8, 80)]


def test_any_source_is_resolved_by_the_status() -> None:
    """A receive from any rank met the message its status tells of."""
    a, b, c = ranks(3)
    a.recv(-1, ints(10), got=(2, 5), tag=-1)
    a.recv(-1, ints(20), got=(1, 5), tag=5)
    b.send(0, ints(1), tag=5)
    c.send(0, ints(2), tag=5)
    assert sizes([a, b, c]) == [(8, 40), (4, 80)]


def test_any_source_without_a_status_takes_what_is_left() -> None:
    """A receive from any rank that was never completed does not take the message that another one is known to have."""
    a, b, c = ranks(3)
    a.irecv(-1, ints(10))
    a.recv(1, ints(20))
    b.send(0, ints(1))
    c.send(0, ints(2))
    assert sizes([a, b, c]) == [(4, 80), (8, 40)]


def test_any_tag_takes_the_first() -> None:
    """A receive with any tag that was never completed takes the first message of its source."""
    a, b = ranks(2)
    a.send(1, ints(1), tag=3)
    a.send(1, ints(2), tag=4)
    b.irecv(0, ints(10), tag=-1)
    b.recv(0, ints(20), tag=4)
    assert sizes([a, b]) == [(4, 40), (8, 80)]


def test_sendrecv_is_a_send_and_a_receive() -> None:
    """A ring of Sendrecv matches both ways, with its two tags."""
    programs = ranks(3)
    for one in programs:
        what = {"dest": (one.rank + 1) % 3, "stag": 1, "ssig": ints(1), "source": (one.rank - 1) % 3, "rtag": 1}
        one.ret(one.call("Sendrecv", **what, rsig=ints(2)), source=what["source"], tag=1, bytes=4)
    assert sizes(programs) == [(4, 8)] * 3
    assert found(programs) == []


def test_sendrecv_with_proc_null_is_half() -> None:
    """MPI_PROC_NULL is nobody's partner."""
    a, b = ranks(2)
    a.ret(a.call("Sendrecv", dest=1, stag=0, ssig=ints(1), source=-2, rtag=0, rsig=ints(1)), source=-2, tag=-1, bytes=0)
    b.ret(b.call("Sendrecv", dest=-2, stag=0, ssig=ints(1), source=0, rtag=0, rsig=ints(1)), source=0, tag=0, bytes=4)
    a.send(-2)
    b.recv(-2)
    assert found([a, b]) == []


def test_each_start_of_a_persistent_request_is_a_message() -> None:
    """Persistent sends meet ordinary receives, once a start."""
    a, b = ranks(2)
    request = a.isend(1, ints(1), name="Send_init")
    for _ in range(3):
        a.start(request)
        a.wait(request)
        b.recv(0, ints(2))
    a.free(request)
    assert sizes([a, b]) == [(4, 8)] * 3
    assert found([a, b]) == []


def test_a_persistent_request_that_was_never_started_is_no_message() -> None:
    """Send_init sends nothing."""
    a, b = ranks(2)
    a.free(a.isend(1, name="Send_init"))
    assert found([a, b]) == []


def test_a_matched_probe_chooses_the_message() -> None:
    """Mprobe takes its message before a later receive does, and Mrecv says the type."""
    a, b = ranks(2)
    a.send(1, ints(1))
    a.send(1, ints(2))
    b.ret(b.call("Mprobe", source=-1, tag=-1), source=0, tag=0, msg=1)
    b.recv(0, ints(20))
    b.ret(b.call("Mrecv", msg=1, sig=doubles(1)), source=0, tag=0, bytes=4)
    assert sizes([a, b]) == [(4, 8), (8, 80)]
    assert only([a, b]).kind == "count-or-type-mismatch"


def test_a_probe_that_found_nothing_takes_nothing() -> None:
    """An Improbe without a message, and a Probe, leave it where it is."""
    a, b = ranks(2)
    b.ret(b.call("Improbe", source=0, tag=0))
    b.ret(b.call("Probe", source=0, tag=0), source=0, tag=0)
    a.send(1)
    b.recv(0)
    assert found([a, b]) == []


def test_what_was_cancelled_or_refused_is_no_message() -> None:
    """A cancelled receive, a cancelled and freed one, and a send with a bad argument leave nothing unmatched."""
    a, b = ranks(2)
    one, two = b.irecv(0), b.irecv(0)
    b.ret(b.call("Cancel", req=one))
    b.wait(one, cancelled=1)
    b.ret(b.call("Cancel", req=two))
    b.free(two, active=1)
    a.ret(a.call("Send", dest=1, tag=-5, sig=ints(1)), err=4, text="Invalid tag")
    assert kinds([a, b]) == ["invalid-argument"]


def test_partitioned_meets_partitioned() -> None:
    """A partitioned send meets a partitioned receive once, with other counts; never an ordinary receive."""
    a, b = ranks(2)
    send, receive = a.isend(1, name="Psend_init"), b.irecv(0, ints(1), name="Precv_init")
    for _ in range(2):
        a.start(send)
        b.start(receive)
        a.wait(send)
        b.wait(receive)
    a.free(send)
    b.free(receive)
    assert found([a, b]) == []


def test_ranks_of_a_communicator_are_translated() -> None:
    """Rank 0 of another communicator is the world rank that it says."""
    a, b, c = ranks(3)
    for one in (a, c):
        one.comm(2, [2, 0], "row")
    c.send(1, ints(1), comm=2)
    a.recv(0, ints(2), comm=2)
    assert sizes([a, b, c]) == [(4, 8)]
    assert found([a, b, c]) == []


def test_what_cannot_be_translated_is_left_out() -> None:
    """Messages on an intercommunicator or one never told of are not guessed at."""
    a, b = ranks(2)
    a.comm(2, [1], "inter", inter=1)
    a.send(0, comm=2)
    a.send(0, comm=9)
    a.send(77)
    assert found([a, b]) == []


# --------------------------------------------------------------------------------------------------- message queues
def test_a_message_that_nobody_receives_is_told() -> None:
    """Who sends what to whom, where."""
    a, b = ranks(2)
    a.send(1, ints(4), name="Bsend", tag=3, line=10)
    one = only([a, b])
    assert (one.kind, one.rank, one.where) == ("unmatched-message", 0, "k.c:10")
    assert one.message == "rank 0 sends 16 bytes with tag 3 to rank 1 in MPI_Bsend (k.c:10), and nobody receives them"


@pytest.mark.parametrize(
    ("send", "receive", "why"),
    [
        ({"tag": 1}, {"tag": 2}, "its tag is 2, not 1"),
        ({"comm": 1}, {"comm": 2}, "it is on row, not on MPI_COMM_WORLD"),
        ({}, {"source": 2}, "it names rank 2"),
        ({"dest": 2}, {}, "it is by rank 1"),
    ],
)
def test_a_near_miss_is_one_finding_that_says_what_differs(
    send: dict[str, int], receive: dict[str, int], why: str
) -> None:
    """A wrong tag, communicator, source or destination: both ends are one mistake."""
    programs = a, b, _ = ranks(3)
    for one in programs:
        one.comm(2, [0, 1, 2], "row")
    a.free(a.isend(send.get("dest", 1), line=10, tag=send.get("tag", 0), comm=send.get("comm", 1)), active=1)
    what = {"tag": receive.get("tag", 0), "comm": receive.get("comm", 1)}
    b.free(b.irecv(receive.get("source", 0), line=20, **what), active=1)
    one = only(programs)
    assert one.kind == "unmatched-message"
    assert "rank 1's MPI_Irecv (k.c:20) does not match it" in one.message
    assert why in one.message


def test_thousands_of_unmatched_messages_are_few_findings() -> None:
    """A loop of lost messages is one finding, and takes no time to speak of."""
    a, b = ranks(2)
    for _ in range(5000):
        a.send(1, name="Bsend", line=10)
    assert "times in all" in only([a, b]).message


def test_nothing_is_unmatched_while_the_log_is_not_whole() -> None:
    """What a rank did after its log stops is not known, so nothing is said of it."""
    a, b = ranks(2)
    a.send(1, name="Bsend")
    a.finalize()
    assert found([a, b], "died", "died") == []
    b.finalize()
    b.lines[3] = b.lines[3][:20]
    assert found([a, b]) == []
