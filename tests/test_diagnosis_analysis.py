"""From logs to findings: one mistake is one finding, of the right kind, and correct programs have none."""

from typing import Any

import pytest
from diagnosis_logs import Rank, doubles, found, ints, kinds, only, ranks

from mpilab.diagnosis.kinds import KINDS
from mpilab.diagnosis.snapshot import RankState, Snapshot, Wait


# ------------------------------------------------------------------------------------------------- deadlock and luck
def two_sends(count: int, *, name: str = "Send") -> list[Rank]:
    """Both send first."""
    programs = a, b = ranks(2)
    a.send(1, ints(count), name=name, line=41, done=False)
    b.send(0, ints(count), name=name, line=41, done=False)
    return programs


def test_a_deadlock_in_both_runs_is_a_deadlock() -> None:
    """Large messages: stuck with and without strict sends."""
    one = only(two_sends(20000), "stuck", "stuck")
    assert (one.kind, one.call, one.where) == ("deadlock", "MPI_Send", "k.c:41")
    assert "each message is 80,000 B, larger than the eager limit (8,112 B here)" in one.message


def test_what_ran_only_without_strict_sends_is_luck() -> None:
    """Small messages: the plain run finished, so it is reliance on eager sends, and no deadlock."""
    one = only(two_sends(8), "stuck", "finished")
    assert one.kind == "eager-reliance"
    assert "by luck" in one.message


@pytest.mark.parametrize("plain", ["stuck", ""])
def test_small_sends_that_got_stuck_are_a_deadlock(plain: str) -> None:
    """When the plain run was stuck too, or there was none, it is a deadlock."""
    assert only(two_sends(8), "stuck", plain).kind == "deadlock"


def test_synchronous_sends_are_never_luck() -> None:
    """A program that chose MPI_Ssend is not helped by buffers."""
    assert only(two_sends(8, name="Ssend"), "stuck", "finished").kind == "deadlock"


def test_isend_and_wait_on_both_sides_is_like_send() -> None:
    """Isend, Wait, Recv on both sides: the wait is named, and the operation."""
    programs = ranks(2)
    for one in programs:
        one.wait(one.isend(1 - one.rank, line=3), name="Wait", line=4, done=False)
    one = only(programs, "stuck", "finished")
    assert (one.kind, one.call) == ("eager-reliance", "MPI_Wait")


def test_a_send_to_one_that_never_receives_is_unmatched() -> None:
    """The plain run finished because the message was buffered; strict shows that nobody took it."""
    a, b = ranks(2)
    a.send(1, line=3, done=False)
    b.finalize()
    one = only([a, b], "stuck", "finished")
    assert one.kind == "unmatched-message"
    assert "rank 1 is in MPI_Finalize" in one.message
    assert only([a, b], "stuck", "stuck").kind == "deadlock"


def test_a_wrong_tag_is_said_in_the_deadlock() -> None:
    """The deadlock's cause is a tag that doesn't match."""
    a, b = ranks(2)
    a.send(1, tag=1, line=3, done=False)
    b.recv(0, tag=2, line=9, done=False)
    one = only([a, b], "stuck", "stuck")
    assert one.kind == "deadlock"
    assert "rank 1's MPI_Recv (k.c:9) does not match rank 0's MPI_Send: its tag is 2, not 1" in one.message


def test_a_call_mismatch_is_told_instead_of_the_deadlock() -> None:
    """Different collectives end in a deadlock: one finding, the cause."""
    a, b = ranks(2)
    a.coll("Barrier", line=1, done=False)
    b.coll("Bcast", line=2, root=0, done=False)
    assert kinds([a, b], "stuck", "stuck") == ["call-mismatch"]


def test_a_collective_that_one_ended_without_is_a_deadlock() -> None:
    """The others wait in it."""
    programs = ranks(3)
    for one in programs[:2]:
        one.coll("Barrier", line=1, done=False)
    programs[2].finalize()
    one = only(programs, "stuck", "stuck")
    assert one.kind == "deadlock"
    assert "MPI_Barrier (k.c:1) for rank 2, but rank 2 is in MPI_Finalize" in one.message


def test_a_root_mismatch_is_told_instead_of_the_deadlock() -> None:
    """The same for different roots."""
    a, b = ranks(2)
    for one in (a, b):
        one.coll("Bcast", root=one.rank, done=False)
    a.lines += two_sends(1)[0].lines[2:]
    assert kinds([a, b], "stuck", "stuck") == ["root-mismatch"]


def test_a_bad_argument_is_told_instead_of_the_deadlock() -> None:
    """A send that was refused leaves its receiver waiting: the bad argument is the cause."""
    a, b = ranks(2)
    a.ret(a.call("Send", dest=2, tag=0, sig=ints(1), line=3), err=6, text="Invalid rank")
    a.finalize()
    b.recv(0, done=False)
    assert kinds([a, b], "stuck", "stuck") == ["invalid-argument"]


def test_one_that_computes_is_no_deadlock() -> None:
    """A run that was too slow, with a rank outside MPI that others wait for."""
    a, b = ranks(2)
    a.recv(1, done=False)
    b.send(-2)
    assert found([a, b], "timed_out", "timed_out") == []


def test_polling_is_computing() -> None:
    """A rank that tests in a loop may stop doing so."""
    a, b = ranks(2)
    a.recv(1, done=False)
    b.wait(b.irecv(0), name="Test", done=False)
    assert found([a, b], "timed_out", "timed_out") == []


def test_threads_are_given_the_benefit_of_the_doubt() -> None:
    """One thread receives what another, which computes now, has yet to send: the log alone proves nothing."""
    a, b = ranks(2)
    number = a.call("Recv", source=0, tag=1, sig=ints(1))
    a.send(1)
    b.recv(0)
    b.recv(0, done=False)
    assert found([a, b], "timed_out", "timed_out") == []
    assert number == 1


def test_the_snapshot_tells_when_the_logs_don_t() -> None:
    """Without logs, where the ranks stood is enough for a deadlock."""
    states = [RankState(r, "mpi", "MPI_Recv", "k.c:9", (Wait("recv", 1 - r, 0, call="MPI_Recv"),)) for r in range(2)]
    for programs in ([], ranks(2)):
        (one,) = found(programs, "stuck", "stuck", snapshot=Snapshot(tuple(states)))
        assert one.message.startswith("ranks 0 and 1 both wait in MPI_Recv for a message from each other (k.c:9)")


# ----------------------------------------------------------------------------------- the state of a rank, from its log
def test_a_message_received_in_the_past_does_not_hold_its_sender() -> None:
    """The receive is complete; the sender that still waits will see it."""
    a, b = ranks(2)
    a.send(1, done=False)
    b.recv(0)
    b.recv(0, done=False)
    one = only([a, b], "stuck", "stuck") if kinds([a, b], "stuck", "stuck") else None
    assert one is None


def test_a_message_on_its_way_is_no_deadlock() -> None:
    """A buffered message that a receive waits for will come."""
    a, b = ranks(2)
    a.send(1, name="Bsend")
    a.recv(1, done=False)
    b.recv(0, done=False)
    assert found([a, b], "stuck", "stuck") == []


def test_waitany_needs_one_waitall_all() -> None:
    """One of two receives has its message: a Waitany may end, a Waitall not."""
    for name, stuck in (("Waitany", False), ("Waitall", True)):
        a, b, c = programs = ranks(3)
        b.send(0, done=False)
        c.finalize()
        a.wait(a.irecv(1), a.irecv(2), name=name, done=False)
        assert bool(found(programs, "stuck", "stuck")) == stuck


def test_waitany_with_a_send_that_was_received_may_end() -> None:
    """Its message has come, so that one is as good as complete."""
    a, b, c = programs = ranks(3)
    a.wait(a.isend(1), a.irecv(2), name="Waitany", done=False)
    b.recv(0)
    b.finalize()
    c.finalize()
    assert found(programs, "stuck", "stuck") == []


@pytest.mark.parametrize(("name", "source"), [("Probe", 1), ("Mprobe", -1)])
def test_a_probe_for_nothing_is_stuck(name: str, source: int) -> None:
    """A blocking probe waits like a receive."""
    a, b = ranks(2)
    a.call(name, line=3, source=source, tag=4)
    b.finalize()
    assert f"rank 0 waits in MPI_{name} (k.c:3) for a message with tag 4" in only([a, b], "stuck", "stuck").message


def test_nonblocking_collectives_wait_in_their_wait() -> None:
    """An Ibarrier that one rank never starts: the Wait hangs."""
    a, b = ranks(2)
    a.wait(a.coll("Ibarrier", line=2), line=3, done=False)
    b.recv(0, done=False)
    one = only([a, b], "stuck", "stuck")
    assert one.kind == "deadlock"
    assert "MPI_Waitall (k.c:3) for its MPI_Ibarrier (k.c:2) for rank 1" in one.message


def test_nonblocking_collectives_that_all_have_started_end() -> None:
    """All have started it, some wait."""
    a, b = ranks(2)
    a.wait(a.coll("Ibarrier"), done=False)
    b.coll("Ibarrier")
    b.recv(0, done=False)
    assert found([a, b], "stuck", "stuck") == []


# ------------------------------------------------------------------------------------------------- errors of MPI
@pytest.mark.parametrize(
    ("err", "kind", "words"),
    [
        (1, "invalid-argument", "invalid buffer"),
        (2, "invalid-argument", "invalid count"),
        (3, "invalid-argument", "MPI_Type_commit"),
        (4, "invalid-argument", "invalid tag (tag -7)"),
        (5, "invalid-argument", "MPI_COMM_NULL"),
        (6, "invalid-argument", "invalid rank (destination 2)"),
        (7, "invalid-argument", "invalid root"),
        (9, "invalid-argument", "invalid operation"),
        (12, "invalid-argument", "invalid argument"),
        (14, "truncation", "MPI says: said"),
        (19, "request-lifecycle", "invalid request"),
        (50, "rma-epoch", "MPI says: said"),
        (49, "rma-race", "MPI says: said"),
        (17, "mpi-error", "MPI says: said"),
        (16, "mpi-error", "MPI says: said"),
        (9999, "mpi-error", "MPI says: said"),
    ],
)
def test_an_error_names_the_argument(err: int, kind: str, words: str) -> None:
    """MPI's error class says which argument was bad, the log its value, MPI the rest."""
    a, b = ranks(2)
    a.ret(a.call("Send", line=3, dest=2, tag=-7, sig=ints(1)), err=err, text="said\n  so")
    one = only([a, b], "died", "died")
    assert (one.kind, one.rank, one.call, one.where) == (kind, 0, "MPI_Send", "k.c:3")
    assert words in one.message + one.rule
    assert "said so" in one.message


def test_an_error_without_text_has_its_number() -> None:
    """So there is something to look up."""
    a, b = ranks(2)
    a.ret(a.call("Send", dest=1), err=77)
    assert "error class 77" in only([a, b], "died", "died").message


def test_what_the_library_found_at_the_call_is_not_told_twice() -> None:
    """The C library's finding at a call explains the error that MPI returns there."""
    a, b = ranks(2)
    number = a.call("Start", line=3)
    a.write(k="finding", kind="request-lifecycle", n=number, text="starts a request that is active", also="/x/k.c:9")
    a.ret(number, err=19, text="bad request")
    one = only([a, b], "died", "died")
    assert (one.kind, one.call, one.where) == ("request-lifecycle", "MPI_Start", "k.c:3")
    assert one.message == "starts a request that is active; see k.c:9"


def test_an_error_in_status_says_nothing_new() -> None:
    """MPI_ERR_IN_STATUS beside the truncation it is about."""
    a, b = ranks(2)
    a.send(1, ints(9))
    request = b.irecv(0, ints(2))
    b.ret(b.call("Waitall", reqs=[request]), err=17, text="See the MPI_ERROR field in MPI_Status")
    assert kinds([a, b], "died", "died") == ["truncation"]


@pytest.mark.parametrize("kind", ["buffer-race", "resource-leak", "outside-mpi", "message-race"])
def test_findings_of_the_library_pass_through(kind: str) -> None:
    """With its text, and the place and call of the call that they belong to."""
    a, b = ranks(2)
    a.send(1, line=8)
    a.write(k="finding", kind=kind, n=1, text="this and that", also="")
    b.recv(0)
    one = only([a, b])
    assert (one.kind, one.message, one.where, one.call) == (kind, "this and that", "k.c:8", "MPI_Send")


def test_a_race_outside_mpi_has_its_own_line() -> None:
    """What the program's own code did is told at its line, with the call whose buffer it was."""
    a, b = ranks(2)
    request = a.isend(1, line=8)
    a.write(k="finding", kind="buffer-race", n=0, req=request, at="/x/k.c:9", text="writes", also="/x/k.c:8")
    a.wait(request)
    b.recv(0)
    one = only([a, b])
    assert (one.where, one.call, one.message) == ("k.c:9", "MPI_Isend", "writes, posted at k.c:8")


def test_an_unheard_of_kind_is_an_mpi_error() -> None:
    """The list is closed."""
    a, b = ranks(2)
    a.write(k="finding", kind="\x1b[31mfun", n=0, text="x")
    one = only([a, b])
    assert (one.kind, one.message) == ("mpi-error", "?[31mfun: x")


# ------------------------------------------------------------------------------------------------- what is left over
def test_a_request_that_was_never_completed() -> None:
    """Which one, to whom, where; once."""
    a, b = ranks(2)
    a.isend(1, line=7)
    b.recv(0)
    one = only([a, b])
    assert (one.kind, one.rank, one.call, one.where) == ("missing-wait", 0, "MPI_Isend", "k.c:7")
    assert one.message == "rank 0 never completes its MPI_Isend (k.c:7) to rank 1"


def test_one_request_variable_for_two_operations() -> None:
    """The first of the two is never completed: what overwrote its handle is named."""
    programs = ranks(2)
    for one in programs:
        peer = 1 - one.rank
        lost = one.isend(peer, line=7)
        one.wait(one.irecv(peer, line=8), got=[(peer, 0)], line=9)
        one.call("Finalize")
        one.write(k="lost", req=lost, n=1, by=2)
        one.end()
    one = only(programs)
    assert (one.kind, one.where) == ("missing-wait", "k.c:7")
    assert "its handle was overwritten by MPI_Irecv (k.c:8)" in one.message
    assert "the same on ranks 0 and 1" in one.message


def test_a_forgotten_receive_without_a_message_is_one_finding() -> None:
    """Neither completed nor matched: told once."""
    a, b = ranks(2)
    a.irecv(1, line=7)
    one = only([a, b])
    assert one.kind == "missing-wait"
    assert "the other side of the message is missing too" in one.message


def test_a_started_persistent_request_must_be_completed() -> None:
    """Both places are named; an inactive one is fine."""
    a, b = ranks(2)
    request = a.isend(1, name="Send_init", line=3)
    a.isend(1, name="Send_init", line=4)
    a.start(request, line=5)
    b.recv(0)
    one = only([a, b])
    assert one.kind == "missing-wait"
    assert "MPI_Send_init (k.c:3) to rank 1, started in MPI_Startall (k.c:5)" in one.message


def test_a_nonblocking_collective_must_be_completed() -> None:
    """By every rank."""
    a, b = ranks(2)
    a.coll("Ibarrier", line=3)
    b.wait(b.coll("Ibarrier"))
    assert only([a, b]).call == "MPI_Ibarrier"


def test_freeing_an_active_send_is_allowed() -> None:
    """Request_free of a send that is received: nobody will know when, but it is no missing wait."""
    a, b = ranks(2)
    a.free(a.isend(1), active=1)
    b.recv(0)
    assert found([a, b]) == []


def test_what_the_library_says_of_a_request_is_not_told_twice() -> None:
    """A finding at the call that made the request, or that names its place, is about the same request."""
    for n, also in ((1, ""), (0, "/x/k.c:7")):
        a, b = ranks(2)
        a.isend(1, line=7)
        a.write(k="finding", kind="request-lifecycle", n=n, text="lost", also=also)
        b.recv(0)
        assert kinds([a, b]) == ["request-lifecycle"]


def test_a_rank_without_finalize() -> None:
    """Named, and nothing else is said of it."""
    a, b = ranks(2)
    a.end("exit")
    one = only([a, b])
    assert (one.kind, one.rank) == ("missing-finalize", 0)


@pytest.mark.parametrize("how", ["abort", "error", "mismatch"])
def test_after_an_abort_nothing_is_left_over(how: str) -> None:
    """A program that ends itself with MPI_Abort need not complete anything."""
    a, b = ranks(2)
    a.isend(1)
    a.end(how)
    assert found([a, b]) == []


def test_causes_stand_before_consequences() -> None:
    """Several mistakes are told in the order of the list."""
    a, b = ranks(2)
    a.send(1, ints(4), line=1)
    b.recv(0, doubles(4), line=2)
    a.isend(1, line=3)
    b.recv(0)
    for one in (a, b):
        one.coll("Bcast", root=one.rank, line=4)
    assert kinds([a, b]) == ["root-mismatch", "count-or-type-mismatch", "missing-wait"]


def test_places_are_looked_up() -> None:
    """Addresses become lines by the table given, in messages too."""
    a, b = ranks(2)
    a.ret(a.call("Isend", dest=1, tag=0, sig=ints(1), at="/x/kernel.so+0x12"), req=1)
    b.recv(0)
    (one,) = found([a, b], places={"/x/kernel.so+0x12": "kernel.c:41"})
    assert (one.where, "(kernel.c:41)" in one.message) == ("kernel.c:41", True)


def test_no_logs_are_no_findings() -> None:
    """A program that isn't MPI, or left nothing."""
    for ended in ("finished", "stuck", "timed_out", "died", "flooded"):
        assert found([], ended, "") == []


def test_hostile_logs_end_in_findings_or_none() -> None:
    """Requests, starts and returns of nothing, ranks far outside, endless lists: no error, and soon over."""
    lines: list[dict[str, Any]] = [
        {"k": "done", "n": 1, "req": 77, "source": 10**18},
        {"k": "start", "n": 9, "req": 9},
        {"k": "free", "n": 9, "req": 9},
        {"k": "ret", "n": 99, "req": 5},
        {"k": "lost", "req": -1, "n": -1, "by": -1},
        {"k": "call", "n": 1, "call": "", "dest": -(2**62), "source": 2**62, "comm": 1, "sig": "?"},
        {"k": "call", "n": 1, "call": "MPI_", "comm": -1},
        {"k": "call", "n": 2, "call": "MPI_Waitall", "reqs": [0] * 10000},
        {"k": "call", "n": 3, "call": "MPI_I", "seq": 2**62, "comm": 5},
        {"k": "call", "n": 4, "call": "MPI_Sendrecv", "dest": 1, "source": 1, "comm": 1},
        {"k": "call", "n": 5, "call": "MPI_Mrecv", "msg": 5},
        {"k": "call", "n": 6, "call": "MPI_Probe", "source": -77, "comm": 1},
        {"k": "finding", "kind": "crash", "n": 1, "text": "x" * 100000},
    ]
    for ended in ("finished", "stuck", "died"):
        programs = ranks(2)
        for one in programs:
            for line in lines:
                one.write(**line)
        assert {one.kind for one in found(programs, ended, ended)} <= set(KINDS)
