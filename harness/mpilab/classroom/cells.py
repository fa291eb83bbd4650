"""What of a notebook is the student's: the cells by their roles, read as data.

Theory of operation.  Of a notebook that was handed in only the texts of cells with a known grade_id count; of a kernel
cell only what stands below its magic, which must be its first line and alone there.
"""

import re
from typing import Any

from mpilab.protocol import Language
from mpilab.submission import SIZE_LIMIT

ROLES = ("kernel-c", "kernel-python", "explain")  # the student's cells
MAGIC = re.compile(r"%%kernel (c|python)\n")


def texts(book: Any) -> dict[str, str]:
    """What stands in the cells that have a grade_id; of several with the same, the first."""
    found: dict[str, str] = {}
    for cell in book.cells:
        marks = cell.get("metadata", {}).get("nbgrader")
        role = marks.get("grade_id") if isinstance(marks, dict) else None
        source = cell.get("source")
        if isinstance(role, str) and isinstance(source, str):
            found.setdefault(role, source)
    return found


def kernel(source: str) -> tuple[Language, str] | None:
    """The language and the text of a kernel cell; None when it isn't one: its first line must be the magic alone."""
    match = MAGIC.match(source)
    if match is None:
        return None
    return ("c" if match[1] == "c" else "python"), source[match.end() :]


def kernel_text(language: str, source: str) -> str:
    """The kernel in a cell: what stands below its magic; without the magic there is none."""
    found = kernel(source)
    if found is None or found[0] != language or len(source) > SIZE_LIMIT:
        return ""
    return found[1]


def said(role: str, why: str) -> str:
    """What stands in the student's cells of a notebook that could not be read: the reason, which the build repeats."""
    if role == "kernel-c":
        return f'%%kernel c\n#error "{why}"'
    return f"%%kernel python\nraise ValueError({why!r})" if role == "kernel-python" else why


def plain(markdown: str) -> str:
    """A student's text without HTML or links that run something: it is shown to who grades it."""
    without = re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", markdown)
    return re.sub(r"(javascript|vbscript|data)\s*:", r"\1 :", without, flags=re.IGNORECASE)
