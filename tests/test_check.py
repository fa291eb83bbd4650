"""Which verdict a run gets, and that its message says what, where, expected and got."""

import math
from typing import Any

import numpy as np
import pytest

from mpilab.check import judge_calls, judge_load, judge_run
from mpilab.manifest import Calls, Case
from mpilab.protocol import Array, End, Observation, RankReport
from mpilab.verdict import OK, Kind, Verdict

CASE = Case(ranks=2, n=3, steps=4)
TRUTH = [[np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])]]  # one run, two ranks
FINE = RankReport("returned")


def no_hint(_case: Case, _rank: int, _wrong: "np.typing.NDArray[np.bool_]") -> str:
    """Say nothing about a wrong answer."""
    return ""


def seen(*ranks: RankReport, end: End = "finished") -> Observation:
    """Return an observation of these ranks."""
    return Observation(end, list(ranks), 1.5)


def judged(observation: Observation, outputs: list[list[Array]] | None = None, **other: Any) -> Verdict | None:
    """Judge a run of CASE; by default its output is right."""
    rows = outputs if outputs is not None else [[TRUTH[0][0]], [TRUTH[0][1]]]
    return judge_run(CASE, observation, rows, TRUTH, other.get("rtol", 1e-12), other.get("hint", no_hint))


def verdict(observation: Observation, kind: Kind, outputs: list[list[Array]] | None = None, **other: Any) -> str:
    """Return the message of the verdict, which must be `kind`."""
    found = judged(observation, outputs, **other)
    assert found is not None
    assert found.kind is kind
    return found.message


def test_a_right_run_gets_no_verdict() -> None:
    """When all ranks returned and all numbers are right there is nothing to say."""
    assert judged(seen(FINE, FINE)) is None


def test_a_wrong_element_is_shown_with_what_was_expected() -> None:
    """A wrong answer says rank, size, case, the first wrong element, its value, the right one, and how many."""
    message = verdict(seen(FINE, FINE), Kind.WRONG_ANSWER, [[TRUTH[0][0]], [np.array([4.0, 41.5, 7.0])]])
    assert "rank 1 of 2 (n=3, steps=4)" in message
    assert "out[1] is 41.5, expected 5" in message
    assert "2 of 3 elements" in message


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("rtol", [1e-12, 1e300])
def test_what_is_no_number_never_passes(value: float, rtol: float) -> None:
    """NaN and infinity are wrong answers whatever the tolerance."""
    message = verdict(seen(FINE, FINE), Kind.WRONG_ANSWER, [[np.array([1.0, 2.0, value])], [TRUTH[0][1]]], rtol=rtol)
    assert "out[2]" in message
    assert ("never written" in message) == math.isnan(value)


def test_the_tolerance_is_relative_to_the_largest_element() -> None:
    """Within rtol of the scale passes, beyond it fails."""
    near = [[TRUTH[0][0] + 2.9e-9], [TRUTH[0][1]]]
    assert judged(seen(FINE, FINE), near, rtol=1e-9) is None
    verdict(seen(FINE, FINE), Kind.WRONG_ANSWER, [[TRUTH[0][0] + 3.1e-9], [TRUTH[0][1]]], rtol=1e-9)


def test_where_all_is_zero_only_zero_is_right() -> None:
    """A truth of zeros has no scale to hide an error in."""
    truth = [[np.zeros(2)]]
    assert judge_run(CASE, seen(FINE), [[np.zeros(2)]], truth, 1e-9, no_hint) is None
    assert judge_run(CASE, seen(FINE), [[np.array([0, 1e-300])]], truth, 1e-9, no_hint) is not None


def test_a_rank_without_output_can_be_right() -> None:
    """An empty `out` is compared as any other."""
    assert judge_run(CASE, seen(FINE), [[np.zeros(0)]], [[np.zeros(0)]], 1e-12, no_hint) is None


def test_a_wrong_number_of_elements_is_wrong() -> None:
    """An output of another length is never compared with the part that fits."""
    assert "2 elements, expected 3" in verdict(seen(FINE, FINE), Kind.WRONG_ANSWER, [[np.ones(2)], [TRUTH[0][1]]])


def test_every_kept_run_counts() -> None:
    """The second run's output is held against the second truth."""
    truth = [TRUTH[0], [a + 1 for a in TRUTH[0]]]
    right = [[truth[0][r], truth[1][r]] for r in (0, 1)]
    assert judge_run(CASE, seen(FINE, FINE), right, truth, 1e-12, no_hint) is None
    stale = [[truth[0][r], truth[0][r]] for r in (0, 1)]  # the first run's output again
    found = judge_run(CASE, seen(FINE, FINE), stale, truth, 1e-12, no_hint)
    assert found is not None
    assert found.kind is Kind.WRONG_ANSWER


def test_the_labs_hint_ends_the_message() -> None:
    """The oracle's hint gets the case, the rank and which elements are wrong, and stands in the message."""

    def hint(case: Case, rank: int, wrong: "np.typing.NDArray[np.bool_]") -> str:
        return f"n is {case.n}, rank {rank}, wrong {np.flatnonzero(wrong).tolist()}."

    message = verdict(seen(FINE, FINE), Kind.WRONG_ANSWER, [[np.array([1.0, 0, 0])], [TRUTH[0][1]]], hint=hint)
    assert message.endswith("n is 3, rank 0, wrong [1, 2].")


def test_an_overrun_is_wrong_even_when_the_numbers_are_right() -> None:
    """A write outside of a buffer is a wrong answer, and names the cell."""
    message = verdict(seen(FINE, RankReport("returned", overrun="out[3], but out[] has 3 elements")), Kind.WRONG_ANSWER)
    assert "rank 1 of 2 wrote to out[3], but out[] has 3 elements" in message


def test_changed_input_is_wrong_even_when_the_numbers_are_right() -> None:
    """in[] is to read only."""
    message = verdict(seen(FINE, RankReport("returned", input_changed=True)), Kind.WRONG_ANSWER)
    assert "rank 1 of 2 changed in[]" in message


def test_a_message_nobody_received_is_erroneous() -> None:
    """Right numbers with a send that has no receive are right by luck."""
    stray = RankReport("returned", stray="24 bytes from rank 0 with tag 7")
    message = verdict(seen(FINE, stray), Kind.ERRONEOUS_MPI)
    assert "rank 1 was sent 24 bytes from rank 0 with tag 7" in message


def test_a_wrong_answer_comes_before_a_stray_message() -> None:
    """A message too many explains less than a wrong number does."""
    verdict(seen(RankReport("returned", stray="8 bytes"), FINE), Kind.WRONG_ANSWER, [[np.zeros(3)], [TRUTH[0][1]]])


def test_a_deadlock_names_the_call_each_rank_stands_in() -> None:
    """Ranks that wait for each other are shown with their calls, as the student wrote them: without `_c`."""
    ranks = (
        RankReport("lost", phase="run", in_call="MPI_Recv_c"),
        RankReport("lost", phase="run", in_call="MPI_Ssend"),
    )
    message = verdict(seen(*ranks, end="stuck"), Kind.DEADLOCK)
    assert "rank 0 in MPI_Recv; rank 1 in MPI_Ssend" in message
    assert "_c" not in message
    assert "ranks=2, n=3, steps=4" in message


def test_a_deadlock_shows_who_is_done() -> None:
    """A rank that has left the run is not said to be in a call."""
    message = verdict(
        seen(RankReport("lost", phase="wait"), RankReport("lost", in_call="MPI_Recv"), end="stuck"), Kind.DEADLOCK
    )
    assert "rank 0 done with this run; rank 1 in MPI_Recv" in message


def test_a_loop_without_end_is_timed_out() -> None:
    """A rank that computes for ever is told so, with the time waited."""
    message = verdict(
        seen(RankReport("lost", phase="run"), RankReport("lost", in_call="MPI_Wait"), end="timed_out"), Kind.TIMED_OUT
    )
    assert "rank 0 outside MPI, in run" in message
    assert "2 s" in message


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (RankReport("raised", phase="run", text="line 7: ValueError: no"), "raised in run: line 7: ValueError: no"),
        (RankReport("failed", phase="init", code=3), "returned error code 3 from init"),
        (RankReport("lost", phase="run", signal=11, frames=["f at k.c:3", "g at k.c:9"]), "SIGSEGV in run: f at k.c:3"),
        (RankReport("lost", phase="run", signal=200), "died of 200"),
        (RankReport("lost", abort_code=0), "MPI_Abort with code 0"),
        (RankReport("lost", phase="free", exited=True), "exit() in free"),
        (RankReport("returned", forked=True), "started another process"),
        (
            RankReport("returned", error_call="MPI_Recv_c", error_text="Message truncated, error stack:\ninternal"),
            "an error from MPI_Recv: Message truncated",
        ),
    ],
    ids=["raised", "failed", "signal", "unknown signal", "abort", "exit", "fork", "mpi error"],
)
@pytest.mark.parametrize("end", ["stuck", "died", "timed_out"])
def test_the_root_cause_comes_first(cause: RankReport, said: str, end: End) -> None:
    """When one rank crashed and the other waits for it, the verdict is CRASHED with the former's reason."""
    waiting = RankReport("lost", phase="run", in_call="MPI_Recv")
    message = verdict(seen(waiting, cause, end=end), Kind.CRASHED)
    assert message.startswith("rank 1 ")
    assert said in message
    assert "MPI_Recv;" not in message


def test_an_mpi_error_is_the_cause_of_the_code_returned() -> None:
    """A kernel that passes an MPI error up is told what MPI said, not only a number."""
    report = RankReport("failed", phase="run", code=15, error_call="MPI_Send", error_text="Invalid rank")
    assert "got an error from MPI_Send: Invalid rank" in verdict(seen(FINE, report), Kind.CRASHED)


def test_a_crash_shows_what_was_printed() -> None:
    """What a kernel printed before it crashed is its best witness; ten lines of it are enough."""
    printed = "\n".join(f"line {i}" for i in range(50))
    message = verdict(seen(FINE, RankReport("lost", exited=True, printed=printed)), Kind.CRASHED)
    assert "it printed:" in message
    assert "line 9" in message
    assert "line 10" not in message


def test_a_flood_shows_its_first_lines() -> None:
    """Output without end is a crash that shows how it began, whichever rank made it."""
    for ranks in ((RankReport("lost", printed="again"), FINE), (FINE, RankReport("lost", printed="again"))):
        message = verdict(seen(*ranks, end="flooded"), Kind.CRASHED)
        assert "printed without end" in message
        assert "again" in message


def test_a_rank_that_is_gone_without_a_word_is_named() -> None:
    """A rank that neither returned nor left a reason is called by its number."""
    message = verdict(seen(FINE, RankReport("lost", phase="run"), end="died"), Kind.CRASHED)
    assert "rank 1 ended without a word" in message


def test_a_kernel_that_cannot_be_loaded_did_not_build() -> None:
    """An exception at import time is BUILD_FAILED with its text; anything else is what it would be in a run."""
    raised = judge_load(seen(FINE, RankReport("raised", text="NameError: x")), "halo.py")
    assert raised is not None
    assert raised.kind is Kind.BUILD_FAILED
    assert "halo.py cannot be loaded: NameError: x" in raised.message
    assert judge_load(seen(FINE, FINE), "halo.py") is None
    died = judge_load(seen(RankReport("lost", phase="load", signal=11), FINE, end="died"), "halo.c")
    assert died is not None
    assert died.kind is Kind.CRASHED


RULES = Calls(require=("MPI_Isend|MPI_Issend", "MPI_Irecv"), forbid=("MPI_Send", "MPI_Barrier"))


@pytest.mark.parametrize(
    "calls",
    [
        {"MPI_Isend": 2, "MPI_Irecv": 2},
        {"MPI_Issend": 1, "MPI_Irecv": 1},
        {"MPI_Isend_c": 1, "MPI_Irecv_c": 1},
        {"MPI_Isend": 1, "MPI_Irecv": 1, "MPI_Send": 0, "MPI_Sendrecv": 4},
    ],
)
def test_the_right_calls_are_ok(calls: dict[str, int]) -> None:
    """One of each entry's alternatives is enough, in its large-count form too; other calls don't matter."""
    assert judge_calls(RULES, calls) == OK


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ({"MPI_Irecv": 1}, "MPI_Isend or MPI_Issend was never called"),
        ({"MPI_Isend": 1, "MPI_Irecv": 0}, "MPI_Irecv was never called"),
        ({"MPI_Isend": 1, "MPI_Irecv": 1, "MPI_Send": 2, "MPI_Send_c": 3}, "MPI_Send was called 5 times"),
        ({"MPI_Isend": 1, "MPI_Irecv": 1, "MPI_Barrier": 9}, "MPI_Barrier was called 9 times"),
        ({}, "MPI_Isend or MPI_Issend"),
    ],
)
def test_the_wrong_calls_are_named(calls: dict[str, int], said: str) -> None:
    """A call that is missing or too many is named, and that the numbers are right is said."""
    found = judge_calls(RULES, calls)
    assert found.kind is Kind.WRONG_CALLS
    assert said in found.message
    assert "the numbers are right" in found.message


def test_a_lab_without_rules_takes_any_calls() -> None:
    """Where nothing is required or forbidden, no call is wrong."""
    assert judge_calls(Calls(), {}) == OK
