"""Leaving nothing behind: no process, no shared-memory segment, no folder, whatever was killed when.

Theory of operation.  Each runner has a folder `mpilab-UID/PID-RANDOM` in the system's temporary directory, and each of
its processes carries MPILAB_RUNNER=PID-RANDOM in its environment; PID is the runner's owner.  Three nets, each for what
the one before can't catch: (1) a process below a runner is killed by the system when its parent dies (host.c); (2)
whoever sees a runner end kills what carries its mark and removes its folder; (3) the next session does the same for
folders whose owner no longer lives.  Segments of shared memory are unlinked while still in use, so that there is
nothing to leave.
"""

import contextlib
import ctypes
import os
import re
import secrets
import shutil
import signal
import tempfile
import time
from pathlib import Path

import psutil

from mpilab.errors import HarnessError

MARK = "MPILAB_RUNNER"
MAIN_SEGMENT = "mpich_shm_"  # that of MPI_Init; MPICH's windows have others, which it unlinks itself when all have it
SEGMENT = re.compile(r"(/dev/shm/\S*(?:mpich|ucx|mpilab)\S*)")
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36


def base() -> Path:
    """The folder that holds all of this user's runners' folders, made when it isn't there."""
    path = Path(tempfile.gettempdir()) / f"mpilab-{os.getuid()}"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise HarnessError(f"cannot make {path}: {error.strerror}", then="free some space or set TMPDIR") from error
    if path.is_symlink() or path.stat().st_uid != os.getuid():
        raise HarnessError(f"{path} belongs to somebody else", then="set TMPDIR to a folder of your own")
    return path


def new_folder() -> Path:
    """Make a folder for one runner or session of this process."""
    folder = base() / f"{os.getpid()}-{secrets.token_hex(4)}"
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise HarnessError(f"cannot make {folder}: {error.strerror}", then="free some space or set TMPDIR") from error
    return folder


def sweep() -> list[str]:
    """Remove what dead owners left behind; return the names of the folders it was in."""
    dead = [f for f in base().iterdir() if re.fullmatch(r"\d+-[0-9a-f]+", f.name) and not _owner_lives(f)]
    for folder in dead:
        kill_marked(folder.name)
        shutil.rmtree(folder, ignore_errors=True)
    unlink_orphan_segments()
    return [folder.name for folder in dead]


def _owner_lives(folder: Path) -> bool:
    """Whether the process that made `folder` still runs; a process started later merely has its number."""
    try:
        owner = psutil.Process(int(folder.name.split("-")[0]))
        started_before = owner.create_time() <= folder.stat().st_ctime + 1
        return bool(started_before and owner.status() != psutil.STATUS_ZOMBIE)
    except (psutil.NoSuchProcess, FileNotFoundError):
        return False


def marked(name: str) -> list[psutil.Process]:
    """All processes that carry runner `name`'s mark, but for this one."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(MARK) == name:
                found.append(process)
    return found


def kill_marked(name: str) -> None:
    """Kill all processes that carry runner `name`'s mark, however they tried to get away."""
    for _ in range(20):
        processes = marked(name)
        unlink_segments([p.pid for p in processes])
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
        if not processes:
            return
        psutil.wait_procs(processes, timeout=0.5)


def unlink_segments(pids: list[int], which: str = "") -> None:
    """Unlink the shared-memory segments that `pids` have mapped; they go on using them, and the last one frees them.

    `which`: only those with this in their names.
    """
    for pid in pids:
        with contextlib.suppress(OSError):
            for path in set(SEGMENT.findall(Path(f"/proc/{pid}/maps").read_text())):
                if which in path:
                    Path(path).unlink(missing_ok=True)


def unlink_orphan_segments() -> None:
    """Unlink this user's MPICH segments that no process has mapped, a minute old: left by clusters killed young."""
    old = time.time() - 60
    candidates = []
    for path in Path("/dev/shm").glob("mpich_sh*"):
        with contextlib.suppress(OSError):
            state = path.stat()
            if state.st_uid == os.getuid() and state.st_mtime < old:
                candidates.append(path)
    maps = _all_maps() if candidates else ""
    for path in candidates:
        if str(path) not in maps:
            with contextlib.suppress(OSError):
                path.unlink()


def _all_maps() -> str:
    texts = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):
            texts.append(maps.read_text())
    return "".join(texts)


def become_subreaper() -> None:
    """Have orphans of this process's children handed to it, so that it can see and end them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def become_private() -> None:
    """Let no process of the same user look into this one: not at its memory, nor at its pipes."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
