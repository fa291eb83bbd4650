"""Scale cases measured for real: emulated nodes under plain mpiexec, what is refused, what is left behind."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpilab import sweep
from mpilab.clusters import Clusters
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, Lab
from mpilab.manifest import Case
from mpilab.protocol import Language
from mpilab.scaling.measure import measure

pytestmark = pytest.mark.mpi

CASE = Case(ranks=4, n=8, steps=2, work=4e7, on="emulated")
TOML = """scale = [{ on = "emulated", ranks = 4, n = 8, steps = 2, work = 1e8 }, { ranks = 4, n = 8 }]
[calls]"""
FIGURE = """
[predict]
question = "Who works more?"
options = ["the baseline", "the reference"]
answer = 1
because = "It does everything twice."
look = "baseline"

[[figure]]
source = "a test"
what = "run time"
figure = "1.05 x"
of = "time"
ranks = [4]
"""
C_RUN = "int kernel_run(struct kernel *k) {\n"
PYTHON_RUN = "def run(self):\n"


@pytest.fixture(scope="module")
def lag(tmp_path_factory: pytest.TempPathFactory, echo: Lab) -> Lab:
    """A lab whose baseline has twice as much modelled work as its reference."""
    top = tmp_path_factory.mktemp("course")
    folder, solutions = top / "labs" / "lag", top / "solutions" / "lag"
    folder.mkdir(parents=True)
    solutions.mkdir(parents=True)
    (folder / "oracle.py").write_text((echo.folder / "oracle.py").read_text())
    (folder / "lab.toml").write_text((echo.folder / "lab.toml").read_text().replace("[calls]", TOML) + FIGURE)
    for place, who, times in ((folder, echo.baseline, 2), (solutions, echo.reference, 1)):
        c = who("c").read_text().replace("long n, steps;", "long n, steps;\n    double work;")
        c = c.replace("comm, shape->n, shape->steps,", "comm, shape->n, shape->steps, shape->work,")
        (place / who("c").name).write_text(c.replace(C_RUN, f"{C_RUN}    kernel_work({times} * k->work);\n"))
        python = "from mpilab import kernel_work\n\n\n" + who("python").read_text()
        python = python.replace(PYTHON_RUN, f"{PYTHON_RUN}        kernel_work({times} * self.shape.work)\n")
        (place / who("python").name).write_text(python)
    return Lab(folder, solutions)


@pytest.fixture(scope="module")
def on() -> Iterator[Clusters]:
    """Clusters that start when they are needed."""
    clusters = Clusters()
    yield clusters
    clusters.close()


def mpilab(lag: Lab, folder: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    """Run `mpilab` in `folder`, with the course of `lag`."""
    return subprocess.run(
        [sys.executable, "-m", "mpilab", *args],
        capture_output=True,
        text=True,
        env=os.environ | {"MPILAB_COURSE": str(lag.folder.parents[1])},
        cwd=folder,
        check=False,
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_modelled_work_sleeps(on: Clusters, lag: Lab, language: Language) -> None:
    """Four ranks on fewer cores take as long as their modelled work, which leaves the cores alone."""
    paths = {"baseline": lag.baseline(language), "reference": lag.reference(language)}
    (found,) = measure(on, lag, paths, [CASE], rounds=3)
    assert not found.refused
    assert all(sample.time_s >= 0.08 for sample in found.samples["baseline"])  # 2 * 4e7 ns
    assert found.ratio("reference", "time").estimate < 0.9
    assert all(0 <= s.communication_s <= s.time_s for s in found.samples["baseline"])


def test_what_the_cores_cannot_carry_is_refused(on: Clusters, lag: Lab) -> None:
    """Work that is small beside the messages, and real compute on more ranks than cores: the reason is given."""
    cases = [Case(ranks=4, n=3000, steps=20, work=1.0, on="emulated"), Case(ranks=16, n=8)]
    busy, many = measure(on, lag, {"baseline": lag.reference("c")}, cases, rounds=2)
    assert "not small beside the modelled compute" in busy.refused
    assert "16 ranks need as many cores" in many.refused


def test_a_wrong_kernel_is_not_scaled(on: Clusters, lag: Lab, tmp_path: Path) -> None:
    """The runs are checked; the verdict is in the message."""
    path = tmp_path / "wrong.c"
    path.write_text(lag.baseline("c").read_text().replace("*= 2", "*= 3"))
    with pytest.raises(HarnessError, match=r"submission went wrong.*WRONG_ANSWER"):
        measure(on, lag, {"baseline": lag.baseline("c"), "submission": path}, [CASE], rounds=1)


def test_a_hang_is_told_and_costs_only_its_runner(on: Clusters, lag: Lab, tmp_path: Path) -> None:
    """A deadlock under plain mpiexec is named like any other; the next measurement works."""
    path = tmp_path / "hangs.c"
    receive = "MPI_Recv(k->out, 1, MPI_DOUBLE, k->left, 9, k->comm, MPI_STATUS_IGNORE)"
    path.write_text(lag.baseline("c").read_text().replace("MPI_Sendrecv(", f"{receive}, MPI_Sendrecv(", 1))
    with pytest.raises(HarnessError, match="DEADLOCK"):
        measure(on, lag, {"submission": path}, [CASE], rounds=1)
    (found,) = measure(on, lag, {"baseline": lag.baseline("c")}, [CASE], rounds=1)
    assert not found.refused


def test_the_command_writes_page_and_json_and_leaves_nothing(lag: Lab, tmp_path: Path) -> None:
    """`mpilab scale`: a table, a page, all samples; afterwards nothing of it is left."""
    samples = tmp_path / "s.json"
    done = mpilab(lag, tmp_path, "scale", "lag", str(lag.reference("c")), "--rounds", "2", "--json", str(samples))
    assert done.returncode == 0, done.stderr
    assert "emulated" in done.stdout
    found = json.loads(samples.read_text())
    assert list(found["cases"][0]["samples"]) == ["baseline", "reference"]
    assert "<svg" in (tmp_path / "scale" / "lag-c.html").read_text()
    assert sweep.sweep() == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["lag", "--ranks", "5"], "no scale case"),
        (["lag", "--rounds", "0"], "0 rounds"),
        (["lag", "nowhere.c"], "nowhere.c"),
        (["lug"], "did you mean lag"),
        (["lag", "--ranks", "4", "--json", "/proc/x.json", "--rounds", "1"], "cannot write"),
    ],
)
def test_bad_input_is_answered(lag: Lab, args: list[str], said: str, tmp_path: Path) -> None:
    """Each mistake has a message of one or two lines, and the status 2."""
    done = mpilab(lag, tmp_path, "scale", *args)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_headlines_hold_our_conversion_against_the_figure(lag: Lab, tmp_path: Path) -> None:
    """`mpilab headlines`: a row with the figure, ours and its interval, as JSON and as a page with a drawing."""
    rows = tmp_path / "rows.json"
    for _ in range(3):  # a machine that is busy with other things may refuse the case
        done = mpilab(lag, tmp_path, "headlines", "--json", str(rows), "--out", str(tmp_path / "docs"))
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(rows.read_text())["rows"]
        if row["ours"] is not None:
            break
    assert row["reached"] is True, row  # half the modelled work is far more than the figure, even on a busy machine
    assert (row["source"], row["what"], row["figure"]) == ("a test", "run time", 1.05)
    assert (row["platform"], row["ranks"]) == ("emulated", 4)
    assert row["low"] <= row["ours"] <= row["high"]
    assert "| a test | lag | run time |" in (tmp_path / "docs" / "headlines.md").read_text()
    assert "<svg" in (tmp_path / "docs" / "headlines.svg").read_text()


def test_a_prediction_is_asked_and_then_run(lag: Lab, tmp_path: Path) -> None:
    """Without an answer the question alone; with one, the run, and what it means."""
    asked = mpilab(lag, tmp_path, "predict", "lag")
    assert "1  the baseline" in asked.stdout
    assert "It does everything twice" not in asked.stdout
    answered = mpilab(lag, tmp_path, "predict", "lag", "2")
    assert answered.returncode == 0, answered.stderr
    assert "Not as you said (2), but 1. It does everything twice." in answered.stdout
    assert (tmp_path / "trace" / "lag-baseline.html").is_file()
    assert "choose 1 to 2" in mpilab(lag, tmp_path, "predict", "lag", "3").stderr
