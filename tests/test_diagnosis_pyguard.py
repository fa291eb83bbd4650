"""Buffer races in Python: each write and each use of a buffer in flight is named at its line, and nothing else is.

The programs in tests/pyguard say RACE in the lines that must be named; what they do there is in each function's name.
"""

import textwrap
from pathlib import Path

import pytest

from mpilab import referee
from mpilab.diagnosis.diagnose import Diagnosis, diagnose
from mpilab.diagnosis.program import prepare, run
from mpilab.lab import Lab
from mpilab.session import Session
from mpilab.sweep import new_folder

pytestmark = pytest.mark.mpi
FOLDER = Path(__file__).parent / "pyguard"


def races(path: Path) -> set[str]:
    """The places in a file that must be named."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return {f"{path.name}:{number}" for number, line in lines if line.endswith("# RACE")}


def diagnosed(folder: Path, text: str) -> Diagnosis:
    """The diagnosis of a small program on two ranks."""
    path = folder / "program.py"
    head = "import numpy as np\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\nother = 1 - comm.rank\n"
    path.write_text(head + textwrap.dedent(text))
    return diagnose(path, ranks=2)


@pytest.mark.parametrize("name", ["writes.py", "reads.py"])
def test_every_race_is_named_at_its_line_and_nothing_else(name: str) -> None:
    """Whatever is written or read, through whatever object and in whatever function: one finding for each such line."""
    path = FOLDER / name
    found = diagnose(path, ranks=2)
    assert {one.kind for one in found.findings} == {"buffer-race"}
    assert {one.where for one in found.findings} == races(path)
    assert (found.verdict, found.strict) == ("erroneous", "finished")  # and each came to its end
    word = "writes" if name == "writes.py" else "reads"
    assert all(f"the program {word} a buffer that MPI is still" in one.message for one in found.findings)
    assert all(f"posted at {name}:" in one.message for one in found.findings)


def test_a_correct_program_gets_no_finding_and_prints_the_same() -> None:
    """What is allowed while buffers are in flight, and what is right about them, is left alone: also what it prints."""
    path = FOLDER / "correct.py"
    found = diagnose(path, ranks=2)
    assert (found.verdict, found.findings) == ("ok", []), found.printed
    folder = new_folder()
    program = prepare(path, (), folder)
    assert not isinstance(program, str)
    strict = run(program.strict, 2, folder, "strict", 60)
    assert strict.printed == found.printed
    assert strict.printed.endswith(" 20.0 None\n")  # it came to its end


def test_an_array_that_nobody_keeps_is_a_race(tmp_path: Path) -> None:
    """A collective's request does not keep its arrays: one made for the call is gone before MPI has sent it."""
    found = diagnosed(
        tmp_path,
        """\
        total = np.zeros(1_000_000)
        request = comm.Iallreduce(np.ones(1_000_000), total)
        step = 1
        request.Wait()
        """,
    )
    assert [(one.kind, one.where) for one in found.findings] == [("buffer-race", "program.py:6")]
    assert "frees" in found.findings[0].message


def test_a_lost_request_is_no_crash(tmp_path: Path) -> None:
    """A send whose request nobody keeps doesn't keep its array: what happens then is named, and harms no rank."""
    found = diagnosed(
        tmp_path,
        """\
        room = np.zeros(1_000_000)
        comm.Isend(np.ones(1_000_000), dest=other)
        step = 1
        comm.Recv(room, source=other)
        """,
    )
    assert ("buffer-race", "program.py:6") in [(one.kind, one.where) for one in found.findings]
    assert "crash" not in [one.kind for one in found.findings]


def test_a_race_among_very_many_lines_is_found_in_time(tmp_path: Path) -> None:
    """Where looking at everything would take minutes, less is looked at: the program ends, and the race is found."""
    found = diagnosed(
        tmp_path,
        """\
        data, room = np.zeros(3_000_000), np.zeros(3_000_000)
        requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
        number = 0
        for i in range(20_000):
            number += i
            number %= 1000
        data[:] = number + 1
        MPI.Request.Waitall(requests)
        """,
    )
    assert (found.verdict, found.strict) == ("erroneous", "finished")
    assert [one.where for one in found.findings] == ["program.py:11"]


def test_what_leaves_no_trace_is_said(tmp_path: Path) -> None:
    """A value written where it was already, or only printed, isn't seen; the diagnosis says so."""
    found = diagnosed(
        tmp_path,
        """\
        data, room = np.zeros(1000), np.zeros(1000)
        requests = [comm.Irecv(room, source=other), comm.Isend(data, dest=other)]
        data[:] = 0.0
        print(room[0] > 0)
        MPI.Request.Waitall(requests)
        """,
    )
    assert found.findings == []
    assert "writing the value" in found.not_seen
    assert "only printed" in found.not_seen


RUN = """
    def run(self):
        for step in range(self.shape.steps):
            data = self.in_ * 2 if step == self.shape.steps - 1 else self.in_.copy()
            room = np.zeros(self.shape.n)
            requests = [self.comm.Irecv(room, self.right), self.comm.Isend(data, self.left)]
            {early}
            MPI.Request.Waitall(requests)
            self.out[:] = room
"""


@pytest.mark.parametrize(
    ("early", "told"), [("data[:] = -1.0", "writes"), ("self.total = room * 0.0", "reads"), ("pass", "")]
)
def test_a_kernel_is_watched_in_its_strict_runs(
    small: Session, echo: Lab, echo_kernel: str, tmp_path: Path, early: str, told: str
) -> None:
    """The same for a lab's kernel: named at its line; the next kernel in the same engines starts afresh."""
    path = tmp_path / "kernel.py"
    path.write_text(echo_kernel + RUN.format(early=early) + "\n    def free(self):\n        pass\n")
    lines = [i for i, line in enumerate(path.read_text().splitlines(), 1) if line.strip() == early]
    found = referee.attempt(small.clusters, echo, path, 0.5).findings
    if not told:
        assert found == []
        return
    assert [(one.kind, one.where) for one in found] == [("buffer-race", f"kernel.py:{lines[-1]}")]
    assert told in found[0].message


@pytest.fixture
def echo_kernel() -> str:
    """The beginning of a kernel for the tests' own lab."""
    return (
        "import numpy as np\nfrom mpi4py import MPI\n\n\nclass Kernel:\n"
        "    def __init__(self, comm, shape, in_, out):\n"
        "        self.comm, self.shape, self.in_, self.out = comm, shape, in_, out\n"
        "        self.left, self.right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size\n"
    )
