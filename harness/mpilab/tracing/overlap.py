"""How much of the communication was hidden behind computing.

Theory of operation.  At each moment a rank is in MPI or computes; it communicates when it is in MPI or has a request
outstanding.  So with t_comm the time it communicates, t_comp the time outside MPI and t_total all of it,
t_comm + t_comp - t_total is the time in which both went on: the communication that was hidden.  Its share of t_comm is
what overlapping earns; blocking calls have a share of 0.  It is a bound from above: that a request is outstanding
doesn't prove that its data moved (waits.py's "unattended" shows where it didn't).

The interval is a bootstrap over repeats, all ranks of a repeat together, because ranks wait for each other and are not
independent: the spans of the region that was run most often, or equal slices of time where there is no such region.
"""

from dataclasses import dataclass

import numpy as np

from mpilab.stats import Estimate
from mpilab.tracing import intervals
from mpilab.tracing.intervals import Pieces
from mpilab.tracing.recording import Floats, Recording

SLICES = 16
LEAST, MOST = 5, 64  # repeats that an interval needs; more are taken together
RESAMPLES, ERROR = 2000, 0.05
COVERS = 0.3  # of the time must a region's spans cover to be the repeats


@dataclass(frozen=True)
class Overlap:
    """Times in seconds, summed over the ranks, and the share of communication that was hidden."""

    t_comm_s: float
    t_comp_s: float
    t_total_s: float
    hidden: Estimate | None  # None: there was no communication
    repeats: str  # what the interval is taken over

    @property
    def hidden_s(self) -> float:
        """The seconds in which a rank both communicated and computed."""
        return max(0.0, self.t_comm_s + self.t_comp_s - self.t_total_s)


def overlap(trace: Recording) -> Overlap:
    """Measure it."""
    begin, end = trace.window()
    inside, active = {}, {}  # per rank: in MPI; communicating
    for rank in np.unique(trace.events["rank"]).tolist():
        own = trace.events[trace.events["rank"] == rank]
        asked = trace.requests[trace.requests["rank"] == rank]
        inside[rank] = intervals.merge(own["start"], own["end"])
        both = [np.concatenate((own[edge], asked[edge])) for edge in ("start", "end")]
        active[rank] = intervals.merge(both[0], both[1])
    edges, repeats = _repeats(trace, begin, end)
    comm, mpi = _within(active, edges), _within(inside, edges)
    whole = {rank: np.array([[begin, end]]) for rank in inside}
    t_comm, t_mpi = (float(_within(pieces, whole).sum()) for pieces in (active, inside))
    total = (end - begin) * len(inside)
    hidden = _estimate((t_comm - t_mpi) / t_comm, comm - mpi, comm) if t_comm > 0 else None
    return Overlap(t_comm, total - t_mpi, total, hidden, repeats)


def _repeats(trace: Recording, begin: float, end: float) -> tuple[dict[int, Floats], str]:
    """For each rank the start and end of each repeat, and what they are."""
    ranks = np.unique(trace.events["rank"]).tolist()
    spans = trace.regions_spans[trace.regions_spans["start"] >= begin]
    for region in np.argsort(-np.bincount(spans["region"], minlength=1), kind="stable").tolist():
        own = [spans[(spans["rank"] == rank) & (spans["region"] == region)] for rank in ranks]
        count = min(len(one) for one in own)
        covered = sum(float((one["end"] - one["start"]).sum()) for one in own)
        if count >= LEAST and covered >= COVERS * (end - begin) * len(ranks):
            edges = {r: np.stack((o["start"], o["end"]), axis=1)[-count:] for r, o in zip(ranks, own, strict=True)}
            return edges, f"{count} runs of region {trace.regions[region]}"
    slices = np.linspace(begin, end, SLICES + 1)
    return dict.fromkeys(ranks, np.stack((slices[:-1], slices[1:]), axis=1)), f"{SLICES} equal slices of time"


def _within(pieces: dict[int, Pieces], edges: dict[int, Floats]) -> Floats:
    """For each repeat the time that the pieces cover in it, all ranks together."""
    covered = np.zeros(len(next(iter(edges.values()))))
    for rank, own in pieces.items():
        covered += intervals.held(own, edges[rank][:, 1]) - intervals.held(own, edges[rank][:, 0])
    return covered


def _estimate(share: float, hidden: Floats, comm: Floats) -> Estimate:
    """The share with its interval: percentiles of the ratio over resampled repeats."""
    if len(comm) < LEAST:
        return Estimate(share, 0.0, 1.0)
    groups = np.arange(len(comm)) * min(MOST, len(comm)) // len(comm)
    hidden, comm = np.bincount(groups, hidden).astype(float), np.bincount(groups, comm).astype(float)
    drawn = np.random.default_rng(0).integers(len(comm), size=(RESAMPLES, len(comm)))
    below = comm[drawn].sum(axis=1)
    ratios = hidden[drawn].sum(axis=1)[below > 0] / below[below > 0]
    low, high = np.quantile(ratios, (ERROR / 2, 1 - ERROR / 2))
    return Estimate(share, min(share, float(low)), max(share, float(high)))
