"""How numbers are said, and how a table or a picture looks where there is only text.

Theory of operation.  Everything that a trace shows is a `Shown`: it makes a rich renderable for a terminal, HTML for a
notebook and CSV for a program, from the same numbers.  `print` and the interpreter's prompt give the terminal's form
without colours.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

WIDTH = 110
ROWS = 30  # of a table that a person reads; CSV has them all


class Shown:
    """Something to look at."""

    def __rich__(self) -> RenderableType:
        raise NotImplementedError

    def __str__(self) -> str:
        console = Console(file=io.StringIO(), width=WIDTH, color_system=None, force_terminal=False)
        with console.capture() as capture:
            console.print(self)
        return capture.get()

    def __repr__(self) -> str:
        return str(self)


def grid(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> RenderableType:
    """A table for a terminal; all columns but the first `left` are right-aligned."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number < left else "right", overflow="fold")
    for row in rows[:ROWS]:
        table.add_row(*(Text(cell) for cell in row))
    if len(rows) > ROWS:
        table.add_row(Text(f"... {len(rows) - ROWS:,} more rows; .csv has them all", style="dim"))
    return Group(Text(title, style="bold"), table)


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """The same as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return file.getvalue()


def duration(seconds: float) -> str:
    """Seconds as a person reads them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}" if abs(seconds) < 1000 * size else f"{seconds / size:,.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def percent(share: float) -> str:
    """A share in per cent, with a digit behind the point where that is the one that counts."""
    return f"{100 * share:.1f} %" if 0 < abs(share) < 0.0995 else f"{100 * share:.0f} %"


def size(count: float) -> str:
    """Bytes."""
    return f"{count:,.0f} B" if count < 1e6 else f"{count / 1e6:,.1f} MB"


def rate(bytes_per_s: float) -> str:
    """Bytes a second."""
    for unit, one in (("GB/s", 1e9), ("MB/s", 1e6)):
        if bytes_per_s >= one:
            return f"{bytes_per_s / one:.3g} {unit}"
    return f"{bytes_per_s / 1e3:.3g} kB/s"
