"""The timeline in small: ranks x time, as characters and as a picture.

Theory of operation.  A window is cut into cells; for each rank and each class of call, the seconds in each cell are
counted, and the class with most of them stands for the cell, computing where no call has most.  So a million events
cost what a hundred do.  The page of page.py shows every event; this shows where to look.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from mpilab.errors import HarnessError
from mpilab.tracing import intervals, svg, tables, text
from mpilab.tracing.recording import CLASSES, Ints, Recording

COMPUTE = "."
COLUMNS = 90  # characters
CELLS = 600  # of the picture
ARROWS = 300  # more messages are not drawn
LANE = 16  # a rank's height in the picture
MOST_LANES = 64
ARROW = 'stroke="currentColor" stroke-opacity="0.6" stroke-width="0.8"'


@dataclass(frozen=True, repr=False, eq=False)
class Timeline(text.Shown):
    """What each rank did between two moments."""

    trace: Recording
    begin: float  # seconds
    end: float

    def cells(self, columns: int) -> Ints:
        """Of shape (ranks, columns): the number of the class in CLASSES that a cell shows, -1 computing."""
        edges = np.linspace(self.begin, self.end, columns + 1)
        rank, kind = self.trace.events["rank"], self.trace.classes()
        spent = np.zeros((len(CLASSES) + 1, self.trace.ranks, columns))
        for r in np.unique(rank):
            mine = self.trace.events[rank == r]
            for number in range(len(CLASSES)):
                own = mine[kind[rank == r] == number]
                spent[number + 1, r] = np.diff(intervals.held(intervals.merge(own["start"], own["end"]), edges))
        spent[0] = np.maximum(0, (self.end - self.begin) / columns - spent[1:].sum(axis=0))
        return np.asarray(np.argmax(spent, axis=0) - 1)

    @property
    def csv(self) -> str:
        """The events in the window."""
        events = self.trace.events
        return tables.events_csv(self.trace, (events["end"] >= self.begin) & (events["start"] <= self.end))

    def __rich__(self) -> RenderableType:
        marks = COMPUTE + "".join(mark for mark, _ in CLASSES.values())
        colours = ["", *(colour for _, colour in CLASSES.values())]
        lines = [Text(f"{self.trace.title}: {text.duration(self.begin)} to {text.duration(self.end)}")]
        for rank, cells in enumerate(self.cells(COLUMNS)[: text.ROWS]):
            shown = Text(f"{rank:>6} ")
            for cell in cells:
                shown.append(marks[cell + 1], colours[cell + 1])
            lines.append(shown)
        if self.trace.ranks > text.ROWS:
            lines.append(Text(f"       ... {self.trace.ranks - text.ROWS} more ranks"))
        legend = [f"{COMPUTE} compute", *(f"{mark} {name}" for name, (mark, _) in CLASSES.items())]
        return Group(*lines, Text("       " + "  ".join(legend)))

    def _repr_html_(self) -> str:
        lanes = min(self.trace.ranks, MOST_LANES)
        parts = [part for rank, cells in enumerate(self.cells(CELLS)[:lanes]) for part in _lane(rank, cells)]
        height = lanes * LANE + svg.ABOVE + 24
        for place in (0, 0.25, 0.5, 0.75, 1):
            when = self.begin + place * (self.end - self.begin)
            anchor = "end" if place == 1 else "middle"
            parts.append(svg.label(svg.across(place), height - 6, text.duration(when), anchor))
        said = f"Timeline of {self.trace.ranks} ranks from {text.duration(self.begin)} to {text.duration(self.end)}"
        legend = " ".join(f'<span style="color:{c}">&#9632;</span> {name}' for name, (_, c) in CLASSES.items())
        return svg.picture(said, [*parts, *self._arrows(lanes)], height) + f"<p>{legend}</p>"

    def _arrows(self, lanes: int) -> list[str]:
        """The messages in the window, when they are few enough to be told apart."""
        events, messages = self.trace.events, self.trace.messages
        sent, received = events[messages["send"]], events[messages["recv"]]
        inside = (sent["start"] >= self.begin) & (received["end"] <= self.end)
        inside &= (sent["rank"] < lanes) & (received["rank"] < lanes)
        if np.count_nonzero(inside) > ARROWS:
            return []
        arrows = []
        for s, r in zip(sent[inside], received[inside], strict=True):
            places = [svg.across((t - self.begin) / (self.end - self.begin)) for t in (s["start"], r["end"])]
            heights = [_middle(int(event["rank"])) for event in (s, r)]
            arrows.append(svg.line(places[0], heights[0], places[1], heights[1], ARROW))
        return arrows


def timeline(trace: Recording, begin: float | None = None, end: float | None = None) -> Timeline:
    """The timeline between two moments in seconds; by default from the first event to the last."""
    events = trace.events
    begin = float(events["start"].min()) if begin is None else begin
    end = float(events["end"].max()) if end is None else end
    if not begin <= end:
        raise HarnessError(f"a timeline from {begin:g} s to {end:g} s", then="let it begin before it ends")
    return Timeline(trace, begin, end if end > begin else begin + 1e-9)


def _middle(rank: int) -> float:
    return svg.ABOVE + (rank + 0.5) * LANE


def _lane(rank: int, cells: Ints) -> list[str]:
    """A rank's cells, runs of one class as one box."""
    colours = [colour for _, colour in CLASSES.values()]
    edges = np.concatenate(([0], np.flatnonzero(np.diff(cells)) + 1, [len(cells)]))
    parts = [svg.label(svg.LEFT - 6, _middle(rank) + 4, f"rank {rank}", "end")]
    for first, last in pairwise(edges):
        left, right = svg.across(first / len(cells)), svg.across(last / len(cells))
        if cells[first] >= 0:
            parts.append(svg.box(left, _middle(rank) - LANE / 2 + 1, right - left, LANE - 2, colours[cells[first]]))
    return parts
