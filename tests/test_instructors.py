"""docs/instructors.md leads to exported grades: every command in it is typed, in order, and ends as the page says.

A block marked `console` holds commands, each behind `$ `, its continuation behind `> `, and what they print.  A command
whose status isn't 0 says so at its end: `# status 1`.  Blocks marked `text` are for people only.
"""

import csv
import html
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpilab import sandbox

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "instructors.md"
LIMIT_S = 300.0  # of a command
GIVEN = 1.5  # for the explanation, by the page's own hand


def commands(text: str) -> Iterator[str]:
    """The commands of all console blocks, in order."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for one in re.findall(r"^\$ (.*\n(?:>(?: .*)?\n)*)", block, re.MULTILINE):
            yield re.sub(r"^>(?: |$)", "", one, flags=re.MULTILINE)


def stated(command: str) -> int:
    """The exit status that the page states for a command."""
    found = re.search(r"# status (\d+)\n", command)
    return int(found[1]) if found else 0


def environment(home: Path) -> dict[str, str]:
    """A user who has nothing yet but mpilab on PATH, and for whom there is no network to ask."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR", "CI") if name in os.environ}
    folders = {
        name: str(home / name.lower())
        for name in (
            *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
            *("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"),
        )
    }
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, **folders, **nowhere, "HOME": str(home), "PATH": path, "COURSE": str(TOP)}


class Terminal:
    """Types commands, one at a time; the folder carries over from one to the next."""

    def __init__(self, folder: Path, home: Path) -> None:
        """Start in `folder`."""
        self.folder, self._home = folder, home
        self._environment = environment(home)

    def type(self, command: str) -> tuple[int, str]:
        """The exit status of a command, and what it printed."""
        here = self._home / "pwd"
        script = f"{command}\nstatus=$?\npwd >'{here}'\nexit $status\n"
        with subprocess.Popen(
            ["bash", "-c", script], cwd=self.folder, env=self._environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                printed, _ = process.communicate(timeout=LIMIT_S)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        self.folder = Path(here.read_text(encoding="utf-8").rstrip("\n"))
        return process.returncode, printed


def rows(path: Path) -> dict[str, float]:
    """The score of each student in an exported table."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def shown(page: Path) -> str:
    """The text of an HTML page, with one blank for each gap."""
    text = html.unescape(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8")))
    return " ".join(text.split())


def secrets() -> list[str]:
    """Lines that only our own conversion of the ring has."""
    baseline = (TOP / "labs" / "ring" / "baseline.c").read_text(encoding="utf-8")
    reference = (TOP / "solutions" / "ring" / "reference.c").read_text(encoding="utf-8")
    lines = [line.strip() for line in reference.splitlines()]
    return [" ".join(line.split()) for line in lines if len(line) > 30 and line not in baseline]


def test_commands_are_read_with_their_continuation() -> None:
    """A command ends where its output begins; only console blocks count."""
    page = "```console\n$ cat <<'END'\n> a\n>\n>   b\n> END\na\n$ false # status 1\n```\n```text\n$ no\n```\n"
    assert list(commands(page)) == ["cat <<'END'\na\n\n  b\nEND\n", "false # status 1\n"]
    assert [stated(one) for one in commands(page)] == [0, 1]


def test_the_page_is_fit_to_read() -> None:
    """No line outside tables is too long, every block says what it is, and all steps of the cycle are there."""
    text = PAGE.read_text(encoding="utf-8")
    assert not [line for line in text.splitlines() if len(line) > 120 and not line.startswith("|")]
    assert set(re.findall(r"^```(.*)$", text, re.MULTILINE)) == {"console", "text", ""}
    typed = "".join(commands(text))
    for step in ("generate_assignment", "release_assignment", "fetch_assignment", "submit", "collect",
                 "generate_feedback", "release_feedback", "fetch_feedback", "export"):  # fmt: skip
        assert f"nbgrader {step} " in typed
    assert "mpilab classroom " in typed
    assert "mpilab grade-class " in typed


@pytest.mark.mpi
@pytest.mark.skipif(bool(sandbox.needed()) and not os.environ.get("CI"), reason=f"no sandbox here: {sandbox.needed()}")
def test_from_nothing_to_exported_grades(tmp_path: Path) -> None:
    """Every command does what the page says; the honest conversion has its points, the untouched baseline none."""
    home, start = tmp_path / "home", tmp_path / "class"
    home.mkdir()
    start.mkdir()
    terminal = Terminal(start, home)
    for command in commands(PAGE.read_text(encoding="utf-8")):
        status, printed = terminal.type(command)
        assert status == stated(command), f"{command}{printed}"
    folder = start / "hpc1"
    scores = rows(folder / "grades.csv")
    assert set(scores) == {"alice", "bob"}
    assert scores["bob"] == 0
    assert 6 + GIVEN <= scores["alice"] <= 10 + GIVEN  # the rest is speed, which a busy machine may leave pending
    assert len(list((folder / "grades" / "ring" / "alice").glob("c-*.json"))) == 2
    assert len(secrets()) > 5
    for student in ("alice", "bob"):  # what alice handed in last is the baseline
        feedback = shown(folder / "feedback" / student / "ring" / "ring.html")
        assert "break the chain" in feedback.lower()
        assert not [line for line in secrets() if line in feedback]
    assert "this is still the baseline" in shown(folder / "feedback" / "bob" / "ring" / "ring.html")
    assert "Why for every number of ranks?" in shown(folder / "feedback" / "alice" / "ring" / "ring.html")
    assert list((start / "bob" / "ring" / "feedback").glob("*/ring.html"))
