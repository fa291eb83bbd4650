"""Sets mpilab up: `.venv/` with what requirements.lock names, and mpilab itself in it.  Run by the Makefile.

Theory of operation.  The machine is checked first, cheapest test first, because a missing compiler is better said now
than after a minute of downloads.  Then two steps, each with a stamp in `.venv/` that holds a hash of all it depends on
(the lock, pyproject.toml, the interpreter, the place).  A step whose stamp fits is done; anything else, whether the
lock has changed, the folder was moved or the last run was killed, is made anew, the first step from an empty folder.
When both fit, nothing but hashing happens.

One installation at a time: the lock on `.venv.lock` is inherited by pip, so that it lasts while a pip works, even when
this process was killed.  A failure is told in four parts (what, what was expected, what was found, what to do next) and
ends with status 2.

Only the standard library, and no syntax newer than Python 3.6: an old Python has to get as far as the message.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

OLDEST = (3, 11)
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")  # looked for when python3 is too old
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
ROOM_MB = {"the packages": 450, "pip's downloads": 150}  # 350 and 110 are used
SETTINGS_IN_THE_WAY = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_NO_BINARY")
POLL_S = 0.2
PROGRAM = "#include <stdio.h>\n#include <pthread.h>\nint main(void) { return puts(\"\") < 0; }\n"
KERNEL = "#include <mpi.h>\nint kernel(void) { return MPI_Barrier(MPI_COMM_WORLD); }\n"
COMPILERS = """Debian, Ubuntu: apt install gcc libc6-dev
Fedora: dnf install gcc
macOS: xcode-select --install
conda: conda install c-compiler, and export MPICH_CC="$CC\""""


class InstallError(Exception):
    """mpilab can't be set up here: what is wrong, and what to do next, one way a line."""

    def __init__(self, message: str, then: str) -> None:
        """Join what happened (`message`) with what to do about it (`then`)."""
        super().__init__("{}\n  next: {}".format(message, then.replace("\n", "\n        ")))


# ---- saying what happens ---------------------------------------------------------------------------------------------


def is_live() -> bool:
    """Tell whether a progress bar can be drawn."""
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def say(text: str) -> None:
    """Print one line, in place of the bar if there is one."""
    print(("\r\033[K" if is_live() else "") + "mpilab: " + text, flush=True)


def draw(share: float, label: str) -> None:
    """Draw the bar at `share` (0 to 1)."""
    if not is_live():
        return
    full = int(28 * min(1.0, share))
    text = "[{}{}] {:3.0f} %  {}".format("#" * full, "." * (28 - full), 100 * min(1.0, share), label)
    print("\r\033[K" + text[: shutil.get_terminal_size().columns - 1], end="", flush=True)


# ---- is this machine fit? --------------------------------------------------------------------------------------------


def check_python() -> None:
    """Refuse a Python that is too old, and offer a newer one that is here."""
    if sys.version_info >= OLDEST:
        return
    found = [name for name in NEWER if shutil.which(name)]
    raise InstallError(
        "Python is too old: {} is {}.{}, needed is {}.{} or newer".format(
            sys.executable, sys.version_info[0], sys.version_info[1], *OLDEST
        ),
        "make PYTHON={} demo (it is on this machine)".format(found[0])
        if found
        else "install a newer Python (Debian 12: apt install python3 python3-venv), then: make PYTHON=python3.12 demo",
    )


def check_place() -> None:
    """Refuse systems without MPICH wheels, and folders that mpicc and the loader can't live in."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise InstallError(
            "mpilab needs Linux or macOS, this is {}: MPICH's wheels exist only there".format(sys.platform),
            "on Windows, use WSL 2 (wsl --install) and run make in it",
        )
    bad = sorted(set(re.findall(r"[\s:,]", str(ROOT))))
    if bad:
        names = {" ": "a space", ":": "a colon", ",": "a comma"}
        raise InstallError(
            "the path of this folder has {} in it: {}\n  mpicc and LD_PRELOAD take paths apart there".format(
                " and ".join(names.get(character, "white space") for character in bad), ROOT
            ),
            "move the folder to a path without it, for example: mv '{}' ~/mpilab".format(ROOT),
        )


def check_venv_module() -> None:
    """Refuse a Python that can't make virtual environments (Debian packages that apart)."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        raise InstallError(
            "{} can't make virtual environments: {}".format(sys.executable, error),
            "Debian, Ubuntu: apt install python3-venv\nor take another Python: make PYTHON=python3.12 demo",
        ) from None


def check_compiler() -> None:
    """Refuse a machine without a C compiler, or whose compiler has no C library."""
    compiler = os.environ.get("MPICH_CC", "cc").split()
    if not compiler or not shutil.which(compiler[0]):
        raise InstallError(
            "no C compiler: {} is not on PATH ({})\n  C kernels are compiled here, by mpicc, which calls it".format(
                compiler[0] if compiler else "MPICH_CC (set, but empty)", os.environ.get("PATH", "not set")
            ),
            COMPILERS,
        )
    compile_here(compiler, PROGRAM, "the C compiler {} can't build a program".format(compiler[0]))


def compile_here(command: "list[str]", source: str, complaint: str) -> None:
    """Compile `source`; `complaint` says what it means when that fails."""
    with tempfile.TemporaryDirectory(prefix="mpilab-") as folder:
        Path(folder, "try.c").write_text(source, encoding="ascii")
        done = run([*command, "try.c", "-o", "try.out"], cwd=folder)
    if done.returncode:
        if is_full(done.stdout):
            raise full_disk()
        hint = "the C library's headers are missing" if "No such file" in done.stdout else "see its message"
        lines = [line for line in done.stdout.splitlines() if "error" in line] or done.stdout.splitlines()
        raise InstallError("{}: {}\n  it said: {}".format(complaint, hint, " / ".join(lines[:2])), COMPILERS)


def check_disk() -> None:
    """Refuse to begin where the disk would be full before the end."""
    room = {}  # type: dict[int, tuple[list[str], Path, int]]
    for (what, needed), path in zip(ROOM_MB.items(), (ROOT, Path(tempfile.gettempdir()))):
        whats, _, before = room.get(path.stat().st_dev, ([], path, 0))
        room[path.stat().st_dev] = ([*whats, what], path if not whats else ROOT, before + needed)
    for whats, path, needed in room.values():
        free = shutil.disk_usage(str(path)).free // 1000000
        if free < needed:
            raise full_disk("{} MB free in {}, needed are {} MB for {}".format(free, path, needed, " and ".join(whats)))


def full_disk(found: str = "") -> InstallError:
    """Give the error for a disk that is full, or is going to be."""
    temporary = tempfile.gettempdir() if found else os.environ.get("TMPDIR", "/tmp")  # noqa: S108
    places = [path for path in (str(ROOT), temporary) if os.path.isdir(path)]
    free = ("{} MB free in {}".format(shutil.disk_usage(path).free // 1000000, path) for path in places)
    return InstallError(
        "the disk is full: " + (found or ", ".join(free) + "; needed are {} MB".format(sum(ROOM_MB.values()))),
        "make room and run make again; another place for downloads: TMPDIR=/some/folder make demo",
    )


def is_full(text: str) -> bool:
    """Tell whether a tool's output says that the disk is full."""
    return re.search(r"No space left on device|Disk quota exceeded|Errno (28|122)\b", text) is not None


# ---- running tools ---------------------------------------------------------------------------------------------------


def environment() -> "dict[str, str]":
    """Give the caller's environment without what would send packages elsewhere or bring in foreign ones."""
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS_IN_THE_WAY}
    return dict(kept, PIP_USER="0")


def run(command: "list[str]", cwd: str = str(ROOT)) -> "subprocess.CompletedProcess[str]":
    """Run `command` and capture both of its outputs as one text."""
    return subprocess.run(
        command, cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip


def pip(arguments: "list[str]", held: int, packages: int = 0) -> None:
    """Run `pip install`, with a bar when the number of `packages` is known; pip inherits the lock `held`."""
    command = [str(VENV / "bin" / "python"), "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar=off", "--no-compile", "--no-deps", *arguments]
    lines = []  # type: list[str]
    with subprocess.Popen(
        command, cwd=str(ROOT), env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", pass_fds=(held,),
    ) as process:  # fmt: skip
        reader = threading.Thread(target=lambda: [lines.append(line) for line in process.stdout or ()], daemon=True)
        reader.start()
        before = count_installed()
        try:
            while reader.is_alive():
                if packages:
                    show_pip(lines, packages, count_installed() - before)
                reader.join(POLL_S)
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise explain_pip("".join(lines))


def count_installed() -> int:
    """Count the packages in .venv; pip itself says nothing while it installs."""
    return sum(1 for _ in VENV.glob("lib/python*/site-packages/*.dist-info"))


def show_pip(lines: "list[str]", packages: int, installed: int) -> None:
    """Draw the bar: a package counts once when it is fetched and once when it is installed."""
    wanted = packages - sum(line.startswith("Ignoring ") for line in lines)
    fetched = sum(line.startswith("Collecting ") for line in lines)
    told = [line.split() for line in lines if re.match(r"\s*(Collecting|Downloading|Installing|WARNING: Retrying)", line)]
    label = " ".join(told[-1][:2]) if told else "starting pip"
    if "Retrying" in label:
        label = "no answer from the package index, trying again"
    elif "Installing" in label:
        label = "Installing {} of {}".format(installed, wanted)
    draw((fetched + installed) / (2 * max(1, wanted)), label)


def explain_pip(output: str) -> InstallError:
    """Turn the output of a pip that failed into the error to raise."""
    if is_full(output):
        return full_disk()
    if "DO NOT MATCH THE HASHES" in output:
        return InstallError(
            "a package is not the file that requirements.lock names (its hash differs)\n  " + pip_settings(),
            "use another package index (PIP_INDEX_URL), or empty pip's cache: python3 -m pip cache purge",
        )
    package = re.search(r"No matching distribution found for (\S+)", output)
    if re.search(r"Retrying|[Cc]onnection|timed out|SSLError|ProxyError|from versions: none", output):
        why = re.search(r"Failed to establish a new connection: ([^']+)'|(\w+(?:Error|Timeout))\(", output)
        return InstallError(
            "no network: pip got no {} from the package index{}\n  {}".format(
                package.group(1) if package else "answer",
                " ({})".format((why.group(1) or why.group(2)).strip()) if why else "",
                pip_settings(),
            ),
            "connect this machine, or name an index that it reaches: PIP_INDEX_URL=... make demo\n"
            "behind a proxy: HTTPS_PROXY=... make demo\nthen run make again",
        )
    if package:
        return InstallError(
            "no ready-made package of {} for Python {}.{} on {} {}".format(
                package.group(1), sys.version_info[0], sys.version_info[1], *os.uname()[::4]
            ),
            "try another Python: make PYTHON=python3.12 demo\nMPICH exists for Linux with glibc and for macOS",
        )
    said = [line for line in output.splitlines() if "ERROR" in line or "error:" in line] or output.splitlines()
    return InstallError("pip failed: " + " / ".join(said[-3:]), "mend that, then run make again")


def pip_settings() -> str:
    """Say which package index pip uses, and where that is set; passwords are left out."""
    listed = run([str(VENV / "bin" / "python"), "-I", "-m", "pip", "config", "list"]).stdout
    named = [line for line in listed.splitlines() if re.search(r"(index-url|no-index|find-links|proxy)=", line)]
    if not named:
        return "pip uses its default index: neither PIP_INDEX_URL nor a pip.conf names another"
    return "pip's settings: " + re.sub(r"//[^/@\s]*@", "//***@", ", ".join(named))


# ---- the two steps ---------------------------------------------------------------------------------------------------


def stamps() -> "list[tuple[Path, str]]":
    """Name each step's stamp, and the hash that it holds when the step is done."""
    parts = [sys.version, sys.base_prefix, str(VENV), LOCK.read_text(encoding="utf-8")]
    packages = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    project = hashlib.sha256(packages.encode() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return [(VENV / "packages.stamp", packages), (VENV / "mpilab.stamp", project)]


def is_done(stamp: Path, key: str) -> bool:
    """Tell whether the step of `stamp` was finished for the same `key`."""
    try:
        return stamp.read_text(encoding="ascii") == key
    except (OSError, ValueError):
        return False


def install_packages(held: int) -> None:
    """Make .venv anew, with everything that the lock names."""
    for old in [VENV / "packages.stamp", *(VENV.iterdir() if VENV.is_dir() else ())]:
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(str(old))
        elif old.exists() or old.is_symlink():
            old.unlink()
    check_disk()
    say("making .venv with Python {}".format(sys.version.split()[0]))
    made = run([sys.executable, "-m", "venv", str(VENV)])
    if made.returncode:
        if is_full(made.stdout):
            raise full_disk()
        said = " / ".join(made.stdout.splitlines()[-2:])
        raise InstallError("python -m venv failed: " + said, "Debian, Ubuntu: apt install python3-venv")
    packages = len(re.findall(r"^\S+==", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    say("installing the packages of requirements.lock (MPICH, mpi4py, ipyparallel and what they need)")
    pip(["--require-hashes", "--only-binary=:all:", "-r", str(LOCK)], held, packages)


def install_mpilab(held: int) -> None:
    """Install mpilab itself, editable, and see that MPI works from C and from Python."""
    say("installing mpilab, trying mpicc and mpi4py")
    pip(["--no-build-isolation", "-e", str(ROOT)], held)
    compile_here([str(VENV / "bin" / "mpicc"), "-shared", "-fPIC"], KERNEL, "mpicc can't build an MPI kernel")
    script = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; MPI.Get_library_version()"
    done = run([str(VENV / "bin" / "python"), "-I", "-c", script])
    if done.returncode:
        said = (done.stdout.splitlines() or ["status {}".format(done.returncode)])[-1]
        raise InstallError("mpi4py can't load MPI: " + said, "make clean, then run make again")


def install() -> None:
    """Bring .venv up to date; two processes that try at the same time do it one after the other."""
    import fcntl  # not on Windows, which check_place refuses

    check_venv_module()
    check_compiler()
    start = time.monotonic()
    with (ROOT / ".venv.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another installation is at work in this folder; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for (stamp, key), step in zip(stamps(), (install_packages, install_mpilab)):
            if not is_done(stamp, key):
                step(lock.fileno())
                stamp.write_text(key, encoding="ascii")
    say("ready after {:.0f} s; the next time this takes none".format(time.monotonic() - start))


def interrupt(*_: object) -> None:
    """Treat a polite kill like Ctrl-C, so that pip is ended too."""
    raise KeyboardInterrupt


def main() -> int:
    """Install what is missing; give the exit status."""
    signal.signal(signal.SIGTERM, interrupt)
    try:
        check_python()
        check_place()
        if all(is_done(stamp, key) for stamp, key in stamps()):
            return 0
        if Path(sys.prefix).resolve() == VENV:  # in an activated .venv, which is about to be emptied
            python = str(Path(sys.base_exec_prefix, "bin", "python{}.{}".format(*sys.version_info)))
            os.execv(python, [python, __file__])  # noqa: S606
        install()
    except InstallError as error:
        problem = str(error)
    except KeyboardInterrupt:
        print("\nmpilab: interrupted; run make again, and it goes on with the step that was cut short", file=sys.stderr)
        return 130
    except OSError as error:
        full = is_full("Errno {}".format(error.errno)) or "temporary directory" in str(error)
        problem = str(full_disk() if full else InstallError(str(error), "mend that, then run make again"))
    else:
        return 0
    print(("\r\033[K" if is_live() else "") + "mpilab: " + problem, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
