"""An attempt in the making: what the referee knows so far, and the record of it.

Theory of operation.  The referee fills an `Attempt` as it goes; `record` can be asked of it at any moment, also when
Ctrl-C or a fault ends it half-way, so nothing measured is lost.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mpilab import hints, machine, sandbox, stats, time
from mpilab.clusters import Clusters
from mpilab.diagnosis.findings import Finding, excerpt
from mpilab.lab import Lab
from mpilab.record import Record, TimedCase, clean
from mpilab.score import score
from mpilab.stats import Estimate, Speed
from mpilab.verdict import OK, Verdict

Pair = tuple[float, str, str]  # weight, and two contenders' names: the slower if the ratio is above 1, the faster


@dataclass
class Attempt:
    """What is known of an attempt so far."""

    lab: Lab
    file: Path
    verdict: Verdict = OK
    language: str = ""
    source: str = ""  # the text that was built
    remarks: str = ""
    printed: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)  # of the last strict run, or of a deadlock
    timed: list[time.Rounds] = field(default_factory=list)
    ratios: dict[str, list[Pair]] = field(default_factory=dict)  # of times, by name
    speed: Speed | None = None
    because: str = ""
    interrupted: bool = False
    compared_with: str = ""

    def ratio(self, name: str) -> Estimate | None:
        """The estimate of one of `ratios`, over all timed cases; None before the first look."""
        if name not in self.ratios or not self.timed:
            return None
        rows = zip(*(self._logs(rounds, name) for rounds in self.timed), strict=False)
        logs = [float(np.mean(row)) for row in rows]
        return stats.estimate(logs) if len(logs) >= stats.LOOKS[0] else None

    def _logs(self, rounds: time.Rounds, name: str) -> list[float]:
        """Per round, the weighted sum of the ratio's log ratios."""
        terms = [[weight * log for log in rounds.logs(slower, faster)] for weight, slower, faster in self.ratios[name]]
        return [sum(row) for row in zip(*terms, strict=True)]

    def record(self, on: Clusters, started: str, took_s: float) -> Record:
        """Everything known, as a record."""
        found = {name: self.ratio(name) for name in self.ratios}
        points, timed, gain = self.lab.manifest.points, bool(self.lab.manifest.time), found.get("reference_gain")
        result = score(points, self.verdict, self.speed, found["speedup"], gain, timed=timed)
        ours = "b0" if self.compared_with else "submission"
        return Record(
            lab=self.lab.id,
            language=self.language,
            file=str(self.file),
            verdict=self.verdict.kind,
            message=clean(self.verdict.message),
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
            findings=self.findings,
            excerpts={one.where: excerpt(self.source, one.where, self.file.name) for one in self.findings if one.where},
            printed=self.printed,
            remarks=clean(self.remarks),
            platform=", ".join(dict.fromkeys(r.plan.case.on for r in self.timed)) or "cores",
            machine=machine.describe(),
            versions=on.versions() if self.timed else {},
            sandbox=sandbox.NAME if on.boxed else "none",
            seed=on.seed,
            started=started,
            took_s=round(took_s, 3),
            interrupted=self.interrupted,
            compared_with=self.compared_with,
            hints=hints.opened(self.lab.id),
            speedup=found["speedup"],
            against_reference=found.get("against_reference"),
            reference_gain=found.get("reference_gain"),
            control=found["control"],
        )
