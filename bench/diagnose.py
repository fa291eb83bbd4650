"""Does `mpilab diagnose` find what is wrong with MPI programs, and is it silent about correct ones?

Theory of operation.  A suite is a folder of programs.  Ours, tests/programs, says of each in its first line what is to
be found: `expect: KIND - reason; ranks: N; line: L`, where KIND is `ok` or some kinds that will do (`a|b`), and L some
lines one of which a finding must name.  Another suite comes with a CSV file, `path,ok|erroneous,ranks`.  Each program
goes through `mpilab diagnose`, as a user would call it.  An erroneous program counts as found when any finding or a
verdict other than ok is given, as suites count; whether the kind and the line are right is counted besides.  A correct
one must get no finding and the verdict ok.  A program that couldn't be diagnosed counts against us in both.

Run it on an otherwise idle machine: python bench/diagnose.py [FOLDER [--suite FILE.csv]].  It writes
docs/bench-diagnose.md for our own suite.
"""

import argparse
import csv
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.progress import track

from mpilab import machine

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "programs"
PAGE = ROOT / "docs" / "bench-diagnose.md"
MPILAB = Path(sys.executable).parent / "mpilab"
LIMIT_S = 300.0  # for one program: beyond it `mpilab diagnose` itself hangs
HEADER = re.compile(
    r"(?:/\*|#) expect: (?P<kinds>[a-z|-]+) - (?P<reason>.+); ranks: (?P<ranks>\d+)"
    r"(?:; line: (?P<lines>[\d|]+))?(?: \*/)?"
)


class Finding(Protocol):
    """What is looked at of a finding."""

    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def where(self) -> str: ...  # noqa: D102
    @property
    def message(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Case:
    """A program, what is to be found in it (kinds: empty, any will do), and on which lines (empty: anywhere)."""

    path: Path
    name: str
    ok: bool
    kinds: tuple[str, ...]
    lines: tuple[int, ...]
    ranks: int
    reason: str

    def right_kind(self, findings: Iterable[Finding]) -> bool:
        """Whether a finding is of a kind that will do."""
        return any(not self.kinds or one.kind in self.kinds for one in findings)

    def right_line(self, findings: Iterable[Finding]) -> bool:
        """Whether a finding of a kind that will do names one of the lines, as its place or in its text."""
        wanted = {f"{self.path.name}:{line}" for line in self.lines}
        for one in findings:
            named = set(re.findall(rf"{re.escape(self.path.name)}:\d+", f"{one.where} {one.message}"))
            if (not self.kinds or one.kind in self.kinds) and (not wanted or wanted & named):
                return True
        return False


@dataclass(frozen=True)
class Said:
    """A finding as `mpilab diagnose --json` writes it."""

    kind: str
    where: str
    message: str


@dataclass(frozen=True)
class Result:
    """What was said of a case; `error` when it couldn't be diagnosed."""

    case: Case
    verdict: str
    findings: tuple[Said, ...]
    error: str
    took_s: float

    @property
    def right(self) -> bool:
        """Whether a correct program was left alone, an erroneous one complained of."""
        silent = self.verdict == "ok" and not self.findings
        return not self.error and silent == self.case.ok

    @property
    def named(self) -> bool:
        """Whether the kind is right too."""
        return self.right and (self.case.ok or self.case.right_kind(self.findings))

    @property
    def placed(self) -> bool:
        """Whether the kind and the line are right."""
        return self.named and (self.case.ok or self.case.right_line(self.findings))


def corpus(folder: Path = PROGRAMS) -> list[Case]:
    """Our programs, by name; raises ValueError for one whose first line isn't as agreed."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".c", ".py"})
    return [case_of(path, folder) for path in paths]


def case_of(path: Path, folder: Path) -> Case:
    """Read a program's first line."""
    name = str(path.relative_to(folder))
    first = path.read_text().split("\n", 1)[0]
    found = HEADER.fullmatch(first)
    if not found:
        raise ValueError(f"{name} begins with {first!r}, expected: expect: KIND - reason; ranks: N; line: L")
    kinds = tuple(found["kinds"].split("|"))
    lines = tuple(int(line) for line in (found["lines"] or "").split("|") if line)
    ok = kinds == ("ok",)
    return Case(path, name, ok, () if ok else kinds, lines, int(found["ranks"]), found["reason"])


def listed(folder: Path, table: Path) -> list[Case]:
    """The programs of another suite: rows of `path,ok|erroneous,ranks`, paths from `folder` on."""
    cases = []
    with table.open(newline="") as file:
        for number, row in enumerate(csv.reader(file), 1):
            if row and not row[0].startswith("#"):
                if len(row) != 3 or row[1] not in {"ok", "erroneous"} or not row[2].isdigit():
                    raise ValueError(f"{table}:{number}: {row}, expected path,ok|erroneous,ranks")
                cases.append(Case(folder / row[0], row[0], row[1] == "ok", (), (), int(row[2]), ""))
    return cases


def diagnose(case: Case) -> Result:
    """Have one program diagnosed as a user would."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "diagnosis.json"
        command = [str(MPILAB), "diagnose", str(case.path), "-n", str(case.ranks), "--json", str(out)]
        try:
            ran = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT_S, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            return Result(case, "", (), f"no end after {LIMIT_S:g} s", time.monotonic() - start)
        took = time.monotonic() - start
        if not out.exists() or not out.stat().st_size:
            said = (ran.stderr.strip() or ran.stdout.strip() or f"exit status {ran.returncode}").split("\n")
            return Result(case, "", (), said[-1] if said[0].startswith("Traceback") else said[0], took)
        data: dict[str, Any] = json.loads(out.read_text())
    findings = tuple(Said(one["kind"], one["where"], one["message"]) for one in data["findings"])
    return Result(case, data["verdict"], findings, "", took)


def interval(hits: int, of: int) -> str:
    """A share with Wilson's 95 % interval: "0.950 (0.912 - 0.973)"."""
    if not of:
        return "-"
    z, p = 1.96, hits / of
    middle, half = p + z * z / 2 / of, z * math.sqrt(p * (1 - p) / of + z * z / 4 / of / of)
    low, high = ((middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return f"{p:.3f} ({low:.3f} - {high:.3f})"


def summary(results: Sequence[Result]) -> list[str]:
    """Recall, specificity and time, as Markdown."""
    bad, good = [r for r in results if not r.case.ok], [r for r in results if r.case.ok]
    took = sorted(r.took_s for r in results)
    rows = [
        ("recall: erroneous programs complained of", [r.right for r in bad]),
        ("specificity: correct programs left alone", [r.right for r in good]),
        ("erroneous, and the kind is right", [r.named for r in bad if r.case.kinds]),
        ("and the line too", [r.placed for r in bad if r.case.lines]),
    ]
    tenth = took[min(len(took) - 1, len(took) * 9 // 10)]
    return [
        "| | share (95 % interval) | programs |",
        "|---|---|---|",
        *(f"| {name} | {interval(sum(hits), len(hits))} | {len(hits)} |" for name, hits in rows if hits),
        "",
        f"Seconds a program: median {statistics.median(took):.1f}, 90 % within {tenth:.1f}, most {took[-1]:.1f}.\n",
    ]


def by_kind(results: Sequence[Result]) -> list[str]:
    """A row for each kind of mistake, that of the program's folder, and for each folder of correct programs."""
    rows: dict[str, list[Result]] = {}
    for r in results:
        rows.setdefault(str(Path(r.case.name).parent), []).append(r)
    lines = ["| programs | number | right | kind right | line right | seconds, median |", "|---|---|---|---|---|---|"]
    for name, of in sorted(rows.items(), key=lambda row: (row[1][0].case.ok, row[0])):
        kind, line = ("-", "-") if of[0].case.ok else (sum(r.named for r in of), sum(r.placed for r in of))
        seconds = statistics.median(r.took_s for r in of)
        lines.append(f"| {name} | {len(of)} | {sum(r.right for r in of)} | {kind} | {line} | {seconds:.1f} |")
    return [*lines, ""]


def misses(results: Sequence[Result]) -> list[str]:
    """What went wrong, a line a program, with what was said instead."""
    titles = {
        "Erroneous programs not found": [r for r in results if not r.case.ok and not r.right],
        "Correct programs complained of": [r for r in results if r.case.ok and not r.right],
        "Found, as something else": [r for r in results if r.right and not r.named],
        "Found, at another line": [r for r in results if r.named and not r.placed],
    }
    lines = []
    for title, of in titles.items():
        if of:
            lines += [f"## {title}: {len(of)}\n", *(f"- `{r.case.name}`: {_instead(r)}" for r in of), ""]
    return lines


def _instead(r: Result) -> str:
    expected = "" if r.case.ok or not r.case.kinds else f"expected {' or '.join(r.case.kinds)}"
    if r.case.lines:
        expected += f" at line {' or '.join(map(str, r.case.lines))}"
    reason = f" ({r.case.reason})" if r.case.reason else ""
    if r.error:
        return f"{expected}{reason}; not diagnosed: {r.error}"
    said = "; ".join(f"{f.kind} at {f.where or 'no place'}: {f.message[:200]}" for f in r.findings[:4]).replace(
        "\n", " "
    )
    return f"{expected}{reason}; verdict {r.verdict}, {said or 'no finding'}"


def main() -> None:
    """Diagnose a suite and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path, nargs="?", default=PROGRAMS)
    parser.add_argument("--suite", type=Path, help="the CSV file of another suite: path,ok|erroneous,ranks")
    parser.add_argument("--only", default="", help="programs whose path contains this; then nothing is written")
    parser.add_argument("--jobs", type=int, default=1, help="at a time; more than 1 blurs the seconds, and finds less")
    parser.add_argument("--output", type=Path, help=f"write the page there (our own suite: {PAGE.relative_to(ROOT)})")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    cases = listed(folder, arguments.suite) if arguments.suite else corpus(folder)
    cases = [case for case in cases if arguments.only in case.name]
    if not cases:
        parser.error(f"there are no such programs in {folder}")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(track(pool.map(diagnose, cases), total=len(cases), description="diagnosing"))
    here, command = machine.describe(), " ".join(["python bench/diagnose.py", *sys.argv[1:]])
    page = ["# Erroneous and correct MPI programs, diagnosed\n"]
    page += [
        f"Made by `{command}` on {time.strftime('%Y-%m-%d')}: {here['cpu']}, {here['cores']} cores, {here['system']}."
    ]
    page += ["How it counts stands at the top of `bench/diagnose.py`.\n"]
    page += [*summary(results), *by_kind(results), *misses(results)]
    text = "\n".join(page)
    print(text)
    output = arguments.output or (PAGE if folder == PROGRAMS and not arguments.only else None)
    if output:
        output.write_text(text.rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
