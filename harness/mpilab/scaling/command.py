"""`mpilab scale`: a submission at its lab's scale cases, beside baseline and reference.

Theory of operation.  What was measured is shown as a table, written as a page, and on request as JSON.  A kernel that
is wrong isn't scaled: the run says so.  Nothing here counts for a grade.
"""

import argparse
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
from rich.console import Console

from mpilab import lab, machine, record
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case
from mpilab.protocol import Language
from mpilab.scaling import draw
from mpilab.scaling.measure import ROUNDS, Scaled, measure
from mpilab.submission import Submission, read, same_code
from mpilab.tracing import kernels

OUT = "scale"  # the default folder

Making = Callable[[], AbstractContextManager[Clusters]]


class Report(msgspec.Struct, frozen=True):
    """What `--json` writes."""

    lab: str
    language: str
    file: str
    cases: list[Scaled]
    machine: dict[str, str | int | float]
    versions: dict[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("lab")
    parser.add_argument("file", nargs="?", help="a kernel of yours (default: baseline and reference alone, in C)")
    parser.add_argument("--ranks", type=_numbers, metavar="N,N", help="only the cases with so many ranks")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"(default: {ROUNDS})")
    parser.add_argument("--out", default=OUT, metavar="DIR", help=f"folder for the page (default: {OUT})")
    parser.add_argument("--json", metavar="PATH", help="write all samples there")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split(","))


def run(arguments: argparse.Namespace, console: Console, making: Making) -> int:
    """Measure, show, write; the exit status."""
    one = lab.find(arguments.lab)
    cases = choose(one, arguments.ranks)
    if arguments.rounds < 1:
        raise HarnessError(f"{arguments.rounds} rounds", then="choose at least 1")
    paths, language = contenders(one, Path(arguments.file) if arguments.file else None)
    with making() as on:
        found = measure(on, one, paths, cases, arguments.rounds)
        versions = on.versions()
    title = f"{one.id}, {language}: {one.manifest.title}"
    console.print(draw.text(title, found))
    page = Path(arguments.out) / f"{one.id}-{language}.html"
    _write(page, draw.page(title, found, versions).encode())
    console.print(f"[bold]{page}[/bold]: time and communication time against ranks")
    if arguments.json:
        file = str(paths.get("submission", ""))
        report = Report(one.id, language, file, found, machine.describe(), versions)
        _write(Path(arguments.json), msgspec.json.format(msgspec.json.encode(report), indent=1))
    return 0


def choose(one: Lab, ranks: tuple[int, ...] | None) -> list[Case]:
    """The lab's scale cases, or those with these numbers of ranks; raises HarnessError when there are none."""
    there = list(one.manifest.scale)
    if not there:
        raise HarnessError(f"{one.id} has no scale cases", then="`mpilab try` times it on this machine's cores")
    chosen = [case for case in there if ranks is None or case.ranks in ranks]
    if not chosen:
        counts = ", ".join(map(str, sorted({case.ranks for case in there})))
        raise HarnessError(f"{one.id} has no scale case with these ranks", then=f"choose from {counts}")
    return chosen


def contenders(one: Lab, path: Path | None) -> tuple[dict[str, Path], Language]:
    """Who runs, baseline first; the submission not when it is one of ours."""
    language: Language = "c"
    paths: dict[str, Path] = {}
    if path is not None:
        submission = read(path)
        if not isinstance(submission, Submission):
            raise HarnessError(f"{path}: {submission.message}", then="`mpilab try` says more")
        language = submission.language
        text = one.reference(language).read_text(encoding="utf-8")
        if not kernels.is_baseline(one, path) and not same_code(text, submission.text, language):
            paths = {"submission": path}
    return {"baseline": one.baseline(language), "reference": one.reference(language), **paths}, language


def _write(path: Path, content: bytes) -> None:
    try:
        record.write(path, content)
    except OSError as error:
        raise HarnessError(f"cannot write {os.fspath(path)}: {error.strerror}", then="name another place") from error
