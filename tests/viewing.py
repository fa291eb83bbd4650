"""What the tests of pages share: small traces made up by hand, and a page opened in a real browser.

Theory of operation.  The browser is Debian's Chromium, driven by playwright.  Where one of them is missing the tests
skip and say so, except in continuous integration, where that is an error.  A page is opened from a file; whatever it
asks the network for and whatever it complains of is kept and must stay empty.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mpilab.tracing.recording import EVENT, MESSAGE, NO_EVENT, REQUEST, SPAN, Recording

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CALLS = {
    "MPI_Isend": "nonblocking",
    "MPI_Irecv": "nonblocking",
    "MPI_Wait": "request",
    "MPI_Allreduce": "collective",
    "MPI_Send": "p2p",
    "MPI_Recv": "p2p",
}


def rows(dtype: np.dtype[np.void], *found: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.void]]:
    """An array of records; columns that a record leaves out are 0."""
    array = np.zeros(len(found), dtype)
    for i, record in enumerate(found):
        for name, value in record.items():
            array[name][i] = value
    return array


def event(rank: int, call: str, start: float, end: float, **other: float) -> dict[str, Any]:
    """An event, without peer and tag unless they are given."""
    return {"rank": rank, "call": list(CALLS).index(call), "start": start, "end": end, "peer": -1, "tag": -1} | other


def recording(events: Sequence[dict[str, Any]] = (), **other: Any) -> Recording:
    """A trace of these events (sorted by rank and start), of one rank more than the largest, without anything else."""
    ranks = 1 + max((e["rank"] for e in events), default=0)
    fixed = {
        "ranks": ranks,
        "title": "halo.c",
        "calls": list(CALLS),
        "groups": list(CALLS.values()),
        "regions": ["", "exchange"],
        "places": ["", "halo.c:41", "halo.c:57"],
        "events": rows(EVENT, *events),
        "messages": rows(MESSAGE),
        "requests": rows(REQUEST),
        "regions_spans": rows(SPAN),
        "dropped": [0] * ranks,
        "finished": [True] * ranks,
        "versions": {"MPI": "MPICH 5.0.2", "machine": "2 cores"},
    }
    return Recording(**(fixed | other))


def exchange(ranks: int = 4, steps: int = 20, late_s: float = 2e-3, title: str = "halo.c") -> Recording:
    """A ring exchange: Isend, Irecv, some compute, two Waits, and an Allreduce; rank 1 computes `late_s` longer."""
    events, messages, requests, spans = [], [], [], []
    numbers = np.random.default_rng(7)
    for rank in range(ranks):
        clock = 1e-5 * rank
        for step in range(steps):
            right, left, tag, begin = (rank + 1) % ranks, (rank - 1) % ranks, step % 3, clock
            size = float(64 << (step % 8) * 2)
            details = {"tag": tag, "bytes": size, "region": 1}
            events.append(event(rank, "MPI_Isend", clock, clock + 3e-6, peer=right, place=1, **details))
            clock += 4e-6
            events.append(event(rank, "MPI_Irecv", clock, clock + 2e-6, peer=left, place=1, **details))
            clock += 1e-3 + (late_s if rank == 1 else 0) + float(numbers.random()) * 2e-4
            first = len(events) - 2
            for which, least in ((first + 1, 8e-4 if rank == 2 else 5e-5), (first, 2e-6)):
                waited = least + float(numbers.exponential(4e-5))
                events.append(event(rank, "MPI_Wait", clock, clock + waited, place=2, region=1))
                clock += waited
                posted, done = events[which]["start"], len(events) - 1
                requests.append({"rank": rank, "start": posted, "end": clock, "event": which, "done": done})
            spans.append({"rank": rank, "start": begin, "end": clock, "region": 1})
            last = (step + 1) * (3.2e-3 + late_s)
            events.append(event(rank, "MPI_Allreduce", clock, max(clock + 1e-5, last), bytes=8, place=2))
            clock = events[-1]["end"] + 1e-5
    for rank in range(ranks):
        for step in range(steps):
            mine, left = (rank * steps + step) * 5, (((rank - 1) % ranks) * steps + step) * 5
            found = {"send": left, "recv": mine + 2, "bytes": events[left]["bytes"], "post": mine + 1, "done": NO_EVENT}
            messages.append(found)
    arrays = {"messages": rows(MESSAGE, *messages), "requests": rows(REQUEST, *requests)}
    return recording(events, title=title, regions_spans=rows(SPAN, *spans), **arrays)


class Opened:
    """A page in the browser, with what it complained of and whom it asked."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda said: self.complaints.extend([said.text] * (said.type == "error")))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def load(self, path: Path) -> "Opened":
        """Open a file and wait until it is drawn."""
        self.page.goto(path.as_uri())
        self.page.wait_for_function(
            "() => window.mpilab && !document.querySelector('[role=tabpanel]:not([hidden]) > div:empty')"
        )
        return self

    def js(self, code: str) -> Any:
        """The value of an expression over `m`, the page's own state."""
        return self.page.evaluate(f"() => {{ const m = window.mpilab; return {code}; }}")


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; skips the test where there is none."""
    missing = "" if CHROMIUM.exists() else f"no {CHROMIUM} (apt install chromium)"
    missing = missing or ("" if find_spec("playwright") else "no playwright (pip install playwright)")
    if missing and os.environ.get("CI"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()
