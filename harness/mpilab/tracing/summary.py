"""The summary that a tuner wants first: how much waiting, for what, and what would help.

Theory of operation.  The MPI wait rate is the share of run time spent inside MPI calls: of each thread that calls MPI,
in the window in which all ranks were recorded.  It is split by kind of call and by call, and, across that, by what was
waited for (waits.py).  What would help follows from the largest loss alone, by the rules in
advice.py.
"""

import math
from dataclasses import dataclass
from html import escape

import numpy as np
from rich.console import Group, RenderableType

from mpilab.tracing import intervals, overlap, svg, text, waits
from mpilab.tracing.advice import Advice, advise
from mpilab.tracing.overlap import Overlap
from mpilab.tracing.recording import Flags, Floats, Recording
from mpilab.tracing.waits import REASONS


@dataclass(frozen=True)
class Share:
    """Some time: in seconds over all ranks, as a share of all run time, and each rank's seconds."""

    seconds: float
    share: float
    ranks: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class Summary(text.Shown):
    """What the whole trace comes to."""

    title: str
    window_s: float
    wait_rate: Share
    p2p: Share
    collective: Share
    other: Share
    by_call: tuple[tuple[str, Share], ...]  # the costliest first
    reasons: tuple[tuple[str, Share], ...]  # of waits.REASONS, in their order
    compute_s: tuple[float, ...]  # of each rank; NaN where it left no ring
    imbalance: float  # the largest computing time over the mean; 1 is even
    overlap: Overlap
    advice: Advice
    notes: tuple[str, ...]

    def rows(self) -> list[tuple[str, str, str]]:
        """What it says, line by line: name, value, more."""
        recorded = int(np.count_nonzero(np.isfinite(self.compute_s)))
        lanes = f"of {text.duration(self.window_s)} on {recorded} rank{'s' if recorded != 1 else ''}"
        rows = [("MPI wait rate", text.percent(self.wait_rate.share), f"{lanes}, in MPI calls")]
        for name, share in (("point-to-point", self.p2p), ("collective", self.collective), ("other calls", self.other)):
            rows.append((f"  {name}", text.percent(share.share), text.duration(share.seconds)))
        for name, share in self.by_call[:5]:
            rows.append((f"  {name}", text.percent(share.share), text.duration(share.seconds)))
        for name, share in self.reasons:
            worst = int(np.argmax(share.ranks)) if share.seconds else 0
            most = f", most on rank {worst} ({text.duration(share.ranks[worst])})" if share.seconds else ""
            rows.append((f"waiting: {name}", text.percent(share.share), text.duration(share.seconds) + most))
        worst = int(np.nanargmax(self.compute_s))
        more = f"max / mean of computing; most on rank {worst} ({text.duration(self.compute_s[worst])})"
        rows.append(("load imbalance", f"{self.imbalance:.2f}", more))
        return rows + self._overlap_rows()

    def _overlap_rows(self) -> list[tuple[str, str, str]]:
        o = self.overlap
        rows = [
            ("t_comm", text.duration(o.t_comm_s), "in MPI or with a request outstanding, all ranks together"),
            ("t_comp", text.duration(o.t_comp_s), "outside MPI"),
            ("t_total", text.duration(o.t_total_s), ""),
        ]
        if o.hidden:
            low, high = (text.percent(x) for x in (o.hidden.low, o.hidden.high))
            more = f"[{low}, {high}] at most; 95 % bootstrap over {o.repeats}"
            rows.append(("communication hidden", text.percent(o.hidden.estimate), more))
        return rows

    @property
    def csv(self) -> str:
        """The rows in seconds and shares."""
        shares = [("MPI wait rate", self.wait_rate), ("point-to-point", self.p2p), ("collective", self.collective),
                  ("other", self.other), *self.by_call, *((f"waiting: {n}", s) for n, s in self.reasons)]  # fmt: skip
        rows: list[tuple[object, ...]] = [(name, s.seconds, s.share) for name, s in shares]
        o = self.overlap
        rows += [("imbalance", "", self.imbalance), ("t_comm", o.t_comm_s, ""), ("t_comp", o.t_comp_s, "")]
        rows += [("t_total", o.t_total_s, ""), ("hidden", o.hidden_s, o.hidden.estimate if o.hidden else "")]
        return text.csv_text(("name", "seconds", "share"), rows)

    def __rich__(self) -> RenderableType:
        notes = [f"note: {note}" for note in self.notes]
        said = [f"What would help: {self.advice.text}", *notes]
        return Group(text.grid(self.title, ("", "value", ""), self.rows(), left=3), *said)

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(note)}</p>" for note in (f"What would help: {self.advice.text}", *self.notes))
        return svg.table(self.title, ("", "value", ""), self.rows(), text.ROWS, left=3) + said


def summarize(trace: Recording) -> Summary:
    """Sum up a trace."""
    begin, end = trace.window()
    events, waiting = trace.events, waits.waiting(trace)
    within = np.maximum(0.0, np.minimum(events["end"], end) - np.maximum(events["start"], begin))
    lanes = max(1, len(np.unique(np.stack((events["rank"], events["thread"])), axis=1).T))
    whole = lanes * (end - begin)

    def share(seconds: Floats, which: Flags) -> Share:
        ranks = np.bincount(events["rank"][which], seconds[which], minlength=trace.ranks)
        total = float(ranks.sum())
        return Share(total, total / whole if whole else 0.0, tuple(ranks.tolist()))

    every, recent = np.ones(len(events), bool), events["start"] >= begin
    by_call = [(name, share(within, events["call"] == i)) for i, name in enumerate(trace.calls)]
    reasons = tuple((reason, share(waiting.seconds[reason], recent)) for reason in REASONS)
    compute = _compute(trace, begin, end)
    mean = float(np.nanmean(compute))
    return Summary(
        title=trace.title,
        window_s=end - begin,
        wait_rate=share(within, every),
        p2p=share(within, waiting.p2p),
        collective=share(within, waiting.collective),
        other=share(within, ~waiting.p2p & ~waiting.collective),
        by_call=tuple(sorted(by_call, key=lambda pair: -pair[1].seconds)),
        reasons=reasons,
        compute_s=compute,
        imbalance=float(np.nanmax(compute)) / mean if mean > 0 else 1.0,
        overlap=overlap.overlap(trace),
        advice=advise(trace, waiting, within, whole, compute),
        notes=tuple(trace.notes),
    )


def _compute(trace: Recording, begin: float, end: float) -> tuple[float, ...]:
    """Seconds outside MPI of each rank; NaN for one that recorded nothing."""
    found = [math.nan] * trace.ranks
    for rank in np.unique(trace.events["rank"]).tolist():
        own = trace.events[trace.events["rank"] == rank]
        inside = intervals.held(intervals.merge(own["start"], own["end"]), np.array([begin, end]))
        found[rank] = end - begin - float(inside[1] - inside[0])
    return tuple(found)
