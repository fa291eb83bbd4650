"""Which verdict a run gets, and that its message says what, where, expected and got."""

import math
from typing import Any

import numpy as np
import pytest

from mpilab.check import Due, due, judge_calls, judge_load, judge_run, judge_sums, weights
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


def test_what_is_put_in_place_of_something_is_named() -> None:
    """A kernel that replaces what all share is TAMPERED, when it is loaded and when it runs, right numbers or not."""
    report = RankReport("returned", replaced="time.perf_counter")
    assert "on rank 1 it replaces time.perf_counter" in verdict(seen(FINE, report), Kind.TAMPERED)
    verdict(seen(FINE, report), Kind.TAMPERED, [[np.zeros(3)], [TRUTH[0][1]]])
    loaded = judge_load(seen(report, FINE), "halo.py")
    assert loaded is not None
    assert loaded.kind is Kind.TAMPERED
    assert "time.perf_counter" in loaded.message


@pytest.mark.parametrize(
    ("element", "weight"), [(0, 1.0), (1, 1 + 34826 / 65536), (2, 1 + 4117 / 65536), (40_000, 1.0629730224609375)]
)
def test_weights_are_those_of_host_c(element: int, weight: float) -> None:
    """What host.c's weighted_sum gives for an output of one 1.0; 1 by hand: 9e3779b1 ^ 4f1bb ends in 880a, 34826."""
    assert weights(50_000)[element] == weight


def test_weights_are_between_one_and_two_and_hardly_repeat() -> None:
    """No element counts nothing, neighbours count differently, and a longer output's begin as a shorter one's do."""
    found = weights(10_000)
    assert found.min() >= 1
    assert found.max() < 2
    assert (np.diff(found) != 0).all()
    assert np.array_equal(weights(10), found[:10])
    assert weights(0).size == 0


BIG = [np.random.default_rng(3).normal(size=3000), np.random.default_rng(4).normal(size=7)]  # one run, two ranks


def sums_of(*runs: list[Array]) -> list[Array]:
    """Return what host.c makes of the outputs of these runs: added one after the other; sums[rank][run]."""
    return [
        np.array([sum((run[rank] * weights(run[rank].size)).tolist()) for run in runs]) for rank in range(len(runs[0]))
    ]


def summed(run: list[Array], rtol: float = 1e-12) -> Verdict | None:
    """Judge a burst of a right run and of `run`."""
    expected: list[Due] = [due(BIG, rtol)] * 2
    return judge_sums(CASE, sums_of(BIG, run), expected)


def changed(element: int, value: float) -> list[Array]:
    """Return BIG with another element on its first rank."""
    first = BIG[0].copy()
    first[element] = value
    return [first, BIG[1]]


def test_right_sums_pass() -> None:
    """The order in which a sum is added up does not matter, nor does an output of no elements."""
    assert summed(BIG) is None
    assert summed([BIG[0], BIG[1]], rtol=0.0) is None
    assert judge_sums(CASE, [np.zeros(1)], [due([np.zeros(0)], 1e-12)]) is None


@pytest.mark.parametrize("element", [0, 1, 1500, 2999])
@pytest.mark.parametrize("value", [1e-3, 0.0, math.nan, math.inf, -math.inf], ids=str)
def test_a_wrong_element_is_in_the_sum(element: int, value: float) -> None:
    """One element of 3000 that is off, left out or no number is found, with its rank and run."""
    found = summed(changed(element, BIG[0][element] + value if value == 1e-3 else value))
    assert found is not None
    assert found.kind is Kind.WRONG_ANSWER
    assert "rank 0 put out wrong numbers in run 2 of a burst (" in found.message


def test_elements_in_another_order_have_another_sum() -> None:
    """The right numbers in the wrong places are found."""
    assert summed([BIG[0][::-1], BIG[1]]) is not None
    swapped = BIG[0].copy()
    swapped[[10, 11]] = swapped[[11, 10]]
    assert summed([swapped, BIG[1]]) is not None


def test_rounding_is_not_wrong() -> None:
    """Numbers that are right but for rounding, or within the lab's tolerance, have a sum that is near enough."""
    assert summed([np.nextafter(a, math.inf) for a in BIG]) is None
    assert summed([a * (1 + 0.9e-6) for a in BIG], rtol=1e-6) is None
    assert summed([a * (1 + 1e-6) for a in BIG]) is not None


def test_each_run_is_held_against_its_own_truth() -> None:
    """The sums of an earlier run's output, once more, are not those of another input."""
    other = [a + 1 for a in BIG]
    assert judge_sums(CASE, sums_of(BIG, other), [due(BIG, 1e-12), due(other, 1e-12)]) is None
    assert judge_sums(CASE, sums_of(BIG, BIG), [due(BIG, 1e-12), due(other, 1e-12)]) is not None
