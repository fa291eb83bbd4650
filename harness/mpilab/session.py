"""A session: the way in for notebooks, the command line and tests.

Theory of operation.  Holds a pair of warm clusters (clusters.py) and puts files through the referee's pipeline on them.
The clusters are gone when the session is closed or its process ends, however it ends (sweep.py).
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from mpilab import lab, referee, report
from mpilab.clusters import Clusters, Progress
from mpilab.record import Record
from mpilab.tracing import kernels
from mpilab.tracing.choice import RING, Choice
from mpilab.tracing.model import Trace

BUDGET_S = 2.6  # from try to verdict on warm clusters; a last look at the clock comes on top

setattr(Record, "_repr_html_", report.html)  # noqa: B010 - a notebook shows a record as the report does


class Session:
    """Warm clusters and what can be done with them; use as a context manager, or call close."""

    def __init__(
        self,
        *,
        progress: Progress | None = None,
        seed: str | None = None,
        warm: bool = True,
        home: str = "ipyparallel",
        boxed: bool = False,
    ) -> None:
        """Start both clusters in the background, or with `warm=False` when they are needed.

        `progress` is called with what is being done and the share done; `seed` repeats an earlier session's data (it
        is in that session's records); `home` is that of the engines: "ipyparallel", or "mpiexec", which starts sooner;
        `boxed`: submissions are built and run in a sandbox (sandbox.py), as graded ones are.
        """
        self.clusters = Clusters(progress=progress, seed=seed, home=home, boxed=boxed)
        if warm:
            self.clusters.warm()

    def try_kernel(self, lab_name: str, path: str | Path, *, budget_s: float = BUDGET_S) -> Record:
        """Put one file through the whole pipeline within about `budget_s`; its record is stored and returned.

        Raises HarnessError when mpilab, the machine or the call is at fault.
        """
        return referee.attempt(self.clusters, lab.find(lab_name), Path(path), budget_s)

    def compare(self, lab_name: str, a: str | Path, b: str | Path, *, budget_s: float = BUDGET_S) -> Record:
        """Hold two kernels of a lab against each other: `speedup` is how many times as fast `b` is as `a`."""
        return referee.compare(self.clusters, lab.find(lab_name), Path(a), Path(b), budget_s)

    def trace_kernel(
        self,
        lab_name: str,
        path: str | Path,
        *,
        ranks: int | None = None,
        steps: int | None = None,
        ring: int = RING,
        groups: Sequence[str] = (),
        emulated: bool = False,
    ) -> Trace:
        """Record one life of a kernel (init, a run that warms up, a run, free); its trace.

        Args:
            lab_name: the lab it belongs to, whose first timed case is run.
            path: a C or Python source.
            ranks: instead of the case's.
            steps: instead of the case's; at least 20 by default.
            ring: how many events each rank keeps, the newest ones.
            groups: which calls to record, of "p2p", "request", "collective", "io"; all by default.
            emulated: take the lab's emulated case instead: many ranks, modelled compute that sleeps.

        Raises:
            HarnessError: the kernel can't be built or loaded, there is no such case, or nothing was recorded.
        """
        one, choice = lab.find(lab_name), Choice(ring, groups)
        return kernels.record(
            self.clusters, one, Path(path), ranks=ranks, steps=steps, choice=choice, emulated=emulated
        ).trace

    def close(self) -> None:
        """End the clusters and remove what they left."""
        self.clusters.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
