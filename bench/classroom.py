"""How long does a class take to grade, beside plain nbgrader?

Theory of operation.  A class is made up: every student hands in both kernels of every lab: our conversion, the baseline
or a foreseen mistake, each with a comment of the student's own, so that nothing is graded twice.  `mpilab grade-class`
grades it: built, checked, strict, timed, in the sandbox, and nbgrader's gradebook written.  Plain nbgrader executes the
same notebooks, whose cells do the same (without a sandbox), for as many as `--plain` says.

Run it on an otherwise idle machine: python bench/classroom.py (about ten minutes).  Writes docs/bench-class.md.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import nbformat

from mpilab import lab, machine, record
from mpilab.classroom import batch, course, desk
from mpilab.lab import LANGUAGES, SUFFIXES, Lab
from mpilab.protocol import Language

DOCS = Path(__file__).resolve().parent.parent / "docs"
LABS = "ring,send-recv,halo,late-wait,persistent-halo,three-arrays,neighbourhood,partitioned"
MARKS = {"c": "/* {} */", "python": "# {}"}
PAGE = """# A class over lunch

{cpu}, {cores} cores, {date}: {students} students, {labs} labs, 2 languages. `python bench/classroom.py` makes this
page, and says at its head what is measured.

| grader | kernels | seconds | kernels a minute | notebooks a minute |
|---|---|---|---|---|
| `mpilab grade-class`: sandbox, strict, timed, gradebook | {n} | {took:.0f} | {rate:.1f} | {books:.1f} |
| plain `nbgrader autograde`, no sandbox | {plain_n} | {plain_took:.0f} | {plain_rate:.1f} | {plain_books:.1f} |

Verdicts of the class: {verdicts}.
"""


def source(one: Lab, language: Language, student: str, numbers: random.Random) -> str:
    """What a student hands in."""
    wrong = [p for p in one.wrong() if SUFFIXES[p.suffix] == language]
    path = numbers.choices([one.reference(language), one.baseline(language), numbers.choice(wrong)], weights=[6, 1, 3])[
        0
    ]
    return f"{path.read_text(encoding='utf-8')}\n{MARKS[language].format(student)}\n"


def hand_in(folder: Path, labs: list[Lab], students: int) -> None:
    """The class hands in."""
    numbers = random.Random(1)
    for one in labs:
        released = folder / "release" / one.id / f"{one.id}.ipynb"
        for k in range(students):
            book = nbformat.read(released, as_version=4)
            for cell in book.cells:
                role = cell.metadata.get("nbgrader", {}).get("grade_id", "")
                for language in LANGUAGES:
                    if role == f"kernel-{language}":
                        cell.source = f"%%kernel {language}\n{source(one, language, f'student {k}', numbers)}"
                if cell.source.startswith(("%lab predict", "%lab trace", "%%px")):
                    cell.source = "pass"  # plain nbgrader would run these as well
            path = folder / "submitted" / f"s{k:02}" / one.id / f"{one.id}.ipynb"
            path.parent.mkdir(parents=True)
            nbformat.write(book, path)


def ours(folder: Path) -> float:
    """Seconds of `mpilab grade-class`."""
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "mpilab", "grade-class", str(folder)], check=True)
    return time.monotonic() - begin


def plain(folder: Path, one: Lab, count: int) -> float:
    """Seconds of nbgrader's own autograder, which executes the notebooks, for the first students of a lab."""
    config = folder / "nbgrader_config.py"
    kept = config.read_text()
    config.write_text("c = get_config()\nc.CourseDirectory.course_id = 'plain'\nc.ExecutePreprocessor.timeout = 300\n")
    begin = time.monotonic()
    for k in range(count):
        command = [
            str(Path(sys.executable).parent / "nbgrader"),
            "autograde",
            one.id,
            "--student",
            f"s{k:02}",
            "--force",
        ]
        subprocess.run(command, cwd=folder, check=False, capture_output=True)
    config.write_text(kept)
    return time.monotonic() - begin


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=3)
    parser.add_argument("--labs", default=LABS)
    parser.add_argument("--plain", type=int, default=3, help="notebooks that plain nbgrader executes")
    options = parser.parse_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    labs = [lab.find(name) for name in options.labs.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        course.make(folder, labs, "made-up")
        api = batch.nbgrader(folder)
        for one in labs:
            assert api.generate_assignment(one.id)["success"]
        hand_in(folder, labs, options.students)
        took = ours(folder)
        verdicts = Counter(str(found.verdict) for _, _, _, found in desk.records(folder))
        plain_took = plain(folder, labs[0], options.plain)
    here, n = machine.describe(), options.students * len(labs) * 2
    text = PAGE.format(
        cpu=here["cpu"], cores=here["cores"], date=time.strftime("%Y-%m-%d"), students=options.students, labs=len(labs),
        n=n, took=took, rate=60 * n / took, books=30 * n / took, plain_n=2 * options.plain, plain_took=plain_took,
        plain_rate=120 * options.plain / plain_took, plain_books=60 * options.plain / plain_took,
        verdicts=", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()),
    )  # fmt: skip
    print(text)
    record.write(DOCS / "bench-class.md", text.encode())


if __name__ == "__main__":
    main()
