"""From a diagnosis to something to read in a terminal.

Theory of operation. Pure. The verdict first, then each finding: its kind and place, what happened, the line itself
where the source is there, the rule it breaks and what to do. Colour only repeats what a word says.
"""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from mpilab.diagnosis.diagnose import Diagnosis
from mpilab.diagnosis.findings import Finding, excerpt

STYLES = {"ok": "bold green", "timed_out": "bold yellow"}
BAD = "bold red"
RUNS = {
    "finished": "ran to its end",
    "stuck": "got stuck",
    "timed_out": "was still running when its time was up",
    "died": "died",
    "flooded": "printed without end",
}


def text(found: Diagnosis) -> RenderableType:
    """What a terminal shows of a diagnosis."""
    name = Path(found.program).name
    head = Text.assemble((found.verdict, STYLES.get(found.verdict, BAD)), f"  {name} on {found.ranks} ranks")
    runs = f"  as it is, it {RUNS[found.plain]}; with MPI as unkind as the standard permits, it {RUNS[found.strict]}"
    parts: list[RenderableType] = [head, Text(runs)]
    source = ""
    if name.endswith((".c", ".py")) and Path(found.program).is_file():
        source = Path(found.program).read_text(encoding="utf-8", errors="replace")
    for one in found.findings:
        parts += _finding(one, excerpt(source, one.where, name))
    if found.message_queues:
        parts.append(_whole("\n" + _indented(found.message_queues, 2), "dim"))
    if found.verdict in ("crashed", "timed_out") and found.printed.strip():
        lines = "".join(c for c in found.printed if c.isprintable() or c in "\n\t").strip().splitlines()
        parts.append(Text("\n  it printed:\n" + _indented("\n".join(lines[:12]), 4), style="dim"))
    for note in found.notes:
        parts.append(_whole(f"\n  note: {note}"))
    if found.not_seen:
        parts.append(Text(f"\n  note: {found.not_seen}", style="dim"))
    return Group(*parts)


def _finding(one: Finding, lines: str) -> list[RenderableType]:
    place = " in ".join(filter(None, (one.call, one.where and f"({one.where})"))).replace(" in (", " (")
    rank = f", rank {one.rank}" if one.rank >= 0 else ""
    parts: list[RenderableType] = [Text.assemble("\n", (one.kind, BAD), f"  {place or 'the program'}{rank}")]
    parts.append(_whole(_indented(one.message, 2)))
    if lines:
        parts.append(_whole(_indented(lines, 4), "cyan"))
    parts.append(_whole(_indented(one.rule, 2)))
    return parts


def _indented(said: str, by: int) -> str:
    return "\n".join(" " * by + line for line in said.splitlines())


def _whole(said: str, style: str = "") -> Text:
    return Text(said, style=style, overflow="ignore", no_wrap=True)  # the terminal may fold it, but nothing cuts it
