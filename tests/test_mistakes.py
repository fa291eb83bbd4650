"""The mistakes found in published teaching material: each is named in a submission, and our own texts make none."""

import re
from pathlib import Path

import pytest

from mpilab.diagnosis import timing
from mpilab.diagnosis.diagnose import diagnose
from mpilab.errors import HarnessError

TOP = Path(__file__).resolve().parent.parent
PROGRAMS, MISTAKES = TOP / "tests" / "programs", TOP / "tests" / "mistakes"


def line_of(source: str, text: str) -> int:
    """The first line that holds `text`."""
    return source[: source.index(text)].count("\n") + 1


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("path", "kind", "says"),
    [
        (PROGRAMS / "missing-wait" / "one_request_for_two.c", "missing-wait", "overwritten"),
        (PROGRAMS / "buffer-race" / "send_and_receive_one_buffer.c", "buffer-race", "in flight"),
        (PROGRAMS / "eager-reliance" / "eight_ints.c", "eager-reliance", "by luck"),
        (PROGRAMS / "eager-reliance" / "isend_wait_at_once.c", "eager-reliance", "by luck"),
        (MISTAKES / "timed_persistence.c", "resource-leak", "never freed"),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_a_finding_names_it(path: Path, kind: str, says: str) -> None:
    """One request for two operations, one buffer for both ways, luck with eight ints, requests never freed."""
    found = [one for one in diagnose(path, 2).findings if one.kind == kind]
    assert found, path
    assert says in found[0].message
    assert re.search(rf"{path.name}:\d+", f"{found[0].where} {found[0].message}")


@pytest.mark.mpi
def test_a_function_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """MPI_Ireduceall is not in MPI: the compiler's message with the line, not a crash."""
    source = tmp_path / "reduce.c"
    source.write_text(
        "#include <mpi.h>\nint main(int c, char **v) {\n  int x = 1, y;\n  MPI_Request q;\n  MPI_Init(&c, &v);\n"
        "  MPI_Ireduceall(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);\n  return MPI_Finalize();\n}\n"
    )
    with pytest.raises(HarnessError, match="MPI_Ireduceall"):
        diagnose(source, 2)


def test_timing_the_set_up_and_a_printf_is_named() -> None:
    """The set-up of persistent requests and a printf stand between two readings of the clock: both are named."""
    source = (MISTAKES / "timed_persistence.c").read_text()
    said = "\n".join(timing.notes(source, "x.c"))
    assert f"x.c:{line_of(source, 'MPI_Send_init(')}: MPI_Send_init stands between" in said
    assert f"x.c:{line_of(source, 'printf(')}: printf stands between" in said


def test_clock_and_sleep_and_a_timed_verification_are_named() -> None:
    """clock() as clock, sleep as compute, verification inside the timed region: three notes, each at its line."""
    source = (MISTAKES / "clock_and_sleep.c").read_text()
    said = "\n".join(timing.notes(source, "x.c"))
    assert f"x.c:{line_of(source, '= clock()')}: clock()" in said
    assert f"x.c:{line_of(source, 'usleep(')}: usleep()" in said
    assert f"x.c:{line_of(source, 'verify(x)')}: verify stands between" in said


@pytest.mark.mpi
def test_notes_on_timing_cost_nothing() -> None:
    """They are told by diagnose, and are no findings."""
    found = diagnose(MISTAKES / "clock_and_sleep.c", 2)
    assert found.verdict == "ok"
    assert found.findings == []
    assert len(found.notes) == 3


@pytest.mark.parametrize(
    "source",
    [
        'int main(void) { puts("clock() sleep(1)"); double a = MPI_Wtime(); work(); a = MPI_Wtime(); printf("", a); }',
        "int main(void) { /* clock() */ double a = MPI_Wtime(); work(); a = MPI_Wtime() - a; printf(format, a); }",
        "void f(void) { double a = MPI_Wtime(); }\nvoid g(void) { printf(1); double b = MPI_Wtime(); }",
    ],
)
def test_good_timing_gets_no_note(source: str) -> None:
    """Strings, comments, output after the second reading and readings in other functions are nothing."""
    assert timing.notes(source.replace("; }", ";\n}"), "x.c") == []


def test_python_is_looked_at_too() -> None:
    """time.process_time and time.sleep in a script are named; perf_counter isn't."""
    said = timing.notes("import time\ntime.perf_counter()\ntime.process_time()\ntime.sleep(1)\n", "x.py")
    assert [text.split(" ")[0] for text in said] == ["x.py:3:", "x.py:4:"]
    assert timing.notes("def (", "x.py") == []


def test_our_own_texts_claim_none_of_it() -> None:
    """No unconditional "often faster", nothing that happens in the background as a fact, no harmless MPI_Test."""
    wrong = re.compile(
        r"often (significantly )?faster|happens? in the background|MPI_Test does not (force|drive) progress|"
        r"Isend followed by (a )?Wait equals|Ireduceall",
        re.IGNORECASE,
    )
    texts = [*TOP.glob("*.md"), *TOP.glob("docs/*.md"), *TOP.glob("labs/*/*"), *TOP.glob("solutions/*/reference.*")]
    assert texts
    assert [path.name for path in texts if path.is_file() and wrong.search(path.read_text(encoding="utf-8"))] == []
