"""`make demo`: every lab, both languages; the baseline, the reference and one wrong answer through the whole pipeline.

Theory of operation.  The files go through one session, one after the other; the table and the page are made from their
records.  Wrong answers are taken in turn, so that the table shows different verdicts.  The demo checks itself: a
reference that isn't OK, or a wrong answer with another verdict than its first line states, ends it with status 2.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mpilab import lab, machine, record, report
from mpilab.lab import LANGUAGES, SUFFIXES, Lab
from mpilab.record import Record
from mpilab.session import Session
from mpilab.verdict import Kind

BUDGET_S = 2.0  # for each file, from try to verdict


@dataclass(frozen=True)
class Entry:
    """A file that the demo puts through the pipeline, and the verdict it must get."""

    lab: Lab
    who: str
    path: Path
    expected: str


def entries() -> list[Entry]:
    """What the demo runs, in order."""
    found, turn = [], 0
    for one in lab.labs():
        for language in LANGUAGES:
            found.append(Entry(one, "baseline", one.baseline(language), Kind.NOT_ATTEMPTED))
            found.append(Entry(one, "reference", one.reference(language), Kind.OK))
            wrong = [p for p in one.wrong() if SUFFIXES[p.suffix] == language]
            if wrong:
                path = wrong[turn % len(wrong)]
                found.append(Entry(one, f"wrong: {path.stem.replace('_', ' ')}", path, lab.stated_verdict(path)))
                turn += 1
    return found


def run(console: Console, folder: Path) -> int:
    """Run the demo, print the table, write folder/index.html; 0, or 2 when a verdict isn't what it must be."""
    begin = time.monotonic()
    work = entries()
    done: list[tuple[str, Record]] = []
    columns = (
        TextColumn("{task.description:44.44}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting two MPI clusters", total=len(work))
        if not console.is_terminal:
            console.print(f"putting {len(work)} kernels through the referee, some minutes ...")
        with Session() as session:
            for entry in work:
                bar.update(task, description=f"{entry.lab.id} {entry.path.suffix[1:]} {entry.who}")
                done.append((entry.who, session.try_kernel(entry.lab.id, entry.path, budget_s=BUDGET_S)))
                bar.advance(task)
            versions = session.clusters.versions()
    console.print(report.table(done))
    here = machine.describe()
    software = f"{versions['mpi']}, mpi4py {versions['mpi4py']}"
    note = f"{software}; {here['cpu']}, {here['cores']} cores; {time.strftime('%Y-%m-%d')}."
    record.write(folder / "index.html", report.page(done, note).encode())
    console.print(f"{folder / 'index.html'} shows the same with plots; {time.monotonic() - begin:.0f} s")
    return _self_check(console, work, done)


def _self_check(console: Console, work: list[Entry], done: list[tuple[str, Record]]) -> int:
    status = 0
    for entry, (_, result) in zip(work, done, strict=True):
        if result.verdict != entry.expected:
            console.print(
                f"mpilab: {entry.path.name} must get {entry.expected}, got {result.verdict}: {result.message}"
            )
            status = 2
    return status
