"""The command line, as a user meets it: exit statuses, messages, files."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mpilab import __version__, cli, record
from mpilab.lab import Lab
from mpilab.verdict import Kind


@pytest.fixture
def course(echo: Lab, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands see the tests' course of one lab."""
    folder = echo.folder.parents[1]
    monkeypatch.setenv("MPILAB_COURSE", str(folder))
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run a command in this process; its exit status."""
    monkeypatch.setattr(sys, "argv", ["mpilab", *map(str, arguments)])
    monkeypatch.setattr(cli.signal, "signal", lambda *_: None)
    try:
        return cli.main()
    except SystemExit as end:
        return int(end.code or 0)


def test_labs_are_listed(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """`mpilab labs` names every lab of the course, with its module and title."""
    assert run(monkeypatch, "labs") == 0
    out = capfd.readouterr().out
    assert all(name in out for name in ("ring", "halo", "persistent-halo", "three-arrays", "nonblocking"))


def test_start_copies_and_never_overwrites(
    course: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """`mpilab start` gives a copy of the baseline in both languages, and leaves a file that is there as it is."""
    assert run(monkeypatch, "start", "echo", tmp_path / "new") == 0
    assert (tmp_path / "new" / "echo.c").read_text() == (course / "labs" / "echo" / "baseline.c").read_text()
    (tmp_path / "new" / "echo.py").write_text("mine")
    (tmp_path / "new" / "echo.c").unlink()
    assert run(monkeypatch, "start", "echo", tmp_path / "new") == 2
    assert "is there already" in capfd.readouterr().err
    assert (tmp_path / "new" / "echo.py").read_text() == "mine"
    assert not (tmp_path / "new" / "echo.c").exists()
    assert run(monkeypatch, "start", "echo", "--language", "c", tmp_path / "new") == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["try", "hallo", "x.c"], "did you mean halo"),
        (["try", "halo", "nothing.c"], "there is no file nothing.c"),
        (["try", "halo", "kernel.f90"], "neither C nor Python"),
        (["watch", "halo", "nothing.c"], "there is no file"),
        (["start", "rong"], "did you mean ring"),
        (["report", "nothing.json"], "No such file"),
        (["try", "halo"], "required"),
        (["try", "halo", "x.c", "--budget", "-1"], "more than 0"),
        (["fly"], "invalid choice"),
    ],
)
def test_a_wrong_call_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], says: str
) -> None:
    """A wrong call ends with status 2, says what is wrong, and starts no cluster for it."""
    monkeypatch.chdir(tmp_path)
    started: list[object] = []
    monkeypatch.setattr("mpilab.clusters.Runner", lambda *a: started.append(a))
    assert run(monkeypatch, *arguments) == 2
    assert says in capfd.readouterr().err
    assert not started


def test_version(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """`mpilab --version` says the package's version."""
    assert run(monkeypatch, "--version") == 0
    assert __version__ in capfd.readouterr().out


def test_report_shows_a_record_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """`mpilab report` shows a stored record, and its status is the verdict's."""
    stored = record.Record(lab="halo", language="c", file="x.c", verdict=Kind.DEADLOCK, message="all wait")
    (tmp_path / "r.json").write_bytes(record.to_json(stored))
    assert run(monkeypatch, "report", tmp_path / "r.json") == 1
    assert "DEADLOCK" in capfd.readouterr().out
    (tmp_path / "r.json").write_text("{}")
    assert run(monkeypatch, "report", tmp_path / "r.json") == 2


@pytest.mark.mpi
def test_try_writes_the_promised_json(course: Path, tmp_path: Path) -> None:
    """`mpilab try --json` exits 0 for a right kernel and writes every promised key."""
    target = tmp_path / "out" / "r.json"
    source = course / "solutions" / "echo" / "reference.py"
    arguments = ["try", "echo", str(source), "--json", str(target), "--budget", "1"]
    done = subprocess.run([sys.executable, "-m", "mpilab", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "OK" in done.stdout
    assert "times the baseline's speed" in done.stdout
    found = json.loads(target.read_text())
    keys = "lab language verdict message score points speedup against_reference speed control rounds samples platform"
    assert {*keys.split(), "versions", "seed"} <= set(found)
    for name in ("speedup", "against_reference", "control"):
        assert found[name]["low"] <= found[name]["estimate"] <= found[name]["high"]


@pytest.mark.mpi
def test_try_exits_1_for_the_students_fault(course: Path, tmp_path: Path) -> None:
    """`mpilab try` exits 1 for a kernel that doesn't compile, with the compiler's message at the student's line."""
    path = tmp_path / "mine.c"
    path.write_text((course / "labs" / "echo" / "baseline.c").read_text().replace("return 1;", "return 1", 1))
    arguments = [sys.executable, "-m", "mpilab", "try", "echo", str(path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "BUILD_FAILED" in done.stdout
    assert "mine.c:13:" in done.stdout


@pytest.mark.mpi
def test_watch_tries_every_save(course: Path, tmp_path: Path) -> None:
    """`mpilab watch` gives a verdict at once and after each save, on warm clusters, until it is interrupted."""
    path = tmp_path / "mine.py"
    good = (course / "solutions" / "echo" / "reference.py").read_text()
    path.write_text(good)
    watching = subprocess.Popen(
        [sys.executable, "-m", "mpilab", "watch", "echo", str(path), "--budget", "0.3"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert watching.stdout is not None
    lines = iter(watching.stdout.readline, "")

    def verdict() -> str:
        found = next(line.split()[0] for line in lines if line.split(" ")[0].isupper())
        next(line for line in lines if "waiting for the next save" in line)
        return found

    assert verdict() == Kind.OK
    path.write_text(good.replace("*= 2", "*= 3"))
    assert verdict() == Kind.WRONG_ANSWER
    time.sleep(0.3)
    path.with_suffix(".new").write_text(good)  # as editors save: another file in its place
    path.with_suffix(".new").replace(path)
    assert verdict() == Kind.OK
    watching.send_signal(2)
    assert watching.wait(timeout=30) == 130
    watching.stdout.close()


@pytest.mark.mpi
def test_compare_command(course: Path, tmp_path: Path) -> None:
    """`mpilab compare` says that the second of two kernels is the faster, and writes the same JSON."""
    a, b = course / "labs" / "echo" / "baseline.c", course / "solutions" / "echo" / "reference.c"
    arguments = ["compare", "echo", str(a), str(b), "--json", str(tmp_path / "r.json"), "--budget", "1"]
    done = subprocess.run([sys.executable, "-m", "mpilab", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "times the speed of baseline.c" in done.stdout
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["speed"] == "faster"
    assert found["speedup"]["low"] > 1.5
