"""nbgrader's autograding, with the referee in place of executing the notebook.

Theory of operation.  Two preprocessors take the places of nbgrader's.  `Rebuild` takes the released notebook and puts
into it, of what the student handed in, only the text of the cells that are the student's: nothing else of that
notebook is kept, so changed tests, metadata, ids and outputs change nothing.  `Referee` reads the kernel cells as data,
has them graded at the desk, in the sandbox, and writes the report and one finite number as the score cell's output,
which nbgrader takes for the grade.  Nothing that a student wrote is executed in this process.
"""

import math
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from mpilab import lab, report
from mpilab.classroom import cells, notebook
from mpilab.classroom.desk import Desk, Piece
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.protocol import Language
from mpilab.record import Record

Resources = dict[str, Any]
SCORES = ("score-c", "score-python")


class Tolerant(NotebookExporter):
    """Reads a notebook that a student handed in; what is none becomes an empty one that says why."""

    def from_filename(self, filename: str, resources: Resources | None = None, **more: Any) -> tuple[Any, Resources]:
        """As nbconvert's, but never fails for what is in the file."""
        path = Path(filename)
        about: Any = ResourcesDict()
        about.update(resources or {})
        about["metadata"] = ResourcesDict()
        about["metadata"].update({"name": path.stem, "path": str(path.parent)})
        found: tuple[str, Resources] = self.from_notebook_node(notebook.read(path), resources=about, **more)
        return found


class Rebuild(NbGraderPreprocessor):  # type: ignore[misc]
    """The released notebook with the student's own cells."""

    release_directory = Unicode(help="where nbgrader releases assignments").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Give back the released notebook, filled."""
        about = resources["nbgrader"]
        path = Path(self.release_directory) / about["assignment"] / f"{about['notebook']}.ipynb"
        try:
            released = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise HarnessError(
                f"{path}: {error}", then=f"nbgrader generate_assignment {about['assignment']}"
            ) from error
        why = nb.metadata.get(notebook.UNREADABLE)
        handed_in = {role: cells.said(role, str(why)) for role in cells.ROLES} if why else cells.texts(nb)
        for cell in released.cells:
            marks = cell.metadata.get("nbgrader", {})
            if marks.get("solution") and marks["grade_id"] in handed_in:
                text = handed_in[marks["grade_id"]]
                cell.source = text if cell.cell_type == "code" else cells.plain(text)
        return released, resources


class Referee(NbGraderPreprocessor):  # type: ignore[misc]
    """The score cells' outputs: the referee's report, and its number."""

    root = Unicode(help="the course's folder").tag(config=True)
    known_only = Bool(default_value=False, help="grade nothing: take the records that there are").tag(config=True)
    unsafe_no_sandbox = Bool(default_value=False, help="run what students wrote without a sandbox").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Grade all kernels of a notebook."""
        about = resources["nbgrader"]
        one = lab.find(about["assignment"])
        sources = cells.texts(nb)
        boxed = not (self.unsafe_no_sandbox or self.known_only)  # nothing is run then
        with Desk(Path(self.root), boxed=boxed, known_only=self.known_only) as desk:
            for cell in nb.cells:
                marks = cell.metadata.get("nbgrader", {})
                role = marks.get("grade_id", "")
                if marks.get("grade") and not marks.get("solution") and role not in SCORES:
                    raise HarnessError(
                        f"the cell {role} is a test, and this grader runs no cells: nbgrader would give full marks",
                        then="make it one that a person grades",
                    )
                if role in SCORES:
                    language: Language = "c" if role == "score-c" else "python"
                    found = score(desk, about["student"], one, language, sources.get(f"kernel-{language}", ""))
                    cell.outputs = outputs(found, cell.metadata.nbgrader["points"])
        return nb, resources


def score(desk: Desk, student: str, one: Lab, language: Language, source: str) -> Record:
    """Grade what stands in a kernel cell; the record that counts."""
    found = desk.grade(Piece(student, one, language, cells.kernel_text(language, source)))
    return desk.best(student, one, language) or found


def outputs(found: Record, points: float) -> list[NotebookNode]:
    """What the score cell shows: the report, and the number that nbgrader reads.

    Raises HarnessError when the score isn't a number from 0 to `points`: nbgrader gives full marks for what it can't
    read.
    """
    if not (math.isfinite(found.score) and 0 <= found.score <= points):
        raise HarnessError(f"the score is {found.score!r}, expected 0 to {points:g}", then="tell us, please")
    shown = {"text/html": report.html(found), "text/plain": found.message}
    number = {"text/plain": f"{found.score:.2f}"}
    return [
        NotebookNode(output_type="display_data", data=shown, metadata={}),
        NotebookNode(output_type="execute_result", data=number, metadata={}, execution_count=1),
    ]
