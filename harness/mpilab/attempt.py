"""An attempt in the making: what the referee knows so far, and the record of it.

Theory of operation.  The referee fills an `Attempt` as it goes; `record` can be asked of it at any moment, also when
Ctrl-C or a fault ends it half-way, so nothing measured is lost.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mpilab import machine, stats, time
from mpilab.clusters import Clusters
from mpilab.lab import Lab
from mpilab.record import Record, TimedCase
from mpilab.score import score
from mpilab.stats import Estimate, Speed
from mpilab.verdict import OK, Verdict


@dataclass
class Attempt:
    """What is known of an attempt so far."""

    lab: Lab
    file: Path
    verdict: Verdict = OK
    language: str = ""
    remarks: str = ""
    printed: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    timed: list[time.Rounds] = field(default_factory=list)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)  # name of a ratio -> slower, faster
    speed: Speed | None = None
    because: str = ""
    interrupted: bool = False
    compared_with: str = ""

    def ratio(self, name: str) -> Estimate | None:
        """The estimate of one of `pairs`, over all timed cases; None before the first look."""
        if name not in self.pairs or not self.timed:
            return None
        logs = [np.mean(row) for row in zip(*(self.logs(r, name) for r in self.timed), strict=False)]
        return stats.estimate([float(x) for x in logs]) if len(logs) >= stats.LOOKS[0] else None

    def logs(self, rounds: time.Rounds, name: str) -> list[float]:
        """Per round, the log ratio; a name of two pairs (`compare`) is their mean."""
        slower, faster = self.pairs[name]
        both = [rounds.logs(a, b) for a, b in zip(slower.split("+"), faster.split("+"), strict=True)]
        return [sum(row) / len(row) for row in zip(*both, strict=True)]

    def record(self, on: Clusters, started: str, took_s: float) -> Record:
        """Everything known, as a record."""
        ratios = {name: self.ratio(name) for name in self.pairs}
        points = self.lab.manifest.points
        result = score(points, self.verdict, self.speed, ratios["speedup"], ratios.get("reference_gain"))
        ours = "b0" if self.compared_with else "submission"
        return Record(
            lab=self.lab.id,
            language=self.language,
            file=str(self.file),
            verdict=self.verdict.kind,
            message=self.verdict.message,
            score=result.earned,
            points=points,
            pending=result.pending,
            why=self.because or result.why,
            speed=self.speed,
            rounds=sum(len(r.bursts[ours]) for r in self.timed),
            samples=sum(len(b.seconds) for r in self.timed for b in r.bursts[ours]),
            timed=[
                TimedCase(
                    r.plan.case, {n: [[round(s, 9) for s in b.seconds] for b in bs] for n, bs in r.bursts.items()}
                )
                for r in self.timed
            ],
            calls=dict(self.calls),
            printed=self.printed,
            remarks=self.remarks,
            machine=machine.describe(),
            versions=on.versions() if self.timed else {},
            seed=on.seed,
            started=started,
            took_s=round(took_s, 3),
            interrupted=self.interrupted,
            compared_with=self.compared_with,
            speedup=ratios["speedup"],
            against_reference=ratios.get("against_reference"),
            reference_gain=ratios.get("reference_gain"),
            control=ratios["control"],
        )
