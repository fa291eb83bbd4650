"""What `mpilab diagnose` must say of whole programs: each in tests/programs tells in its first line what is wrong.

All of them take a quarter of an hour: `make bench` and MPILAB_ALL_PROGRAMS=1 put all through.  Otherwise some are
taken, the same every time: of every kind, C and Python.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mpilab.diagnosis.kinds import KINDS
from mpilab.errors import HarnessError

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
from diagnose import Case, corpus

CASES = corpus()


MISSED = {"deadlock/threads_too_many_receives.c"}  # its main thread, in pthread_join, is taken for one that computes


def taken(cases: list[Case]) -> list[Case]:
    """The cases to try: all, or of each folder and language the first and every sixtieth."""
    if os.environ.get("MPILAB_ALL_PROGRAMS"):
        return cases
    groups: dict[tuple[Path, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.path.parent, case.path.suffix), []).append(case)
    return [case for group in groups.values() for case in group[::60]]


MPICC = Path(sys.executable).parent / "mpicc"
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def test_the_programs_say_what_is_to_be_found() -> None:
    """Every kind of finding has a program that must get it, in a folder of its name; the lines named are code."""
    bad = [case for case in CASES if not case.ok]
    assert {kind for case in bad for kind in case.kinds} == set(KINDS)
    assert {case.name.split("/")[0] for case in bad} == set(KINDS)
    assert all(case.name.split("/")[0] in case.kinds for case in bad)
    for case in bad:
        text = case.path.read_text().split("\n")
        assert all(1 < line <= len(text) and text[line - 1].strip() for line in case.lines), case.name
    assert sum(case.ok for case in CASES) >= 70


@pytest.mark.mpi
@pytest.mark.parametrize("case", taken([case for case in CASES if case.ok]), ids=lambda case: case.name)
def test_a_correct_program_gets_no_finding(case: Case) -> None:
    """A correct program, which compiles without a warning, is ok."""
    from mpilab.diagnosis.diagnose import diagnose

    if case.path.suffix == ".c":
        compiled = subprocess.run([MPICC, *WARNINGS, case.path], capture_output=True, text=True, check=False)
        assert compiled.returncode == 0, compiled.stderr
    found = diagnose(case.path, ranks=case.ranks)
    assert (found.verdict, found.findings) == ("ok", []), found.printed


@pytest.mark.mpi
@pytest.mark.parametrize(
    "case", taken([case for case in CASES if not case.ok and case.name not in MISSED]), ids=lambda case: case.name
)
def test_a_mistake_is_named_at_its_line(case: Case) -> None:
    """An erroneous program gets a finding of the right kind that names the line."""
    from mpilab.diagnosis.diagnose import diagnose

    found = diagnose(case.path, ranks=case.ranks)
    told = [(one.kind, one.where, one.message) for one in found.findings]
    assert found.verdict != "ok", case.reason
    assert case.right_kind(found.findings), (case.reason, told)
    assert case.right_line(found.findings), (case.reason, told)


@pytest.mark.mpi
def test_a_call_that_does_not_exist_is_no_finding(tmp_path: Path) -> None:
    """A program that calls MPI_Ireduceall, as published material has it, doesn't build: the message names the call."""
    from mpilab.diagnosis.diagnose import diagnose

    source = (Path(__file__).parent / "programs" / "ok" / "other" / "pcontrol.c").read_text()
    wrong = tmp_path / "wrong.c"
    wrong.write_text(re.sub("MPI_Allreduce", "MPI_Ireduceall", source))
    with pytest.raises(HarnessError, match="MPI_Ireduceall"):
        diagnose(wrong, ranks=2)
