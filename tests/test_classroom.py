"""The classroom: notebooks from their texts, what is read of those handed in, a class graded, the gradebook.

One class of made-up students hands in the ring lab, in every way that students and cheats do; it is graded once, and
each test looks at what came of it.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from rich.console import Console

from mpilab import lab, record, sandbox
from mpilab.classroom import batch, cells, course, notebook
from mpilab.classroom.desk import Desk, Piece
from mpilab.cli import _parser
from mpilab.errors import HarnessError
from mpilab.verdict import Kind

RING = "ring"
DUE, LATE = "2026-01-01 12:00:00 UTC", "2026-01-02 12:00:00 UTC"
needs_sandbox = pytest.mark.skipif(
    bool(sandbox.needed()) and not os.environ.get("CI"), reason=f"no sandbox here: {sandbox.needed()}"
)


# ---- notebooks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", lab.labs(), ids=lambda one: one.id)
def test_every_lab_has_a_notebook(one: lab.Lab) -> None:
    """It is valid, has the baselines in its kernel cells, points of the manifest, and nothing of the solutions."""
    book = notebook.build(one)
    marks = {c.metadata.nbgrader.grade_id: (c, c.metadata.nbgrader) for c in book.cells if "nbgrader" in c.metadata}
    assert set(marks) == {"kernel-c", "kernel-python", "score-c", "score-python", "explain"}
    for language in lab.LANGUAGES:
        text = cells.kernel_text(language, marks[f"kernel-{language}"][0].source)
        assert text.rstrip() == one.baseline(language).read_text().rstrip()
        assert marks[f"score-{language}"][1].points == one.manifest.points
        assert marks[f"score-{language}"][1].locked
    assert sum(c.source.startswith("%%px") for c in book.cells) >= 2
    assert "solutions/" not in notebook.text(one)
    assert all(len(line) <= 120 for line in (one.folder / "lab.md").read_text().splitlines())


def test_building_twice_gives_the_same_file() -> None:
    """Cell ids come from the place, not from chance."""
    assert notebook.written(lab.find(RING)) == notebook.written(lab.find(RING))


def test_a_class_of_one_language_has_cells_of_that_one() -> None:
    """The other language's kernel and score are not there."""
    roles = {c.metadata.get("nbgrader", {}).get("grade_id") for c in notebook.build(lab.find(RING), ("python",)).cells}
    assert {"kernel-python", "score-python"} <= roles
    assert not {"kernel-c", "score-c"} & roles


def test_a_text_that_is_no_template_is_named(tmp_path: Path) -> None:
    """The file and the line are said."""
    one = lab.find(RING)
    broken = lab.Lab(tmp_path, one.solutions)
    (tmp_path / "lab.md").write_text('{% extends "notebook.md" %}\n{% block story %}\n')
    for name in ("lab.toml", "baseline.c", "baseline.py"):
        (tmp_path / name).write_bytes((one.folder / name).read_bytes())
    with pytest.raises(HarnessError, match=r"lab\.md"):
        notebook.build(broken)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("%%kernel c\nint a;\n", "int a;\n"),
        ("%%kernel python\nint a;\n", ""),  # another language
        ("%%kernel c --fast\nint a;\n", ""),
        ("import os\n%%kernel c\nint a;\n", ""),
        ("!touch /tmp/owned\n%%kernel c\nint a;", ""),
        ("int a;", ""),
        ("", ""),
        ("%%kernel c\n" + "x" * 2_000_000, ""),
    ],
)
def test_only_what_stands_below_the_magic_is_a_kernel(source: str, text: str) -> None:
    """Anything before the magic, or beside it, makes the cell no kernel; nothing of it is run."""
    assert cells.kernel_text("c", source) == text


def test_a_students_text_is_shown_as_text() -> None:
    """HTML and links that run something do neither; code and arithmetic stay."""
    shown = cells.plain("a < b, `x<y` <script>alert(1)</script> [go](JavaScript:alert(1)) <img src=x onerror=y>")
    assert not re.search(r"<[a-z/]|javascript:", shown.replace("`x<y`", "").replace("x&lt;y", ""), re.IGNORECASE)
    assert "a < b" in shown


# ---- a class ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Class:
    """A class's folder after it was graded, and what the command said."""

    folder: Path
    status: int
    said: str

    def scores(self) -> dict[str, float]:
        """Points of each student for the C kernel, as the gradebook has them."""
        with Gradebook(f"sqlite:///{self.folder}/gradebook.db") as book:
            submissions = book.find_assignment(RING).submissions
            return {
                s.student.id: sum(g.auto_score or 0 for n in s.notebooks for g in n.grades if g.name == "score-c")
                for s in submissions
            }

    def late(self, student: str) -> float:
        """Seconds that a student's submission is late."""
        with Gradebook(f"sqlite:///{self.folder}/gradebook.db") as book:
            return float(book.find_submission(RING, student).total_seconds_late)

    def verdict(self, student: str) -> str:
        """That of the record that counts."""
        with Desk(self.folder, boxed=False) as desk:
            found = desk.best(student, lab.find(RING), "c")
        return str(found.verdict) if found else ""


Change = Callable[[NotebookNode], None]


def with_kernel(text: str) -> Change:
    """A notebook with this kernel."""

    def change(book: NotebookNode) -> None:
        cell(book, "kernel-c").source = f"%%kernel c\n{text}"

    return change


def cell(book: NotebookNode, role: str) -> NotebookNode:
    """The cell of a role."""
    return next(c for c in book.cells if c.metadata.get("nbgrader", {}).get("grade_id") == role)


def changed_test(book: NotebookNode) -> None:
    """The score cell gives ten points by itself, unlocked, and is worth a thousand."""
    one = cell(book, "score-c")
    one.source = "10.0"
    one.metadata.nbgrader |= {"locked": False, "points": 1000, "grade": True, "solution": True}
    one.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "10"}, execution_count=1)]


def changed_metadata(book: NotebookNode) -> None:
    """The kernel cell is to be the test as well; the test is gone."""
    cell(book, "kernel-c").metadata.nbgrader |= {"grade": True, "points": 10, "checksum": "0"}
    book.cells = [c for c in book.cells if c.metadata.get("nbgrader", {}).get("grade_id") != "score-c"]


def duplicated_ids(book: NotebookNode) -> None:
    """Score cells again and again, each with a result."""
    for _ in range(5):
        extra = nbformat.from_dict(json.loads(json.dumps(cell(book, "score-c"))))
        extra.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "10"}, execution_count=1)]
        extra.pop("id", None)
        book.cells.insert(0, extra)


def injected_magic(book: NotebookNode) -> None:
    """A command before the kernel's magic."""
    one = cell(book, "kernel-c")
    one.source = f"!touch {OWNED}\n{one.source}"


def hostile_cells(book: NotebookNode) -> None:
    """Cells of the student's own that would run in a grader that executes notebooks."""
    for text in (f"open({str(OWNED)!r}, 'w')", "import sys; sys.exit(0)", "while True: pass"):
        book.cells.insert(0, nbformat.v4.new_code_cell(text))


OWNED = Path("/tmp/mpilab-test-owned")


def sources() -> dict[str, Change]:
    """What students hand in, by their names."""
    one = lab.find(RING)
    reference, baseline = one.reference("c").read_text(), one.baseline("c").read_text()
    wrong = {p.stem: p.read_text() for p in one.wrong() if p.suffix == ".c"}
    by_verdict: dict[str, str] = {}
    for path in one.wrong():
        if path.suffix == ".c":
            by_verdict.setdefault(lab.stated_verdict(path), wrong[path.stem])
    attack = Path(__file__).parent / "redteam" / "kernels" / "remembers_late.c"
    slow = baseline.replace("kernel_work(is_late", "usleep(300), kernel_work(is_late")
    crash = baseline.replace("int kernel_run(struct kernel *k) {", "int kernel_run(struct kernel *k) {\n*(int *)8 = 1;")
    lost = "MPI_Request r; MPI_Irecv(k->came, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 77, k->comm, &r);"
    leak = reference.replace("kernel_run(struct kernel *k) {", f"kernel_run(struct kernel *k) {{ {lost}")
    return {
        "ann-right": with_kernel(reference),
        "ben-unconverted": with_kernel(baseline),
        "cleo-wrong": with_kernel(by_verdict["WRONG_ANSWER"]),
        "dan-deadlock": with_kernel(by_verdict["DEADLOCK"]),
        "eve-crash": with_kernel(crash),
        "fay-slow": with_kernel(f"#include <unistd.h>\n{slow}"),
        "gus-leaks": with_kernel(leak),
        "hal-cheats": with_kernel(attack.read_text().replace('#include "baseline.c"', baseline)),
        "ida-empty": with_kernel(""),
        "kai-late": with_kernel(reference + "\n/* late */"),
        "lea-test": changed_test,
        "max-metadata": changed_metadata,
        "nia-ids": duplicated_ids,
        "oto-magic": injected_magic,
        "pia-cells": hostile_cells,
    }


NONE = {
    "ben-unconverted", "cleo-wrong", "dan-deadlock", "eve-crash", "gus-leaks", "hal-cheats", "ida-empty", "jim-broken",
    "lea-test", "max-metadata", "nia-ids", "oto-magic", "pia-cells", "rob-link", "sue-huge",
}  # fmt: skip


@pytest.fixture(scope="module")
def hpc1(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    """A class of eighteen, graded."""
    folder = tmp_path_factory.mktemp("hpc1")
    state = pytest.MonkeyPatch()
    state.chdir(folder)
    state.setenv("JUPYTER_CONFIG_DIR", str(folder / ".jupyter"))
    OWNED.unlink(missing_ok=True)
    course.make(folder, [lab.find(RING)], "hpc1", ("c",))
    api = batch.nbgrader(folder)
    assert api.generate_assignment(RING)["success"]
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        book.update_or_create_assignment(RING, duedate=DUE)
    released = folder / "release" / RING / f"{RING}.ipynb"
    for student, change in sources().items():
        hand_in(folder, released, student, change)
    hand_in_files(folder, released)
    (folder / "submitted" / "kai-late" / RING / "timestamp.txt").write_text(LATE)
    first = grade(folder)
    hand_in(folder, released, "ann-right", with_kernel("nothing that compiles"))  # she hands in again
    second = grade(folder)
    yield Class(folder, second[0], first[1] + second[1])
    state.undo()


def hand_in(folder: Path, released: Path, student: str, change: Change) -> None:
    """Put a notebook where `nbgrader collect` puts it."""
    book = nbformat.read(released, as_version=4)
    change(book)
    path = folder / "submitted" / student / RING / f"{RING}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path, version=nbformat.NO_CONVERT)


def hand_in_files(folder: Path, released: Path) -> None:
    """What isn't even a notebook."""
    for student in ("jim-broken", "rob-link", "sue-huge"):
        (folder / "submitted" / student / RING).mkdir(parents=True)
    there = {s: folder / "submitted" / s / RING / f"{RING}.ipynb" for s in ("jim-broken", "rob-link", "sue-huge")}
    there["jim-broken"].write_bytes(b'{"cells": [\xff\xfe')
    there["rob-link"].symlink_to(folder / "submitted" / "ann-right" / RING / f"{RING}.ipynb")
    with there["sue-huge"].open("wb") as file:
        file.write(released.read_bytes())
        file.truncate(200_000_000)


def grade(folder: Path) -> tuple[int, str]:
    """`mpilab grade-class`, in this process."""
    console = Console(width=200, record=True, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    status = batch.run(_parser().parse_args(["grade-class", str(folder)]), console)
    return status, console.export_text()


@pytest.mark.mpi
@needs_sandbox
class TestClass:
    """What came of grading the class."""

    def test_all_are_in_the_gradebook(self, hpc1: Class) -> None:
        """Each student has a submission there, and nothing of ours failed."""
        assert hpc1.status == 0, hpc1.said
        assert set(hpc1.scores()) == {*sources(), "jim-broken", "rob-link", "sue-huge"}

    def test_right_and_in_style_has_its_points(self, hpc1: Class) -> None:
        """At least 6 of 10; the rest is speed, which a busy machine may leave open.  Late is late, not wrong."""
        scores = hpc1.scores()
        assert 6 <= scores["ann-right"] <= 10
        assert 6 <= scores["kai-late"] <= 10
        assert hpc1.late("kai-late") == 86400
        assert hpc1.late("ann-right") == 0

    def test_handing_in_again_lowers_nothing(self, hpc1: Class) -> None:
        """Ann's second notebook does not compile; her first counts."""
        assert hpc1.verdict("ann-right") == "OK"

    def test_slow_is_not_wrong(self, hpc1: Class) -> None:
        """A kernel that is slower than the baseline has the points for being right and in style."""
        assert hpc1.verdict("fay-slow") == "OK"
        assert hpc1.scores()["fay-slow"] == 6

    @pytest.mark.parametrize("student", sorted(NONE))
    def test_no_points_without_work(self, hpc1: Class, student: str) -> None:
        """Mistakes and attacks get none."""
        assert hpc1.scores()[student] == 0

    @pytest.mark.parametrize(
        ("student", "verdict"),
        [
            ("ben-unconverted", "NOT_ATTEMPTED"), ("cleo-wrong", "WRONG_ANSWER"), ("dan-deadlock", "DEADLOCK"),
            ("eve-crash", "CRASHED"), ("gus-leaks", "ERRONEOUS_MPI"), ("hal-cheats", "TAMPERED"),
            ("ida-empty", "BUILD_FAILED"), ("jim-broken", "BUILD_FAILED"), ("rob-link", "BUILD_FAILED"),
            ("sue-huge", "BUILD_FAILED"), ("oto-magic", "BUILD_FAILED"), ("lea-test", "NOT_ATTEMPTED"),
        ],
    )  # fmt: skip
    def test_each_has_a_record_with_its_verdict(self, hpc1: Class, student: str, verdict: str) -> None:
        """The record says what was wrong, and that it ran in the sandbox."""
        assert hpc1.verdict(student) == verdict

    def test_nothing_of_a_notebook_is_executed(self, hpc1: Class) -> None:
        """Neither cells nor what stands before a magic."""
        assert hpc1.status == 0
        assert not OWNED.exists()

    def test_nothing_is_graded_twice(self, hpc1: Class) -> None:
        """Another run finds every decided record and changes none."""
        before = {p: p.read_bytes() for p in hpc1.folder.glob("grades/*/*/*.json")}
        decided = {p for p, content in before.items() if not record.from_json(content).pending}
        assert grade(hpc1.folder)[0] == 0
        assert {p: p.read_bytes() for p in decided} == {p: before[p] for p in decided}

    def test_feedback_shows_the_report_and_no_solution(self, hpc1: Class) -> None:
        """The verdict is there; a line that only the reference has is not, but in the notebook that held it."""
        api = batch.nbgrader(hpc1.folder)
        assert api.generate_feedback(RING, "cleo-wrong")["success"]
        html = (hpc1.folder / "feedback" / "cleo-wrong" / RING / f"{RING}.html").read_text()
        assert "WRONG_ANSWER" in html
        assert "in which no rank goes first" not in html

    def test_records_say_how_it_was_graded(self, hpc1: Class) -> None:
        """Every record names the sandbox."""
        found = [record.from_json(p.read_bytes()) for p in hpc1.folder.glob("grades/*/*/*.json")]
        assert len(found) >= len(sources())
        assert {one.sandbox for one in found} == {sandbox.NAME}


# ---- bad input -------------------------------------------------------------------------------------------------------


def test_without_a_sandbox_nothing_is_graded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The reason, the remedy, and the way for code that one trusts are said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match=r"(?s)sandbox.*apt install bubblewrap.*--unsafe-no-sandbox"):
        Desk(tmp_path)


@pytest.mark.parametrize(
    ("verdicts", "tries", "expected"),
    [
        (["OK"], 1, "OK"),
        (["WRONG_ANSWER"], 1, "WRONG_ANSWER"),
        (["TAMPERED", "TAMPERED"], 2, "TAMPERED"),
        (["TAMPERED", "OK", "OK"], 3, "OK"),
        (["DEADLOCK", "OK", "DEADLOCK"], 3, "DEADLOCK"),
        (["TIMED_OUT", "DEADLOCK", "OK"], 3, "OK"),
    ],
)
def test_a_doubtful_verdict_is_said_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdicts: list[str], tries: int, expected: str
) -> None:
    """What a busy machine may have caused counts when two of three attempts say it; the rest at once."""
    one, left = lab.find(RING), list(verdicts)

    def referee(_desk: Desk, _piece: Piece, _budget_s: float) -> record.Record:
        kind = Kind(left.pop(0))
        return record.Record(lab=RING, language="c", file="", verdict=kind, message="", score=6.0 * (kind == Kind.OK))

    monkeypatch.setattr(Desk, "_referee", referee)
    with Desk(tmp_path, boxed=False) as desk:
        assert desk.grade(Piece("ann", one, "c", "text")).verdict == expected
    assert len(verdicts) - len(left) == tries


@pytest.mark.mpi
def test_the_record_says_that_there_was_none(tmp_path: Path) -> None:
    """With --unsafe-no-sandbox a kernel is graded, and its record says so."""
    one = lab.find(RING)
    with Desk(tmp_path, boxed=False) as desk:
        found = desk.grade(Piece("a/b ../c", one, "c", "int nothing;"))
        assert desk.best("a/b ../c", one, "c") == found
    assert found.sandbox == "none"
    assert [p.parent.parent.name for p in tmp_path.glob("grades/*/*/*.json")] == [RING]


@pytest.mark.parametrize(
    ("make", "message"), [(False, "is no class's folder"), (True, "nothing was handed in")], ids=["no class", "nothing"]
)
def test_what_is_no_class_is_named(tmp_path: Path, make: bool, message: str) -> None:  # noqa: FBT001
    """A folder without a configuration, and one without submissions."""
    if make:
        course.make(tmp_path, [lab.find(RING)], "hpc1")
    with pytest.raises(HarnessError, match=message):
        grade(tmp_path)


def test_a_folder_that_is_complete_is_left_alone(tmp_path: Path) -> None:
    """Assignments that an instructor may have changed are not overwritten."""
    course.make(tmp_path, [lab.find(RING)], "hpc1")
    with pytest.raises(HarnessError, match="complete"):
        course.make(tmp_path, [lab.find(RING)], "hpc1")
