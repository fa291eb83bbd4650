"""Scale cases as text and as a page: time and communication time against ranks.

Theory of operation.  Pure: what was measured goes in, text and HTML come out.  A line joins the cases that differ only
in their ranks; each chart stands beside the table of its numbers, and its colours only repeat what marks and names
say.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mpilab import machine
from mpilab.report import TEMPLATES, style_sheet
from mpilab.scaling.measure import Scaled

BAR = 24  # characters of the longest bar
WIDTH, HEIGHT = 560, 260  # of a chart, inside its axes
LABEL = 17  # a name's height
OF = {"time": "run time", "communication": "communication time"}
PLATFORMS = {
    "cores": "cores: real compute, a core for each rank",
    "emulated": "emulated: real MPI and messages, compute that sleeps; it shows who waits for whom, not bandwidth",
}


def text(title: str, found: Sequence[Scaled]) -> RenderableType:
    """The table for a terminal."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("ranks", "who", "time", "in MPI", "against the baseline", "in MPI", "time = and in MPI #"):
        table.add_column(name, justify="right" if name in ("ranks", "time", "in MPI") else "left", no_wrap=True)
    longest = max((s.typical(who, "time") for s in found for who in s.samples), default=1.0)
    parts: list[RenderableType] = [Text(title, style="bold")]
    for one in found:
        table.add_section()
        for i, who in enumerate(one.samples):
            first = f"{one.case.ranks}" if i == 0 else ""
            against = [str(one.ratio(who, of)) if who != "baseline" else "" for of in OF]
            whole, inside = (one.typical(who, of) for of in OF)
            bar = Text(_bar(whole, inside, longest), style="cyan")
            table.add_row(first, who, _seconds(whole), _seconds(inside), *against, bar)
    if any(one.samples for one in found):
        parts.append(table)
    parts += [Text(f"  {one.case}: refused: {one.refused}", style="yellow") for one in found if one.refused]
    parts += [Text(f"  {line}", style="dim") for line in _platforms(found)]
    return Group(*parts)


def _platforms(found: Sequence[Scaled]) -> list[str]:
    return [PLATFORMS[on] for on in dict.fromkeys(one.case.on for one in found)]


def _bar(time_s: float, inside_s: float, longest: float) -> str:
    whole = round(BAR * time_s / longest)
    inside = min(whole, round(BAR * inside_s / longest))
    return "=" * (whole - inside) + "#" * inside


def _seconds(value: float) -> str:
    return f"{value * 1e3:.4g} ms" if value < 1 else f"{value:.3g} s"


@dataclass
class Line:
    """A contender's line in a chart: points as (x, y, ranks, seconds) in the chart's pixels."""

    who: str
    points: list[tuple[float, float, int, float]]
    label_y: float = 0.0


def page(title: str, found: Sequence[Scaled], versions: dict[str, str]) -> str:
    """A self-contained page: the charts, and the table."""
    charts = {OF[of]: chart for of in OF if (chart := _chart(found, of))}
    rows = [
        (one.case, who, [(_seconds(one.typical(who, of)), one.ratio(who, of)) for of in OF])
        for one in found
        for who in one.samples
    ]
    about = machine.describe()
    note = f"{versions.get('mpi', '')}, mpi4py {versions.get('mpi4py', '')}; {about['cpu']}, {about['cores']} cores"
    return TEMPLATES.get_template("scale.html").render(
        title=title,
        charts=charts,
        rows=rows,
        refused=[one for one in found if one.refused],
        platforms=_platforms(found),
        note=note,
        style=style_sheet(),
        width=WIDTH,
        height=HEIGHT,
    )


def _chart(found: Sequence[Scaled], of: str) -> dict[str, object] | None:
    """Lines, and the axes' marks; None when there is nothing to draw."""
    good = sorted((one for one in found if one.samples), key=lambda one: one.case.ranks)
    if not good:
        return None
    ranks = sorted({one.case.ranks for one in good})
    top = max(one.typical(who, of) for one in good for who in one.samples) or 1.0
    left, right = math.log2(ranks[0]), math.log2(ranks[-1])

    def x(count: int) -> float:
        return round(WIDTH * ((math.log2(count) - left) / (right - left) if right > left else 0.5), 1)

    def y(seconds: float) -> float:
        return round(HEIGHT * (1 - seconds / (1.1 * top)), 1)

    lines = []
    for who in good[0].samples:
        values = [(one.case.ranks, one.typical(who, of)) for one in good if who in one.samples]
        lines.append(Line(who, [(x(count), y(value), count, value) for count, value in values]))
    _spread(lines)
    step = 10 ** math.floor(math.log10(top))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if top / s <= 6)
    ticks = [(y(i * step), _seconds(i * step) if i else "0") for i in range(int(top / step) + 1)]
    return {"lines": lines, "x": [(x(count), count) for count in ranks], "y": ticks}


def _spread(lines: list[Line]) -> None:
    """Give the lines' names places that don't overlap."""
    below = -math.inf
    for line in sorted(lines, key=lambda line: line.points[-1][1]):
        line.label_y = below = max(line.points[-1][1], below + LABEL)
