"""A deadlock is named when there is one, only then, and in plain words."""

from typing import Any

import pytest

from mpilab.diagnosis.deadlock import Deadlock, explain
from mpilab.diagnosis.snapshot import RankState, Snapshot, Wait, queues

EAGER = 8112


def send(peer: int, size: int = 32, **what: Any) -> Wait:
    """Return a standard send of tag 0."""
    return Wait("send", peer, **{"tag": 0, "bytes": size, "call": "MPI_Send", **what})


def recv(peer: int, **what: Any) -> Wait:
    """Return a receive of tag 0."""
    return Wait("recv", peer, **{"tag": 0, "call": "MPI_Recv", **what})


def coll(name: str, seq: int = 1, **what: Any) -> Wait:
    """Return a collective call."""
    return Wait("collective", call=f"MPI_{name}", seq=seq, **what)


def stuck(rank: int, *waits: Wait, call: str = "", where: str = "k.c:41", **what: Any) -> RankState:
    """Return a rank that stands in MPI."""
    return RankState(rank, "mpi", call or waits[0].call, where, waits, **what)


def running(rank: int, **what: Any) -> RankState:
    """Return a rank that computes."""
    return RankState(rank, "running", **what)


def named(*states: RankState, eager: int = EAGER) -> Deadlock:
    """Return the deadlock that there must be."""
    found = explain(Snapshot(states, {3: "row"}), eager)
    assert found is not None
    return found


def none(*states: RankState) -> bool:
    """Whether there is no deadlock."""
    return explain(Snapshot(states), EAGER) is None


# --------------------------------------------------------------------------------------------------- no deadlock
def test_who_waits_for_one_that_computes_is_not_stuck() -> None:
    """A rank that computes may do anything yet, and so may those who wait for it, and for them."""
    assert none(stuck(0, recv(1)), stuck(1, recv(2)), running(2))
    assert none(stuck(0, coll("Bcast")), running(1))
    assert none(stuck(0, send(1)), running(1))
    assert none(stuck(0, recv(-1)), stuck(1, recv(0)), running(2))


def test_a_transfer_under_way_is_no_deadlock() -> None:
    """A send and its receive are both there: they will finish."""
    assert none(stuck(0, send(1, 10**9)), stuck(1, recv(0)))
    assert none(stuck(0, send(1), call="MPI_Wait"), stuck(1, recv(-1, tag=-1)))


def test_a_receive_posted_earlier_counts() -> None:
    """Irecv, then Send, on both sides: the posted receives let the sends finish."""
    assert none(stuck(0, send(1), posted=(recv(1),)), stuck(1, send(0), posted=(recv(0),)))


def test_one_of_a_pair_that_can_move_frees_the_other() -> None:
    """Rank 0's send is being received; so it will come to what rank 1 waits for next."""
    assert none(stuck(0, send(1)), stuck(1, recv(0)), stuck(2, recv(0)))


def test_all_in_the_same_collective_is_no_deadlock() -> None:
    """When all have come it will end; nonblocking and earlier calls count as come."""
    assert none(*(stuck(rank, coll("Barrier")) for rank in range(3)))
    assert none(stuck(0, coll("Bcast", 2)), stuck(1, coll("Bcast", 3), entered={1: 3}), running(2))


def test_one_that_has_passed_the_collective_has_come() -> None:
    """A root may leave a broadcast early: those still in it do not wait for it."""
    assert none(stuck(0, recv(1), entered={1: 4}), stuck(1, coll("Bcast", 4), entered={1: 4}))


def test_any_of_several_suffices() -> None:
    """A Waitany with one operation that may still end is not stuck; a Waitall is."""
    waits = recv(1), recv(2)
    ended = RankState(1, "finalized")
    assert none(stuck(0, *waits, any_of=True), ended, running(2))
    assert not none(stuck(0, *waits), ended, running(2))


def test_what_is_not_known_is_not_called_stuck() -> None:
    """A rank in a call of which nothing is known might go on."""
    assert none(RankState(0, "mpi", "MPI_File_write_all"), stuck(1, recv(0)))


def test_finalize_alone_is_no_deadlock() -> None:
    """All in MPI_Finalize, or waiting there for one that computes."""
    assert none(RankState(0, "finalizing"), RankState(1, "finalizing"))
    assert none(RankState(0, "finalizing"), running(1))
    assert none()


def test_any_source_takes_what_is_left() -> None:
    """A receive from any rank and one from rank 1, messages of ranks 1 and 2: both can be satisfied."""
    waits = recv(-1, seq=1), recv(1, seq=2)
    assert none(stuck(0, *waits, call="MPI_Waitall"), stuck(1, send(0)), stuck(2, send(0)))


# ------------------------------------------------------------------------------------------------------- circles
def test_two_large_sends() -> None:
    """The message of the course: who, in which call, where, how large, and why that can't end."""
    found = named(stuck(0, send(1, 80000), where="kernel.c:41"), stuck(1, send(0, 80000), where="kernel.c:41"))
    assert found.message == (
        "ranks 0 and 1 both wait in MPI_Send to each other (kernel.c:41); each message is 80,000 B, larger than the"
        " eager limit (8,112 B here), so neither can finish before the other receives"
    )
    assert (found.kind, found.rank, found.call, found.where) == ("deadlock", 0, "MPI_Send", "kernel.c:41")
    assert (found.lucky, found.small, found.never) == (True, False, False)


def test_two_small_sends_are_luck() -> None:
    """Small messages go eagerly: it may run, by luck."""
    found = named(stuck(0, send(1)), stuck(1, send(0)))
    assert "small messages (32 B) go eagerly here (up to 8,112 B), so it may run: by luck" in found.message
    assert (found.lucky, found.small) == (True, True)


def test_synchronous_sends_are_no_luck() -> None:
    """An Ssend always waits."""
    found = named(*(stuck(rank, send(1 - rank, call="MPI_Ssend")) for rank in range(2)))
    assert "a synchronous send waits for its receive" in found.message
    assert not found.lucky


def test_the_wait_of_an_isend_is_told_with_both_places() -> None:
    """A rank in MPI_Wait: for which operation, posted where."""
    states = [
        stuck(0, send(1, call="MPI_Isend", where="k.c:9"), call="MPI_Wait", where="k.c:12"),
        stuck(1, coll("Bcast")),
    ]
    assert "rank 0 waits in MPI_Wait (k.c:12) for its MPI_Isend (k.c:9) for the receive" in named(*states).message


def test_two_receives() -> None:
    """Both receive first."""
    text = named(stuck(0, recv(1)), stuck(1, recv(0))).message
    assert text == "ranks 0 and 1 both wait in MPI_Recv for a message from each other (k.c:41); no message is under way"


def test_a_ring() -> None:
    """More than two: the steps of the circle."""
    text = named(*(stuck(rank, recv((rank + 1) % 4)) for rank in range(4))).message
    assert "ranks 0-3 wait in MPI_Recv (k.c:41) in a circle: 0 for 1, 1 for 2, 2 for 3, 3 for 0" in text


def test_a_receive_against_a_collective() -> None:
    """A collective call that one rank doesn't reach: where that one is, and what it waits for."""
    text = named(stuck(0, recv(2), where="k.c:20"), *(stuck(r, coll("Bcast"), where="k.c:10") for r in (1, 2))).message
    first, second = text.split("\n")
    assert first == (
        "rank 0 waits in MPI_Recv (k.c:20) for a message with tag 0 from rank 2; rank 2 waits in MPI_Bcast (k.c:10) for"
        " rank 0"
    )
    assert second == "rank 1 waits in MPI_Bcast (k.c:10) for rank 0, which is in MPI_Recv (k.c:20)"


@pytest.mark.parametrize(("wait", "why"), [(send(0), "it can't receive"), (recv(0), "it can't send")])
def test_with_itself(wait: Wait, why: str) -> None:
    """A blocking send to, or receive from, itself."""
    text = named(stuck(0, wait), running(1)).message
    assert "which is itself" in text
    assert why in text


def test_a_send_to_itself_with_a_receive_posted_is_fine() -> None:
    """Irecv first, then Send to itself."""
    assert none(stuck(0, send(0), posted=(recv(0),)))


def test_any_source_with_nobody_to_send() -> None:
    """All wait for any rank, and none will send."""
    found = named(*(stuck(rank, recv(-1)) for rank in range(3)))
    assert found.ranks == (0, 1, 2)
    assert "MPI_Recv" in found.message


def test_a_deadlock_beside_a_rank_that_computes() -> None:
    """Two that wait for each other are lost, whatever a third computes; it is no part of it."""
    found = named(stuck(0, recv(1)), stuck(1, recv(0)), running(2), stuck(3, recv(2)))
    assert found.ranks == (0, 1)


# ------------------------------------------------------------------------------------------------ what never comes
@pytest.mark.parametrize(
    ("state", "words"),
    [("finalizing", "in MPI_Finalize"), ("finalized", "past MPI_Finalize"), ("exited", "no longer running")],
)
def test_a_rank_that_has_ended_sends_no_more(state: Any, words: str) -> None:
    """A receive from a rank that has ended: what became of it."""
    found = named(stuck(0, recv(1)), RankState(1, state))
    assert f"for a message with tag 0 from rank 1, but rank 1 is {words}" in found.message
    assert (found.never, found.rule) == (True, "never")


def test_finalize_waits_for_one_that_left() -> None:
    """MPI_Finalize may wait for a rank that ended without it."""
    assert (
        "waits in MPI_Finalize for rank 1, but rank 1 is no longer running"
        in named(RankState(0, "finalizing", "MPI_Finalize"), RankState(1, "exited")).message
    )


def test_a_collective_that_a_rank_ended_without() -> None:
    """The others wait for it for ever."""
    found = named(stuck(0, coll("Bcast")), RankState(1, "finalizing"))
    assert found.kind == "deadlock"
    assert "rank 0 waits in MPI_Bcast (k.c:41) for rank 1, but rank 1 is in MPI_Finalize" in found.message


def test_different_collectives() -> None:
    """Who is in which."""
    found = named(
        stuck(0, coll("Barrier", where="k.c:1")), *(stuck(r, coll("Bcast", where="k.c:5")) for r in range(1, 9))
    )
    assert found.kind == "call-mismatch"
    assert found.message == (
        "collective call number 1 on MPI_COMM_WORLD is not the same on all ranks: rank 0 in MPI_Barrier (k.c:1);"
        " ranks 1-8 in MPI_Bcast (k.c:5)"
    )


def test_collectives_of_two_communicators_in_opposite_order() -> None:
    """Each waits for the other, and the communicator is named."""
    found = named(stuck(0, coll("Barrier")), stuck(1, coll("Barrier", comm=3)))
    assert found.kind == "deadlock"
    assert "waits in MPI_Barrier (k.c:41) for rank 0 on row" in found.message


# -------------------------------------------------------------------------------------------------------- near misses
def test_a_wrong_tag_is_named() -> None:
    """The message that is there has another tag."""
    found = named(stuck(0, recv(1, tag=2)), stuck(1, send(0, tag=1)))
    assert "rank 1's MPI_Send does not match rank 0's MPI_Recv: its tag is 1, not 2" in found.message
    assert found.rule == "never"


def test_a_wrong_communicator_is_named() -> None:
    """The message that is there is on another communicator."""
    found = named(stuck(0, recv(1, comm=3)), RankState(1, "finalizing", posted=(send(0),)))
    assert "it is on MPI_COMM_WORLD, not on row" in found.message


def test_partitioned_meets_only_partitioned() -> None:
    """A partitioned send and an ordinary receive wait for ever; two partitioned ones don't."""
    one = stuck(0, Wait("partitioned", 1, 0, call="MPI_Psend_init"), call="MPI_Wait")
    assert "only partitioned meets partitioned" in named(one, stuck(1, recv(0))).message
    assert none(one, stuck(1, Wait("partitioned", 0, 0, call="MPI_Precv_init"), call="MPI_Wait"))


# ------------------------------------------------------------------------------------------------------- many ranks
MANY = 128


@pytest.mark.parametrize(
    "states",
    [
        [stuck(rank, send((rank + 1) % MANY)) for rank in range(MANY)],
        [stuck(rank, recv(rank ^ 1)) for rank in range(MANY)],
        [stuck(rank, recv(rank - 1)) if rank else RankState(0, "finalized") for rank in range(MANY)],
        [stuck(rank, recv(rank + 1)) if rank < MANY - 1 else stuck(rank, coll("Bcast")) for rank in range(MANY)],
        [stuck(rank, coll("Bcast")) if rank else stuck(0, recv(5)) for rank in range(MANY)],
        [stuck(rank, coll(f"Ibcast{rank}", where=f"k.c:{rank}")) for rank in range(MANY)],
        [stuck(rank, recv(rank ^ 1), where=f"k.c:{rank}") for rank in range(MANY)],
        [stuck(rank, *(recv(peer) for peer in range(MANY) if peer != rank)) for rank in range(MANY)],
        [stuck(rank, recv(-1)) for rank in range(MANY)],
    ],
    ids=range(9),
)
def test_128_ranks_are_a_few_lines(states: list[RankState]) -> None:
    """However many ranks: at most six lines, of a readable length, and the queues are cut too."""
    lines = named(*states).message.split("\n")
    assert len(lines) <= 6
    assert max(map(len, lines)) < 600
    assert len(queues(Snapshot(tuple(states))).split("\n")) < 50


def test_pairs_of_the_same_shape_are_counted() -> None:
    """64 pairs that wait alike: one told, 63 counted."""
    text = named(*(stuck(rank, recv(rank ^ 1)) for rank in range(MANY))).message
    assert "63 more such circles: ranks 2-127" in text


# ------------------------------------------------------------------------------------------------------------ queues
def test_the_message_queues_list_what_does_not_match() -> None:
    """Sent and not received, waited for and not sent: with ranks, tag, bytes, call, place, communicator."""
    states = (
        stuck(0, recv(1, tag=2, where="k.c:5", comm=3), posted=(send(1, 40000, tag=9, where="k.c:3"),)),
        stuck(1, recv(-1, tag=-1, comm=1)),
    )
    assert queues(Snapshot(states, {3: "row"})).split("\n") == [
        "waited for and not sent: 1",
        "     at  from    tag        bytes  call",
        "      0     1      2            0  MPI_Recv k.c:5 row",
    ]
    text = queues(Snapshot(states[:1], {3: "row"}))
    assert "      0     1      9       40,000  MPI_Send k.c:3" in text
    assert queues(Snapshot((running(0),))) == ""
