"""What a student hands in: one file, read as data.

Theory of operation.  The file is read once, up to a limit; what is wrong with it as a file (empty, too large, not text,
not there any more) is a verdict.  A path that never was, or whose ending says no language, is the caller's mistake: a
HarnessError.
"""

import io
import os
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from mpilab.errors import HarnessError
from mpilab.lab import SUFFIXES
from mpilab.protocol import Language
from mpilab.verdict import Kind, Verdict

C_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?(?:\*/|\Z)              # comments
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'  # strings, characters
    | \w+ | \+\+ | -- | -> | && | \|\| | << | >> | [-+*/%&|^<>=!]= | \S""",
    re.DOTALL | re.VERBOSE,
)
SIZE_LIMIT = 1_000_000  # bytes: a hundred times the longest reference


@dataclass(frozen=True)
class Submission:
    """A kernel's source, as text."""

    name: str  # of the file, for messages
    language: Language
    text: str


def read(path: Path) -> Submission | Verdict:  # noqa: PLR0911 - one line for each thing that can be wrong
    """Read the file at `path`; a verdict says what is wrong with it."""
    if path.suffix not in SUFFIXES:
        raise HarnessError(f"{path} is neither C nor Python", then="give a file that ends in .c or .py")
    if not os.path.lexists(path):
        raise HarnessError(f"there is no file {path}", then="`mpilab start LAB` gives you one to begin with")
    try:
        if path.exists() and not path.is_file():
            return Verdict(Kind.BUILD_FAILED, f"{path.name} is not a file")
        with path.open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        return Verdict(Kind.BUILD_FAILED, f"{path.name} cannot be read: {error.strerror}")
    if len(content) > SIZE_LIMIT:
        size = path.stat().st_size
        return Verdict(Kind.BUILD_FAILED, f"{path.name} has {size:,} bytes; a kernel has at most {SIZE_LIMIT:,}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return Verdict(Kind.BUILD_FAILED, f"{path.name}:{line}: not UTF-8 text; save the file as UTF-8")
    if "\0" in text:
        return Verdict(Kind.BUILD_FAILED, f"{path.name} holds zero bytes: it is no source text")
    if not text.strip():
        return Verdict(Kind.BUILD_FAILED, f"{path.name} is empty; `mpilab start LAB` gives you code to begin with")
    return Submission(path.name, SUFFIXES[path.suffix], text)


def same_code(a: str, b: str, language: Language) -> bool:
    """Whether two sources are the same but for comments and white space."""
    strip = _c_tokens if language == "c" else _python_tokens
    return strip(a) == strip(b)


def _c_tokens(text: str) -> list[str]:
    """C source as its tokens, without comments and white space."""
    return [token for token in C_TOKEN.findall(text) if not token.startswith(("//", "/*"))]


def _python_tokens(text: str) -> list[str]:
    """Python tokens without comments and blank lines; the text itself where it isn't Python."""
    dull = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)
    try:
        found = tokenize.generate_tokens(io.StringIO(text).readline)
        layout = (tokenize.INDENT, tokenize.NEWLINE)
        return [str(t.type) if t.type in layout else t.string for t in found if t.type not in dull]
    except (tokenize.TokenError, SyntaxError):
        return [text]
