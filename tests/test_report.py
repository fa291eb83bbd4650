"""What a reader sees of a record: in a terminal, in a notebook, and on the demo's page."""

import io
import re
from html.parser import HTMLParser

import msgspec
import pytest
from rich.console import Console, RenderableType

from mpilab import report
from mpilab.record import Record
from mpilab.stats import Estimate, Speed
from mpilab.verdict import Kind

EVIL = "<script>alert(1)</script>\"'&<b onmouseover=x> [bold]x[/bold] [/nothing]"


def made(kind: Kind = Kind.OK, speed: str = "", **other: object) -> Record:
    """Return a record with this verdict and label, timed when it has a label."""
    timed = {
        "speedup": Estimate(1.31, 1.27, 1.36),
        "against_reference": Estimate(0.99, 0.97, 1.01),
        "reference_gain": Estimate(1.33, 1.29, 1.37),
        "control": Estimate(1.0, 0.99, 1.01),
    }
    fixed = {"lab": "halo", "language": "c", "file": "my.c", "verdict": kind, "message": "what was found"}
    return Record(**(fixed | (timed if speed else {}) | {"speed": speed, "score": 8.5, "points": 10} | other))


def shown(what: RenderableType, width: int = 160) -> str:
    """Return what a terminal without colours would show."""
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(what)
    return file.getvalue()


class Balance(HTMLParser):
    """Checks that every tag that is opened is closed, and collects tags and attributes."""

    VOID = ("meta", "br", "line", "circle", "link", "img", "hr")

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an open tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag, which must be this one."""
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("speed", ["", *Speed])
def test_every_verdict_and_label_can_be_shown(kind: Kind, speed: str) -> None:
    """Whatever the verdict and the label, both displays say them, with message, lab and language."""
    record = made(kind, speed)
    text, html = shown(report.text(record)), report.html(record)
    Balance(html)
    for part in (kind, speed, "what was found", "halo, c"):
        assert part in text
        assert part in html


def test_the_numbers_are_in_both_displays() -> None:
    """A timed record shows each ratio with its interval, the control too, and the score."""
    record = made(Kind.OK, Speed.FASTER, why="because")
    for said in (shown(report.text(record)), report.html(record)):
        for part in ("1.31 [1.27, 1.36]", "0.99 [0.97, 1.01]", "1.33 [1.29, 1.37]", "1.00 [0.99, 1.01]"):
            assert part in said
        assert re.search(r"(?i)score +8\.5 of 10", said)
        assert "because" in said


def test_a_record_that_was_not_timed_shows_no_ratios() -> None:
    """Without measurements there is no table and no plot."""
    record = made(Kind.BUILD_FAILED)
    assert "[" not in shown(report.text(record))
    assert "<svg" not in report.html(record)
    assert report.rows(record) == []


def test_pending_points_are_shown() -> None:
    """Points that wait for a measurement are never hidden."""
    record = made(Kind.OK, Speed.UNDECIDED, pending=4.0)
    assert "8.5 of 10 (+ 4 pending)" in shown(report.text(record))
    assert "8.5 of 10 (+ 4 pending)" in report.html(record)


def test_a_comparison_names_the_other_file_and_has_no_score() -> None:
    """`compare` judges nobody: the other file's name stands with the ratio, and no points."""
    record = made(Kind.OK, Speed.FASTER, compared_with="folder/other.c")
    for said in (shown(report.text(record)), report.html(record)):
        assert "times the speed of other.c" in said
        assert "core" not in said.replace("underscore", "")


def test_what_was_printed_and_remarked_is_shown() -> None:
    """A kernel's own output and the compiler's warnings are in both displays; long ones are cut in the terminal."""
    record = made(Kind.OK, printed="\n".join(f"line {i}" for i in range(40)), remarks="unused variable")
    text, html = shown(report.text(record)), report.html(record)
    for said in (text, html):
        assert "line 11" in said
        assert "unused variable" in said
    assert "line 12" not in text
    assert "28 more lines" in text


@pytest.mark.parametrize("field", ["message", "why", "printed", "remarks", "file", "compared_with", "lab", "language"])
def test_what_a_student_wrote_is_text_and_never_markup(field: str) -> None:
    """Tags, quotes and rich's brackets in a record reach the reader as they are, and do nothing."""
    record = made(Kind.OK, Speed.FASTER, **{field: EVIL})
    flat = re.sub(r"\s+", "", shown(report.text(record), width=400))
    if field != "compared_with":
        assert re.sub(r"\s+", "", EVIL) in flat
    for html in (report.html(record), report.page([("reference", record), (EVIL, record)], EVIL)):
        tags = Balance(html).tags
        assert "script" not in [tag for tag, _ in tags]
        assert not [name for _, attributes in tags for name in attributes if name.startswith("on")]


def test_the_table_takes_names_as_text() -> None:
    """The demo's table shows names with brackets as they are."""
    record = made(Kind.OK, Speed.FASTER, lab="[red]lab")
    assert "[red]lab" in shown(report.table([("who [b]", record)]))


def test_the_table_has_a_row_for_each_entry() -> None:
    """Lab, language, who, verdict and speedup stand in one line."""
    lines = shown(
        report.table([("reference", made(Kind.OK, Speed.BEST)), ("wrong: x", made(Kind.DEADLOCK))])
    ).splitlines()
    assert re.search(r"halo +c +reference +OK +1\.31 \[1\.27, 1\.36\]", lines[1])
    assert re.search(r"halo +c +wrong: x +DEADLOCK +-", lines[2])


def test_the_page_fetches_nothing() -> None:
    """The demo's page is one file: it works offline, and nobody learns who reads it."""
    html = report.page(
        [("reference", made(Kind.OK, Speed.BEST)), ("baseline", made(Kind.NOT_ATTEMPTED, Speed.NO_DIFFERENCE))], "note"
    )
    assert not re.search(r"https?://|@import|url\(", html)
    for tag, attributes in Balance(html).tags:
        assert tag not in ("script", "link", "iframe", "img")
        assert not {"src", "srcset", "data"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_the_page_has_a_row_and_a_plot_for_each_lab() -> None:
    """All entries are in the table, and each lab has its heading and its plot."""
    entries = [
        ("reference", made(Kind.OK, Speed.BEST)),
        ("wrong: x", made(Kind.CRASHED)),
        ("reference", made(Kind.OK, Speed.BEST, lab="ring", language="python")),
    ]
    html = report.page(entries, "MPICH 5, 2 cores")
    tags = Balance(html).tags
    assert len([1 for tag, _ in tags if tag == "tr"]) == 1 + len(entries)
    assert [attributes.get("id") for tag, attributes in tags if tag == "h2"] == ["halo", "ring"]
    assert len([1 for tag, _ in tags if tag == "svg"]) == 2
    assert "MPICH 5, 2 cores" in html


def test_a_plot_can_be_read_aloud() -> None:
    """A plot is an image whose label holds the numbers it shows, and has one circle for each."""
    found = [("python, reference", Estimate(1.5, 1.4, 1.6)), ("c, wrong", Estimate(0.5, 0.4, 0.6))]
    tags = Balance(report.plot(found)).tags
    svg = next(attributes for tag, attributes in tags if tag == "svg")
    assert svg["role"] == "img"
    for label, estimate in found:
        assert f"{label} {estimate}" in (svg["aria-label"] or "")
    assert len([1 for tag, _ in tags if tag == "circle"]) == len(found)


@pytest.mark.parametrize(
    "estimates",
    [
        [Estimate(1.0, 1.0, 1.0)],
        [Estimate(1.0, 0.0, float("inf"))],
        [Estimate(900.0, 800.0, 1000.0), Estimate(0.001, 0.0005, 0.002)],
        [Estimate(1.001, 1.0005, 1.0015)],
        [Estimate(1e9, 1e8, 1e10)],
    ],
)
def test_every_interval_has_its_place(estimates: list[Estimate]) -> None:
    """However wide or far off, intervals lie inside the plot, in order, with 1 on the axis and few ticks."""
    scale = report.axis(estimates)
    assert 0 < scale.place(1.0) < 1
    assert len(scale.ticks()) <= 7
    for estimate in estimates:
        assert 0 <= scale.place(estimate.low) <= scale.place(estimate.estimate) <= scale.place(estimate.high) <= 1
        drawn = report.bar(estimate, scale)
        assert len(drawn) == report.BAR + 1
        assert drawn.count("o") == 1
    assert "nan" not in report.plot([("x", e) for e in estimates])


def test_ticks_are_round_and_hold_one() -> None:
    """The axis of ordinary speedups is labelled with round numbers, 1 among them."""
    ticks = report.axis([Estimate(1.3, 1.2, 1.4)]).ticks()
    assert any(t == pytest.approx(1.0) for t in ticks)
    assert len(ticks) >= 2


def test_the_bar_shows_the_baseline_beside_the_interval() -> None:
    """In the terminal the mark at 1 stands outside an interval that doesn't hold 1."""
    scale = report.axis([Estimate(1.3, 1.2, 1.4)])
    assert re.fullmatch(r" +\| +-+o-+ *", report.bar(Estimate(1.3, 1.2, 1.4), scale))
    assert re.fullmatch(r" +-+o-+ *\| *", report.bar(Estimate(0.9, 0.85, 0.95), scale))


def test_a_record_from_a_file_looks_the_same() -> None:
    """A report needs the record alone: after a round trip through JSON it's the same, to the letter."""
    record = made(Kind.OK, Speed.FASTER)
    again = msgspec.json.decode(msgspec.json.encode(record), type=Record)
    assert report.html(again) == report.html(record)
    assert shown(report.text(again)) == shown(report.text(record))
