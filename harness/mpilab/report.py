"""From a record to something to read: text for a terminal, HTML for a notebook, a page for the demo.

Theory of operation.  Pure: a record goes in, text comes out; nothing is run or measured.  Colour only repeats what a
word already says.  The interval plot is a row of characters in a terminal and an SVG in HTML, drawn from the same
numbers: ratios on a logarithmic axis, with a mark at 1 (the baseline).
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mpilab.record import Record
from mpilab.stats import Estimate, Speed
from mpilab.verdict import Kind

STYLES = {Kind.OK: "bold green", Kind.NOT_ATTEMPTED: "bold yellow"}
BAD_STYLE = "bold red"
SPEED_STYLES = {Speed.SLOWER: "red", Speed.SLOWER_ONE: "red", Speed.UNDECIDED: "yellow", Speed.NO_DIFFERENCE: "yellow"}
BAR = 28  # characters of an interval plot
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis of ratios."""

    low: float
    high: float

    def place(self, ratio: float) -> float:
        """Where `ratio` stands, from 0 (left) to 1 (right)."""
        inside = min(max(ratio, self.low), self.high)
        return math.log(inside / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """Round ratios inside the axis, at most seven."""
        for step in (0.1, 0.25, 0.5, 1, 2, 5, 10, 50, 100):
            found = [i * step for i in range(1, 200) if self.low <= i * step <= self.high]
            if len(found) <= 7:
                return found
        return [1.0]


def axis(estimates: Sequence[Estimate]) -> Axis:
    """An axis that holds all estimates, and 1."""
    # a ragged end far out must not squeeze the rest together
    lows = [max(e.low, e.estimate / 2) for e in estimates]
    highs = [min(e.high, e.estimate * 2) for e in estimates]
    return Axis(min([0.8, *lows]) / 1.05, max([1.25, *highs]) * 1.05)


def bar(estimate: Estimate, scale: Axis) -> str:
    """The interval as characters: --o-- with | at 1."""
    cells = [" "] * (BAR + 1)
    low, middle, high = (round(scale.place(r) * BAR) for r in (estimate.low, estimate.estimate, estimate.high))
    cells[round(scale.place(1.0) * BAR)] = "|"
    cells[low : high + 1] = "-" * (high - low + 1)
    cells[middle] = "o"
    return "".join(cells)


def verdict_style(record: Record) -> str:
    """The colour that goes with a verdict."""
    return STYLES.get(Kind(record.verdict), BAD_STYLE)


def text(record: Record) -> RenderableType:
    """What a terminal shows of an attempt."""
    head = Text.assemble((record.verdict, verdict_style(record)), f"  {record.lab}, {record.language}: {record.file}")
    parts: list[RenderableType] = [head, _indented(record.message, 2)]
    if record.verdict != Kind.OK and record.findings and (quoted := record.excerpts.get(record.findings[0].where)):
        parts.append(Text(textwrap.indent(quoted, "    "), style="cyan"))
    if record.speed:
        style = SPEED_STYLES.get(record.speed, "green")
        where = f"  (on {record.platform})" if record.timed else ""
        parts.append(Text.assemble("  speed  ", (record.speed, style), (where, "dim")))
    if lines := _ratios(record):
        parts.append(lines)
    if record.verdict in (Kind.OK, Kind.WRONG_CALLS) and not record.compared_with:
        pending = f" (+ {record.pending:g} pending)" if record.pending else ""
        parts.append(Text(f"  score  {record.score:g} of {record.points:g}{pending}"))
    if record.why:
        parts.append(_indented(record.why, 9))
    for name, said in (("your kernel printed", record.printed), ("remarks", record.remarks)):
        if said.strip():
            parts.append(Text.assemble((f"  {name}:\n{_first_lines(said)}", "dim")))
    return Group(*parts)


def rows(record: Record) -> list[tuple[str, Estimate]]:
    """The record's ratios, each with what it says, in the order to read them."""
    other = record.compared_with
    names = [
        ("speedup", f"times the speed of {Path(other).name}" if other else "times the baseline's speed"),
        ("against_reference", "times the reference's speed"),
        ("reference_gain", "the reference's own gain"),
        ("control", "control: the same code"),
    ]
    return [(label, value) for name, label in names if (value := getattr(record, name)) is not None]


def _ratios(record: Record) -> Table | None:
    found = rows(record)
    if not found:
        return None
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    scale = axis([e for _, e in found])
    for label, estimate in found:
        table.add_row(Text(f"  {estimate}"), Text(bar(estimate, scale), style="cyan"), Text(label))
    return table


def _indented(said: str, by: int) -> Text:
    """Text that the terminal may fold, but nothing cuts."""
    return Text(textwrap.indent(said, " " * by), overflow="ignore", no_wrap=True)


def _first_lines(said: str, most: int = 12) -> str:
    lines = "".join(c for c in said if c.isprintable() or c in "\n\t").strip().splitlines()
    more = [f"... {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join("    " + line for line in lines[:most] + more)


def html(record: Record) -> str:
    """What a notebook shows of an attempt."""
    found = rows(record)
    return TEMPLATES.get_template("record.html").render(r=record, rows=found, plot=plot(found), style=style_sheet())


def table(entries: Sequence[tuple[str, Record]]) -> Table:
    """The demo's table: lab, language, who, verdict, speedup; in a narrow terminal only `who` is folded."""
    result = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("lab", "language", "who", "verdict", "speedup"):
        result.add_column(name, no_wrap=name != "who", overflow="fold")
    for who, r in entries:
        cells = (r.lab, r.language, who, r.verdict, str(r.speedup or "-"))
        result.add_row(*(Text(cell, style=verdict_style(r) if cell is r.verdict else "") for cell in cells))
    return result


def page(entries: Sequence[tuple[str, Record]], note: str) -> str:
    """A self-contained page: the table, and for each lab a plot of the speedup intervals."""
    plots = {}
    for lab in dict.fromkeys(r.lab for _, r in entries):
        found = [(f"{r.language}, {who}", r.speedup) for who, r in entries if r.lab == lab and r.speedup]
        plots[lab] = plot(found)
    return TEMPLATES.get_template("demo.html").render(entries=entries, plots=plots, note=note, style=style_sheet())


def plot(found: Sequence[tuple[str, Estimate]]) -> str:
    """An SVG of intervals, one row each; '' for none."""
    if not found:
        return ""
    scale = axis([e for _, e in found])
    marks = [(label, e, scale.place(e.low), scale.place(e.estimate), scale.place(e.high)) for label, e in found]
    ticks = [(f"{t:g}", scale.place(t)) for t in scale.ticks()]
    return TEMPLATES.get_template("plot.svg").render(marks=marks, ticks=ticks, one=scale.place(1.0))


def style_sheet() -> str:
    """The styles that all our small pages share."""
    return (Path(__file__).parent / "templates" / "style.css").read_text()
