"""The doctor says what is wrong with a machine, and how to mend it."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from mpilab import doctor
from mpilab.doctor import CAUTION, FAIL, PASS, Finding


@pytest.mark.mpi
def test_this_machine_is_fit() -> None:
    """Where the tests run, nothing fails, and every thing that the issue names is looked at."""
    findings = doctor.examine()
    assert not [f for f in findings if f.grade == FAIL], findings
    names = {f.name for f in findings}
    expected = {"C compiler", "MPI and mpi4py", "cores", "load", "memory", "/dev/shm", "time-slice noise", "sandbox"}
    assert expected <= names


@pytest.mark.parametrize(
    ("check", "patch", "grade", "mend"),
    [
        (doctor.compiler, ("shutil.which", lambda _: None), FAIL, "apt install gcc"),
        (doctor.sandbox, ("shutil.which", lambda _: None), CAUTION, "apt install bubblewrap"),
        (doctor.core_count, ("cores", lambda: 1), CAUTION, "two cores"),
        (doctor.load, ("os.getloadavg", lambda: (99.0, 0, 0)), CAUTION, "close"),
        (doctor.memory, ("psutil.virtual_memory", lambda: SimpleNamespace(available=1 << 20)), FAIL, "free"),
        (doctor.shared_memory, ("shutil.disk_usage", lambda _: SimpleNamespace(free=1 << 20)), FAIL, "shm-size"),
        (doctor.shared_memory, ("os.access", lambda *_: False), FAIL, "tmpfs"),
        (doctor.disk, ("shutil.disk_usage", lambda _: SimpleNamespace(free=1 << 20)), FAIL, "free"),
    ],
)
def test_what_is_missing_is_named_with_its_mend(
    monkeypatch: pytest.MonkeyPatch,
    check: Callable[[], Finding],
    patch: tuple[str, Callable[..., object]],
    grade: str,
    mend: str,
) -> None:
    """A lack is graded, and comes with what to do about it."""
    monkeypatch.setattr(f"mpilab.doctor.{patch[0]}", patch[1])
    finding = check()
    assert finding.grade == grade
    assert mend in finding.mend


def test_noise_is_measured() -> None:
    """Time-slice noise is a share of time, in numbers."""
    finding = doctor.noise()
    assert finding.grade in (PASS, CAUTION)
    assert "%" in finding.found


def test_a_check_that_fails_itself_is_a_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """An examination goes on when one check can't be made."""

    def broken() -> Finding:
        raise OSError("no such device")

    monkeypatch.setattr(doctor, "CHECKS", (broken, doctor.core_count))
    findings = doctor.examine()
    assert [f.grade for f in findings[1:]] == [FAIL, findings[2].grade]
    assert "no such device" in findings[1].found
