"""What a lab author hears of a mistake in a lab's folder, and a student of one in its name."""

from pathlib import Path

import numpy as np
import pytest

from mpilab import lab
from mpilab.errors import HarnessError
from mpilab.lab import Lab, Oracle
from mpilab.manifest import Calls, Case, Figure

MANIFEST = """
title = "T"
module = "m"
objectives = ["o"]
minutes = 10
points = 10
check = [{ ranks = 2, n = 4 }]
time = [{ ranks = 2, n = 8, steps = 3 }]
[calls]
require = ['MPI_Isend']
forbid = []
"""
ORACLE = """
def inputs(rng, case):
    return [rng.random(case.n) for _ in range(case.ranks)]

def expected(case, inputs):
    return [2 * x for x in inputs]
"""
CASE = Case(ranks=2, n=3)


def one_lab(folder: Path, text: str) -> Lab:
    """Return a lab whose lab.toml holds `text`."""
    (folder / "labs" / "one").mkdir(parents=True)
    (folder / "labs" / "one" / "lab.toml").write_text(text, encoding="utf-8")
    return Lab(folder / "labs" / "one", folder / "solutions" / "one")


def oracle(folder: Path, text: str) -> Oracle:
    """Return the oracle of source `text`."""
    path = folder / "oracle.py"
    path.write_text(text, encoding="utf-8")
    return Oracle(path)


def test_a_manifest_is_read(tmp_path: Path) -> None:
    """What lab.toml says is what the lab has, and what it leaves out has its default."""
    manifest = one_lab(tmp_path, MANIFEST).manifest
    assert manifest.check == (Case(ranks=2, n=4, steps=1),)
    assert manifest.time == (Case(ranks=2, n=8, steps=3),)
    assert manifest.calls == Calls(require=("MPI_Isend",), forbid=())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("minutes = 10", "minuts = 10"), "minuts"),
        (("minutes = 10", 'minutes = "ten"'), "minutes"),
        (("minutes = 10", "minutes = 0"), "minutes"),
        (("points = 10", "points = -1"), "points"),
        (("points = 10", "points = nan"), "points"),
        (("points = 10", "points = inf"), "points"),
        (("check = [{ ranks = 2, n = 4 }]", "check = []"), "check"),
        (("check = [{ ranks = 2, n = 4 }]", ""), "check"),
        (("check = [{ ranks = 2", 'check = [{ on = "emulated", work = 1.0, ranks = 2'), "emulated"),
        (("time = [{ ranks = 2", 'time = [{ on = "emulated", ranks = 2'), "work"),
        (("time = [{ ranks = 2", 'time = [{ on = "emulated", work = 1.0, ranks = 129'), "128"),
        (("time = [{ ranks = 2", 'time = [{ on = "moon", ranks = 2'), "moon"),
        (("time = [{ ranks = 2", 'time = [{ over = "pigeons", ranks = 2'), "pigeons"),
        (("time = [{ ranks = 2", "time = [{ work = -1.0, ranks = 2"), "work"),
        (("points = 10", "points = 10\ntruth = 'mine'"), "truth"),
        (("points = 10", "points = 10\nhints = ['']"), "hints"),
        (("ranks = 2, n = 4", "ranks = 0, n = 4"), "ranks"),
        (("ranks = 2, n = 4", "ranks = 17, n = 4"), "ranks"),
        (("ranks = 2, n = 4", "ranks = true, n = 4"), "ranks"),
        (("ranks = 2, n = 4", "ranks = 2, n = -4"), "n"),
        (("ranks = 2, n = 4", "ranks = 2, n = 4, step = 2"), "step"),
        (('title = "T"', "title = T"), "line 2"),
        (("require =", "required ="), "required"),
        (("require = ['MPI_Isend']", "require = 'MPI_Isend'"), "require"),
        (("'MPI_Isend'", "'MPI_Ireceive'"), "MPI_Ireceive"),
        (("'MPI_Isend'", "'MPI_Isend|MPI_Isned'"), "MPI_Isned"),
        (("forbid = []", "forbid = ['Barrier']"), "Barrier"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_wrong_manifest_is_refused_by_name(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    """A lab.toml that can't be meant is refused; the message names the file, what is wrong, and where to look."""
    assert change[0] in MANIFEST
    with pytest.raises(HarnessError) as caught:
        _ = one_lab(tmp_path, MANIFEST.replace(*change)).manifest
    message = str(caught.value)
    assert str(tmp_path / "labs" / "one" / "lab.toml") in message
    assert said in message.replace(str(tmp_path), "")
    assert "CONTRIBUTING.md" in message


def test_calls_of_the_table_may_be_required_and_forbidden(tmp_path: Path) -> None:
    """Names of calls.def, alternatives among them, are taken."""
    text = MANIFEST.replace("'MPI_Isend'", "'MPI_Isend|MPI_Issend'").replace("[]", "['MPI_Barrier']")
    assert one_lab(tmp_path, text).manifest.calls == Calls(("MPI_Isend|MPI_Issend",), ("MPI_Barrier",))


def test_a_lab_needs_no_rules_about_calls(tmp_path: Path) -> None:
    """A lab.toml without [calls] requires and forbids nothing."""
    assert one_lab(tmp_path, MANIFEST[: MANIFEST.index("[calls]")]).manifest.calls == Calls((), ())


def test_a_manifest_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """A lab.toml that isn't UTF-8 is refused as any other mistake in it."""
    one = one_lab(tmp_path, MANIFEST)
    (one.folder / "lab.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(HarnessError, match=r"lab\.toml"):
        _ = one.manifest


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    """A folder without lab.toml is said to lack it."""
    with pytest.raises(HarnessError, match=r"lab\.toml"):
        _ = Lab(tmp_path, tmp_path).manifest


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with the labs halo, persistent-halo and ring, and folders that aren't labs."""
    for name in ("ring", "halo", "persistent-halo", "__pycache__", ".ipynb_checkpoints"):
        (tmp_path / "labs" / name).mkdir(parents=True)
    (tmp_path / "labs" / "README.md").touch()
    monkeypatch.setenv("MPILAB_COURSE", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("course")
def test_labs_are_the_folders_of_the_course() -> None:
    """Every folder of labs/ is a lab, but for hidden ones and caches; files are not."""
    assert [one.id for one in lab.labs()] == ["halo", "persistent-halo", "ring"]


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize(
    ("typed", "meant", "far"), [("rnig", "ring", "halo"), ("Halo", "halo", "ring"), ("halo2", "halo", "ring")]
)
def test_a_mistyped_lab_is_answered_with_the_nearest(typed: str, meant: str, far: str) -> None:
    """A wrong lab name is repeated; names near it are offered, and those that can't be meant are not."""
    with pytest.raises(HarnessError, match=rf"no lab '{typed}'[\s\S]*did you mean .*\b{meant}\b") as caught:
        lab.find(typed)
    assert far not in str(caught.value)


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("typed", ["", "zzzz"])
def test_a_name_near_none_is_answered_with_all(typed: str) -> None:
    """When nothing is near, all labs are offered."""
    with pytest.raises(HarnessError, match="halo or persistent-halo or ring"):
        lab.find(typed)


def test_a_course_without_labs_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No labs at all is the call's fault: the folder and the variable to set are named."""
    monkeypatch.setenv("MPILAB_COURSE", str(tmp_path))
    with pytest.raises(HarnessError, match=rf"{tmp_path}[\s\S]*MPILAB_COURSE"):
        lab.labs()


def test_a_missing_baseline_or_reference_is_named(course: Path) -> None:
    """A lab that lacks a file is the course's fault, and the file is named."""
    one = lab.find("ring")
    with pytest.raises(HarnessError, match=rf"{course}/labs/ring/baseline\.c is missing"):
        one.baseline("c")
    with pytest.raises(HarnessError, match=rf"{course}/solutions/ring/reference\.py is missing"):
        one.reference("python")


def test_files_are_found_by_convention(course: Path) -> None:
    """Baseline, reference and wrong answers are where their names say; other files among the latter are left out."""
    (course / "labs" / "ring" / "baseline.py").touch()
    (course / "solutions" / "ring" / "wrong").mkdir(parents=True)
    for name in ("b.py", "a.c", "notes.md"):
        (course / "solutions" / "ring" / "wrong" / name).touch()
    one = lab.find("ring")
    assert one.baseline("python") == course / "labs" / "ring" / "baseline.py"
    assert [p.name for p in one.wrong()] == ["a.c", "b.py"]


def test_an_oracle_gives_flat_doubles(tmp_path: Path) -> None:
    """Whatever shape and type an oracle returns, what comes out is a flat float64 array per rank."""
    text = "import numpy as np\ndef inputs(rng, case):\n    return np.arange(12).reshape(2, 2, 3)\nexpected = None"
    first, second = oracle(tmp_path, text).inputs(np.random.default_rng(1), CASE)
    assert first.dtype == second.dtype == np.float64
    assert second.tolist() == [6, 7, 8, 9, 10, 11]


def test_an_oracle_refuses_a_case_with_its_reason(tmp_path: Path) -> None:
    """A ValueError of `inputs` becomes a message with the case and the oracle's own words."""
    text = ORACLE.replace("    return [rng", "    raise ValueError('fewer rows than ranks')\n    return [rng")
    with pytest.raises(HarnessError, match=r"refuses the case ranks=2, n=3, steps=1: fewer rows than ranks"):
        oracle(tmp_path, text).inputs(np.random.default_rng(1), CASE)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("None", "TypeError"),
        ("inputs[:1]", "1 arrays for 2 ranks"),
        ("[*inputs, inputs[0]]", "3 arrays for 2 ranks"),
        ("[x * float('nan') for x in inputs]", "finite"),
        ("[x + float('inf') for x in inputs]", "finite"),
    ],
)
def test_an_oracle_without_a_truth_is_the_labs_fault(tmp_path: Path, body: str, said: str) -> None:
    """What can't be the truth is never held against a submission: HarnessError, with the oracle's path."""
    faulty = oracle(tmp_path, ORACLE.replace("[2 * x for x in inputs]", body))
    inputs = faulty.inputs(np.random.default_rng(1), CASE)
    with pytest.raises(HarnessError, match=said) as caught:
        faulty.expected(CASE, inputs)
    assert str(tmp_path / "oracle.py") in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["def inputs(:", "inputs = 1", "import no_such_module", ORACLE + "RTOL = 'tight'", ORACLE + "RTOL = float('nan')"],
    ids=["syntax", "no expected", "import", "RTOL a word", "RTOL NaN"],
)
def test_a_file_that_is_no_oracle_is_the_labs_fault(tmp_path: Path, text: str) -> None:
    """An oracle.py that can't be used is named."""
    with pytest.raises(HarnessError, match=r"oracle\.py"):
        oracle(tmp_path, text)


def test_a_missing_oracle_is_named(tmp_path: Path) -> None:
    """A lab without oracle.py is said to lack it."""
    with pytest.raises(HarnessError, match=r"oracle\.py is missing"):
        Oracle(tmp_path / "oracle.py")


def test_tolerance_and_hint_are_optional(tmp_path: Path) -> None:
    """An oracle without RTOL and hint has the strict tolerance and no hint; one with them has its own."""
    plain = oracle(tmp_path, ORACLE)
    assert (plain.rtol, plain.hint(CASE, 0, np.array([True]))) == (lab.DEFAULT_RTOL, "")
    own = oracle(tmp_path, ORACLE + "RTOL = 1e-9\ndef hint(case, rank, wrong):\n    return f'rank {rank}'")
    assert (own.rtol, own.hint(CASE, 1, np.array([True]))) == (1e-9, "rank 1")


def test_a_hint_that_raises_is_the_labs_fault(tmp_path: Path) -> None:
    """A fault in `hint` is said to be the oracle's: it never looks like one of mpilab or of the submission."""
    faulty = oracle(tmp_path, ORACLE + "def hint(case, rank, wrong):\n    return 1 / 0")
    with pytest.raises(HarnessError, match=r"oracle\.py.*hint"):
        faulty.hint(CASE, 0, np.array([True]))


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("/* expect: WRONG_ANSWER - reads the halo too early */", "WRONG_ANSWER"),
        ("# expect: DEADLOCK - everybody sends first", "DEADLOCK"),
    ],
)
def test_a_wrong_answer_states_its_verdict(tmp_path: Path, line: str, verdict: str) -> None:
    """The first line of a foreseen mistake is read in both languages."""
    path = tmp_path / "wrong.c"
    path.write_text(line + "\nint x;\n", encoding="utf-8")
    assert lab.stated_verdict(path) == verdict


@pytest.mark.parametrize("line", ["", "int x;", "# expect: WRONG - x", "# expect: OK", "# expect: OK - "])
def test_a_wrong_answer_without_a_verdict_is_refused(tmp_path: Path, line: str) -> None:
    """A foreseen mistake that doesn't say what it must get is the author's mistake."""
    path = tmp_path / "wrong.c"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(HarnessError, match=r"wrong\.c.*expect"):
        lab.stated_verdict(path)


PREDICT = """
[predict]
question = "Who waits?"
options = ["rank 0", "rank 1"]
answer = 2
because = "It does."
look = "baseline"
"""
FIGURE = """
[[figure]]
source = "004"
what = "communication time"
figure = "-27 %"
of = "communication"
ranks = [4]
"""
SCALE = "scale = [{ on = 'emulated', ranks = 4, n = 8, work = 1e6 }]\n[calls]"


def test_guidance_and_figures_are_read(tmp_path: Path) -> None:
    """A question, and figures with what they come to as a ratio of times."""
    manifest = one_lab(tmp_path, MANIFEST.replace("[calls]", SCALE) + PREDICT + FIGURE).manifest
    assert manifest.predict is not None
    assert manifest.predict.options[manifest.predict.answer - 1] == "rank 1"
    assert manifest.figure[0].target == pytest.approx(0.73)
    assert manifest.scale[0].emulated


@pytest.mark.parametrize(("figure", "ratio"), [("-44 %", 0.56), ("-5.5 %", 0.945), ("2.0 x", 0.5), ("4 x", 0.25)])
def test_a_figure_says_what_our_time_may_be_of_the_baselines(figure: str, ratio: float) -> None:
    """Less time in percent, or times as fast."""
    one = Figure(source="0", what="w", figure=figure, of="time", ranks=(2,))
    assert one.target == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("answer = 2", "answer = 3"), "2 options"),
        (("answer = 2", "answer = 0"), "answer"),
        (('look = "baseline"', 'look = "wrong"'), "look"),
        (("-27 %", "27 percent"), "figure"),
        (("ranks = [4]", "ranks = [4, 16]"), "16 ranks"),
    ],
)
def test_a_wrong_question_or_figure_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    """The message says what is wrong with it."""
    text = (MANIFEST.replace("[calls]", SCALE) + PREDICT + FIGURE).replace(*change)
    with pytest.raises(HarnessError, match=said):
        _ = one_lab(tmp_path, text).manifest
