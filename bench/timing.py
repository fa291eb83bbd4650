# ruff: noqa: ISC004 - long lines of a table
"""mpilab's timing beside what people use instead: how often is each right, on the same kernels, in the same time?

Theory of operation.  Two C kernels, the same but for a known amount of arithmetic: none (the same kernel twice) or 3 %.
Each method is given about 3 s to say which is faster; beyond 1 % it says "different".  All methods run on this machine
in one go, first quiet, then beside two busy processes that this script makes.  The methods:

    mean of 5, best of 5     5 runs of 0.3 s of one kernel, then 5 of the other
    %timeit's way            7 runs of 0.2 s of one, then 7 of the other; mean
    whole runs               mpiexec, 10 times the one, then 10 times the other, as hyperfine does; mean
    interleaved medians      runs of 20 ms of the two in turn; medians
    mpilab                   `mpilab compare`, as it is

Run it on an otherwise idle machine: python bench/timing.py (about half an hour; --quick for a few minutes).  Writes
docs/bench-timing.md, .svg and .json.
"""

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.progress import Progress

from mpilab import build, machine
from mpilab.lab import Lab
from mpilab.protocol import Run
from mpilab.session import Session

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
WORK = 20_000  # multiply-adds a step
EXTRA = 0.031  # of WORK: 3 % of the whole, messages being 3 % of the time
TRUTH = 1.03
MARGIN = 0.01
BUDGET_S = 2.0  # of timed rounds, so that a comparison stays within 3 s
COMPARISONS_A_SESSION = 20  # then new clusters: their own bias must not be the same in all comparisons
METHODS = ("mean of 5", "best of 5", "%timeit's way", "whole runs", "interleaved medians", "mpilab")


@dataclass
class Tally:
    """What a method said, in all its comparisons of one kind."""

    ratios: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)

    def add(self, ratio: float, said: str, took_s: float) -> None:
        """Note one comparison."""
        self.ratios.append(ratio)
        self.said.append(said)
        self.took_s.append(took_s)

    def share(self, *words: str) -> float:
        """The share of comparisons in which it said one of `words`."""
        return sum(word in words for word in self.said) / len(self.said)


class Bench:
    """Kernels a (WORK), b (WORK again, another file) and c (3 % more), in a warm session and as programs."""

    def __init__(self, folder: Path) -> None:
        """Build everything in `folder`."""
        self.lab = Lab(HERE / "course" / "labs" / "arithmetic", folder)
        self.kernels: dict[str, Path] = {}
        self.programs: dict[str, Path] = {}
        source = (HERE / "kernel.c").read_text()
        for name, work in {"a": WORK, "b": WORK, "c": round(WORK * (1 + EXTRA))}.items():
            self.kernels[name] = folder / f"{name}.c"
            self.kernels[name].write_text(f"/* kernel {name} */\n" + source.replace("WORK;", f"{work};"))
            self.programs[name] = folder / f"{name}-main"
            (folder / f"{name}-main.c").write_text(self.kernels[name].read_text() + (HERE / "main.c").read_text())
            mpicc = Path(sys.executable).parent / "mpicc"
            flags = ["-O2", "-include", str(build.KERNEL_H), f"{name}-main.c", "-o", str(self.programs[name])]
            subprocess.run([mpicc, *flags], cwd=folder, check=True)
        self.session: Session | None = None
        self.step_s = 0.0

    def renew(self) -> None:
        """New clusters, with all kernels loaded."""
        self.end()
        self.session = Session()
        runner = self.session.clusters.ours
        for name, path in self.kernels.items():
            artifact = self.session.clusters.artifact(path)
            runner.load(name, artifact.language, artifact.path)
        rng = self.session.clusters.rng("bench")
        runner.data([[rng.random(64), rng.random(64)]])
        self.session.clusters.theirs.versions()
        self.step_s = statistics.median(self.sample("a", 3000) for _ in range(5)) / 3000  # as fast as it is here, now

    def end(self) -> None:
        """End the session."""
        if self.session:
            self.session.close()

    def run_for(self, name: str, seconds: float) -> float:
        """One run of a kernel of about `seconds` on the warm cluster; its time, MAX over ranks."""
        return self.sample(name, max(1, round(seconds / self.step_s)))

    def sample(self, name: str, steps: int) -> float:
        """One run of `steps` steps."""
        assert self.session is not None
        request = Run(name, 2, 64, steps, [64, 64], [0], [0], 0, 30.0)
        _, seconds, _ = self.session.clusters.ours.run(request)
        return float(np.max(seconds))

    def whole(self, name: str, steps: int) -> float:
        """One whole run under mpiexec, wall clock."""
        mpiexec = Path(sys.executable).parent / "mpiexec"
        begin = time.perf_counter()
        subprocess.run([mpiexec, "-n", "2", self.programs[name], str(steps)], check=True)
        return time.perf_counter() - begin


def compare(bench: Bench, method: str, other: str) -> dict[str, tuple[float, str, float]]:
    """One comparison of kernel `other` against a: per method name, (time of other over a, what it said, seconds)."""
    begin = time.perf_counter()
    if method == "mpilab":
        assert bench.session is not None
        from mpilab import referee

        a, b = bench.kernels["a"], bench.kernels[other]
        record = referee.compare(bench.session.clusters, bench.lab, a, b, BUDGET_S)
        assert record.speedup is not None, record.message
        return {"mpilab": (1 / record.speedup.estimate, record.speed, record.took_s)}
    if method == "plain":
        found = [[bench.run_for(name, 0.3) for _ in range(5)] for name in ("a", other)]
        results = {"mean of 5": _ratio(found, statistics.mean), "best of 5": _ratio(found, min)}
    elif method == "%timeit's way":
        found = [[bench.run_for(name, 0.2) for _ in range(7)] for name in ("a", other)]
        results = {method: _ratio(found, statistics.mean)}
    elif method == "whole runs":
        steps = max(1, round(0.1 / bench.step_s))
        found = [[bench.whole(name, steps) for _ in range(10)] for name in ("a", other)]
        results = {method: _ratio(found, statistics.mean)}
    else:
        pairs = [(bench.run_for("a", 0.02), bench.run_for(other, 0.02)) for _ in range(50)]
        results = {"interleaved medians": _ratio(list(map(list, zip(*pairs, strict=True))), statistics.median)}
    took = time.perf_counter() - begin
    return {name: (ratio, _word(ratio), took) for name, ratio in results.items()}


def _ratio(found: list[list[float]], summary: Callable[[list[float]], float]) -> float:
    return summary(found[1]) / summary(found[0])


def _word(ratio: float) -> str:
    """What a reader of a ratio says: beyond 1 % it's a difference."""
    return "slower" if ratio > 1 + MARGIN else "faster" if ratio < 1 / (1 + MARGIN) else "no difference shown"


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Other work on the machine: processes that compute without end."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measure(bench: Bench, ours: int, theirs: int, bar: Progress, label: str) -> dict[str, dict[str, Tally]]:
    """All methods on both truths: tallies[truth][method]."""
    tallies = {truth: {method: Tally() for method in METHODS} for truth in ("same", "slower")}
    work = [("mpilab", i) for i in range(ours)] + [
        (m, i) for i in range(theirs) for m in ("plain", "%timeit's way", "whole runs", "interleaved medians")
    ]
    task = bar.add_task(label, total=2 * len(work) - ours // 2)
    for count, (method, index) in enumerate(work):
        if count % COMPARISONS_A_SESSION == 0:
            bench.renew()
        truths = (("same", "b"), ("slower", "c")) if method != "mpilab" or index % 2 else (("same", "b"),)
        for truth, other in truths:
            for name, result in compare(bench, method, other).items():
                tallies[truth][name].add(*result)
            bar.advance(task)
    return tallies


def table(tallies: dict[str, dict[str, Tally]]) -> list[str]:
    """A Markdown table of one condition."""
    lines = [
        "| method | same kernel, called different | 3 % slower, called slower | called faster | median error | "
        "half the ratios within | seconds (median, most) |",
        "|---|---|---|---|---|---|---|",
    ]
    for method in METHODS:
        same, slower = tallies["same"][method], tallies["slower"][method]
        errors = [abs(r - 1) for r in same.ratios] + [abs(r / TRUTH - 1) for r in slower.ratios]
        spread = statistics.quantiles(same.ratios, n=4)
        took = same.took_s + slower.took_s
        lines.append(
            f"| {method} | {_count(same, 'slower', 'faster')} | {_count(slower, 'slower')} | "
            f"{_count(slower, 'faster')} | {100 * statistics.median(errors):.2f} % | "
            f"{spread[0]:.3f} - {spread[2]:.3f} | {statistics.median(took):.1f}, {max(took):.1f} |"
        )
    return lines


def _count(tally: Tally, *words: str) -> str:
    return f"{tally.share(*words):.1%} of {len(tally.said)}"


def plot(conditions: dict[str, dict[str, dict[str, Tally]]]) -> str:
    """An SVG: every ratio as a dot, a row for each condition and method, the two truths as lines."""
    left, width, row = 230, 420, 26
    rows = [(c, m) for c in conditions for m in METHODS]
    height = row * len(rows) + 60

    def x(ratio: float) -> float:
        return left + width * min(max((math.log(ratio) - math.log(0.9)) / (math.log(1.15) - math.log(0.9)), 0), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {height}" role="img" font-family="sans-serif" '
        'font-size="13" aria-label="Ratios that each method gave; the numbers stand in the table">',
        "<style>text{fill:#1b1f24}.same{fill:#0b5cad}.slower{fill:#b1122a}.t{stroke:#6a737d}"
        "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.same{fill:#6cb6ff}.slower{fill:#ff8b8b}}</style>",
    ]
    for tick in (0.9, 0.95, 1.0, TRUTH, 1.1, 1.15):
        dash = "" if tick in (1.0, TRUTH) else ' stroke-dasharray="1 5"'
        parts.append(f'<line class="t" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="24" y2="{height - 30}"{dash}/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{height - 14}" text-anchor="middle">{tick:g}</text>')
    parts.append('<text x="230" y="14">time of the second kernel over the first: upper dots the same kernel (truth 1), '
                 "lower dots 3 % more work (truth 1.03)</text>")  # fmt: skip
    for i, (condition, method) in enumerate(rows):
        y = 24 + row * (i + 0.5)
        parts.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{condition}: {method}</text>')
        for truth, shift in (("same", -5), ("slower", 5)):
            for ratio in conditions[condition][truth][method].ratios:
                circle = f'cx="{x(ratio):.1f}" cy="{y + shift:.1f}" r="2.5" opacity=".5"'
                parts.append(f'<circle class="{truth}" {circle}/>')
    return "\n".join([*parts, "</svg>\n"])


def write(conditions: dict[str, dict[str, dict[str, Tally]]], command: str) -> None:
    """docs/bench-timing.md, .svg, .json."""
    here = machine.describe()
    lines = [
        "# The timing, beside what people use instead\n",
        f"Made by `{command}` on {time.strftime('%Y-%m-%d')}: {here['cpu']}, {here['cores']} cores, {here['system']}.",
        "What the methods do stands at the top of `bench/timing.py`; all got about 3 s for a comparison.\n",
        "![Every ratio each method gave](bench-timing.svg)\n",
    ]
    for name, tallies in conditions.items():
        text = "beside two busy processes" if name == "loaded" else "nothing else running"
        lines += [f"## {name.capitalize()}: {text}\n", *table(tallies), ""]
    undecided = [f"{n}: {_count(t['slower']['mpilab'], 'undecided on this machine')}" for n, t in conditions.items()]
    lines.append(f'mpilab said "undecided on this machine" of the 3 % difference in {"; ".join(undecided)}.\n')
    DOCS.mkdir(exist_ok=True)
    (DOCS / "bench-timing.md").write_text("\n".join(lines))
    (DOCS / "bench-timing.svg").write_text(plot(conditions))
    raw = {c: {t: {m: vars(v) for m, v in ms.items()} for t, ms in ts.items()} for c, ts in conditions.items()}
    (DOCS / "bench-timing.json").write_text(json.dumps(raw, default=lambda v: round(v, 5)) + "\n")
    print("\n".join(lines))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--comparisons",
        type=int,
        default=200,
        help="of mpilab's, under load, of the same kernel; half as many of the other",
    )
    parser.add_argument("--others", type=int, default=20, help="of each other method's, for each truth")
    parser.add_argument("--quick", action="store_true", help="20 and 5")
    arguments = parser.parse_args()
    ours, theirs = (20, 5) if arguments.quick else (arguments.comparisons, arguments.others)
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp()  # not among the user's records
    with tempfile.TemporaryDirectory() as folder, Progress() as bar:
        bench = Bench(Path(folder))
        try:
            conditions = {"quiet": measure(bench, max(ours // 5, 5), max(theirs // 2, 5), bar, "quiet")}
            with busy(machine.cores()):
                conditions["loaded"] = measure(bench, ours, theirs, bar, "loaded")
        finally:
            bench.end()
    write(conditions, " ".join(["python bench/timing.py", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
