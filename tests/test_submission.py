"""What a student hears of a file that is no source text, and which files are still the baseline."""

import os
import tracemalloc
from pathlib import Path

import pytest

from mpilab.errors import HarnessError
from mpilab.lab import SUFFIXES
from mpilab.submission import SIZE_LIMIT, Submission, read, same_code
from mpilab.verdict import Kind, Verdict

C = """int kernel_run(struct kernel *self) {
    /* go round */
    char *word = "a  b"; // a string
    return 0;
}
"""
PYTHON = """class Kernel:
    def run(self):
        # go round
        for step in range(3):
            word = "a  b"
            print(word)
"""


def refusal(path: Path) -> str:
    """Return the message of the BUILD_FAILED that reading `path` must give."""
    found = read(path)
    assert isinstance(found, Verdict)
    assert found.kind is Kind.BUILD_FAILED
    assert path.name in found.message
    return found.message


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_text_file_is_a_submission(tmp_path: Path, suffix: str) -> None:
    """A C or Python file comes out as its name, its language and its text, to the letter."""
    path = tmp_path / f"my kernel{suffix}"
    path.write_bytes("x = 'ü'\r\n".encode())
    assert read(path) == Submission(f"my kernel{suffix}", SUFFIXES[suffix], "x = 'ü'\r\n")


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n"])
def test_an_empty_file_is_answered_with_where_to_begin(tmp_path: Path, content: bytes) -> None:
    """A file with nothing but white space is called empty, and `mpilab start` is offered."""
    path = tmp_path / "a.c"
    path.write_bytes(content)
    assert "empty" in refusal(path)
    assert "mpilab start" in refusal(path)


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    """Text in another encoding is refused with the line of the first byte that is wrong, and the mend."""
    path = tmp_path / "a.py"
    path.write_bytes("x = 1\ny = 'ä'\n".encode("latin-1"))
    assert "a.py:2: not UTF-8" in refusal(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    """UTF-8 as Windows editors save it is the same text."""
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbf" + PYTHON.encode())
    found = read(path)
    assert isinstance(found, Submission)
    assert found.text == PYTHON


def test_zero_bytes_are_no_source_text(tmp_path: Path) -> None:
    """A file with zero bytes is refused here, not by a compiler that chokes on it."""
    path = tmp_path / "a.c"
    path.write_bytes(b"int x;\0")
    assert "zero bytes" in refusal(path)


def test_a_symlink_to_nowhere_is_the_submissions_fault(tmp_path: Path) -> None:
    """A link whose target is gone is there, and can't be read: a verdict, not a crash of ours."""
    path = tmp_path / "a.c"
    path.symlink_to(tmp_path / "gone.c")
    assert "No such file" in refusal(path)


def test_a_symlink_to_itself_is_the_submissions_fault(tmp_path: Path) -> None:
    """A link that goes round in a circle ends in a verdict too."""
    path = tmp_path / "a.c"
    path.symlink_to(path)
    assert "cannot be read" in refusal(path)


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path) -> None:
    """100 MB are refused with both sizes, and never stand in memory."""
    path = tmp_path / "a.c"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    message = refusal(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "100,000,000 bytes" in message
    assert f"{SIZE_LIMIT:,}" in message
    assert most < 4 * SIZE_LIMIT


def test_the_largest_file_is_taken(tmp_path: Path) -> None:
    """The limit itself is allowed; one byte more isn't."""
    path = tmp_path / "a.c"
    path.write_bytes(b"x" * SIZE_LIMIT)
    assert isinstance(read(path), Submission)
    path.write_bytes(b"x" * (SIZE_LIMIT + 1))
    assert isinstance(read(path), Verdict)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """A folder with a kernel's name is called what it is."""
    path = tmp_path / "a.c"
    path.mkdir()
    assert "not a file" in refusal(path)


def test_a_pipe_does_not_hang_the_referee(tmp_path: Path) -> None:
    """A named pipe nobody writes to is refused and not waited for."""
    path = tmp_path / "a.c"
    os.mkfifo(path)
    assert "not a file" in refusal(path)


@pytest.mark.parametrize("name", ["gone.c", "a" * 300 + ".c", "a\0b.c"])
def test_a_path_that_never_was_is_the_callers_mistake(tmp_path: Path, name: str) -> None:
    """A file that isn't there costs no points: HarnessError, with the way to get one."""
    with pytest.raises(HarnessError, match=r"there is no file[\s\S]*mpilab start"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["a.cpp", "a", "a.f90", ".c", "a.C"])
def test_a_suffix_of_no_language_is_the_callers_mistake(tmp_path: Path, name: str) -> None:
    """Only .c and .py say a language; others are answered with those two."""
    (tmp_path / name).write_text("int x;", encoding="utf-8")
    with pytest.raises(HarnessError, match=r"\.c or \.py"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    "other",
    [
        C.replace("/* go round */", ""),
        C.replace("// a string", "// another\n"),
        C.replace("    ", "\t"),
        C.replace("\n", "\r\n"),
        C.rstrip(),
        C.replace("/* go round */", '/* "quoted */'),
        C + "// 'tis the end",
    ],
)
def test_comments_and_white_space_are_no_conversion_in_c(other: str) -> None:
    """A C baseline with other comments, blanks or line ends is still the baseline."""
    assert other != C
    assert same_code(C, other, "c")


@pytest.mark.parametrize(
    "other",
    [
        C.replace("a  b", "a b"),
        C.replace("a  b", "a /* */ b"),
        C.replace("return 0", "return 1"),
        C.replace("/* go round */", "/* go round */ MPI_Barrier(0);"),
        C.replace('"a  b"', r'"a \" /* b"'),
    ],
)
def test_strings_and_code_count_in_c(other: str) -> None:
    """What stands in a string, and any other code, makes it another program."""
    assert other != C
    assert not same_code(C, other, "c")


def test_what_looks_like_a_comment_in_a_string_is_none() -> None:
    """Code after a string that holds a comment's mark still counts."""
    assert not same_code('f("/*"); g(); h("*/");', 'f("/*"); k(); h("*/");', "c")
    assert not same_code("""f('"'); g(); /* " */""", """f('"'); k(); /* " */""", "c")


@pytest.mark.parametrize(
    "other",
    [
        PYTHON.replace("# go round", "# twice"),
        PYTHON.replace("range(3)", "range( 3 )"),
        PYTHON.replace("    def", "\n\n    def"),
        PYTHON.replace("    ", "  "),
        PYTHON.replace("print(word)", "print(word)  # shows it"),
        PYTHON.replace("\n", "\r\n"),
        PYTHON.rstrip(),
    ],
    ids=["comment", "blanks", "blank lines", "narrow indentation", "comment at the end", "CRLF", "no last newline"],
)
def test_comments_and_white_space_are_no_conversion_in_python(other: str) -> None:
    """A Python baseline with other comments, blank lines or line ends is still the baseline."""
    assert other != PYTHON
    assert same_code(PYTHON, other, "python")


@pytest.mark.parametrize(
    "other",
    [
        PYTHON.replace("a  b", "a b"),
        PYTHON.replace("a  b", "a # b"),
        PYTHON.replace("            print", "        print"),
        PYTHON.replace("range(3)", "range(4)"),
    ],
)
def test_strings_code_and_indentation_count_in_python(other: str) -> None:
    """What stands in a string, code, and which block a line is in make it another program."""
    assert other != PYTHON
    assert not same_code(PYTHON, other, "python")


@pytest.mark.parametrize("broken", ["def f(:\n  '''", "  x\n y\n", "(" * 500, "x = 'a"])
def test_text_that_is_not_python_is_compared_as_it_is(broken: str) -> None:
    """Broken Python is the same as itself and as nothing else, and raises nothing."""
    assert same_code(broken, broken, "python")
    assert not same_code(broken, PYTHON, "python")


@pytest.mark.parametrize("broken", ['"never closed', "/* never closed", "'", '"\\', "//"])
def test_text_that_is_not_c_is_compared_too(broken: str) -> None:
    """An open string or comment at the end of a C file ends the comparison, not the referee."""
    assert same_code(broken, broken, "c")
    assert not same_code(C, C + "x" + broken, "c")
