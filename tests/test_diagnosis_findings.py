"""The list of what can be wrong, and how many findings become a few."""

import re
from pathlib import Path

import msgspec
import pytest

from mpilab.diagnosis.findings import Finding, finding, markdown, printable, ranks_text, tidy
from mpilab.diagnosis.kinds import KINDS
from mpilab.verdict import Kind

DOCS = Path(__file__).resolve().parent.parent / "docs"


def one(
    kind: str = "truncation", rank: int = 0, where: str = "k.c:1", message: str = "rank 0 sends 8 bytes"
) -> Finding:
    """Return a finding."""
    return finding(kind, rank, "MPI_Recv", where, message)


def test_the_document_is_made_from_the_table() -> None:
    """docs/verdicts.md is what `python -m mpilab.diagnosis.findings` prints."""
    assert (DOCS / "verdicts.md").read_text(encoding="utf-8") == markdown()


def test_the_document_lists_every_verdict_and_every_kind() -> None:
    """No verdict of a lab and no kind of finding is missing from it."""
    text = markdown()
    assert [kind for kind in Kind if f"| {kind} |" not in text] == []
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_rule_has_a_section_and_says_what_to_do(kind: str) -> None:
    """A rule is a sentence, the section of the standard (a crash has none), and an advice."""
    for rule in KINDS[kind].rules.values():
        assert str(rule).startswith(rule.sentence)
        assert rule.advice.endswith(".")
        assert not rule.sentence.endswith(".")
        assert bool(re.match(r"\d+\.\d+", rule.section)) == (kind != "crash")


def test_a_finding_has_the_fields_of_the_json() -> None:
    """The JSON of a finding is kind, rank, call, where, message, rule."""
    assert list(msgspec.to_builtins(one())) == ["kind", "rank", "call", "where", "message", "rule"]


def test_a_loop_is_one_finding() -> None:
    """The same mistake of a rank, a thousand times, is one finding that says how often."""
    (merged,) = tidy([one()] * 1000)
    assert merged.message == "rank 0 sends 8 bytes; the same 1,000 times in all"


def test_the_same_mistake_on_many_ranks_is_one_finding() -> None:
    """The same line on every rank is one finding that names the ranks."""
    (merged,) = tidy(one(rank=rank, message=f"rank {rank} sends") for rank in range(4))
    assert merged.message == "rank 0 sends; the same on ranks 0-3"


def test_two_lines_are_two_findings() -> None:
    """The same mistake at two places is two; without places, two different sentences are two."""
    assert len(tidy([one(where="k.c:1"), one(where="k.c:2")])) == 2
    assert len(tidy([one(where="", message="a 1"), one(where="", message="a 2"), one(where="", message="b 1")])) == 2


def test_causes_come_first() -> None:
    """Whatever the order in which they were found, what may cause others is told first."""
    kinds = [each.kind for each in tidy([one("crash"), one("missing-wait"), one("deadlock"), one("call-mismatch")])]
    assert kinds == ["call-mismatch", "deadlock", "missing-wait", "crash"]


def test_hostile_text_does_not_reach_a_terminal() -> None:
    """Control characters are taken out, and a text of megabytes is cut."""
    assert printable("a\x1b[2Jb\r\tc") == "a?[2Jb??c"
    assert len(finding("crash", 0, "", "", "x" * 10_000_000).message) < 3000


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ([3], "rank 3"),
        ([0, 1], "ranks 0 and 1"),
        ([0, 2, 5], "ranks 0, 2 and 5"),
        (range(128), "ranks 0-127"),
        ([0, *range(2, 9)], "ranks 0 and 2-8"),
        (range(0, 40, 2), "ranks 0, 2, 4, 6 and 16 others"),
    ],
)
def test_ranks_are_told_shortly(ranks: list[int], text: str) -> None:
    """Runs of ranks are told by their ends, and many single ones are counted."""
    assert ranks_text(ranks) == text
