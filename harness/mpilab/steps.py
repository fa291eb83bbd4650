"""The conversion steps that a reference is marked with, so that a page can show one after the other.

Theory of operation.  A step is a comment line of its own, `/* step 2: start both */` or `# step 2: start both`.  It
covers the lines after it, up to a blank line, the next step, or a line indented less.  A step may have several parts,
which bear the same number and text.  What a reference has beyond its baseline lies in a step (tests/test_labs.py).
"""

import io
import re
import tokenize
from dataclasses import dataclass

from mpilab.protocol import Language

MARK = {"c": re.compile(r"(\s*)/\* step (\d+): (.+?) \*/"), "python": re.compile(r"(\s*)# step (\d+): (.+)")}
C_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """A part of a step: lines `first` to `last` of the source, counted from 1; the mark is the line before."""

    number: int
    text: str
    first: int
    last: int


def parts(source: str, language: Language) -> list[Part]:
    """The marked parts of a source, from top to bottom."""
    lines, found = source.splitlines(), []
    for i, line in enumerate(lines):
        if match := MARK[language].fullmatch(line):
            end = i + 1
            while end < len(lines) and _covered(lines[end], len(match[1]), language):
                end += 1
            found.append(Part(int(match[2]), match[3], i + 2, end))
    return found


def _covered(line: str, indent: int, language: Language) -> bool:
    inside = len(line) - len(line.lstrip()) >= indent
    return bool(line.strip()) and inside and not MARK[language].fullmatch(line)


def unmarked(baseline: str, reference: str, language: Language) -> list[tuple[int, str]]:
    """Lines of the reference that the baseline doesn't have and no step covers; comments don't count."""
    there = {line.strip() for line in _code(baseline, language)}
    covered = {n for part in parts(reference, language) for n in range(part.first, part.last + 1)}
    lines = enumerate(_code(reference, language), 1)
    return [
        (number, line.strip())
        for number, line in lines
        if line.strip() not in there and line.strip() not in ("", "{", "}") and number not in covered
    ]


def _code(source: str, language: Language) -> list[str]:
    """The lines of a source without comments and docstrings."""
    if language == "c":
        return C_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), source).splitlines()
    lines = source.splitlines()
    previous = tokenize.INDENT
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        alone = token.type == tokenize.STRING and previous in (tokenize.INDENT, tokenize.NEWLINE, tokenize.NL)
        if token.type == tokenize.COMMENT or alone:
            (top, left), (bottom, right) = token.start, token.end
            if top == bottom:
                lines[top - 1] = lines[top - 1][:left] + lines[top - 1][right:]
            else:
                lines[top - 1 : bottom] = [""] * (bottom - top + 1)
        if token.type != tokenize.COMMENT:
            previous = token.type
    return lines
