"""What was found wrong with a program's MPI: one finding, many of them in order, and the list of what there can be.

Theory of operation.  The analyses return findings as they come: one for each message, call or request.  `tidy` makes
of them what a person wants to read: the same mistake in a loop or on many ranks is one finding that says so, and what
may be the cause of others comes first.  Places and texts come from a program that may be hostile, so what cannot be
printed is taken out here, once.  The kinds and their rules are in kinds.py.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from mpilab.diagnosis.kinds import KINDS
from mpilab.verdict import Kind

MESSAGE_CHARACTERS = 2000
AROUND = 1  # lines of source shown before and after


class Finding(msgspec.Struct, frozen=True):
    """One mistake: its kind, where it is (rank -1, empty place: not known), what happened, the rule it breaks."""

    kind: str
    rank: int
    call: str
    where: str
    message: str
    rule: str


def finding(kind: str, rank: int, call: str, where: str, message: str, *, rule: str = "") -> Finding:
    """Return a finding of `kind`, one of KINDS; `rule` is the key of the rule it breaks where the kind has several."""
    rules = KINDS[kind].rules
    sentence = str(rules.get(rule) or next(iter(rules.values())))
    return Finding(kind, rank, printable(call), printable(where), printable(message), sentence)


def excerpt(source: str, where: str, name: str) -> str:
    """The line `where` ("kernel.c:41") of a file called `name`, with a line before and after; '' if it isn't there."""
    file, _, number = where.rpartition(":")
    lines = source.splitlines()
    if file != name or not number.isdigit() or not 1 <= int(number) <= len(lines):
        return ""
    at = int(number)
    shown = range(max(1, at - AROUND), min(len(lines), at + AROUND) + 1)
    width = len(str(shown[-1]))
    return "\n".join(f"{'>' if n == at else ' '} {n:>{width}} | {lines[n - 1]}".rstrip() for n in shown)


def printable(text: str) -> str:
    """Return `text` without characters that move a terminal's cursor, and not endless."""
    clean = "".join(c if c.isprintable() or c == "\n" else "?" for c in text[:MESSAGE_CHARACTERS])
    return clean if len(text) <= MESSAGE_CHARACTERS else clean + " ..."


def tidy(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with repetitions told as one, what may be a cause of others first."""
    groups: dict[tuple[str, str, str, str], list[Finding]] = {}
    for one in findings:
        what = "" if one.where else re.sub(r"[\d,]+", "", one.message)
        groups.setdefault((one.kind, one.call, one.where, what), []).append(one)
    order = list(KINDS)
    return sorted((_merged(group) for group in groups.values()), key=lambda one: order.index(one.kind))


def _merged(group: Sequence[Finding]) -> Finding:
    first, ranks = group[0], sorted({one.rank for one in group})
    if len(group) == 1:
        return first
    more = []
    if len(ranks) > 1:
        more.append(f"on {ranks_text(ranks)}")
    if len(group) > len(ranks):
        more.append(f"{len(group):,} times in all")
    return msgspec.structs.replace(first, message=f"{first.message}; the same {', '.join(more)}")


def ranks_text(ranks: Iterable[int]) -> str:
    """Return "rank 3", "ranks 0 and 1", "ranks 0, 2 and 5", "ranks 0-127", "ranks 0-3, 8 and 12 others"."""
    runs: list[tuple[int, int]] = []
    for rank in sorted(set(ranks)):
        if runs and runs[-1][1] == rank - 1:
            runs[-1] = (runs[-1][0], rank)
        else:
            runs.append((rank, rank))
    pieces = [
        piece for a, b in runs for piece in ([str(a)] if a == b else [str(a), str(b)] if b == a + 1 else [f"{a}-{b}"])
    ]
    if len(pieces) > 6:
        rest = sum(b - a + 1 for a, b in runs) - _ranks_in(pieces[:4])
        pieces = [*pieces[:4], f"{rest} others"]
    word = "rank" if len(pieces) == 1 and "-" not in pieces[0] else "ranks"
    return f"{word} {pieces[0]}" if len(pieces) == 1 else f"{word} {', '.join(pieces[:-1])} and {pieces[-1]}"


def _ranks_in(pieces: Sequence[str]) -> int:
    ends = [[int(end) for end in piece.split("-")] for piece in pieces]
    return sum(end[-1] - end[0] + 1 for end in ends)


# ---------------------------------------------------------------------------------------------------- documentation
_VERDICTS = {
    Kind.OK: "right, and in the style asked for",
    Kind.NOT_ATTEMPTED: "the baseline, but for comments and white space; still timed, and must show no difference",
    Kind.BUILD_FAILED: "cannot be read, compiled or loaded",
    Kind.CRASHED: "died, raised, returned an error code, got an MPI error, left, started a process",
    Kind.DEADLOCK: "ranks wait for each other, or for what will never happen",
    Kind.TIMED_OUT: "still busy when the time was over: computes for ever, or polls",
    Kind.WRONG_ANSWER: "another number than the oracle's, NaN, a write outside `out`, a changed input",
    Kind.WRONG_CALLS: "right numbers, without a required call or with a forbidden one",
    Kind.ERRONEOUS_MPI: "right numbers by luck: one of the findings below",
    Kind.TAMPERED: "defines a clock or an MPI function, calls PMPI, or its samples hide time",
}
_HEAD = """# Verdicts and findings

Made from `harness/mpilab/verdict.py` and `harness/mpilab/diagnosis/kinds.py` by `python -m mpilab.diagnosis.findings`;
a test compares.

## What a lab's submission gets

| verdict | when |
|---|---|"""
_FINDINGS = """
## What can be wrong with a program's MPI

A finding says its kind, rank, call and place (file and line, where debug information has them), what happened, and the
rule it breaks. The same mistake in a loop or on several ranks is one finding. What may be the cause of others is told
first: their order is the one below.
"""


def markdown() -> str:
    """Return docs/verdicts.md."""
    lines = [_HEAD, *(f"| {kind} | {_VERDICTS[kind]} |" for kind in Kind), _FINDINGS]
    for name, kind in KINDS.items():
        lines += [f"### {name}", "", f"{kind.meaning[0].upper()}{kind.meaning[1:]}.", ""]
        lines += [f"- {rule}" for rule in kind.rules.values()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown(), end="")  # noqa: T201 - this is how docs/verdicts.md is made
