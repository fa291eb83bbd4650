"""Every lab keeps its promises: baseline right, reference right and not behind, every wrong answer found out.

A new lab is found by its folder; nothing is to be added here.
"""

import os
from pathlib import Path

import pytest

from mpilab import lab, steps
from mpilab.lab import LANGUAGES, SUFFIXES, Lab, stated_verdict
from mpilab.protocol import Language
from mpilab.session import Session
from mpilab.stats import Speed
from mpilab.tracing import kernels
from mpilab.verdict import Kind

pytestmark = pytest.mark.mpi

LABS = lab.labs()
BOTH = [pytest.param(one, language, id=f"{one.id}-{language}") for one in LABS for language in LANGUAGES]
ALL = bool(os.environ.get("MPILAB_ALL_WRONG"))  # else every third mistake, in C and Python by turns


def chosen(one: Lab) -> list[Path]:
    """The wrong answers to try."""
    by_name: dict[str, list[Path]] = {}
    for path in one.wrong():
        by_name.setdefault(path.stem, []).append(path)
    turns = enumerate(by_name.values())
    return one.wrong() if ALL else [twins[i // 3 % len(twins)] for i, twins in turns if i % 3 == 0]


WRONG = [pytest.param(one, path, id=f"{one.id}-{path.name}") for one in LABS for path in chosen(one)]
BUDGET_S = 0.6
TRIES = 3  # of an experiment, which measures, and may measure something else on a busy machine
LEAST_WRONG = 6  # foreseen mistakes, in each language
SHARE = 0.9  # of the points: on a loaded machine, the reference may look a little slower than itself


@pytest.mark.parametrize(("one", "language"), BOTH)
def test_baseline_is_correct(quick: Session, one: Lab, language: Language) -> None:
    """The code that students start from is right, and recognised as not converted."""
    record = quick.try_kernel(one.id, one.baseline(language), budget_s=BUDGET_S)
    assert record.verdict == Kind.NOT_ATTEMPTED, record.message


@pytest.mark.parametrize(("one", "language"), BOTH)
def test_reference_reaches_full_marks(quick: Session, one: Lab, language: Language) -> None:
    """Our conversion is right, in style, not slower than the baseline unless the machine makes it so: full marks."""
    record = quick.try_kernel(one.id, one.reference(language), budget_s=BUDGET_S)
    assert record.verdict == Kind.OK, record.message
    itself = record.against_reference is not None and record.against_reference.high >= 1
    assert record.speed != Speed.SLOWER or itself, (record.speedup, record.against_reference)
    assert record.score + record.pending >= SHARE * one.manifest.points, record.why


@pytest.mark.parametrize(("one", "path"), WRONG)
def test_wrong_answer_gets_its_verdict(quick: Session, one: Lab, path: Path) -> None:
    """A foreseen mistake gets the verdict on its first line, with a message that says more than the word."""
    for _ in range(TRIES if one.manifest.truth == "reference" else 1):
        record = quick.try_kernel(one.id, path, budget_s=BUDGET_S)
        if record.verdict == stated_verdict(path):
            break
    assert record.verdict == stated_verdict(path), record.message
    assert len(record.message) > len("on rank 0"), record.message


@pytest.mark.parametrize(("one", "language"), BOTH)
def test_lab_foresees_mistakes(one: Lab, language: Language) -> None:
    """Each lab has at least six wrong answers in each language, with at least three different verdicts."""
    paths = [path for path in one.wrong() if SUFFIXES[path.suffix] == language]
    assert len(paths) >= LEAST_WRONG
    assert len({stated_verdict(path) for path in paths}) >= 3


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.id)
def test_lab_guides_its_learner(one: Lab) -> None:
    """Each lab has objectives, minutes, a bonus level, three hints, and a question that a run answers."""
    m = one.manifest
    assert m.objectives
    assert m.bonus
    assert len(m.hints) == 3
    assert m.predict


@pytest.mark.parametrize(("one", "language"), BOTH)
def test_reference_is_marked_with_its_steps(one: Lab, language: Language) -> None:
    """The steps are numbered from 1, and what the reference has beyond its baseline lies in one of them."""
    baseline, reference = (path.read_text() for path in (one.baseline(language), one.reference(language)))
    numbers = {part.number for part in steps.parts(reference, language)}
    assert numbers
    assert numbers == set(range(1, len(numbers) + 1))
    assert steps.unmarked(baseline, reference, language) == []
    assert steps.parts(baseline, language) == []


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.id)
def test_steps_are_the_same_in_both_languages(one: Lab) -> None:
    """A page can show step 1, 2, 3 in either language with the same words."""
    told = [
        {(part.number, part.text) for part in steps.parts(one.reference(language).read_text(), language)}
        for language in LANGUAGES
    ]
    assert told[0] == told[1]
    assert len(told[0]) == len({number for number, _ in told[0]})


@pytest.mark.parametrize("one", [one for one in LABS if not one.manifest.time], ids=lambda one: one.id)
def test_an_experiment_can_be_traced(quick: Session, one: Lab) -> None:
    """A lab without timed cases has a trace that answers its question too."""
    recorded = kernels.record(quick.clusters, one, one.reference("c"))
    assert recorded.ended == ""
    assert len(recorded.trace.events)


def test_every_lab_was_visited() -> None:
    """The labs above are all the folders there are, and every file of a wrong/ folder is tried."""
    folders = {path.name for path in (lab.course() / "labs").iterdir() if path.is_dir()}
    assert {one.id for one in LABS} == folders == {path.name for path in (lab.course() / "solutions").iterdir()}
    for one in LABS:
        assert set(one.wrong()) == {path for path in (one.solutions / "wrong").iterdir() if path.name != "__pycache__"}
