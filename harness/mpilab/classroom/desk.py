"""The grader's desk: kernels that students handed in, graded in the sandbox, and the records of them.

Theory of operation.  A kernel is text; it goes through the referee on clusters whose submissions run in the sandbox,
and its record is kept below the course's folder `grades/`, named by student, lab, language and the text's digest.  What
has a record is not graded again, so a run that was killed goes on where it was, and grading twice gives the same.  A
record whose speed is undecided is put aside: its points are pending, and it is graded again when it is asked for.
What counts for a student is the best record of a lab and a language: handing in again never lowers a score.  After each
kernel its engines are thrown away, with all that they hold.
"""

import contextlib
import hashlib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote, unquote

from mpilab import record, referee, sandbox
from mpilab.clusters import Progress
from mpilab.errors import HarnessError, RunnerError
from mpilab.lab import SUFFIXES, Lab
from mpilab.protocol import Language
from mpilab.record import Record
from mpilab.session import Session
from mpilab.verdict import Kind

BUDGET_S = 6.0  # a kernel, from its build to its score
FOLDER = "grades"
DOUBTFUL = (Kind.TAMPERED, Kind.DEADLOCK, Kind.TIMED_OUT)  # told from how long things take


@dataclass(frozen=True)
class Piece:
    """A kernel that a student handed in."""

    student: str
    lab: Lab
    language: Language
    source: str

    @property
    def digest(self) -> str:
        """Names the text."""
        return hashlib.sha256(self.source.encode(errors="surrogatepass")).hexdigest()[:16]


class Desk:
    """Grades pieces and keeps their records below `root`; use as a context manager, or call close."""

    def __init__(
        self, root: Path, *, progress: Progress | None = None, boxed: bool = True, known_only: bool = False
    ) -> None:
        """Open the records of the course at `root`; engines start with the first piece.

        Raises HarnessError where there is no sandbox, unless `boxed` is False; with `known_only` nothing is graded.
        """
        if boxed:
            sandbox.require()
        self.root, self._progress, self._boxed = root / FOLDER, progress, boxed
        self._known_only = known_only
        self._session: Session | None = None

    def grade(self, piece: Piece, *, budget_s: float = BUDGET_S) -> Record:
        """The record of a piece: the one that is kept, or a new one."""
        path = self._path(piece)
        kept = _read(path)
        if kept is not None and (self._known_only or not (kept.pending or (self._boxed and kept.sandbox == "none"))):
            return kept
        if self._known_only:
            text = f"{piece.student}'s kernel for {piece.lab.id} in {piece.language} has no record"
            raise HarnessError(text, then="mpilab grade-class grades it")
        found = self._certain(piece, budget_s)
        if not found.interrupted:
            record.write(path, record.to_json(found))
        return found

    def best(self, student: str, one: Lab, language: Language) -> Record | None:
        """The record that counts for a student; None: nothing was graded yet."""
        folder = self._folder(student, one)
        found = [r for p in sorted(folder.glob(f"{language}-*.json")) if (r := _read(p)) is not None]
        return max(found, key=lambda r: (r.score, r.pending, r.started), default=None)

    def known(self, piece: Piece) -> Record | None:
        """The record of exactly this text, if it was graded."""
        return _read(self._path(piece))

    def _certain(self, piece: Piece, budget_s: float) -> Record:
        """The record of a piece; where a busy machine may have had a hand in the verdict, two of three must agree."""
        first = self._referee(piece, budget_s)
        if first.verdict not in DOUBTFUL:
            return first
        second = self._referee(piece, budget_s)
        if second.verdict == first.verdict:
            return second
        third = self._referee(piece, budget_s)
        return third if third.verdict in (first.verdict, second.verdict) else max(first, second, third, key=_points)

    def _referee(self, piece: Piece, budget_s: float) -> Record:
        """Put a piece through the pipeline, with engines that nobody else has or will have."""
        if self._session is None:
            self._session = Session(progress=self._progress, home="mpiexec", boxed=self._boxed, warm=False)
        session = self._session
        suffix = next(s for s, name in SUFFIXES.items() if name == piece.language)
        with tempfile.TemporaryDirectory(prefix="mpilab-") as folder:
            path = Path(folder) / f"{piece.lab.id}{suffix}"
            path.write_text(piece.source, encoding="utf-8", errors="surrogatepass")
            for last in (False, True):
                try:
                    return session.try_kernel(piece.lab.id, path, budget_s=budget_s)
                except RunnerError as error:  # the kernel's doing, or the machine's?
                    if last:
                        return self._twice_broken(session, piece, path, str(error))
                finally:
                    session.clusters.new_engines_for_theirs()
        raise AssertionError

    def _twice_broken(self, session: Session, piece: Piece, path: Path, why: str) -> Record:
        """Whose doing is it that the engines' process failed twice?  Raises when the baseline fares no better."""
        baseline = piece.lab.baseline(piece.language)
        session.try_kernel(piece.lab.id, baseline, budget_s=0.1)
        return referee.broken(session.clusters, piece.lab, path, why.partition("\n")[0])

    def _folder(self, student: str, one: Lab) -> Path:
        return self.root / one.id / quote(student, safe="@+-_ ")

    def _path(self, piece: Piece) -> Path:
        return self._folder(piece.student, piece.lab) / f"{piece.language}-{piece.digest}.json"

    def close(self) -> None:
        """End the engines."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def _points(one: Record) -> float:
    return one.score + one.pending


def _read(path: Path) -> Record | None:
    """A record that is kept; None: there is none, or it isn't one."""
    with contextlib.suppress(OSError, HarnessError):
        return record.from_json(path.read_bytes())
    return None


def records(root: Path) -> Iterator[tuple[str, str, Path, Record]]:
    """All records of a course: student, lab, file, record."""
    for path in sorted((root / FOLDER).glob("*/*/*.json")):
        if re.fullmatch(r"(c|python)-[0-9a-f]{16}\.json", path.name) and (found := _read(path)) is not None:
            yield unquote(path.parent.name), path.parent.parent.name, path, found
