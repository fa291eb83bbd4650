"""What mpilab's installation asks of a machine: Python, a place, a C compiler, room on the disk.

Theory of operation.  Each check raises an InstallError that says what is missing and how to get it; nothing is made
and nothing is remembered.  Tools run with their outputs in one text, so that a full disk is recognised whoever meets
it.  Only the standard library, and no syntax newer than Python 3.6 (see install.py).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OLDEST = (3, 11)
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")  # looked for when python3 is too old
ROOT = Path(__file__).resolve().parent.parent
ROOM_MB = 600  # .venv takes 300, byte code comes later, and downloads are mostly on the same disk
DOWNLOADS_MB = 150
IN_THE_WAY = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_NO_BINARY")
PROGRAM = '#include <stdio.h>\n#include <pthread.h>\nint main(void) { return puts("") < 0; }\n'
COMPILERS = """Debian, Ubuntu: apt install gcc libc6-dev
Fedora: dnf install gcc
macOS: xcode-select --install
conda: conda install c-compiler; export MPICH_CC="$CC"
"""


class InstallError(Exception):
    """mpilab can't be set up here: what is wrong, and what to do next, one way a line."""

    def __init__(self, message: str, then: str) -> None:
        """Join what happened (`message`) with what to do about it (`then`)."""
        super().__init__(f"{message}\n  next: " + then.strip().replace("\n", "\n        "))


def check_python() -> None:
    """Refuse a Python that is too old, and offer a newer one that is here."""
    if sys.version_info >= OLDEST:
        return
    found = [name for name in NEWER if shutil.which(name)]
    raise InstallError(
        f"Python is too old: {sys.executable} is {sys.version.split()[0]}, needed is {OLDEST[0]}.{OLDEST[1]} or newer",
        f"make PYTHON={found[0]} demo ({found[0]} is on this machine)"
        if found
        else "install a newer one (Debian 12: apt install python3 python3-venv), then: make PYTHON=python3.12 demo",
    )


def check_place() -> None:
    """Refuse systems without MPICH wheels, and folders that mpicc and the loader can't live in."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise InstallError(
            f"mpilab needs Linux or macOS, this is {sys.platform}: MPICH's wheels exist only there",
            "on Windows, use WSL 2 (wsl --install) and run make in it",
        )
    names = {" ": "a space", ":": "a colon", ",": "a comma"}
    bad = " and ".join(names.get(found, "white space") for found in sorted(set(re.findall(r"[\s:,]", str(ROOT)))))
    if bad:
        raise InstallError(
            f"the path of this folder has {bad} in it: {ROOT}\n  mpicc and LD_PRELOAD would take it apart there",
            f"move the folder to a path without it, for example: mv '{ROOT}' ~/mpilab",
        )


def check_venv_module() -> None:
    """Refuse a Python that can't make virtual environments (Debian packages that apart)."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        raise InstallError(
            f"{sys.executable} can't make virtual environments, its venv module is not complete: {error}",
            "Debian, Ubuntu: apt install python3-venv\nor take another Python: make PYTHON=python3.12 demo",
        ) from None


def check_compiler() -> None:
    """Refuse a machine without a C compiler, or whose compiler has no C library."""
    compiler = (os.environ.get("MPICH_CC") or "cc").split()
    if not shutil.which(compiler[0]):
        path = os.environ.get("PATH", "not set")
        raise InstallError(
            f"no C compiler: {compiler[0]} is not on PATH ({path})\n  C kernels are compiled here: mpicc calls it",
            COMPILERS,
        )
    compile_here(compiler, PROGRAM, f"the C compiler {compiler[0]} can't build a program")


def compile_here(command: "list[str]", source: str, complaint: str) -> None:
    """Compile `source`; `complaint` is what it means when that fails."""
    with tempfile.TemporaryDirectory(prefix="mpilab-") as folder:
        Path(folder, "try.c").write_text(source, encoding="ascii")
        code, output = run([*command, "try.c", "-o", "try.out"], folder)
    if code:
        hint = ", the C library's headers are missing" if "No such file" in output else ""
        lines = [line for line in output.splitlines() if "error" in line] or output.splitlines()
        raise InstallError(f"{complaint}{hint}\n  it said: " + " / ".join(lines[:2]), COMPILERS)


def rooms() -> "list[tuple[int, int, str]]":
    """Give MB free, MB needed and the folder, scarcest first."""
    temporary = os.environ.get("TMPDIR", "/tmp")
    places = [(ROOT, ROOM_MB), (Path(temporary), DOWNLOADS_MB)]
    found = [(shutil.disk_usage(str(p)).free // 1000000, needed, str(p)) for p, needed in places if p.is_dir()]
    return sorted(found, key=lambda room: room[0] - room[1])


def check_disk() -> None:
    """Refuse to begin where the disk would be full before the end."""
    if any(free < needed for free, needed, _ in rooms()):
        raise full_disk()


def full_disk() -> InstallError:
    """Give the error for a disk that is full, or is going to be."""
    free, needed, folder = rooms()[0]
    return InstallError(
        f"the disk is full: {free} MB free, {needed} MB needed in {folder}",
        "make room, then run make again\nanother folder for temporary files: TMPDIR=/some/folder make demo",
    )


def start(command: "list[str]", folder: str = str(ROOT)) -> "subprocess.Popen[str]":
    """Start `command`, both outputs in one pipe, without the settings that would send packages elsewhere."""
    environment = {name: value for name, value in os.environ.items() if name not in IN_THE_WAY}
    return subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment, PIP_USER="0", LC_ALL="C.UTF-8"),  # messages in English: some are searched for words
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        close_fds=False,  # the lock on .venv.lock is inherited (install.py)
    )


def run(command: "list[str]", folder: str = str(ROOT)) -> "tuple[int, str]":
    """Run `command`; give its status and output.  A full disk is raised."""
    with start(command, folder) as process:
        output = process.communicate()[0]
    if process.returncode and is_full(output):
        raise full_disk()
    return process.returncode, output


def is_full(text: str) -> bool:
    """Tell whether a tool's output says that the disk is full."""
    return re.search(r"No space left on device|Disk quota exceeded|Errno (28|122)\b", text) is not None
