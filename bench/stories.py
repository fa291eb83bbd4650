"""The pictures and figures of docs/tracing.md: two programs, recorded and read.

Theory of operation.  tests/stories/adi.c runs with MPICH's settings as they are and with buffers in which its messages
go eagerly; tests/stories/sort.c runs once.  From the traces come the pictures, and the tables that stand between marks
in docs/tracing.md.  The computing is slept, so 16 ranks run on two cores; what is shown is waiting, not the machine's
speed.

Run it: python bench/stories.py (half a minute).
"""

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
sys.path.insert(0, str(HERE.parent / "tests"))

from test_stories import EAGER, RANKS, STORIES, instances, waits  # noqa: E402 - found by the line above

from mpilab.tracing import text  # noqa: E402
from mpilab.tracing.model import Trace  # noqa: E402
from mpilab.tracing.programs import record  # noqa: E402
from mpilab.tracing.tables import Scatter  # noqa: E402
from mpilab.tracing.timeline import Timeline  # noqa: E402

STEPS = 6  # of the sweeps, in a picture
STYLE = "<style>svg{color:#1b1f24}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>"


def keep(view: Timeline | Scatter, name: str) -> None:
    """Write a view's picture as a file that stands by itself."""
    picture = view._repr_html_().partition("</svg>")[0] + "</svg>\n"
    head, _, rest = picture.partition(">")
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    (DOCS / f"tracing-{name}.svg").write_text(f"{head}>{STYLE}{rest}", encoding="utf-8")


def sweeps() -> list[str]:
    """The first story: its pictures, and its table."""
    traces = [record(STORIES / "adi.c", RANKS, settings=settings).trace for settings in ({}, EAGER)]
    span = STEPS * traces[0].window()[1] / len(instances(traces[0], "Isend")[0])
    for trace, name in zip(traces, ("adi-before", "adi-after"), strict=True):
        begin = 0.4 * trace.window()[1]
        keep(trace.timeline(begin, begin + span), name)
    rows = [
        ("whole run", [text.duration(trace.window()[1]) for trace in traces]),
        ("MPI wait rate", [text.percent(trace.summary().wait_rate.share) for trace in traces]),
        ("MPI_Wait for the send, sum over ranks", [text.duration(waits(trace)["MPI_Isend"]) for trace in traces]),
        ("MPI_Wait for the receive", [text.duration(waits(trace)["MPI_Irecv"]) for trace in traces]),
        *((f"waiting: {name}", [_reason(trace, name) for trace in traces])
          for name in ("late sender", "late receiver", "unattended")),
    ]  # fmt: skip
    lines = ["| | as MPICH is set | 40 kB go eagerly |", "|---|---|---|"]
    return [*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)]


def _reason(trace: Trace, name: str) -> str:
    return text.duration(dict(trace.summary().reasons)[name].seconds)


def sort() -> list[str]:
    """The second story: its pictures, and its table."""
    trace = record(STORIES / "sort.c", RANKS).trace
    calls = ("MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv")
    entry, end = instances(trace, "Allreduce")
    middle = len(entry) // 2
    only = trace.events["call"] == trace.calls.index("MPI_Allreduce")  # what follows would hide its end
    alone = replace(trace, events=trace.events[only], messages=trace.messages[:0], requests=trace.requests[:0])
    keep(alone.timeline(float(entry[middle].min()) - 0.005, float(end[middle].max()) + 0.01), "sort")
    keep(trace.scatter("entry", "Allreduce"), "sort-scatter")
    lines = [
        "| call | mean | bytes of a rank | a rank's bandwidth | entries spread over | exits | latency against entry |",
        "|---|---|---|---|---|---|---|",
    ]
    speed = trace.bandwidth()
    for call in calls:
        entry, end = instances(trace, call)
        slopes = [np.polyfit(entry[i], end[i] - entry[i], 1)[0] for i in range(len(entry))]
        which = speed.calls.index(call)
        spread = [text.duration(float(np.median(np.ptp(times, axis=1)))) for times in (entry, end)]
        cells = [text.duration(speed.mean_s[which]), text.size(speed.mean_bytes[which]),
                 text.rate(speed.rank_bytes_per_s[which]), *spread, f"slope {np.median(slopes):.2f}"]  # fmt: skip
        lines.append(f"| {call} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Record, draw, and put the figures into the page."""
    path = DOCS / "tracing.md"
    page = path.read_text(encoding="utf-8")
    for name, lines in (("sweeps", sweeps()), ("sort", sort())):
        table = "\n".join(lines)
        print(f"{table}\n")
        marks = rf"(<!-- {name} -->\n)[^<]*(<!-- end -->)"
        page, found = re.subn(marks, lambda match, new=table: f"{match[1]}{new}\n{match[2]}", page)
        assert found == 1, name
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
