"""A lab's notebook, made from its text.

Theory of operation.  `labs/<lab>/lab.md` is a Jinja template that fills the blocks of templates/notebook.md: what is
particular to a lab is written there, what the manifest says and the baselines are put in from where they are.  The
result is a MyST notebook (jupytext).  A cell whose metadata has `mpilab` gets what nbgrader needs to know: `kernel-c`
and `kernel-python` are the student's, `score-*` are locked and worth the lab's points, `explain` is read by a person.
Cell ids come from the place in the notebook, so that building twice gives the same file.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from mpilab import lab
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, Lab
from mpilab.protocol import Language
from mpilab.report import TEMPLATES

if TYPE_CHECKING:
    from nbformat import NotebookNode

EXPLAIN_POINTS = 2.0
SCHEMA = 3  # of nbgrader's metadata
TEXT = "lab.md"
MOST_BYTES = 4_000_000  # of a notebook that is handed in
UNREADABLE = "mpilab-unreadable"  # in the metadata: why a notebook could not be read


def text(one: Lab, languages: tuple[Language, ...] = LANGUAGES) -> str:
    """The notebook as a MyST text; raises HarnessError when lab.md is missing or no template."""
    path = one.folder / TEXT
    baselines = {language: one.baseline(language).read_text(encoding="utf-8").rstrip() for language in LANGUAGES}
    try:
        source = path.read_text(encoding="utf-8")
        template = TEMPLATES.overlay(autoescape=False, trim_blocks=True, lstrip_blocks=True).from_string(source)
        return template.render(lab=one, baseline=baselines, languages=languages)
    except OSError as error:
        raise HarnessError(f"{path}: {error.strerror}", then="CONTRIBUTING.md says what a lab.md holds") from error
    except jinja2.TemplateError as error:
        where = getattr(error, "lineno", None)
        raise HarnessError(f"{path}{f':{where}' if where else ''}: {error}", then="mend the template") from error


def build(one: Lab, languages: tuple[Language, ...] = LANGUAGES) -> "NotebookNode":
    """The notebook that students get; without the cells of languages that a class does not use."""
    import jupytext
    import nbformat

    book: NotebookNode = jupytext.reads(text(one, languages), fmt="md:myst")
    for number, cell in enumerate(book.cells):
        cell["id"] = f"{one.id}-{number}"
        role = cell.metadata.pop("mpilab", "")
        if role:
            cell.metadata["nbgrader"] = _marks(role, one.manifest.points, cell.cell_type)
            cell["id"] = role
        if role.startswith("score-"):
            cell.metadata |= {"deletable": False, "editable": False}
    book.metadata.pop("jupytext", None)
    nbformat.validate(book)
    return book


def written(one: Lab, languages: tuple[Language, ...] = LANGUAGES) -> bytes:
    """The notebook's file."""
    import nbformat

    return f"{nbformat.writes(build(one, languages))}\n".encode()  # type: ignore[no-untyped-call]


def read(path: Path) -> "NotebookNode":
    """A notebook that a student handed in, as data; where it can't be read, an empty one whose metadata say why."""
    import nbformat

    try:
        if path.is_symlink() or path.parent.is_symlink():
            return _unreadable("a link, not a file")
        size = path.stat().st_size
        if size > MOST_BYTES:
            return _unreadable(f"{size:,} bytes; a notebook has at most {MOST_BYTES:,}")
        book: NotebookNode = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        cells = book.cells
    except Exception as error:  # noqa: BLE001 - whatever a file can be made to raise
        return _unreadable(f"no notebook: {type(error).__name__}")
    return book if isinstance(cells, list) else _unreadable("no notebook: it has no cells")


def _unreadable(why: str) -> "NotebookNode":
    from nbformat import v4

    book: NotebookNode = v4.new_notebook(metadata={UNREADABLE: why})
    return book


def _marks(role: str, points: float, cell_type: str) -> dict[str, Any]:
    """What nbgrader is told of a cell."""
    grade = role == "explain" or role.startswith("score-")
    marks: dict[str, Any] = {
        "schema_version": SCHEMA,
        "grade_id": role,
        "grade": grade,
        "solution": not role.startswith("score-"),
        "locked": role.startswith("score-"),
        "task": False,
        "cell_type": cell_type,
    }
    if grade:
        marks["points"] = EXPLAIN_POINTS if role == "explain" else points
    return marks


def with_text() -> list[Lab]:
    """The labs that have a notebook."""
    return [one for one in lab.labs() if (one.folder / TEXT).is_file()]
