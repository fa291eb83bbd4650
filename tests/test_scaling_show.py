"""Scale cases and headlines as text, pages and drawings: pure, from made-up numbers."""

import xml.etree.ElementTree as ET

import pytest
from rich.console import Console

from mpilab.lab import Lab
from mpilab.manifest import Case, Figure
from mpilab.scaling import draw, headlines, show
from mpilab.scaling.measure import Sample, Scaled
from mpilab.scaling.rows import Headlines, Row

VERSIONS = {"mpi": "MPICH Version: 5", "mpi4py": "4"}


def scaled(ranks: int, reference: float) -> Scaled:
    """A case whose reference takes `reference` of the baseline's time, and half of that of its MPI time."""
    case = Case(ranks=ranks, n=10, steps=2, work=1e6, on="emulated")
    base = [Sample(0.1 + 0.001 * i, 0.04) for i in range(7)]
    ours = [Sample(s.time_s * reference, s.communication_s * reference / 2) for s in base]
    return Scaled(case, {"baseline": base, "reference": ours})


def text_of(renderable: object) -> str:
    """What a terminal of 160 columns shows."""
    console = Console(width=160, color_system=None)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def test_ratios_are_paired_and_medians() -> None:
    """Below 1 is less; the interval of a steady ratio has no width."""
    one = scaled(16, 0.8)
    assert one.ratio("reference", "time").estimate == pytest.approx(0.8)
    assert one.ratio("reference", "communication").high == pytest.approx(0.4)
    assert one.typical("baseline", "time") == pytest.approx(0.103)


def test_the_table_names_platform_and_refusals() -> None:
    """Where it can be believed is always said, and why a case was not run."""
    refused = Scaled(Case(ranks=64, n=10, work=1e6, on="emulated"), {}, "too many messages")
    said = text_of(draw.text("title", [scaled(16, 0.8), refused]))
    assert "emulated: real MPI" in said
    assert "0.80 [0.80, 0.80]" in said
    assert "refused: too many messages" in said
    assert "cores: real compute" in text_of(draw.text("t", [Scaled(Case(ranks=2, n=1), {}, "why")]))


def test_the_page_is_complete_by_itself() -> None:
    """Charts with a table beside them, nothing from elsewhere, and names that do not overlap."""
    page = draw.page("ring & more", [scaled(16, 0.99), scaled(64, 0.99)], VERSIONS)
    assert "ring &amp; more" in page
    assert page.count("<svg") == 2
    assert "http" not in page.replace("http://www.w3.org", "")
    chart = draw._chart([scaled(16, 0.99), scaled(64, 0.99)], "time")
    assert chart is not None
    heights = sorted(line.label_y for line in chart["lines"])  # type: ignore[attr-defined]
    assert heights[1] - heights[0] >= draw.LABEL
    assert "refused" in draw.page("none", [Scaled(Case(ranks=2, n=1), {}, "no cores")], VERSIONS)


def row(**changes: object) -> Row:
    """A row that is reached."""
    usual: dict[str, object] = {
        "source": "004", "what": "communication time", "figure": -27.0, "unit": "%", "ours": -40.0, "low": -45.0,
        "high": -35.5, "platform": "emulated", "ranks": 16, "reached": True, "lab": "progress", "language": "c",
    }  # fmt: skip
    return Row(**(usual | changes))  # type: ignore[arg-type]


ROWS = [
    row(),
    row(unit="x", figure=2.0, ours=2.3, low=2.2, high=2.4),
    row(ours=3.0, low=float("-inf"), high=float("inf"), reached=False, note="it can't be"),
    row(unit="MB/s", figure=800.0, ours=5000.0, low=None, high=None),
    row(figure=None, ours=None, low=None, high=None, reached=False, note="not installed"),
]


def test_headlines_say_each_number_with_its_unit() -> None:
    """In the terminal and in the page; notes follow the table."""
    said = text_of(show.text(ROWS))
    for part in ("-40.0 % [-45, -35.5]", "2.3 x [2.2, 2.4]", "+3.0 % [?, ?]", "5,000 MB/s", "yes", "no"):
        assert part in said
    page = show.page(Headlines(ROWS, {"cpu": "a cpu", "cores": 2}, VERSIONS, 12.0))
    assert "| 004 | progress | communication time | c | emulated | 16 | -27.0 % | -40.0 % [-45, -35.5] | yes |" in page
    assert "it can't be" in page
    assert "a cpu, 2 cores" in page


def test_the_drawing_holds_every_row_that_shares_a_unit() -> None:
    """A figure and ours for each, inside the axis, 0 on it; well-formed."""
    root = ET.fromstring(show.drawing(ROWS))
    assert len(root.findall(".//{*}circle")) == 3
    for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 <= float(circle.attrib["cx"]) <= 420
    assert ET.fromstring(show.drawing([])) is not None


@pytest.mark.parametrize(
    ("figure", "ratio", "ours", "reached"),
    [("-27 %", 0.5, -50.0, True), ("-27 %", 0.8, -20.0, False), ("2.0 x", 0.4, 2.5, True), ("2.0 x", 0.6, 1.67, False)],
)
def test_a_row_tells_whether_the_figure_is_reached(
    echo: Lab, figure: str, ratio: float, ours: float, *, reached: bool
) -> None:
    """In the figure's own unit, low below high; why not is said only where it isn't."""
    one = Figure(source="004", what="time", figure=figure, of="time", ranks=(16,), unless="no way")
    found = headlines._row(echo, one, scaled(16, ratio))
    assert found.ours == pytest.approx(ours, abs=0.01)
    assert found.reached is reached
    assert found.note == ("" if reached else "no way")
    assert found.low is not None
    assert found.high is not None
    assert found.low <= ours + 0.01
    assert found.high >= ours - 0.01
