"""A class's course folder as nbgrader knows it, derived from the labs.

Theory of operation.  `mpilab classroom FOLDER` makes a folder with one assignment for each lab, the notebook built from
lab.md, and nbgrader_config.py, which is three lines that call `configure`.  So what the course is stays in the labs,
and a newer mpilab configures an older folder.  Everything after that is nbgrader's own, in the terminal and in
JupyterLab.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mpilab import record
from mpilab.classroom import notebook
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, Lab
from mpilab.protocol import Language

MOST_KB = 4_000  # of a file that is handed in
CONFIG = '''"""What nbgrader is told, derived from the labs (mpilab's docs/instructors.md); add your own lines below."""

from pathlib import Path

from mpilab.classroom import course

c = get_config()  # noqa: F821 - nbgrader provides it
course.configure(c, Path(__file__).parent, course_id={course_id!r})
# c.Exchange.root = "/srv/nbgrader/exchange"
'''


def make(folder: Path, labs: Sequence[Lab], course_id: str, languages: tuple[Language, ...] = LANGUAGES) -> list[Path]:
    """Write a course folder; assignments that are there already are left alone.  Returns what was written."""
    written = []
    config = folder / "nbgrader_config.py"
    if not config.exists():
        record.write(config, CONFIG.format(course_id=course_id).encode())
        written.append(config)
    for one in labs:
        path = folder / "source" / one.id / f"{one.id}.ipynb"
        if path.exists():
            continue
        record.write(path, notebook.written(one, languages))
        written.append(path)
    if not written:
        raise HarnessError(f"{folder} is complete: nothing was written", then="remove an assignment to make it anew")
    return written


def configure(c: Any, root: Path, course_id: str) -> None:
    """Set nbgrader's configuration object `c` for the course at `root`."""
    from nbgrader.converters import Autograde

    from mpilab.classroom.autograde import Rebuild, Referee, Tolerant

    Autograde.exporter_class = Tolerant  # nbgrader has no setting for it
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.course_id = course_id
    c.CourseDirectory.max_file_size = MOST_KB
    c.ClearSolutions.enforce_metadata = False
    c.GenerateAssignment.preprocessors = [  # the source has no solutions in it: nothing is to be cut out
        f"nbgrader.preprocessors.{name}"
        for name in ("IncludeHeaderFooter", "LockCells", "ClearOutput", "CheckCellMetadata", "ComputeChecksums",
                     "SaveCells")
    ]  # fmt: skip
    c.Autograde.sanitize_preprocessors = [Rebuild, "nbgrader.preprocessors.OverwriteCells",
                                          "nbgrader.preprocessors.CheckCellMetadata"]  # fmt: skip
    c.Autograde.autograde_preprocessors = [Referee, "nbgrader.preprocessors.SaveAutoGrades",
                                           "nbgrader.preprocessors.AssignLatePenalties",
                                           "nbgrader.preprocessors.CheckCellMetadata"]  # fmt: skip
    c.Rebuild.release_directory = str(root / "release")
    c.Referee.root = str(root)
