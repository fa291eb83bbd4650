"""How long does the trace's page take to load and to redraw, with many events?

Theory of operation.  Traces of made-up halo exchanges are rendered as pages and opened in headless Chromium (software
drawing, no GPU).  Loading is from the start of the navigation to the first picture of the timeline.  A redraw is one
call of the page's draw(), and reading back a pixel, which forces the canvas to be painted; it is done in a hundred
windows from the whole trace down to a ten-thousandth of it, after the page has been zoomed for a second.  A frame is
the time between two animation frames of that second.

Run it on an otherwise idle machine: python bench/viewer.py (a minute).  Writes docs/bench-viewer.md.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from mpilab import machine
from mpilab.tracing import page
from mpilab.tracing.recording import EVENT, MESSAGE, NO_EVENT, REQUEST, SPAN, Recording

DOCS = Path(__file__).resolve().parent.parent / "docs"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SIZES = (
    (100, 20, 4),  # what the page and the browser take without data
    (10_000, 2_000, 4),
    (100_000, 20_000, 4),
    (100_000, 20_000, 64),
    (500_000, 100_000, 64),
)  # events, arrows, ranks
LOADS = 7
CALLS = {"MPI_Isend": "nonblocking", "MPI_Irecv": "nonblocking", "MPI_Wait": "request", "MPI_Allreduce": "collective"}

PAGE = """# The trace's page: how fast it loads and redraws

{about}.
Each cell: min / median / max, of {loads} loads, 100 redraws and 60 frames. `python bench/viewer.py` makes this table,
and says at its head what is measured.

{text}
"""
REDRAWS = """async () => {
  const { page, mover } = window.mpilab, frames = [], redraws = [];
  let last = 0;
  for (let k = 0; k < 65; k++) {
    const now = await new Promise(requestAnimationFrame);
    if (k >= 5) frames.push(now - last);  // the first ones find the browser asleep
    last = now;
    mover.zoom(k < 30 ? 0.9 : 1 / 0.9);
  }
  const context = document.getElementById("timeline-0").getContext("2d");
  for (let k = 0; k < 100; k++) {
    const width = mover.whole * 10 ** (-4 * k / 99), from = (mover.whole - width) * ((k * 37) % 100) / 100;
    Object.assign(mover, { from, to: from + width });
    const begin = performance.now();
    page.draw();
    context.getImageData(0, 0, 1, 1);
    redraws.push(performance.now() - begin);
  }
  return { redraws, frames };
}"""


def synthetic(events: int, arrows: int, ranks: int) -> Recording:
    """A trace of about so many events and so many messages: rounds of a ring exchange, every fifth event a send."""
    rounds = events // (5 * ranks)
    n = rounds * ranks * 5
    numbers = np.random.default_rng(1)
    table = np.zeros(n, EVENT)
    table["rank"] = np.repeat(np.arange(ranks), rounds * 5)
    table["call"] = np.tile([0, 1, 2, 2, 3], rounds * ranks)
    length = numbers.exponential(np.tile([2e-6, 1e-6, 5e-5, 1e-5, 2e-5], rounds * ranks))
    gap = numbers.exponential(np.tile([1e-6, 1e-6, 1e-4, 1e-6, 1e-6], rounds * ranks))
    table["end"] = np.cumsum((length + gap).reshape(ranks, -1), axis=1).ravel()
    table["start"] = table["end"] - length
    table["peer"] = np.where(table["call"] < 2, (table["rank"] + np.where(table["call"] == 0, 1, -1)) % ranks, -1)
    table["bytes"] = np.where(table["call"] < 2, 2.0 ** numbers.integers(3, 20, n), 0)
    table["place"] = table["call"] + 1
    table["region"] = table["call"] < 3
    sends = np.flatnonzero(table["call"] == 0)[:arrows]
    messages = np.zeros(len(sends), MESSAGE)
    messages["send"], messages["post"], messages["done"] = sends, NO_EVENT, NO_EVENT
    messages["recv"] = (sends + rounds * 5) % n + 2
    messages["bytes"] = table["bytes"][sends]
    posts = np.flatnonzero(table["call"] < 2)
    done = posts + 2
    requests = np.zeros(len(posts), REQUEST)
    for column, values in (
        ("rank", table["rank"][posts]),
        ("start", table["start"][posts]),
        ("end", table["end"][done]),
    ):
        requests[column] = values
    requests["event"], requests["done"] = posts, done
    spans = np.zeros(rounds * ranks, SPAN)
    spans["rank"], spans["start"], spans["end"] = table["rank"][::5], table["start"][::5], table["end"][3::5]
    spans["region"] = 1
    return Recording(
        ranks=ranks, title=f"{n:,} events", calls=list(CALLS), groups=list(CALLS.values()), regions=["", "exchange"],
        places=["", *(f"halo.c:{line}" for line in (41, 42, 57, 60))], events=table, messages=messages,
        requests=requests, regions_spans=spans, dropped=[0] * ranks, finished=[True] * ranks,
    )  # fmt: skip


def measure(browser: Any, file: Path) -> dict[str, list[float]]:
    """Milliseconds of loading, of redraws, and between frames."""
    loads: list[float] = []
    for _ in range(LOADS):
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(file.as_uri())
        tab.wait_for_function("() => window.mpilab")
        loads.append(tab.evaluate("() => performance.getEntriesByName('timeline-drawn')[0].startTime"))
        if len(loads) < LOADS:
            tab.close()
    tab.wait_for_timeout(500)
    found = tab.evaluate(REDRAWS)
    tab.close()
    return {"load": loads, "redraw": found["redraws"], "frame": found["frames"]}


def table(lines: Sequence[tuple[str, float, dict[str, list[float]]]]) -> str:
    """The figures as a Markdown table: min / median / max in ms."""
    text = [
        "| events, arrows, ranks | page, MB | load, ms | redraw, ms | between frames, ms |",
        "|---|---|---|---|---|",
    ]
    for name, size, found in lines:
        cells = [f"{min(v):.1f} / {statistics.median(v):.1f} / {max(v):.1f}" for v in found.values()]
        text.append(f"| {name} | {size:.1f} | {' | '.join(cells)} |")
    return "\n".join(text)


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-write", action="store_true", help="print only")
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for events, arrows, ranks in SIZES:
            file = Path(folder) / f"{events}-{ranks}.html"
            file.write_text(page.render([page.View(synthetic(events, arrows, ranks))]), encoding="utf-8")
            lines.append((f"{events:,}, {arrows:,}, {ranks}", file.stat().st_size / 1e6, measure(browser, file)))
        version = browser.version
        browser.close()
    text = table(lines)
    print(text)
    if not options.no_write:
        here = machine.describe()
        about = f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}; Chromium {version} without a GPU"
        (DOCS / "bench-viewer.md").write_text(PAGE.format(about=about, loads=LOADS, text=text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
