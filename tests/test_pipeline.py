"""The whole pipeline on the tests' own small lab: what the record says, and that nobody fools the referee easily."""

import math
from pathlib import Path

import pytest

from mpilab import contest, referee, score, stats
from mpilab import record as records
from mpilab.lab import LANGUAGES, Lab
from mpilab.protocol import Language
from mpilab.record import Record
from mpilab.session import Session
from mpilab.stats import Speed
from mpilab.verdict import Kind, Verdict

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module", params=LANGUAGES)
def converted(request: pytest.FixtureRequest, small: Session, echo: Lab) -> Record:
    """The record of our own conversion, which sends one message where the baseline sends 64."""
    language: Language = request.param
    return referee.attempt(small.clusters, echo, echo.reference(language), 3.0)


def test_a_conversion_is_right_and_faster(converted: Record) -> None:
    """A conversion that sends 64 times fewer messages is OK, ahead of the baseline beyond doubt, with full marks."""
    assert converted.verdict == Kind.OK, converted.message
    assert converted.speedup is not None
    assert converted.speedup.low > 1.5, converted.speedup
    assert converted.speed in (Speed.AS_FAST, Speed.FASTER, Speed.BEST)
    assert converted.score >= 9


def test_the_record_is_whole(converted: Record) -> None:
    """The record says what was run, on what, with which seed, and holds every sample of every contender."""
    assert converted.rounds >= stats.LOOKS[0]
    assert set(converted.timed[0].seconds) == {"baseline", "reference", "submission", "control"}
    samples = converted.timed[0].seconds["submission"]
    assert len(samples) == converted.rounds
    assert sum(map(len, samples)) == converted.samples
    assert all(math.isfinite(s) and s > 0 for burst in samples for s in burst)
    assert converted.control is not None
    assert converted.platform == "cores"
    assert {"mpi", "mpi4py", "ipyparallel", "python", "numpy"} <= set(converted.versions)
    assert converted.machine["cores"] >= 1
    assert converted.seed
    assert converted.calls["MPI_Sendrecv" if converted.language == "c" else "MPI_Sendrecv_c"] > 0


def test_a_record_can_be_judged_again_without_running(converted: Record) -> None:
    """Estimate, interval and score follow from the stored samples alone."""
    again = records.from_json(records.to_json(converted))
    seconds = again.timed[0].seconds
    pairs = zip(seconds["control"], seconds["submission"], strict=True)
    logs = [math.log(stats.lower_decile(a) / stats.lower_decile(b)) for a, b in pairs]
    estimate = stats.estimate(logs)
    assert again.speedup is not None
    assert estimate.estimate == pytest.approx(again.speedup.estimate, rel=1e-3)
    assert estimate.low == pytest.approx(again.speedup.low, rel=1e-3)
    verdict = Verdict(Kind(again.verdict))
    result = score.score(again.points, verdict, Speed(again.speed), again.speedup, again.reference_gain)
    assert result.earned == again.score


def test_a_notebook_shows_it(converted: Record) -> None:
    """A record displays itself as HTML: verdict, interval plot with its text form, and nothing fetched."""
    shown = converted._repr_html_()
    assert "OK" in shown
    assert "<svg" in shown
    assert str(converted.speedup) in shown
    assert "http" not in shown


def test_it_is_stored(converted: Record) -> None:
    """Every attempt leaves its record in the state folder."""
    stored = [records.from_json(path.read_bytes()) for path in records.state_folder().glob("*-echo-*.json")]
    assert converted in stored


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_baseline_shows_no_difference(small: Session, echo: Lab, language: Language) -> None:
    """The unconverted code is NOT_ATTEMPTED, earns nothing, and is neither faster nor slower than itself."""
    record = referee.attempt(small.clusters, echo, echo.baseline(language), 2.0)
    assert record.verdict == Kind.NOT_ATTEMPTED
    assert record.score == 0
    assert record.speed in (Speed.NO_DIFFERENCE, Speed.UNDECIDED), record.speedup


def test_comments_are_no_conversion(small: Session, echo: Lab, tmp_path: Path) -> None:
    """The baseline with other comments and white space is still the baseline."""
    path = tmp_path / "mine.c"
    path.write_text("// by me\n" + echo.baseline("c").read_text().replace("    ", "\t"))
    assert referee.attempt(small.clusters, echo, path, 0.1).verdict == Kind.NOT_ATTEMPTED


def _reference(echo: Lab, tmp_path: Path, language: Language, old: str, new: str) -> Path:
    source = echo.reference(language)
    text = source.read_text()
    assert old in text
    path = tmp_path / f"mine{source.suffix}"
    path.write_text(text.replace(old, new))
    return path


def test_right_at_first_and_lazy_later_is_found_out(small: Session, echo: Lab, tmp_path: Path) -> None:
    """Outputs of timed runs are checked: a kernel that works a few times and then does nothing is wrong."""
    lazy = "int kernel_run(struct kernel *k) {\n    static int runs;\n    if (k->n == 64 && runs++ > 40) return 0;\n"
    path = _reference(echo, tmp_path, "c", "int kernel_run(struct kernel *k) {\n", lazy)
    record = referee.attempt(small.clusters, echo, path, 2.0)
    assert record.verdict == Kind.WRONG_ANSWER
    assert "timed run" in record.message


def test_a_freed_handle_may_be_the_next_communicator_s(small: Session, echo: Lab, tmp_path: Path) -> None:
    """The handle of a communicator that a kernel freed comes back as that of a later kernel: no use of a freed one."""
    old = "    MPI_Comm_rank(comm, &rank);\n"
    own = "    MPI_Comm own;\n    MPI_Comm_dup(comm, &own);\n    MPI_Comm_free(&own);\n"
    path = _reference(echo, tmp_path, "c", old, own + old)
    record = referee.attempt(small.clusters, echo, path, 0.5)
    assert record.verdict == Kind.OK, record.message


def test_a_crash_in_a_timed_run_has_its_line(small: Session, echo: Lab, tmp_path: Path) -> None:
    """A kernel that dies only in timed runs is shown where, in its own file, though others were loaded since."""
    dies = "int kernel_run(struct kernel *k) {\n    if (k->n == 64) *(volatile int *)0 = 1;\n"
    path = _reference(echo, tmp_path, "c", "int kernel_run(struct kernel *k) {\n", dies)
    line = path.read_text().split("volatile")[0].count("\n") + 1
    record = referee.attempt(small.clusters, echo, path, 0.5)
    assert record.verdict == Kind.CRASHED
    assert f"kernel_run at mine.c:{line}" in record.message


def test_an_old_answer_is_found_out(small: Session, echo: Lab, tmp_path: Path) -> None:
    """A kernel that computes once and then hands out the same answer meets other data."""
    old = "    def run(self):\n"
    new = (
        "    def run(self):\n"
        "        if hasattr(self, 'kept'):\n"
        "            self.out[:] = self.kept\n"
        "            return\n"
        "        self.work()\n"
        "        self.kept = self.out.copy()\n\n"
        "    def work(self):\n"
    )
    record = referee.attempt(small.clusters, echo, _reference(echo, tmp_path, "python", old, new), 0.1)
    assert record.verdict == Kind.WRONG_ANSWER


def test_a_lie_about_time_is_found_out(small: Session, echo: Lab, tmp_path: Path) -> None:
    """A kernel that writes over the samples, and replaces nothing, disagrees with the referee's own clock."""
    old = "    def run(self):\n"
    lie = (
        "        frame = sys._getframe()\n"
        "        while 'seconds' not in frame.f_locals:\n"
        "            frame = frame.f_back\n"
        "        seconds = frame.f_locals['seconds']\n"
        "        seconds[seconds > 1e-5] = 1e-5\n"
    )
    path = tmp_path / "liar.py"
    path.write_text("import sys\n\n\n" + echo.baseline("python").read_text().replace(old, old + lie))
    record = referee.attempt(small.clusters, echo, path, 2.0)
    assert record.verdict == Kind.TAMPERED, (record.speedup, record.message)
    assert "but the referee's clock saw" in record.message
    assert record.score == 0


def test_a_replaced_clock_is_named(small: Session, echo: Lab, tmp_path: Path) -> None:
    """A kernel that puts its own clock in place of Python's is found out at once, and the next one is not."""
    path = tmp_path / "clock.py"
    path.write_text("import time\n\ntime.perf_counter = lambda: 0.0\n\n\n" + echo.reference("python").read_text())
    record = referee.attempt(small.clusters, echo, path, 0.1)
    assert record.verdict == Kind.TAMPERED
    assert "it replaces time.perf_counter" in record.message
    assert referee.attempt(small.clusters, echo, echo.reference("python"), 0.1).verdict == Kind.OK


def test_more_ranks_than_cores_are_not_timed(small: Session, echo: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a timed case has more ranks than cores, speed is undecided with the reason, and its points are pending."""
    monkeypatch.setattr(contest.machine, "cores", lambda: 1)
    record = referee.attempt(small.clusters, echo, echo.reference("c"), 0.5)
    assert record.verdict == Kind.OK
    assert record.speed == Speed.UNDECIDED
    assert record.pending > 0
    assert "more ranks than cores" in record.why


def test_compare_says_which_is_faster(small: Session, echo: Lab) -> None:
    """`compare` finds the faster of two kernels, and turns round when they are swapped."""
    a, b = echo.baseline("python"), echo.reference("python")
    there = referee.compare(small.clusters, echo, a, b, 2.0)
    back = referee.compare(small.clusters, echo, b, a, 2.0)
    assert there.speedup is not None
    assert back.speedup is not None
    assert there.speedup.low > 1.5, there.speedup
    assert back.speedup.high < 1 / 1.5, back.speedup


def test_the_seed_repeats_the_data(small: Session, echo: Lab) -> None:
    """The same seed gives the same data for a case, another case or seed others."""
    del echo
    clusters = small.clusters
    assert clusters.rng("lab", 1).random() == clusters.rng("lab", 1).random()
    assert clusters.rng("lab", 1).random() != clusters.rng("lab", 2).random()
