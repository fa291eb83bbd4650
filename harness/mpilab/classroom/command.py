"""The commands of the classroom: a class's folder, one file or a whole class graded, its report, JupyterLab.

Theory of operation.  Thin: course.py makes the folder, desk.py and batch.py grade, overview.py reports, JupyterLab is
started as it is.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mpilab import lab, record, report
from mpilab.classroom import batch, course, notebook, overview
from mpilab.classroom.desk import Desk, Piece
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES
from mpilab.sandbox import WITHOUT
from mpilab.submission import Submission, read
from mpilab.terminal import OUT, progress_bar
from mpilab.verdict import Kind


def _of_make(one: argparse.ArgumentParser) -> None:
    one.add_argument("folder", help="the class's folder, made when it is not there")
    one.add_argument("--labs", metavar="A,B,...", help="which labs are assignments (default: all)")
    one.add_argument("--language", choices=LANGUAGES, help="for a class that uses one of them (default: both)")
    one.add_argument("--id", default="", help="what nbgrader calls the course (default: the folder's name)")


def make_classroom(arguments: argparse.Namespace) -> int:
    """Make a class's folder for nbgrader, with a notebook for each lab."""
    folder = Path(arguments.folder)
    labs = [lab.find(name) for name in arguments.labs.split(",")] if arguments.labs else notebook.with_text()
    languages = (arguments.language,) if arguments.language else LANGUAGES
    for path in course.make(folder, labs, arguments.id or folder.resolve().name, languages):
        OUT.print(str(path))
    OUT.print(f"then: cd {folder}, nbgrader generate_assignment {labs[0].id}; docs/instructors.md goes on from there")
    return 0


def _of_grade(one: argparse.ArgumentParser) -> None:
    one.add_argument("--student", default="nobody", help="whose it is (default: nobody)")
    one.add_argument("--into", default=".", metavar="FOLDER", help="the class's folder, which keeps the record")
    one.add_argument("--json", metavar="PATH", help="write the record there as well")
    one.add_argument(WITHOUT, dest="unsafe", action="store_true", help="run it without a sandbox: only what you trust")


def grade_file(arguments: argparse.Namespace) -> int:
    """Grade a file as a student's, in a sandbox."""
    one, path = lab.find(arguments.lab), Path(arguments.file)
    submission = read(path)
    if not isinstance(submission, Submission):
        OUT.print(f"{submission.kind}: {submission.message}", markup=False)
        return 1
    with progress_bar() as bar, Desk(Path(arguments.into), progress=bar, boxed=not arguments.unsafe) as desk:
        found = desk.grade(Piece(arguments.student, one, submission.language, submission.text))
    OUT.print(report.text(found))
    if arguments.json:
        record.write(Path(arguments.json), record.to_json(found))
    return 0 if found.verdict == Kind.OK else 1


def open_lab(arguments: argparse.Namespace) -> int:
    """Open the course's notebooks in JupyterLab."""
    folder = Path(arguments.folder)
    for one in notebook.with_text():
        path = folder / one.id / f"{one.id}.ipynb"
        if not path.exists():
            record.write(path, notebook.written(one))
    OUT.print(f"{folder}: the notebooks, yours to change; JupyterLab opens in the browser, Ctrl-C here ends it")
    bin_folder = Path(sys.executable).parent
    variables = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    more = ["--no-browser"] if arguments.no_browser else []
    try:
        done = subprocess.run([str(bin_folder / "jupyter-lab"), *more, str(folder)], env=variables, check=False)
    except OSError as error:
        raise HarnessError(f"JupyterLab cannot be started: {error.strerror}", then="make install") from error
    return 0 if done.returncode == 0 else 2


def grade_class(arguments: argparse.Namespace) -> int:
    """Grade all that a class has handed in, and write nbgrader's gradebook."""
    return batch.run(arguments, OUT)


def report_class(arguments: argparse.Namespace) -> int:
    """Show how a class fares: verdicts, speedups, findings, who may need help, similar submissions."""
    return overview.run(arguments, OUT)


Add = Callable[..., argparse.ArgumentParser]  # name, function, its arguments' names


def add_commands(command: Add) -> None:
    """Add all of these to the command line."""
    _of_make(command("classroom", make_classroom))
    _of_grade(command("grade", grade_file, "lab", "file"))
    batch.add_arguments(command("grade-class", grade_class, "folder"))
    overview.add_arguments(command("class-report", report_class, "folder"))
    one = command("lab", open_lab)
    one.add_argument("folder", nargs="?", default="mpilab-course", help="where your notebooks are (mpilab-course)")
    one.add_argument("--no-browser", action="store_true", help="only say the address")
