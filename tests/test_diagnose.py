"""`mpilab diagnose` as a user meets it: sources, binaries, scripts, bad input, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mpilab import sweep
from mpilab.diagnosis.diagnose import diagnose
from mpilab.errors import HarnessError

pytestmark = pytest.mark.mpi

BIN = Path(sys.executable).parent
PROGRAMS = Path(__file__).parent / "programs"
HEAD = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int c, char **v) {\n"
RACE = PROGRAMS / "buffer-race" / "write_send_buffer.c"


def write(folder: Path, body: str, name: str = "x.c") -> Path:
    """A C program whose main is `body`."""
    path = folder / name
    path.write_text(f"{HEAD}{body}\n}}\n", encoding="utf-8")
    return path


def mpilab(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """What the command says."""
    command = [BIN / "mpilab", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, check=False)


def test_the_command_tells_and_writes_json(tmp_path: Path) -> None:
    """Exit status 1, the finding with its line, and a JSON file with the fields that are promised."""
    said = mpilab("diagnose", RACE, "-n", "2", "--json", tmp_path / "out.json")
    assert said.returncode == 1, said.stderr
    assert "> 14 |" in said.stdout
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["verdict"] == "erroneous"
    assert {"kind", "rank", "call", "where", "message", "rule"} == set(found["findings"][0])
    assert found["findings"][0]["where"] == "write_send_buffer.c:14"


def test_a_correct_program_is_ok_and_gets_its_arguments(tmp_path: Path) -> None:
    """Exit status 0; what stands behind -- is the program's."""
    body = (
        'MPI_Init(&c, &v); if (c != 3 || atoi(v[2]) != 7) MPI_Abort(MPI_COMM_WORLD, 1); puts("fine");'
        " return MPI_Finalize();"
    )
    said = mpilab("diagnose", write(tmp_path, body), "-n", "3", "--", "--size", "7")
    assert (said.returncode, said.stdout.split()[0]) == (0, "ok"), said.stdout + said.stderr


def test_a_binary_is_told_by_checksum(tmp_path: Path) -> None:
    """Without its source a write in flight is still found, and what can't be seen is said."""
    binary = tmp_path / "program"
    subprocess.run([BIN / "mpicc", "-g", RACE, "-o", binary], check=True)
    found = diagnose(binary, 2)
    assert {one.kind for one in found.findings} == {"buffer-race"}
    assert "source" in found.not_seen


def test_a_status_other_than_0_after_finalize_is_no_crash(tmp_path: Path) -> None:
    """What a program returns is its own affair."""
    assert diagnose(write(tmp_path, "MPI_Init(&c, &v); MPI_Finalize(); return 3;"), 2).verdict == "ok"


def test_a_rank_that_sleeps_is_no_deadlock(tmp_path: Path) -> None:
    """One rank is away for longer than a deadlock takes to be named, and the others wait for it."""
    body = (
        "int r; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); if (!r) sleep(4); MPI_Barrier(MPI_COMM_WORLD);"
        " return MPI_Finalize();"
    )
    assert diagnose(write(tmp_path, body), 3).verdict == "ok"


def test_two_that_wait_are_a_deadlock_whatever_a_third_computes(tmp_path: Path) -> None:
    """Ranks 0 and 1 wait for each other while rank 2 is busy for a minute: named, long before it is done."""
    body = (
        "int r, x; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); if (r == 2) sleep(60);\n"
        "else MPI_Recv(&x, 1, MPI_INT, 1 - r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); return MPI_Finalize();"
    )
    found = diagnose(write(tmp_path, body), 3)
    assert (found.verdict, found.plain) == ("deadlock", "stuck")
    assert "ranks 0 and 1 both wait in MPI_Recv" in found.findings[0].message
    assert found.findings[0].where == "x.c:7"
    assert found.took_s < 60


def test_a_crash_has_its_line(tmp_path: Path) -> None:
    """Verdict crashed, the signal, file and line."""
    found = diagnose(write(tmp_path, "MPI_Init(&c, &v);\nint *p = NULL;\n*p = 1;\nreturn MPI_Finalize();"), 2)
    assert found.verdict == "crashed"
    assert found.findings[0].kind == "crash"
    assert "SIGSEGV" in found.findings[0].message
    assert found.findings[0].where == "x.c:8"


def test_a_program_that_forks_is_watched_all_the_same(tmp_path: Path) -> None:
    """A child that outlives its use does not confuse the parent's log, and is gone afterwards."""
    body = "MPI_Init(&c, &v); if (!fork()) { sleep(30); _exit(0); } return MPI_Finalize();"
    assert diagnose(write(tmp_path, body), 2).verdict == "ok"


@pytest.mark.parametrize(
    ("body", "flags", "says"),
    [
        ("puts(v[0]); return c > 5;", [], "never called MPI_Init"),
        ("return c > 5;", ["-static"], "statically linked"),
        ("return c > 5;", [], "not linked with an MPI library"),
    ],
    ids=["no MPI_Init", "static", "not MPI"],
)
def test_what_can_not_be_observed_is_said(tmp_path: Path, body: str, flags: list[str], says: str) -> None:
    """No MPI_Init, a static program, no MPI at all: a message, exit status 2, no verdict."""
    source = write(tmp_path, body)
    if says != "never called MPI_Init":
        text = source.read_text().replace("#include <mpi.h>\n", "")
        source.write_text(text)
        subprocess.run(["cc", *flags, source, "-o", tmp_path / "program"], check=True)
        source = tmp_path / "program"
    said = mpilab("diagnose", source)
    assert said.returncode == 2
    assert says in said.stderr


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.c", None, "there is no file"),
        ("broken.c", "int main( {", "does not compile"),
        ("text.txt", "hello", "not executable"),
    ],
)
def test_bad_input_is_the_callers_mistake(tmp_path: Path, name: str, content: str | None, says: str) -> None:
    """A missing file, C that doesn't compile, a text: HarnessError with what to do."""
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(HarnessError, match=says):
        diagnose(tmp_path / name, 2)


def test_killed_it_leaves_nothing(tmp_path: Path) -> None:
    """SIGKILL in the middle: its ranks are gone in a moment, and the next command clears its folder."""
    source = write(tmp_path, "MPI_Init(&c, &v); sleep(50); return MPI_Finalize();")
    running = subprocess.Popen([BIN / "mpilab", "diagnose", source], start_new_session=True)
    try:
        wait_for(lambda: any("plain" in name for name in names(running.pid)), "the program to start")
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        wait_for(lambda: not names(running.pid), "its ranks to go")
    finally:
        running.kill()
    sweep.sweep()
    assert not list(sweep.base().glob(f"{running.pid}-*"))


def names(owner: int) -> list[str]:
    """The processes below runs of the process `owner`."""
    folders = [folder.name for folder in sweep.base().glob(f"{owner}-*")]
    return [p.name() for folder in folders for p in sweep.marked(folder) if p.is_running()]


def wait_for(condition, what: str) -> None:  # noqa: ANN001
    """Wait for something that takes a moment."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)
