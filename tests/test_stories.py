"""The two stories of a profiler's manual of 1998, read off our own traces of programs of the same shape.

The programs are tests/stories/adi.c and sort.c; docs/tracing.md tells the stories with pictures of such traces.
"""

from pathlib import Path

import numpy as np
import pytest

from mpilab.tracing.model import Trace
from mpilab.tracing.programs import record
from mpilab.tracing.waits import waiting

pytestmark = pytest.mark.mpi

STORIES = Path(__file__).parent / "stories"
RANKS = 16
EAGER = {  # with which 40 kB go eagerly through shared memory
    "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": "65536",
    "MPIR_CVAR_CH4_PACK_BUFFER_SIZE": "131072",
    "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "1000000",
}


def waits(trace: Trace) -> dict[str, float]:
    """Seconds in MPI_Wait, by what it completed."""
    table = trace.table("completes", "MPI_Wait")
    return {key[1]: float(seconds) for key, seconds in zip(table.keys, table.sum_s, strict=True)}


def instances(trace: Trace, call: str) -> tuple[np.ndarray, np.ndarray]:
    """Entry and exit of a collective in seconds, as arrays of shape (times it was called, ranks)."""
    scatter = trace.scatter("entry", call)
    entry = np.array([scatter.x[scatter.rank == rank] for rank in range(trace.ranks)]).T
    latency = np.array([scatter.latency_s[scatter.rank == rank] for rank in range(trace.ranks)]).T
    return entry, entry + latency


def test_the_first_wait_dominates_until_messages_go_eagerly() -> None:
    """Isend, Irecv, compute, Wait, Wait: most waiting is in the first Wait, whose receiver computes.

    Eagerly, it vanishes, the whole waits less, and what is left is for data that had not been sent: the critical path.
    """
    slow, eager = (record(STORIES / "adi.c", RANKS, settings=settings).trace for settings in ({}, EAGER))
    before, after = waits(slow), waits(eager)
    assert before["MPI_Isend"] > before["MPI_Irecv"]
    assert after["MPI_Isend"] < 0.1 * before["MPI_Isend"]
    assert after["MPI_Isend"] < 0.2 * after["MPI_Irecv"]
    assert sum(after.values()) < 0.8 * sum(before.values())
    lost = {reason: [float(waiting(trace).seconds[reason].sum()) for trace in (slow, eager)]
            for reason in ("late sender", "late receiver", "unattended")}  # fmt: skip
    assert sum(lost["late receiver"]) < 1.1 * lost["late receiver"][0]
    assert lost["late sender"][1] > 2 * (lost["late receiver"][1] + lost["unattended"][1])
    slowest = slow.table("call", "MPI_Isend"), eager.table("call", "MPI_Isend")
    assert all(float(table.mean_s[0]) < 1e-3 for table in slowest)


def test_an_allreduce_looks_slow_because_early_ranks_wait() -> None:
    """A bucket sort: ranks enter Allreduce raggedly and leave together, so latency against entry has slope -1.

    The Alltoall behind it costs little, because everyone is in step; the Alltoallv moves 2 MB a rank, and bytes over
    latency is its effective bandwidth.
    """
    trace = record(STORIES / "sort.c", RANKS).trace
    entry, end = instances(trace, "Allreduce")
    assert len(entry) == 11
    ragged, flat = np.ptp(entry, axis=1), np.ptp(end, axis=1)
    assert np.median(ragged) > 3 * np.median(flat)
    slopes = [np.polyfit(entry[i], end[i] - entry[i], 1)[0] for i in range(len(entry))]
    assert -1.2 < np.median(slopes) < -0.8
    spent = dict(zip((key[0] for key in trace.table().keys), trace.table().sum_s.tolist(), strict=True))
    late = waiting(trace).seconds["at a collective"][trace.events["call"] == trace.calls.index("MPI_Allreduce")]
    assert late.sum() > 0.4 * spent["MPI_Allreduce"]
    assert spent["MPI_Alltoall"] < 0.5 * spent["MPI_Allreduce"]
    speed = trace.bandwidth()
    which = speed.calls.index("MPI_Alltoallv")
    assert abs(speed.mean_bytes[which] - 2e6) < 1e5
    assert 1e7 < speed.rank_bytes_per_s[which] < 1e11
    assert speed.rank_bytes_per_s[which] > 100 * speed.rank_bytes_per_s[speed.calls.index("MPI_Alltoall")]
