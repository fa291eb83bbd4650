"""A lab's hints, opened one by one.

Theory of operation.  How many of a lab's hints a learner has opened is a number in a file beside the records; each
record holds it too, so a class can see where help was needed.  It never costs points.
"""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from mpilab import record
from mpilab.errors import HarnessError
from mpilab.lab import Lab


@dataclass(frozen=True)
class Hints:
    """The hints opened so far, and how many there are."""

    opened: tuple[str, ...]
    of: int


def opened(lab: str) -> int:
    """How many hints of `lab` were opened by this user."""
    with contextlib.suppress(OSError, ValueError):
        return max(0, int(_file(lab).read_text(encoding="utf-8")))
    return 0


def look(one: Lab) -> Hints:
    """The hints opened so far."""
    hints = one.manifest.hints
    return Hints(hints[: opened(one.id)], len(hints))


def open_next(one: Lab) -> Hints:
    """Open the next hint, if there is one; raises HarnessError when that can't be noted."""
    hints = one.manifest.hints
    if not hints:
        raise HarnessError(f"{one.id} has no hints", then="`mpilab try` says what is wrong with a file")
    count = min(opened(one.id) + 1, len(hints))
    try:
        record.write(_file(one.id), f"{count}\n".encode())
    except OSError as error:
        text = f"cannot write {_file(one.id)}: {error.strerror}"
        raise HarnessError(text, then="make room, then ask again") from error
    return Hints(hints[:count], len(hints))


def _file(lab: str) -> Path:
    return record.state_folder().parent / "hints" / lab
