"""`mpilab classroom`, `grade` and `lab`: a class's folder, one file graded, the course in JupyterLab.

Theory of operation.  Thin: course.py makes the folder, desk.py grades, nbgrader and JupyterLab are started as they are.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console

from mpilab import lab, record, report
from mpilab.classroom import course, notebook
from mpilab.classroom.desk import Desk, Piece
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES
from mpilab.sandbox import WITHOUT
from mpilab.submission import Submission, read
from mpilab.verdict import Kind

Progress = Callable[[], AbstractContextManager[Callable[[str, float], None]]]


def add_arguments(one: argparse.ArgumentParser) -> None:
    """Of `mpilab classroom`."""
    one.add_argument("folder", help="the class's folder, made when it is not there")
    one.add_argument("--labs", metavar="A,B,...", help="which labs are assignments (default: all)")
    one.add_argument("--language", choices=LANGUAGES, help="for a class that uses one of them (default: both)")
    one.add_argument("--id", default="", help="what nbgrader calls the course (default: the folder's name)")


def make(arguments: argparse.Namespace, console: Console) -> int:
    """Write a class's folder."""
    folder = Path(arguments.folder)
    labs = [lab.find(name) for name in arguments.labs.split(",")] if arguments.labs else notebook.with_text()
    languages = (arguments.language,) if arguments.language else LANGUAGES
    for path in course.make(folder, labs, arguments.id or folder.resolve().name, languages):
        console.print(str(path))
    console.print(
        f"then: cd {folder}, nbgrader generate_assignment {labs[0].id}; docs/instructors.md goes on from there"
    )
    return 0


def add_grade_arguments(one: argparse.ArgumentParser) -> None:
    """Of `mpilab grade`."""
    one.add_argument("--student", default="nobody", help="whose it is (default: nobody)")
    one.add_argument("--into", default=".", metavar="FOLDER", help="the class's folder, which keeps the record")
    one.add_argument("--json", metavar="PATH", help="write the record there as well")
    one.add_argument(WITHOUT, dest="unsafe", action="store_true", help="run it without a sandbox: only what you trust")


def grade(arguments: argparse.Namespace, console: Console, progress: Progress) -> int:
    """Grade one file as a student's, in the sandbox."""
    one, path = lab.find(arguments.lab), Path(arguments.file)
    submission = read(path)
    if not isinstance(submission, Submission):
        console.print(f"{submission.kind}: {submission.message}", markup=False)
        return 1
    with progress() as bar, Desk(Path(arguments.into), progress=bar, boxed=not arguments.unsafe) as desk:
        found = desk.grade(Piece(arguments.student, one, submission.language, submission.text))
    console.print(report.text(found))
    if arguments.json:
        record.write(Path(arguments.json), record.to_json(found))
    return 0 if found.verdict == Kind.OK else 1


def open_lab(arguments: argparse.Namespace, console: Console) -> int:
    """Open the course's notebooks in JupyterLab."""
    folder = Path(arguments.folder)
    for one in notebook.with_text():
        path = folder / one.id / f"{one.id}.ipynb"
        if not path.exists():
            record.write(path, notebook.written(one))
    console.print(f"{folder}: the notebooks, yours to change; JupyterLab opens in the browser, Ctrl-C here ends it")
    bin_folder = Path(sys.executable).parent
    variables = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    more = ["--no-browser"] if arguments.no_browser else []
    try:
        done = subprocess.run([str(bin_folder / "jupyter-lab"), *more, str(folder)], env=variables, check=False)
    except OSError as error:
        raise HarnessError(f"JupyterLab cannot be started: {error.strerror}", then="make install") from error
    return 0 if done.returncode == 0 else 2
