"""The marked steps of a reference are read as a page needs them."""

import pytest

from mpilab import steps
from mpilab.steps import Part

C = """/* head: step 1: isn't one */
int f(void) {
    int a;
    /* step 1: post the receive first */
    int b;
    int c;

    int d;
    if (a) {
        /* step 2: wait late */
        b = 1;
    }
    /* step 1: post the receive first */
    c = 2;
    /* step 3: free it */
    d = 3;
}
"""
PYTHON = '''"""Head.

# step 1: isn't one
"""

class Kernel:
    # step 1: bind once
    def __init__(self):
        self.a = 1

    def run(self):
        # step 2: start
        self.a = 2
'''


def test_parts_of_c() -> None:
    """A step ends at a blank line, another step, or a line indented less; it may have several parts."""
    assert steps.parts(C, "c") == [
        Part(1, "post the receive first", 5, 6),
        Part(2, "wait late", 11, 11),
        Part(1, "post the receive first", 14, 14),
        Part(3, "free it", 16, 16),
    ]


def test_parts_of_python() -> None:
    """The same in Python; a line of the docstring that looks like a mark covers nothing of the code."""
    assert steps.parts(PYTHON, "python")[-2:] == [Part(1, "bind once", 8, 9), Part(2, "start", 13, 13)]


@pytest.mark.parametrize("line", ["    int x;", "int x;"])
def test_what_no_step_covers_is_named(line: str) -> None:
    """A line that the baseline has, wherever it stands, needs no step; a new one does."""
    reference = C.replace("    int d;", f"    int d;\n{line}")
    baseline = "int f(void) {\n int a;\n int d;\n if (a) {\n}"
    assert steps.unmarked(baseline, C, "c") == []
    assert [text for _, text in steps.unmarked(baseline, reference, "c")] == ["int x;"]


def test_comments_and_docstrings_need_no_step() -> None:
    """What is said is not what is done."""
    baseline = "class Kernel:\n    def run(self):\n        pass\n"
    reference = (
        '"""New head."""\n\nclass Kernel:\n    """Says."""\n    def run(self):\n        # says\n        pass  # so\n'
    )
    assert steps.unmarked(baseline, reference, "python") == []
    commented = "/* one\n * two */\nint a; /* three */\n"
    assert steps.unmarked("int a;\n", commented, "c") == []
