"""Sessions end decently, however they end; several get along."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from mpilab import sweep
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.session import Session
from mpilab.verdict import Kind

pytestmark = pytest.mark.mpi

PATIENCE_S = 60.0
HOLD = """
import os, sys, time
from mpilab.session import Session
session = Session()
session.clusters.versions(); session.clusters.ours.versions()
print("warm", flush=True)
time.sleep(600)
"""


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for `condition`, which must come true."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def below(pid: int) -> list[psutil.Process]:
    """All processes of the runners that process `pid` owns."""
    names = [folder.name for folder in sweep.base().glob(f"{pid}-*")]
    runners = [p for p in psutil.process_iter() if any(n in a for n in names for a in _arguments(p))]
    return [*runners, *(p for name in names for p in sweep.marked(name))]


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def gone(processes: list[psutil.Process]) -> bool:
    """Whether none of `processes` runs any more; a zombie that init hasn't yet collected has gone."""
    return not [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture
def held(echo: Lab) -> Iterator["subprocess.Popen[str]"]:
    """Another process with warm clusters."""
    environment = os.environ | {"MPILAB_COURSE": str(echo.folder.parents[1])}
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "warm\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def segments() -> set[str]:
    """Segments of MPI that have a name."""
    return {p.name for p in Path("/dev/shm").iterdir() if p.name.startswith(("mpich", "ucx"))}


def test_killed_session_leaves_nothing(held: "subprocess.Popen[str]") -> None:
    """After kill -9 of the process that holds a session, its runners, engines and folders go by themselves."""
    family = below(held.pid)
    assert len(family) > 10
    held.kill()
    until(lambda: gone(family), "processes stayed")
    runners = list(sweep.base().glob(f"{held.pid}-*"))
    until(lambda: len([f for f in runners if f.exists()]) <= 1, "runners' folders stayed")
    sweep.sweep()
    assert not [f for f in runners if f.exists()]


def test_all_killed_at_once_leaves_nothing(held: "subprocess.Popen[str]") -> None:
    """After kill -9 of the session and both runners at once, engines go too, and folders with the next session."""
    family = below(held.pid)
    for process in [held, *(p for p in family if "mpilab.cluster" in _arguments(p))]:
        process.send_signal(signal.SIGKILL)
    until(lambda: gone(family), "processes stayed")
    held.wait()
    sweep.sweep()
    assert not list(sweep.base().glob(f"{held.pid}-*"))


def test_no_segment_has_a_name(small: Session) -> None:
    """A warm cluster's shared memory has no name any more, so nothing can be left of it."""
    small.clusters.versions()
    small.clusters.ours.versions()
    pids = [p.pid for name in (small.clusters.ours, small.clusters.theirs) for p in sweep.marked(name.folder.name)]
    mapped = "".join(Path(f"/proc/{pid}/maps").read_text() for pid in pids)
    assert "mpich_shm" in mapped
    assert not {name for name in segments() if f"/dev/shm/{name}\n" in mapped}


@pytest.mark.parametrize(
    ("number", "after_s"),
    [(signal.SIGINT, 0.3), (signal.SIGINT, 2.0), (signal.SIGINT, 4.0), (signal.SIGINT, 6.0), (signal.SIGTERM, 3.0)],
)
def test_interrupt_at_any_moment(echo: Lab, after_s: float, number: signal.Signals) -> None:
    """Ctrl-C or a polite kill at any moment ends the command soon with status 130, and leaves nothing."""
    environment = os.environ | {"MPILAB_COURSE": str(echo.folder.parents[1])}
    arguments = ["try", "echo", str(echo.reference("c")), "--budget", "60"]
    process = subprocess.Popen([sys.executable, "-m", "mpilab", *arguments], env=environment, stdout=subprocess.DEVNULL)
    time.sleep(after_s)
    family = below(process.pid)
    process.send_signal(number)
    status = process.wait(timeout=PATIENCE_S)
    assert status in (0, 130, -number)  # 0: it was done before; -number: Python had hardly begun
    until(lambda: gone(family), "processes stayed")
    sweep.sweep()
    assert not list(sweep.base().glob(f"{process.pid}-*"))


def test_what_was_measured_survives_an_interrupt(echo: Lab, tmp_path: Path) -> None:
    """Ctrl-C during the timing stores a record with the samples so far."""
    environment = os.environ | {"MPILAB_COURSE": str(echo.folder.parents[1]), "XDG_STATE_HOME": str(tmp_path)}
    code = (
        "import sys; from mpilab.session import Session\n"
        "def progress(text, share):\n"
        "    if 'round 14' in text: raise KeyboardInterrupt\n"
        f"with Session(progress=progress) as s: s.try_kernel('echo', {str(echo.baseline('c'))!r}, budget_s=60)\n"
    )
    process = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "KeyboardInterrupt" in process.stderr
    (path,) = tmp_path.glob("mpilab/records/*.json")
    record = json.loads(path.read_text())
    assert record["interrupted"]
    assert record["rounds"] == 14
    assert record["verdict"] == Kind.NOT_ATTEMPTED


def test_a_killed_runner_is_ours_to_mend(small: Session, echo: Lab) -> None:
    """A runner or an engine that somebody kills is no fault of the submission's, and the next attempt works."""
    clusters = small.clusters
    clusters.theirs.versions()
    clusters.theirs._process.kill()
    with pytest.raises(HarnessError, match="try again"):
        quick_attempt(small, echo)
    assert quick_attempt(small, echo) == Kind.OK
    engines = [p for p in sweep.marked(clusters.theirs.folder.name) if "ipyparallel.engine" in _arguments(p)]
    engines[0].kill()
    psutil.wait_procs(engines, timeout=10)
    with pytest.raises(HarnessError, match="is gone"):
        quick_attempt(small, echo)
    assert quick_attempt(small, echo) == Kind.OK


def test_a_start_that_fails_is_tried_again(small: Session) -> None:
    """A cluster that dies while it starts is replaced, and nobody hears of it."""
    runner = small.clusters.theirs
    runner.replace()
    first = runner.folder
    runner._process.kill()
    assert "mpi" in runner.versions()
    assert runner.folder != first


def quick_attempt(small: Session, echo: Lab) -> str:
    """The verdict of our own conversion, timed as little as possible."""
    from mpilab import referee

    return referee.attempt(small.clusters, echo, echo.reference("c"), 0.1).verdict


def test_two_sessions_take_turns(small: Session, echo: Lab) -> None:
    """While one session measures, a second waits and says so; both come to a verdict."""
    environment = os.environ | {"MPILAB_COURSE": str(echo.folder.parents[1])}
    code = (
        "from mpilab.session import Session\n"
        "with Session(progress=lambda text, share: print(text, flush=True)) as s:\n"
        f"    print(s.try_kernel('echo', {str(echo.reference('c'))!r}, budget_s=0.1).verdict)\n"
    )
    with small.clusters.measuring():
        other = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        lines = iter(other.stdout.readline, "")
        assert any("waiting for another session" in line for line in lines)
    assert other.stdout.read().strip().endswith(Kind.OK)
    assert other.wait() == 0
    other.stdout.close()
    assert quick_attempt(small, echo) == Kind.OK
