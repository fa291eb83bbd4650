"""The red team: kernels that attack the referee, graded as a student's are.

Each file in tests/redteam/kernels is a kernel that tries to get points without earning them, or to harm; its first line
states the verdict it must get.  A line that includes a baseline or a reference is replaced by that text.  None gets a
point, and after each an honest kernel on the next engines gets what it deserves.
"""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mpilab import lab, sandbox
from mpilab.classroom.desk import Desk, Piece
from mpilab.lab import SUFFIXES
from mpilab.protocol import Language

KERNELS = sorted((Path(__file__).parent / "redteam" / "kernels").iterdir())
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(
        bool(sandbox.needed()) and not os.environ.get("CI"), reason=f"no sandbox here: {sandbox.needed()}"
    ),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A grader's desk with records of its own."""
    with Desk(tmp_path_factory.mktemp("class")) as one:
        yield one


def source(path: Path) -> str:
    """The attack, with the files that it builds on put in."""
    text, one = path.read_text(encoding="utf-8"), lab.find("ring")
    shared = path.parent.parent.glob("*.c")
    for file in (*one.folder.glob("baseline.*"), *one.solutions.glob("reference.*"), *shared):
        honest = file.read_text(encoding="utf-8")
        text = text.replace(f'#include "{file.name}"', honest).replace(f"# include {file.name}\n", honest)
    return text.replace("COURSE", str(lab.course())).replace("GRADEBOOK", str(lab.course() / "pyproject.toml"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.name)
def test_an_attack_gets_its_verdict_and_no_points(desk: Desk, path: Path) -> None:
    """The stated verdict, no point and none pending, a record that is kept, and nothing left behind."""
    expected = re.match(r"(?:/\*|#) expect: ([A-Z_]+) - ", path.read_text(encoding="utf-8"))
    assert expected, f"{path.name}: its first line states no verdict"
    piece = Piece(path.name, lab.find("ring"), SUFFIXES[path.suffix], source(path))
    found = desk.grade(piece, budget_s=2.0)
    assert found.verdict == expected[1], found.message
    assert (found.score, found.pending, found.sandbox) == (0, 0, sandbox.NAME)
    assert desk.known(piece) is not None
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", found.message + found.remarks)


@pytest.mark.parametrize(
    ("one", "language"),
    [
        pytest.param(one, lab.LANGUAGES[i % 2], id=f"{one.id}-{lab.LANGUAGES[i % 2]}")
        for i, one in enumerate(lab.labs())
    ],
)
def test_an_honest_kernel_is_no_attack(desk: Desk, one: lab.Lab, language: Language) -> None:
    """Our own conversion of each lab passes all that is held against attacks."""
    text = one.reference(language).read_text(encoding="utf-8")
    found = desk.grade(Piece("honest", one, language, text), budget_s=0.1)
    assert found.verdict == "OK", found.message


@pytest.mark.parametrize("suffix", [".c", ".py"])
def test_the_next_submission_is_not_disturbed(desk: Desk, suffix: str) -> None:
    """After all attacks, our own conversion is right and full of style."""
    one = lab.find("ring")
    text = one.reference(SUFFIXES[suffix]).read_text(encoding="utf-8")
    found = desk.grade(Piece("next", one, SUFFIXES[suffix], text))
    assert found.verdict == "OK", found.message
    assert found.score >= 6  # of 10; the rest is speed, which a busy machine may leave pending


def running() -> list[psutil.Process]:
    """What runs as a sandbox's user; who is dead and waits to be collected doesn't."""
    found = psutil.process_iter(["uids", "status"])
    alive = [p for p in found if p.info["uids"] and p.info["status"] != psutil.STATUS_ZOMBIE]
    return [p for p in alive if p.info["uids"].real >= sandbox.FIRST_UID]


def test_nothing_is_left(desk: Desk) -> None:
    """No process of a sandbox's users runs once the desk is closed, and /dev/shm holds nothing of theirs."""
    desk.close()
    end = time.monotonic() + 20  # the last engines are ended in the background
    while (theirs := running()) and time.monotonic() < end:
        time.sleep(0.2)
    assert not theirs
    assert not [p for p in Path("/dev/shm").iterdir() if p.name.startswith(("blackboard", "all-", "full-"))]
    assert not list(Path("/tmp").glob("full-*"))
    assert not Path("/tmp/owned").exists()
