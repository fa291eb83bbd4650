"""`mpilab headlines`: every figure that a source reports, beside ours, on this machine.

Theory of operation.  A lab's manifest names the figures that its scale cases are held against; figures that need a
measurement of their own come from `rows(on, lab)` of a file figures.py in the lab's folder.  Baseline and reference are
measured as for `mpilab scale`.  A figure is reached when our median is at least as good; the interval stands beside it.
Written to docs/headlines.md, with machine and versions, and drawn as docs/headlines.svg.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
from rich.console import Console

from mpilab import lab, machine, record
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case, Figure
from mpilab.scaling import show
from mpilab.scaling.measure import Scaled, measure
from mpilab.scaling.rows import Headlines, Row
from mpilab.stats import Estimate

FIGURES = "figures.py"
Making = Callable[[], AbstractContextManager[Clusters]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("--lab", action="append", metavar="LAB", help="only this lab's figures; may be repeated")
    parser.add_argument("--json", metavar="PATH", help="write the rows there as well")
    parser.add_argument("--out", metavar="DIR", help="folder for headlines.md and .svg (default: the course's docs)")


def run(arguments: argparse.Namespace, console: Console, making: Making) -> int:
    """Measure, show, write; the exit status: 0, also where a figure isn't reached."""
    labs = [lab.find(name) for name in arguments.lab] if arguments.lab else lab.labs()
    begin, rows = time.monotonic(), []
    with making() as on:
        for one in labs:
            rows += list(of_lab(on, one))
        versions = on.versions()
    found = Headlines(rows, machine.describe(), versions, round(time.monotonic() - begin, 1))
    console.print(show.text(rows))
    if not rows:
        raise HarnessError("these labs have no figures", then="leave out --lab for all of them")
    whole = not arguments.lab
    folder = Path(arguments.out) if arguments.out else lab.course() / "docs" if whole else None
    try:
        if folder:
            files = {"headlines.svg": show.drawing(rows), "headlines.md": show.page(found)}
            for name, content in files.items():
                record.write(folder / name, content.encode())
            console.print(f"[bold]{folder / 'headlines.md'}[/bold] has them all; {found.took_s:.0f} s")
        if arguments.json:
            record.write(Path(arguments.json), msgspec.json.format(msgspec.json.encode(found), indent=1))
    except OSError as error:
        raise HarnessError(f"cannot write {error.filename}: {error.strerror}", then="name another place") from error
    return 0


def of_lab(on: Clusters, one: Lab) -> Iterator[Row]:
    """A lab's rows, in the order of its manifest, then those of its figures.py."""
    wanted = [(figure, _case(one, ranks)) for figure in one.manifest.figure for ranks in figure.ranks]
    found: dict[tuple[str, Case], Scaled] = {}  # two figures of one case are one measurement
    for language in dict.fromkeys(figure.language for figure, _ in wanted):
        paths = {"baseline": one.baseline(language), "reference": one.reference(language)}
        cases = list(dict.fromkeys(case for figure, case in wanted if figure.language == language))
        found |= {(language, scaled.case): scaled for scaled in measure(on, one, paths, cases)}
    yield from (_row(one, figure, found[figure.language, case]) for figure, case in wanted)
    path = one.folder / FIGURES
    if path.is_file():
        yield from _own_rows(path)(on, one)


def _case(one: Lab, ranks: int) -> Case:
    """The scale case that a figure is held against."""
    return next(case for case in one.manifest.scale if case.ranks == ranks and case.over == "shared")


def _own_rows(path: Path) -> Callable[[Clusters, Lab], list[Row]]:
    spec = importlib.util.spec_from_file_location(f"figures_of_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows: Callable[[Clusters, Lab], list[Row]] = module.rows
    return rows


def _row(one: Lab, figure: Figure, found: Scaled) -> Row:
    percent = figure.figure.endswith("%")
    said = -100 * (1 - figure.target) if percent else 1 / figure.target
    ours = None if found.refused else _in_unit(found.ratio("reference", figure.of), percent=percent)
    reached = ours is not None and found.ratio("reference", figure.of).estimate <= figure.target
    return Row(
        source=figure.source,
        what=figure.what,
        figure=round(said, 2),
        unit="%" if percent else "x",
        ours=round(ours.estimate, 2) if ours else None,
        low=round(ours.low, 2) if ours else None,
        high=round(ours.high, 2) if ours else None,
        platform=found.case.on,
        ranks=found.case.ranks,
        reached=reached,
        lab=one.id,
        language=figure.language,
        note=found.refused or ("" if reached else figure.unless),
    )


def _in_unit(ratio: Estimate, *, percent: bool) -> Estimate:
    """A ratio of times as a change in percent, or as times as fast; low and high are the smaller and larger number."""
    if percent:
        return Estimate(*(100 * (value - 1) for value in (ratio.estimate, ratio.low, ratio.high)))
    return Estimate(1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low)
