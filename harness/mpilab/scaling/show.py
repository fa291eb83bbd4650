"""The headlines as text, as docs/headlines.md, and as a drawing.

Theory of operation.  Pure: rows go in, text comes out.  The drawing has an axis for each unit that several rows share,
0 always on it; it shows nothing that the table beside it doesn't say.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from mpilab.report import TEMPLATES
from mpilab.scaling.rows import Headlines, Row

FAR = 2.5
DRAWN = {"%": "change of time, %", "% saved": "wall clock saved, %", "x": "times as fast"}  # units that rows share


def text(rows: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("source", "what", "language", "platform", "ranks", "figure", "ours", "reached"):
        table.add_column(name, justify="right" if name in ("ranks", "figure") else "left", no_wrap=name != "what")
    for row in rows:
        reached = Text(word(row), style="green" if row.reached else "yellow")
        cells = (row.source, row.what, row.language, row.platform, str(row.ranks), number(row.figure, row.unit))
        table.add_row(*cells, ours(row), reached)
    return table


def number(value: float | None, unit: str) -> str:
    """A number with its unit; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:+.1f} {unit}" if unit.startswith("%") else f"{value:,.4g} {unit}".rstrip()


def ours(row: Row) -> str:
    """Our number with its interval."""
    if row.ours is None or row.low is None or row.high is None:
        return number(row.ours, row.unit)
    low, high = (f"{end:,.4g}" if math.isfinite(end) else "?" for end in (row.low, row.high))
    return f"{number(row.ours, row.unit)} [{low}, {high}]"


def word(row: Row) -> str:
    """Whether a figure is reached; a dash where the source has none."""
    return "-" if row.figure is None else "yes" if row.reached else "no"


def page(found: Headlines) -> str:
    """docs/headlines.md."""
    rows = [(row, number(row.figure, row.unit), ours(row), word(row)) for row in found.rows]
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return TEMPLATES.get_template("headlines.md").render(
        rows=rows, about=found.machine, versions=versions, took=found.took_s, date=time.strftime("%Y-%m-%d")
    )


@dataclass(frozen=True)
class Mark:
    """A row in the drawing; places run from 0 (left) to 1."""

    label: str
    said: str
    figure: float
    low: float
    ours: float
    high: float


@dataclass(frozen=True)
class Panel:
    """An axis and its rows; `ticks` are places with their numbers."""

    name: str
    marks: list[Mark]
    ticks: list[tuple[float, str]]


def drawing(rows: Sequence[Row]) -> str:
    """An SVG: for each row the source's figure and our interval."""
    panels = [panel for unit in DRAWN if (panel := _panel([row for row in rows if row.unit == unit], unit))]
    return TEMPLATES.get_template("headlines.svg").render(panels=panels)


def _panel(rows: Sequence[Row], unit: str) -> Panel | None:
    drawn = [(row, row.figure, row.ours) for row in rows if row.figure is not None and row.ours is not None]
    if not drawn:
        return None
    middle = [value for _, figure, own in drawn for value in (0.0, figure, own)]
    most = FAR * max(abs(figure) for _, figure, _ in drawn)  # what lies far outside is drawn at the edge
    left, right = max(min(middle), -most), min(max(middle), most)
    margin = 0.08 * (right - left) or 1.0

    def place(value: float | None, instead: float) -> float:
        value = instead if value is None or not math.isfinite(value) else value
        return min(1.0, max(0.0, (value - left + margin) / (right - left + 2 * margin)))

    marks = [
        Mark(
            f"{row.what}, {row.language}, {row.ranks} ranks",
            f"{row.what}: {number(figure, unit)} in {row.source}, {ours(row)} here",
            *(place(value, own) for value in (figure, row.low, own, row.high)),
        )
        for row, figure, own in drawn
    ]
    step = 10 ** math.floor(math.log10(right - left or 1.0))
    step = next(s for s in (step, 2 * step, 5 * step, 10 * step) if (right - left) / s <= 8)
    ticks = [i * step for i in range(math.ceil(left / step), math.floor(right / step) + 1)]
    return Panel(DRAWN[unit], marks, [(place(tick, tick), f"{tick:g}") for tick in ticks])
