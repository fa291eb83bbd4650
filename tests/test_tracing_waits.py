"""What was waited for, and what would help, against traces whose truth was computed by hand."""

from pathlib import Path

import numpy as np
import pytest
from ring_builder import Rank

from mpilab.tracing import gather, overlap, rings
from mpilab.tracing.advice import LABS, MODULES
from mpilab.tracing.summary import Summary
from mpilab.tracing.waits import REASONS, waiting

LABS_FOLDER = Path(__file__).parents[1] / "labs"
MS = 1e-3


def summary(folder: Path, *ranks: Rank) -> Summary:
    """Write the rings and sum up the trace."""
    for rank in ranks:
        rank.write(folder)
    return gather.read(folder).summary()


def reasons(found: Summary) -> dict[str, float]:
    """Milliseconds waited for each reason, those that are not 0."""
    return {name: round(share.seconds / MS, 6) for name, share in found.reasons if share.seconds}


def test_a_receive_before_its_send_waits_for_a_late_sender(tmp_path: Path) -> None:
    """From the start of the receive to the start of the send: 3 of its 4 ms."""
    found = summary(
        tmp_path, Rank(0).call("MPI_Send", 3, 3.5, peer=1, bytes=8), Rank(1).call("MPI_Recv", 0, 4, peer=0, bytes=8)
    )
    assert reasons(found) == {"late sender": 3}
    assert found.reasons[0][1].ranks == pytest.approx((0, 3 * MS))


def test_a_send_that_lasts_until_its_receive_waits_for_a_late_receiver(tmp_path: Path) -> None:
    """From the start of the send to the start of the receive: 5 of its 6 ms."""
    found = summary(
        tmp_path,
        Rank(0).call("MPI_Send", 0, 6, peer=1, bytes=10**6),
        Rank(1).call("MPI_Recv", 5, 6, peer=0, bytes=10**6),
    )
    assert reasons(found) == {"late receiver": 5}


def test_an_eager_send_waits_for_nobody(tmp_path: Path) -> None:
    """A send that is over before its receive is posted waited for nothing, however late the receiver is."""
    found = summary(
        tmp_path, Rank(0).call("MPI_Send", 0, 1, peer=1, bytes=8), Rank(1).call("MPI_Recv", 5, 6, peer=0, bytes=8)
    )
    assert reasons(found) == {}


def test_a_test_never_waits(tmp_path: Path) -> None:
    """MPI_Test returns at once: what it completes was not waited for in it."""
    a = Rank(0).call("MPI_Send", 3, 3.5, peer=1, bytes=8)
    b = Rank(1).call("MPI_Irecv", 0, 0.1, peer=0, request=1).call("MPI_Test", 2, 4).done(1, peer=0, bytes=8)
    assert reasons(summary(tmp_path, a, b)) == {}


def test_a_waitall_counts_its_longest_reason_once(tmp_path: Path) -> None:
    """Of two late senders the later one counts: 7 ms of a Waitall that starts at 1, not 3 + 7."""
    a = Rank(0, 3).call("MPI_Send", 4, 4.5, peer=2, bytes=8)
    b = Rank(1, 3).call("MPI_Send", 8, 8.5, peer=2, bytes=9)
    c = Rank(2, 3).call("MPI_Irecv", 0, 0.5, peer=0, request=1).call("MPI_Irecv", 0.5, 1, peer=1, request=2)
    c.call("MPI_Waitall", 1, 9).done(1, peer=0, bytes=8).done(2, peer=1, bytes=9)
    assert reasons(summary(tmp_path, a, b, c)) == {"late sender": 7}


def test_a_message_that_both_posted_waits_unattended_while_the_other_computes(tmp_path: Path) -> None:
    """Both posted at 1; the receiver computes until 9, and then its call moves the data: 7 ms of the sender's Wait."""
    a = Rank(0).call("MPI_Isend", 0, 1, peer=1, bytes=10**6, request=1).call("MPI_Wait", 2, 10).done(1)
    b = Rank(1).call("MPI_Irecv", 0, 1, peer=0, request=1).call("MPI_Wait", 9, 10).done(1, peer=0, bytes=10**6)
    assert reasons(summary(tmp_path, a, b)) == {"unattended": 7}


def test_the_last_to_come_lets_a_collective_go(tmp_path: Path) -> None:
    """Ranks that enter an Allreduce at 0, 2 and 10 and leave together wait 10, 8 and 0 ms."""
    ranks = [Rank(r, 3).call("MPI_Allreduce", at, 10.5, bytes=8) for r, at in enumerate((0, 2, 10))]
    found = summary(tmp_path, *ranks)
    assert reasons(found) == {"at a collective": 18}
    assert found.reasons[2][1].ranks == pytest.approx((10 * MS, 8 * MS, 0))


def test_a_broadcast_waits_for_its_root_only(tmp_path: Path) -> None:
    """Who comes before the root waits for it, 4 ms; nobody waits for the one who comes last."""
    times = [(4, 5), (0, 5), (8, 8.5)]
    ranks = [Rank(r, 3).call("MPI_Bcast", *at, peer=0, bytes=8) for r, at in enumerate(times)]
    assert reasons(summary(tmp_path, *ranks)) == {"at a collective": 4}


def test_only_the_root_of_a_reduction_waits(tmp_path: Path) -> None:
    """The root waits 6 ms for the last; the others put their part in and go."""
    times = [(0, 7), (1, 1.5), (6, 6.5)]
    ranks = [Rank(r, 3).call("MPI_Reduce", *at, peer=0, bytes=8) for r, at in enumerate(times)]
    assert reasons(summary(tmp_path, *ranks)) == {"at a collective": 6}


def test_a_nonblocking_collective_waits_in_its_wait(tmp_path: Path) -> None:
    """From the start of the Wait to the last rank's start of the collective, 3 ms; and that Wait is collective time."""
    a = Rank(0).call("MPI_Iallreduce", 0, 1, bytes=8, request=1).call("MPI_Wait", 4, 8).done(1)
    b = Rank(1).call("MPI_Iallreduce", 7, 7.5, bytes=8, request=1).call("MPI_Wait", 7.5, 8).done(1)
    found = summary(tmp_path, a, b)
    assert reasons(found) == {"at a collective": 3}
    assert found.p2p.seconds == 0
    assert found.collective.seconds == pytest.approx(6 * MS)


def test_collectives_are_aligned_at_the_end_where_events_were_dropped(tmp_path: Path) -> None:
    """Rank 1's ring kept its last two of four barriers; they are compared with rank 0's last two."""
    a, b = Rank(0), Rank(1)
    for at in range(0, 40, 10):
        a.call("MPI_Barrier", at, at + 5)
        b.call("MPI_Barrier", at + 4, at + 5)
    a.write(tmp_path)
    b.write(tmp_path, room=2)
    trace = gather.read(tmp_path)
    waited = waiting(trace).seconds["at a collective"]
    assert waited[:4] == pytest.approx([0, 0, 4 * MS, 4 * MS])


def test_a_communicator_may_have_any_number(tmp_path: Path) -> None:
    """Numbers of communicators are large; a collective on one is analysed in no more memory than on another."""
    ranks = [Rank(r).call("MPI_Barrier", at, 10.5, comm=2**31 - 1) for r, at in enumerate((0, 10))]
    assert reasons(summary(tmp_path, *ranks)) == {"at a collective": 10}


def test_no_call_waits_longer_than_it_lasts(tmp_path: Path) -> None:
    """Whatever happens, the reasons of a call add up to at most its duration, and none is negative."""
    rng = np.random.default_rng(3)
    for r in range(3):
        one, now = Rank(r, 3), 0.0
        for i in range(100):
            now += float(rng.exponential(1))
            last = now + float(rng.exponential(1))
            name = ("MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Bcast")[int(rng.integers(4))]
            one.call(name, now, last, peer=int((r + rng.integers(1, 3)) % 3), bytes=i)
            now = last
        one.write(tmp_path)
    trace = gather.read(tmp_path)
    seconds = waiting(trace).seconds
    assert all((seconds[reason] >= 0).all() for reason in REASONS)
    assert (sum(seconds.values()) <= trace.events["end"] - trace.events["start"] + 1e-12).all()
    assert sum(seconds.values()).sum() > 0


def test_the_wait_rate_is_split_without_rest(tmp_path: Path) -> None:
    """Of 2 ranks x 10 ms: 3 ms point-to-point, 5 ms collective, 1 ms other; the calls' shares add up to the same."""
    a = Rank(0).call("MPI_Send", 0, 1, peer=1, bytes=8).call("MPI_Barrier", 5, 8).call("MPI_Comm_dup", 9, 10)
    b = Rank(1).call("MPI_Recv", 0, 2, peer=0, bytes=8).call("MPI_Barrier", 6, 8)
    found = summary(tmp_path, a, b)
    assert found.wait_rate.share == pytest.approx(9 / 20)
    assert (found.p2p.share, found.collective.share, found.other.share) == pytest.approx((3 / 20, 5 / 20, 1 / 20))
    assert sum(share.seconds for _, share in found.by_call) == pytest.approx(found.wait_rate.seconds)
    assert found.by_call[0][0] == "MPI_Barrier"


def test_threads_share_the_rate(tmp_path: Path) -> None:
    """Two threads of one rank, each half its time in MPI, give a rate of a half, not of 1."""
    one = Rank(0, 1).call("MPI_Barrier", 0, 5).call("MPI_Barrier", 0, 5, thread=1).call("MPI_Barrier", 10, 10)
    assert summary(tmp_path, one).wait_rate.share == pytest.approx(0.5)


def test_the_window_opens_where_all_ranks_are_there(tmp_path: Path) -> None:
    """A rank whose ring dropped its first 90 ms of calls is not taken for one that computed for 90 ms."""
    for rank, room in ((0, 0), (1, 10)):
        one = Rank(rank)
        for at in range(100):
            one.call("MPI_Barrier", at, at + 0.5)
        one.write(tmp_path, room=room)
    found = gather.read(tmp_path).summary()
    assert found.window_s == pytest.approx(9.5 * MS)
    assert found.wait_rate.share == pytest.approx(5 / 9.5)
    assert found.imbalance == pytest.approx(1)


def test_imbalance_is_the_largest_computing_over_the_mean(tmp_path: Path) -> None:
    """8 and 2 ms of 10 outside MPI: 8 / 5."""
    found = summary(
        tmp_path, Rank(0).call("MPI_Barrier", 0, 1).call("MPI_Barrier", 9, 10),
        Rank(1).call("MPI_Barrier", 0, 1).call("MPI_Barrier", 3, 10),
    )  # fmt: skip
    assert found.compute_s == pytest.approx((8 * MS, 2 * MS))
    assert found.imbalance == pytest.approx(1.6)


def test_overlap_is_what_a_rank_does_beside_its_requests(tmp_path: Path) -> None:
    """Isend at 0-1, Wait at 7-10, then computing to a barrier at 14-15.

    t_comm 10 + 1, t_comp 6 + 4, t_total 15: hidden 6 of 11.
    """
    one = Rank(0, 1).call("MPI_Isend", 0, 1, peer=0, request=1).call("MPI_Wait", 7, 10).done(1)
    found = summary(tmp_path, one.call("MPI_Barrier", 14, 15)).overlap
    times = (found.t_comm_s, found.t_comp_s, found.t_total_s, found.hidden_s)
    assert times == pytest.approx((11 * MS, 10 * MS, 15 * MS, 6 * MS))
    assert found.hidden
    assert found.hidden.estimate == pytest.approx(6 / 11)


def test_blocking_calls_hide_nothing(tmp_path: Path) -> None:
    """A program that only blocks has a hidden share of 0, whatever it computes between."""
    one = Rank(0, 1).call("MPI_Barrier", 0, 1).call("MPI_Barrier", 5, 6)
    hidden = summary(tmp_path, one).overlap.hidden
    assert hidden
    assert (hidden.estimate, hidden.low, hidden.high) == pytest.approx((0, 0, 0))


def repeated(folder: Path, shares: np.ndarray, ranks: int = 2) -> overlap.Overlap:
    """The overlap of a program with one region a repeat, in which each rank hides `shares[i]` of 10 ms."""
    for rank in range(ranks):
        one = Rank(rank, ranks)
        one.meta.append({"region": 1, "name": "step"})
        for i, share in enumerate(shares):
            at, last = 20.0 * i, 20.0 * i + 10
            one.call("MPI_Isend", at, at + 0.001, peer=rank, request=1)
            one.call("MPI_Wait", at + 0.001 + 9.999 * share, last).done(1).region(1, at, last + 5)
        one.write(folder)
    return overlap.overlap(gather.read(folder))


def test_the_interval_is_taken_over_the_runs_of_a_region(tmp_path: Path) -> None:
    """Where all repeats hide the same share the interval is that share; where they differ it holds the mean."""
    (tmp_path / "same").mkdir()
    same = repeated(tmp_path / "same", np.full(12, 0.4))
    assert same.repeats == "12 runs of region step"
    assert same.hidden
    assert (same.hidden.low, same.hidden.high) == pytest.approx((0.4, 0.4), abs=1e-3)
    (tmp_path / "other").mkdir()
    other = repeated(tmp_path / "other", np.linspace(0.1, 0.9, 12)).hidden
    assert other
    assert other.low < other.estimate - 0.05 < other.estimate + 0.05 < other.high


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Over 300 programs of 30 unequal repeats the true share lies inside in about 95 %, at least 88 %."""
    rng, inside = np.random.default_rng(8), 0
    for _ in range(300):
        comm = rng.uniform(0.5, 1.5, 30)
        hidden = comm * rng.beta(2, 2, 30)
        found = overlap._estimate(float(hidden.sum() / comm.sum()), hidden, comm)
        inside += found.low <= 0.5 <= found.high
    assert 0.88 <= inside / 300 <= 0.99


def test_too_few_repeats_give_no_interval() -> None:
    """Three repeats say nothing about how much they vary."""
    found = overlap._estimate(0.5, np.ones(3), 2 * np.ones(3))
    assert (found.low, found.high) == (0, 1)


def cfd(folder: Path, wait: float) -> Summary:
    """Case 1 of the course: Isend, Irecv, computing, Wait, Wait; `wait` ms in the first Wait."""
    for rank in (0, 1):
        one, other = Rank(rank), 1 - rank
        for i in range(10):
            at = 100.0 * i + (30 if rank else 0)  # rank 1 is behind, and its computing keeps rank 0 waiting
            one.call("MPI_Isend", at, at + 1, peer=other, tag=1, bytes=40000, request=1)
            one.call("MPI_Irecv", at + 1, at + 2, peer=other, tag=1, bytes=40000, request=2)
            first = at + 20 + (wait if not rank else 0.1)
            one.call("MPI_Wait", at + 20, first).done(1)
            came = max(first + 0.5, 100.0 * i + 32)
            one.call("MPI_Wait", first, came).done(2, peer=other, tag=1, bytes=40000)
        one.write(folder)
    return gather.read(folder).summary()


def test_case_one_the_first_wait_dominates_until_messages_go_eagerly(tmp_path: Path) -> None:
    """The story of the CFD code can be read off the views.

    MPI_Wait is the dominant call, most of it completes Isends, and the reason is the other side; with eager messages
    the Waits on Isends all but vanish, and what is left waits for late senders.
    """
    (tmp_path / "before").mkdir()
    before = cfd(tmp_path / "before", 35)
    trace = gather.read(tmp_path / "before")
    assert before.by_call[0][0] == "MPI_Wait"
    table = trace.table("completes", "MPI_Wait")
    assert table.keys[0] == ("MPI_Wait", "MPI_Isend")
    assert table.sum_s[0] > 10 * table.sum_s[1]
    waited = reasons(before)
    assert set(waited) == {"late receiver", "unattended"}
    (tmp_path / "after").mkdir()
    after = cfd(tmp_path / "after", 0.1)
    table = gather.read(tmp_path / "after").table("completes", "MPI_Wait")
    assert table.keys[0] == ("MPI_Wait", "MPI_Irecv")
    assert table.sum_s[1] < 0.1 * table.sum_s[0]
    assert set(reasons(after)) == {"late sender"}


def test_case_two_a_ragged_entry_and_a_flat_exit_are_waiting_and_no_slow_reduction(tmp_path: Path) -> None:
    """The story of the sort: an Allreduce of 10 to 30 ms is all waiting; latency against entry has slope -1.

    The Alltoallv after it, in which nobody waits, has the bandwidth of the memory system: 16 x 2 MB in 40 ms.
    """
    rng, ranks = np.random.default_rng(1), [Rank(r, 16) for r in range(16)]
    for i in range(10):
        at = 100.0 * i
        entries = at + rng.uniform(0, 30, 16)
        for rank, entry in zip(ranks, entries, strict=True):
            rank.call("MPI_Allreduce", float(entry), float(entries.max()) + 0.1, bytes=4096)
            rank.call("MPI_Alltoallv", at + 40, at + 80, bytes=2_000_000)
    for rank in ranks:
        rank.write(tmp_path)
    trace = gather.read(tmp_path)
    found = trace.summary()
    waited = dict(found.reasons)["at a collective"].seconds
    spent = dict(found.by_call)["MPI_Allreduce"].seconds
    assert waited == pytest.approx(spent - 160 * 0.1 * MS, rel=1e-3)
    points = trace.scatter("entry", "MPI_Allreduce")
    for i in range(10):
        one = np.rint(points.x / 0.1) == i
        slope = np.polyfit(points.x[one], points.latency_s[one], 1)[0]
        assert slope == pytest.approx(-1, abs=1e-6)
    bandwidth = trace.bandwidth()
    at = bandwidth.calls.index("MPI_Alltoallv")
    assert bandwidth.all_bytes_per_s[at] == pytest.approx(800e6)


ADVICE = {
    "halo": [Rank(0).call("MPI_Send", 20, 21, peer=1, bytes=8), Rank(1).call("MPI_Recv", 0, 21, peer=0, bytes=8)],
    "three-arrays": [
        Rank(0).call("MPI_Allreduce", 0, 10, bytes=8).call("MPI_Allreduce", 10, 20, bytes=8),
        Rank(1).call("MPI_Allreduce", 0, 10, bytes=8).call("MPI_Allreduce", 10, 20, bytes=8),
    ],
    "persistent-halo": [
        Rank(0).call("MPI_Isend", 0, 8, peer=1, request=1).call("MPI_Wait", 8, 9).done(1),
        Rank(1).call("MPI_Irecv", 0, 8, peer=0, request=1).call("MPI_Wait", 8, 9).done(1, peer=0),
    ],
    "": [Rank(0).call("MPI_Barrier", 0, 0.1).call("MPI_Barrier", 90, 90.1)],
}


@pytest.mark.parametrize("lab", ADVICE)
def test_the_largest_loss_decides_what_would_help(lab: str, tmp_path: Path) -> None:
    """Each kind of loss leads to the lab that teaches the change, and to a sentence."""
    advice = summary(tmp_path, *ADVICE[lab]).advice
    assert (advice.lab, advice.module) == (lab, MODULES.get(lab, ""))
    assert advice.text.endswith(".")


def test_a_chain_leads_to_the_ring(tmp_path: Path) -> None:
    """Rank 2 waits for rank 1, which itself waits for rank 0: most of the lateness was spent waiting."""
    ranks = [Rank(0, 6).call("MPI_Send", 5, 6, peer=1, bytes=8)]
    for r in range(1, 6):
        one = Rank(r, 6).call("MPI_Recv", 0, 5 + r, peer=r - 1, bytes=8)
        ranks.append(one.call("MPI_Send", 5 + r, 6 + r, peer=(r + 1) % 6, bytes=8) if r < 5 else one)
    advice = summary(tmp_path, *ranks).advice
    assert advice.lab == "ring"


def test_uneven_work_is_named_with_its_rank(tmp_path: Path) -> None:
    """Where one rank computes longest before every collective, the advice is about its work."""
    ranks = [Rank(r, 3).call("MPI_Barrier", 0, 1) for r in range(3)]
    for r, rank in enumerate(ranks):
        rank.call("MPI_Allreduce", 20 if r == 1 else 5, 21, bytes=8)
    advice = summary(tmp_path, *ranks).advice
    assert "for rank 1, which computes most" in advice.text


def test_advice_names_only_labs_that_exist_with_their_module() -> None:
    """Each lab of the advice is a lab of the course, and in the module that its manifest names."""
    assert set(LABS.values()) <= set(MODULES)
    for lab, module in MODULES.items():
        assert f'module = "{module}"' in (LABS_FOLDER / lab / "lab.toml").read_text(encoding="utf-8")


def test_the_summary_reads_the_same_as_text_html_and_csv(tmp_path: Path) -> None:
    """The wait rate and the advice stand in each form."""
    found = summary(tmp_path, *(Rank(r).call("MPI_Barrier", 0, 5).call("MPI_Barrier", 9, 10) for r in range(2)))
    assert "MPI wait rate" in str(found)
    assert "60 %" in str(found)
    assert found.advice.text in found._repr_html_()
    name, seconds, share = found.csv.splitlines()[1].split(",")
    assert (name, float(seconds), float(share)) == ("MPI wait rate", pytest.approx(0.012), pytest.approx(0.6))


def test_partial_sendrecv_is_late_sender_and_receiver(tmp_path: Path) -> None:
    """A Sendrecv that waits for its partner's Sendrecv counts the time until the partner came, once."""
    times = ((0, 6), (5, 6))
    ranks = []
    for r, at in enumerate(times):
        one = Rank(r).call("MPI_Sendrecv", *at, peer=1 - r, tag=1, bytes=8)
        ranks.append(one.sub(rings.RECEIVE_PART, peer=1 - r, tag=1, bytes=8))
    assert reasons(summary(tmp_path, *ranks)) == {"late sender": 5}
