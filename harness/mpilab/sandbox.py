"""The sandbox of graded code: bubblewrap, so that a submission sees and reaches only what it must.

Theory of operation.  A command runs in namespaces of its own (network, processes, shared memory, mounts): no network,
no process but its own, a file tree of what it is given to read (the system, Python, MPI, the harness), and folders in
memory, limited in size, to write to.  Solutions, oracles, gradebook, home folders and other students' files aren't in
that tree.  Who is root gives it a user of its own; nobody in it can gain privileges.  The system limits its processes,
files, memory and CPU time.  All of it ends with the process that started it, for the namespace's first process dies.
"""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mpilab.errors import HarnessError

TOOL = "bwrap"
MARK = "MPILAB_SANDBOX"  # in the environment of what runs in one
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/sys/devices/system"),
)
LO = "/sys/devices/virtual/net/lo"  # the only network there is; UCX looks for it here
LOOPBACK = ("--dir", LO, "--dir", "/sys/class/net", "--symlink", LO, "/sys/class/net/lo")
FIRST_UID = 2_000_000_000  # of users that no system hands out
MEMORY_BYTES = 512 << 20  # of each folder in memory
LIMITS = {
    "nproc": 512,  # with threads: four engines have fewer than 100
    "nofile": 512,
    "fsize": 256 << 20,
    "cpu": 600,  # seconds of one process
    "core": 0,
}
WITHOUT = "--unsafe-no-sandbox"
NAME = "bubblewrap"  # as a record has it

_users = itertools.count(FIRST_UID + os.getpid() % 1_000_000 * 100)


def needed() -> str:
    """Why there is no sandbox on this machine, '' when there is one; what is missing has its remedy."""
    if not shutil.which(TOOL):
        return "bubblewrap isn't installed (Debian, Ubuntu: apt install bubblewrap)"
    try:
        said = subprocess.run(command(["true"]), capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap cannot be run: {error}"
    return f"bubblewrap does not work here: {said.stderr.strip()}" if said.returncode else ""


def require() -> None:
    """Raise HarnessError where there is no sandbox."""
    if why := needed():
        raise HarnessError(
            f"graded code runs in a sandbox only, and here is none: {why}",
            then=f"mend that; for code that you trust, say {WITHOUT}: the record then says so",
        )


def command(
    argv: Sequence[str],
    *,
    read: Sequence[Path] = (),
    write: Sequence[Path] = (),
    memory: Sequence[Path] = (),
    folder: Path | None = None,
) -> list[str]:
    """What runs `argv` in a sandbox.

    Args:
        argv: the command; it starts in `folder`, else in /tmp.
        read: files and folders it may read, at their own places.
        write: folders it may write to; what it writes is the caller's to limit and to remove.
        memory: empty folders in memory, to write to, which go with it.
        folder: where it starts.
    """
    given = [*map(Path, SYSTEM), *_python(), *read]
    rooms = ["--proc", "/proc", "--dev", "/dev", *LOOPBACK, *_room("/tmp"), *_room("/dev/shm")]
    ways = [word for path in _above((*given, *write, *memory)) for word in ("--perms", "0755", "--dir", path)]
    binds = [word for path in given for word in _bound("--ro-bind-try", path)]
    kept = [word for path in write for word in _bound("--bind", path)]
    more = [word for path in memory for word in _room(str(path))]
    return [
        TOOL,
        *(f"--unshare-{space}" for space in ("ipc", "pid", "net", "uts", "cgroup-try")),
        *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL"),
        *_owner(),
        *(*rooms, *ways, *more, *binds, *kept),
        *("--chdir", str(folder or "/tmp"), "--"),
        *_limited(),
        *argv,
    ]


def environment() -> dict[str, str]:
    """The environment of what runs in a sandbox: nothing of the user's."""
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    return {
        "PATH": path,
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        MARK: "1",
    }


def _bound(how: str, path: Path) -> tuple[str, str, str]:
    return how, str(path), str(path)


def _room(path: str) -> tuple[str, ...]:
    return "--perms", "1777", "--size", str(MEMORY_BYTES), "--tmpfs", path


def _above(paths: Sequence[Path]) -> list[str]:
    """The folders that lead to these paths, which bubblewrap would make for their owner only."""
    found = {str(parent) for path in paths for parent in path.parents}
    return sorted(found - {"/", "/tmp"})


def _python() -> list[Path]:
    """Python, MPI and the libraries: the interpreter's own tree and the virtual environment, without the project."""
    return list(dict.fromkeys(Path(p).resolve() for p in (sys.base_prefix, sys.prefix)))


def _owner() -> list[str]:
    """Another user, where we are root; else a user namespace in which nobody is root."""
    if os.geteuid():
        return ["--unshare-user", "--uid", str(os.geteuid()), "--gid", str(os.getegid())]
    return [word for cap in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{cap}")]


def _limited() -> list[str]:
    limits = ["prlimit", *(f"--{name}={value}" for name, value in LIMITS.items()), "--"]
    if os.geteuid():
        return limits
    uid = str(next(_users))
    drop = ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--clear-groups"]
    return [*limits, "setpriv", "--reuid", uid, "--regid", uid, *drop, "--"]
