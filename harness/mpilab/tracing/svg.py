"""The small pictures of a notebook: SVG and HTML as plain strings.

Theory of operation.  Each function takes numbers and returns markup that stands by itself: no script, colours that are
readable on light and dark ground, a text for those who can't see it.  Sizes are in the picture's own units; the
browser scales.  The page with zoom and pan is another module's.
"""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 720, 260, 64, 40, 10
INK = 'fill="currentColor" font-size="12" font-family="system-ui, sans-serif"'
LINE = 'stroke="currentColor" stroke-opacity="0.25"'
MARK = "#0072b2"
POINTS = 5000  # that a scatter plot draws

Box = tuple[float, float, float, float, str]  # x, y, width, height, colour


def picture(said: str, parts: Sequence[str], height: float = HEIGHT) -> str:
    """An SVG of the parts; `said` is its text alternative."""
    inside = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(said)}" '
        f'style="width:100%;max-width:60em;height:auto">\n{inside}\n</svg>'
    )


def label(x: float, y: float, said: str, anchor: str = "middle") -> str:
    """A text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {INK}>{escape(said)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str) -> str:
    """A filled rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def dot(x: float, y: float) -> str:
    """A point of a scatter plot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{MARK}" fill-opacity="0.6"/>'


def line(x1: float, y1: float, x2: float, y2: float, style: str = LINE) -> str:
    """A line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def axes(x_label: str, x_ticks: Sequence[tuple[float, str]], y_ticks: Sequence[tuple[float, str]]) -> list[str]:
    """Both axes; ticks are (place from 0 to 1, text)."""
    bottom, right = HEIGHT - BELOW, WIDTH - 10
    parts = [line(LEFT, bottom, right, bottom), line(LEFT, ABOVE, LEFT, bottom)]
    for place, said in x_ticks:
        parts.append(label(across(place), bottom + 16, said, "end" if place == 1 else "middle"))
    for place, said in y_ticks:
        parts += [line(LEFT, up(place), right, up(place)), label(LEFT - 6, up(place) + 4, said, "end")]
    return [*parts, label((LEFT + right) / 2, HEIGHT - 6, x_label)]


def across(place: float) -> float:
    """Where a place from 0 to 1 is from left to right."""
    return LEFT + place * (WIDTH - 10 - LEFT)


def up(place: float) -> float:
    """Where a place from 0 to 1 is from bottom to top."""
    return HEIGHT - BELOW - place * (HEIGHT - BELOW - ABOVE)


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], most: int, left: int = 1) -> str:
    """An HTML table of the first `most` rows."""
    head = "".join(f'<th scope="col" style="text-align:left">{escape(h)}</th>' for h in heads)
    body = []
    for row in rows[:most]:
        cells = [
            f'<td style="text-align:{"left" if i < left else "right"}">{escape(c)}</td>' for i, c in enumerate(row)
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    more = f"; {len(rows) - most:,} more rows in .csv" if len(rows) > most else ""
    start = f'<table><caption style="text-align:left">{escape(caption + more)}</caption>'
    return f"{start}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
