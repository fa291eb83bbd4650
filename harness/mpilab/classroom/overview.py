"""`mpilab class-report`: how a class fares, on one page for who teaches it.

Theory of operation.  The records and the submitted notebooks are read, nothing is run.  Of each student the record that
counts is taken; of these come, for each lab and language, the verdicts, the speedups with their intervals, the findings
that came up most, the students who may need help, and the pairs of submissions that are most alike.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from mpilab import lab, record, report
from mpilab.classroom import batch, similar
from mpilab.classroom.desk import records
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, Lab
from mpilab.protocol import Language
from mpilab.record import Record
from mpilab.report import TEMPLATES
from mpilab.stats import Estimate
from mpilab.verdict import Kind

ALIKE = 0.6  # pairs below that are no hint
MOST_PAIRS, MOST_FINDINGS = 10, 8


@dataclass
class Part:
    """One lab in one language."""

    lab: Lab
    language: Language
    best: dict[str, Record] = field(default_factory=dict)  # by student
    tries: Counter[str] = field(default_factory=Counter)  # kernels that a student handed in
    alike: list[tuple[float, str, str]] = field(default_factory=list)

    @property
    def verdicts(self) -> list[tuple[str, int, float]]:
        """Each verdict, how many students have it, and their share."""
        counts = Counter(str(r.verdict) for r in self.best.values())
        return [(name, n, n / len(self.best)) for name, n in counts.most_common()]

    @property
    def speedups(self) -> list[tuple[str, Estimate]]:
        """Each student's speedup, the fastest first."""
        found = [(student, r.speedup) for student, r in self.best.items() if r.verdict == Kind.OK and r.speedup]
        return sorted(found, key=lambda pair: -pair[1].estimate)

    @property
    def plot(self) -> str:
        """The same as a picture."""
        return report.plot(self.speedups)

    @property
    def findings(self) -> list[tuple[str, int]]:
        """What strict MPI found, and in how many students' kernels."""
        return Counter(kind for r in self.best.values() for kind in {f.kind for f in r.findings}).most_common(
            MOST_FINDINGS
        )

    @property
    def need_help(self) -> list[tuple[str, Record, int]]:
        """Students without a right kernel: their best record, and how many they have handed in."""
        found = [(s, r, self.tries[s]) for s, r in self.best.items() if r.verdict not in (Kind.OK, Kind.WRONG_CALLS)]
        return sorted(found, key=lambda row: (-row[2], row[0]))


def parts(folder: Path) -> list[Part]:
    """What a class has handed in, and what came of it."""
    found: dict[tuple[str, Language], Part] = {}
    known = {one.id: one for one in lab.labs()}
    for student, name, path, one in records(folder):
        language: Language = "c" if path.name.startswith("c-") else "python"
        if name not in known:
            continue
        part = found.setdefault((name, language), Part(known[name], language))
        part.tries[student] += 1
        before = part.best.get(student)
        if before is None or (one.score, one.pending) > (before.score, before.pending):
            part.best[student] = one
    for (name, language), part in found.items():
        part.alike = _alike(folder, known[name], language)
    return [found[key] for key in sorted(found)]


def _alike(folder: Path, one: Lab, language: Language) -> list[tuple[float, str, str]]:
    sources = {
        book.student: piece.source
        for book in batch.handed_in(folder, [one])
        for piece in book.pieces()
        if piece.language == language
    }
    baseline = one.baseline(language).read_text(encoding="utf-8")
    return [pair for pair in similar.pairs(sources, language, baseline)[:MOST_PAIRS] if pair[0] >= ALIKE]


def add_arguments(one: argparse.ArgumentParser) -> None:
    """Of `mpilab class-report`."""
    one.add_argument("--out", default="class-report.html", help="the page (default: class-report.html in the folder)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the page."""
    folder = Path(arguments.folder)
    found = parts(folder)
    if not found:
        raise HarnessError(f"nothing is graded below {folder}", then=f"mpilab grade-class {folder}")
    students = {student for part in found for student in part.best}
    page = TEMPLATES.get_template("class.html").render(
        parts=found, students=len(students), style=report.style_sheet(), languages=LANGUAGES, alike=ALIKE
    )
    path = folder / arguments.out
    record.write(path, page.encode())
    for part in found:
        verdicts = ", ".join(f"{n} {name}" for name, n, _ in part.verdicts)
        console.print(f"{part.lab.id}, {part.language}: {verdicts}", markup=False, highlight=False)
    console.print(f"{path}: the page, with speedups, findings, who may need help, and similar submissions")
    return 0
