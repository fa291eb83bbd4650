"""Nothing stays behind: processes, folders and segments go, and only those that are ours and dead."""

import mmap
import os
import secrets
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mpilab import sweep
from mpilab.errors import HarnessError


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all runners' folders, in the test's own temporary directory."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return sweep.base()


@pytest.fixture
def started() -> Iterator[list[int]]:
    """Pids of processes that a test starts, which are killed after it."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        try:
            os.kill(pid, 9)
        except ProcessLookupError:
            continue


def dead_pid() -> int:
    """Return the pid of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def sleepers(mark: str, started: list[int]) -> list[int]:
    """Start two processes that carry `mark`, stubborn ones: one in a session of its own, one orphaned besides."""
    code = (
        "import os, signal, subprocess, sys, time\n"
        "os.setsid()\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True)\n"
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
        "    print(os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", code], env=os.environ | {sweep.MARK: mark}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    pids = [int(process.stdout.readline()) for _ in range(2)]
    started += pids
    return pids


def gone(pid: int) -> bool:
    """Say whether process `pid` has ended, reaped or not; give it a moment."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.01)
    return False


def test_folders_are_private_and_carry_their_owner(base: Path) -> None:
    """A runner's folder is this user's only, named by this process, and new each time."""
    first, second = sweep.new_folder(), sweep.new_folder()
    assert first != second
    assert first.parent == base
    assert first.name.startswith(f"{os.getpid()}-")
    for folder in (base, first):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["a file", "a link to a folder", "a link to nowhere"])
def test_a_base_that_is_not_ours_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """In a directory that all may write to, something may stand in our place: it's refused with the mend."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / f"mpilab-{os.getuid()}"
    if kind == "a file":
        path.touch()
    elif kind == "a link to a folder":
        (tmp_path / "other").mkdir()
        path.symlink_to(tmp_path / "other")
    else:
        path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(HarnessError, match="TMPDIR"):
        sweep.base()


def test_a_temporary_directory_that_takes_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder can be made, the folder and the mend are named."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(HarnessError, match=r"cannot make .*gone[\s\S]*TMPDIR"):
        sweep.new_folder()


def test_only_folders_of_dead_owners_are_removed(base: Path) -> None:
    """What a dead process left goes; what lives, and what is no runner's folder, stays."""
    mine, dead = sweep.new_folder(), base / f"{dead_pid()}-0123abcd"
    for folder in (dead, base / "libraries-0123abcd", base / "records"):
        folder.mkdir()
        (folder / "file").touch()
    (base / "measuring.lock").touch()
    assert sweep.sweep() == [dead.name]
    assert sorted(p.name for p in base.iterdir()) == sorted(
        [mine.name, "libraries-0123abcd", "records", "measuring.lock"]
    )
    assert sweep.sweep() == []


def test_a_process_with_a_dead_owners_number_is_not_the_owner(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of processes come round: one that was started after the folder was made doesn't own it."""
    folder = sweep.new_folder()
    assert sweep.sweep() == []
    started = folder.stat().st_ctime + 60
    monkeypatch.setattr(psutil.Process, "create_time", lambda _: started)
    assert sweep.sweep() == [folder.name]
    assert list(base.iterdir()) == []


def test_an_owner_that_waits_to_be_reaped_is_dead(base: Path) -> None:
    """A killed owner whose parent hasn't looked yet is as dead as any."""
    with subprocess.Popen(["true"]) as process:
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        folder = base / f"{process.pid}-0123abcd"
        folder.mkdir()
        assert sweep.sweep() == [folder.name]


def test_a_dead_owners_processes_are_killed(base: Path, started: list[int]) -> None:
    """The next session ends what a killed one left running, before it removes the folder."""
    folder = base / f"{dead_pid()}-{secrets.token_hex(4)}"
    folder.mkdir()
    pids = sleepers(folder.name, started)
    assert sweep.sweep() == [folder.name]
    assert all(gone(pid) for pid in pids)


def test_marked_processes_cannot_get_away(started: list[int]) -> None:
    """Another session, a dead parent and deaf ears for SIGTERM don't help; other marks are left alone."""
    mark, other = f"1-{secrets.token_hex(4)}", f"1-{secrets.token_hex(4)}"
    pids, innocent = sleepers(mark, started), sleepers(other, started)
    assert sorted(p.pid for p in sweep.marked(mark)) == sorted(pids)
    sweep.kill_marked(mark)
    assert all(gone(pid) for pid in pids)
    assert sweep.marked(mark) == []
    assert sorted(p.pid for p in sweep.marked(other)) == sorted(innocent)


def test_a_process_never_kills_itself(started: list[int]) -> None:
    """A runner carries its own mark when it cleans up: it ends the others, and lives to remove its folder."""
    mark = f"1-{secrets.token_hex(4)}"
    code = f"from mpilab import sweep; sweep.kill_marked({mark!r}); print('alive')"
    pids = sleepers(mark, started)
    said = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {sweep.MARK: mark}, capture_output=True, text=True, check=True
    )
    assert said.stdout == "alive\n"
    assert all(gone(pid) for pid in pids)


def test_segments_are_unlinked_while_in_use(started: list[int]) -> None:
    """A segment of MPI's loses its name and goes on working; other files in shared memory keep theirs."""
    tail = secrets.token_hex(4)
    ours, others = Path(f"/dev/shm/mpich_shm_{tail}"), Path(f"/dev/shm/somebody_{tail}")
    code = (
        "import mmap, sys\n"
        "maps = []\n"
        "for path in sys.argv[1:]:\n"
        "    with open(path, 'w+b') as file:\n"
        "        file.write(b'still here')\n"
        "        file.flush()\n"
        "        maps.append(mmap.mmap(file.fileno(), 10))\n"
        "print('mapped', flush=True)\n"
        "sys.stdin.readline()\n"
        "print(maps[0][:].decode(), flush=True)\n"
    )
    command = [sys.executable, "-S", "-c", code, str(ours), str(others)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        started.append(process.pid)
        try:
            assert process.stdout
            assert process.stdout.readline() == "mapped\n"
            sweep.unlink_segments([process.pid, dead_pid()])
            assert not ours.exists()
            assert others.exists()
            assert process.communicate("go\n", timeout=10)[0] == "still here\n"
        finally:
            ours.unlink(missing_ok=True)
            others.unlink(missing_ok=True)


def test_only_old_segments_that_nobody_uses_are_orphans() -> None:
    """A segment without a process goes when it's a minute old; younger ones and those in use stay."""
    tail = secrets.token_hex(4)
    old, young, used = (Path(f"/dev/shm/mpich_shm_{tail}_{name}") for name in ("old", "young", "used"))
    try:
        for path in (old, young, used):
            path.write_bytes(b"segment")
        with used.open("r+b") as file, mmap.mmap(file.fileno(), 7):
            for path in (old, used):
                os.utime(path, (time.time() - 120,) * 2)
            sweep.unlink_orphan_segments()
            assert [path.exists() for path in (old, young, used)] == [False, True, True]
    finally:
        for path in (old, young, used):
            path.unlink(missing_ok=True)


def test_a_segment_that_vanishes_meanwhile_saves_no_orphan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other clusters end while one looks for orphans: a segment that is gone by then stops nothing."""
    tail = secrets.token_hex(4)
    others = [Path(f"/dev/shm/mpich_shm_{tail}_other{i}") for i in range(4)]
    old = [Path(f"/dev/shm/mpich_shm_{tail}_old{i}") for i in range(2)]

    def maps_while_others_end() -> str:
        for path in others:
            path.unlink(missing_ok=True)
        return ""

    monkeypatch.setattr(sweep, "_all_maps", maps_while_others_end)
    try:
        for path in (old[0], *others, old[1]):
            path.write_bytes(b"segment")
        for path in old:
            os.utime(path, (time.time() - 120,) * 2)
        sweep.unlink_orphan_segments()
        assert not any(path.exists() for path in old)
    finally:
        for path in (*others, *old):
            path.unlink(missing_ok=True)


def test_a_subreaper_gets_the_orphans() -> None:
    """An orphan of a child becomes the subreaper's own child, where it can be seen and ended."""
    code = (
        "import os, subprocess\n"
        "from mpilab import sweep\n"
        "sweep.become_subreaper()\n"
        "command = ['sh', '-c', 'sleep 60 >/dev/null & echo $!']\n"
        "pid = int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)\n"
        "import psutil\n"
        "parent = psutil.Process(pid).ppid()\n"
        "os.kill(pid, 9)\n"
        "print(parent == os.getpid())\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "True\n"
