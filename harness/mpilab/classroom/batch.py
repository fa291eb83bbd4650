"""`mpilab grade-class`: all that a class has handed in, graded through the night or over lunch.

Theory of operation.  The submitted notebooks are read as data; each kernel in them is a piece.  First all pieces that
have no record are graded at the desk, one after the other, for what is timed must be alone on the machine; a record is
on disk before the next piece begins, so a run may be killed at any moment and started again.  Pieces whose speed stayed
undecided get another turn at the end, with more time.  Then nbgrader's autograder takes each notebook through: it finds
all records there, runs nothing, and writes the gradebook.
"""

import argparse
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from mpilab import lab, sandbox
from mpilab.classroom import cells, notebook
from mpilab.classroom.desk import BUDGET_S, Desk, Piece
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, Lab

AGAIN_S = 20.0  # for a kernel whose speed was undecided


@dataclass(frozen=True)
class HandedIn:
    """A notebook that was handed in."""

    student: str
    lab: Lab
    path: Path
    roles: frozenset[str]  # of the released notebook's cells

    def pieces(self) -> list[Piece]:
        """The kernels in it."""
        book = notebook.read(self.path)
        why = book.metadata.get(notebook.UNREADABLE)
        texts = {role: cells.said(role, str(why)) for role in cells.ROLES} if why else cells.texts(book)
        texts = {role: texts.get(role, "") for role in self.roles}
        return [
            Piece(self.student, self.lab, language, cells.kernel_text(language, texts.get(f"kernel-{language}", "")))
            for language in LANGUAGES
            if f"kernel-{language}" in texts
        ]


def handed_in(folder: Path, wanted: list[Lab]) -> Iterator[HandedIn]:
    """All notebooks in the class's folder `submitted`, of these labs."""
    for one in wanted:
        roles = frozenset(cells.texts(notebook.read(folder / "release" / one.id / f"{one.id}.ipynb")))
        for path in sorted((folder / "submitted").glob(f"*/{one.id}/{one.id}.ipynb")):
            yield HandedIn(path.parts[-3], one, path, roles or frozenset(cells.ROLES))


def add_arguments(one: argparse.ArgumentParser) -> None:
    """Of `mpilab grade-class`."""
    one.add_argument("labs", nargs="*", metavar="LAB", help="only these (default: all that were handed in)")
    one.add_argument(
        sandbox.WITHOUT, dest="unsafe", action="store_true", help="no sandbox: only for code that you trust"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Grade a class; 0, or 2 when something could not be graded."""
    folder = Path(arguments.folder)
    if not (folder / "nbgrader_config.py").is_file():
        raise HarnessError(f"{folder} is no class's folder", then=f"`mpilab classroom {folder}` makes one")
    books = list(handed_in(folder, [lab.find(name) for name in arguments.labs] or notebook.with_text()))
    if not books:
        raise HarnessError(f"nothing was handed in below {folder / 'submitted'}", then="nbgrader collect LAB")
    columns = (
        TextColumn("{task.description:40.40}"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    failed: list[str] = []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        with Desk(folder, boxed=not arguments.unsafe) as desk:
            graded, pending = _grade(desk, books, bar, failed)
        written = _gradebook(folder, books, bar, failed)
    console.print(f"{graded} kernels graded, {pending} of them still undecided; {written} notebooks in the gradebook")
    for line in failed:
        console.print(line, markup=False, style="yellow")
    return 2 if failed else 0


def _grade(desk: Desk, books: list[HandedIn], bar: Progress, failed: list[str]) -> tuple[int, int]:
    """Grade every piece, and those that stay undecided once more."""
    pieces = [piece for book in books for piece in book.pieces()]
    undecided: list[Piece] = []
    for again, budget_s in ((False, BUDGET_S), (True, AGAIN_S)):
        todo = undecided if again else pieces
        task = bar.add_task("", total=len(todo))
        undecided = []
        for piece in todo:
            bar.update(task, description=f"{piece.lab.id} {piece.language} {piece.student}")
            try:
                if desk.grade(piece, budget_s=budget_s).pending:
                    undecided.append(piece)
            except HarnessError as error:
                failed.append(f"{piece.student}, {piece.lab.id}, {piece.language}: {error}")
            bar.advance(task)
    return len(pieces), len(undecided)


def _gradebook(folder: Path, books: list[HandedIn], bar: Progress, failed: list[str]) -> int:
    """Take each notebook through nbgrader's autograder."""
    api = nbgrader(folder, known_only=True)
    task = bar.add_task("", total=len(books))
    count = 0
    for book in books:
        bar.update(task, description=f"gradebook: {book.lab.id} {book.student}")
        result = api.autograde(book.lab.id, book.student, force=True, create=True)
        if result["success"]:
            count += 1
        else:
            said = [line for line in str(result.get("log")).splitlines() if "Error" in line or "ERROR" in line]
            failed.append(f"{book.student}, {book.lab.id}: nbgrader: {' '.join(said[-3:]) or result}")
        bar.advance(task)
    return count


def nbgrader(folder: Path, *, known_only: bool = False) -> Any:
    """What nbgrader offers to programs, with the class's configuration; `known_only`: nothing is graded in it."""
    from nbgrader.apps import NbGraderAPI
    from sqlalchemy.exc import SAWarning
    from traitlets.config.loader import PyFileConfigLoader

    logging.getLogger("traitlets").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=SAWarning)  # nbgrader's own queries
    os.environ["PATH"] = (
        f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # nbgrader runs alembic
    )
    config = PyFileConfigLoader("nbgrader_config.py", path=str(folder.resolve())).load_config()
    config.Referee.known_only = known_only
    return NbGraderAPI(config=config)
