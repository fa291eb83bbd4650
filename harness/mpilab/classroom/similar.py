"""How much two submissions have in common beyond the code that both began with: a hint for a person, never a verdict.

Theory of operation.  A source becomes a row of tokens in which comments are gone, names are folded (the first name that
occurs is 1, wherever it occurs) and numbers and strings are all alike, so that renaming and layout change nothing.
Every run of SHINGLE tokens is a fingerprint; those that the baseline has too count for nothing.  Two submissions are as
similar as the share of the smaller one's fingerprints that the other has.
"""

import io
import keyword
import re
import tokenize
from collections.abc import Iterator, Mapping
from itertools import combinations

from mpilab.protocol import Language
from mpilab.submission import C_TOKEN

SHINGLE = 12  # tokens
LEAST = 25  # fingerprints of its own that a submission needs to be compared
KEPT = re.compile(r"MPI_\w+|if|else|for|while|return|struct|static|const|int|long|double|void|sizeof|kernel_\w+")
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def fingerprints(source: str, language: Language) -> frozenset[tuple[str, ...]]:
    """The runs of SHINGLE folded tokens in a source, each with its names numbered anew."""
    tokens = _tokens(source, language)
    return frozenset(_folded(tokens[i : i + SHINGLE]) for i in range(max(0, len(tokens) - SHINGLE + 1)))


def similarity(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """The share, 0 to 1, of the smaller one's fingerprints that the other has; 0 when it has too few to tell."""
    least = min(len(a), len(b))
    return len(a & b) / least if least >= LEAST else 0.0


def pairs(sources: Mapping[str, str], language: Language, baseline: str) -> list[tuple[float, str, str]]:
    """Every two submissions, by their names, and how similar they are, the most similar first."""
    common = fingerprints(baseline, language)
    own = {name: fingerprints(source, language) - common for name, source in sources.items()}
    return sorted(((similarity(own[a], own[b]), a, b) for a, b in combinations(own, 2)), reverse=True)


def _tokens(source: str, language: Language) -> list[str]:
    if language == "c":
        return [t for t in C_TOKEN.findall(source) if not t.startswith(("//", "/*"))]
    return list(_python_tokens(source))


def _python_tokens(source: str) -> Iterator[str]:
    """Python's tokens up to where it is no Python any more."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in LAYOUT and token.string:
                yield token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _folded(tokens: list[str]) -> tuple[str, ...]:
    """Tokens with their names numbered in the order they come, numbers and strings alike."""
    numbers: dict[str, str] = {}
    folded = []
    for token in tokens:
        if token[0].isdigit() or token[0] in "\"'":
            folded.append("#")
        elif not (token[0].isalpha() or token[0] == "_") or KEPT.fullmatch(token) or keyword.iskeyword(token):
            folded.append(token)
        else:
            folded.append(numbers.setdefault(token, f"n{len(numbers)}"))
    return tuple(folded)
