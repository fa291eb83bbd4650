"""What a record says of the machine."""

import json
import os

import pytest

from mpilab import machine


def test_cores_are_those_this_process_may_use() -> None:
    """A process that is bound to one core has one, however many the machine has."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert machine.cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert machine.cores() == len(before)


def test_a_description_fits_into_a_record() -> None:
    """It has cpu, cores, load and system, and goes into JSON."""
    found = machine.describe()
    assert set(found) >= {"cpu", "cores", "load", "system"}
    assert found["cores"] == machine.cores()
    assert json.loads(json.dumps(found)) == found


def test_a_machine_without_cpuinfo_is_described_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where /proc/cpuinfo can't be read or names no model, the description still comes."""
    for content in (None, "processor : 0\n"):

        def read_text(*_: object, content: str | None = content, **__: object) -> str:
            if content is None:
                raise PermissionError
            return content

        monkeypatch.setattr(machine.Path, "read_text", read_text)
        assert "cpu" in machine.describe()
