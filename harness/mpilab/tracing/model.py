"""A trace, as a person or a page meets it.

Theory of operation.  A trace is a recording (recording.py) that can show itself: each view is computed from the arrays
when it is asked for, prints as text, and shows as a picture or a table in a notebook.  It is stored as one file
(storage.py).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Group, RenderableType

from mpilab.tracing import storage, summary, tables, text, timeline
from mpilab.tracing.recording import Recording


class Trace(text.Shown, Recording):
    """What the ranks of a program did in MPI; the fields are those of Recording."""

    @classmethod
    def load(cls, path: Path | str) -> "Trace":
        """Read a trace file; raises HarnessError when it is no readable trace."""
        return cls(**storage.load(Path(path)))

    def save(self, path: Path | str) -> None:
        """Write a trace file, whole or not at all; raises HarnessError when it can't be written."""
        storage.save(self, Path(path))

    def noted(self, note: str) -> "Trace":
        """The same with one note more, the first."""
        return replace(self, notes=[note, *self.notes])

    def summary(self) -> summary.Summary:
        """The MPI wait rate, what was waited for, overlap, and what would help."""
        return summary.summarize(self)

    def timeline(self, begin: float | None = None, end: float | None = None) -> timeline.Timeline:
        """Ranks x time, between two moments in seconds."""
        return timeline.timeline(self, begin, end)

    def table(self, by: str | Sequence[str] = "call", call: str = "") -> tables.Table:
        """Count, sum, mean and maximum of latencies, grouped by one or several of tables.FIELDS."""
        return tables.table(self, by, call)

    def scatter(self, x: str = "end", call: str = "") -> tables.Scatter:
        """Latencies against "end", "entry" or "bytes"."""
        return tables.scatter(self, x, call)

    def histogram(self, call: str = "") -> tables.Histogram:
        """How often which latency came."""
        return tables.histogram(self, call)

    def bandwidth(self) -> tables.Bandwidth:
        """The effective bandwidth of each call that names bytes."""
        return tables.bandwidth(self)

    def __rich__(self) -> RenderableType:
        return Group(self.timeline(), self.summary())

    def _repr_html_(self) -> str:
        return self.timeline()._repr_html_() + self.summary()._repr_html_()
