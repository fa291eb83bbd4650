"""The class's report, and how alike two submissions are."""

import re
from pathlib import Path

import msgspec
import nbformat
import pytest

from mpilab import lab, record
from mpilab.classroom import course, notebook, overview, similar
from mpilab.classroom.desk import Piece, _read
from mpilab.cli import _parser
from mpilab.errors import HarnessError
from mpilab.record import Record
from mpilab.stats import Estimate, Speed
from mpilab.terminal import OUT
from mpilab.verdict import Kind

RING = lab.find("ring")
REFERENCE, BASELINE = RING.reference("c").read_text(), RING.baseline("c").read_text()


def renamed(text: str) -> str:
    """The same code with other names, another layout and other comments."""
    for name in ("pass_on", "is_late", "came", "left", "right", "step"):
        text = re.sub(rf"\b{name}\b", f"x_{name[::-1]}", text)
    return re.sub(r"/\*.*?\*/", "/* mine */", text, flags=re.DOTALL).replace("    ", "\t")


def test_renaming_and_layout_change_nothing() -> None:
    """What is left of two such sources is the same."""
    assert similar.fingerprints(renamed(REFERENCE), "c") == similar.fingerprints(REFERENCE, "c")
    python = RING.reference("python").read_text()
    assert similar.fingerprints(python.replace("came", "gone"), "python") == similar.fingerprints(python, "python")


def test_what_all_began_with_counts_for_nothing() -> None:
    """Two students who changed nothing are not alike; two with the same long addition are, a third is not."""
    mine = "\n".join(f"static double f{i}(double a) {{ return a * {i} + a / (a - {i}); }}" for i in range(6))
    other = "\n".join(f"int g{i}(int *p) {{ while (p[{i}] > 3) p[{i}]--, p++; return *p; }}" for i in range(8))
    sources = {"a": BASELINE, "b": BASELINE, "c": BASELINE + mine, "d": renamed(BASELINE) + renamed(mine), "e": other}
    found = {(a, b): share for share, a, b in similar.pairs(sources, "c", BASELINE)}
    assert found["a", "b"] == 0
    assert found["c", "d"] > 0.9
    assert found["c", "e"] < 0.3


@pytest.mark.parametrize("text", ["", "\0\1", '"unfinished', "def f(:\n  '''", "(" * 5000])
def test_any_text_has_fingerprints(text: str) -> None:
    """Nothing that a student hands in stops the report."""
    for language in lab.LANGUAGES:
        assert isinstance(similar.fingerprints(text, language), frozenset)


def graded(folder: Path, student: str, text: str, **more: object) -> None:
    """A class's folder has this notebook and this record of it."""
    book = notebook.build(RING, ("c",))
    next(c for c in book.cells if c.id == "kernel-c").source = f"%%kernel c\n{text}"
    path = folder / "submitted" / student / "ring" / "ring.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)
    digest = Piece(student, RING, "c", text).digest
    base = Record(lab="ring", language="c", file="ring.c", verdict=Kind.OK, message="right", points=10.0)
    where = folder / "grades" / "ring" / student / f"c-{digest}.json"
    record.write(where, record.to_json(msgspec.structs.replace(base, **more)))
    assert _read(where) is not None


def test_the_page_says_who_needs_help(tmp_path: Path) -> None:
    """Verdicts, speedups, who tried and has nothing right, who is alike; markup in messages stays text."""
    course.make(tmp_path, [RING], "hpc1", ("c",))
    mine = "\n".join(f"static double f{i}(double a) {{ return a * {i} + a / (a - {i}); }}" for i in range(6))
    fast = {"score": 10.0, "speed": Speed.AS_FAST, "speedup": Estimate(1.4, 1.3, 1.5)}
    graded(tmp_path, "ann", REFERENCE + mine, **fast)
    graded(tmp_path, "ben", renamed(REFERENCE + mine), **fast | {"speedup": Estimate(1.2, 1.1, 1.3)})
    for text in ("one", "two"):
        graded(tmp_path, "cleo", text, verdict=Kind.DEADLOCK, message="rank 0 waits <script>alert(1)</script>")
    arguments = _parser().parse_args(["class-report", str(tmp_path)])
    assert overview.run(arguments, OUT) == 0
    html = (tmp_path / "class-report.html").read_text()
    (part,) = overview.parts(tmp_path)
    assert part.verdicts == [("OK", 2, 2 / 3), ("DEADLOCK", 1, 1 / 3)]
    assert [student for student, _ in part.speedups] == ["ann", "ben"]
    assert [(s, n) for s, _, n in part.need_help] == [("cleo", 2)]
    assert [(a, b) for _, a, b in part.alike] == [("ann", "ben")]
    assert "<script>" not in html
    assert "http" not in re.sub(r"http-equiv", "", html)  # nothing is fetched


def test_a_class_without_grades_is_named(tmp_path: Path) -> None:
    """What to do first is said."""
    with pytest.raises(HarnessError, match="nothing is graded"):
        overview.run(_parser().parse_args(["class-report", str(tmp_path)]), OUT)
