"""`mpilab trace`, with real MPI: programs and kernels, and everything that can be wrong with what is to be traced."""

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mpilab import cli, sweep
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.session import Session
from mpilab.tracing import command, files, programs, rings
from mpilab.tracing.choice import MOST_RING, Choice
from mpilab.tracing.model import Trace
from mpilab.tracing.programs import record

pytestmark = pytest.mark.mpi

MPICC = Path(sys.executable).parent / "mpicc"
HEAD = """
#include <mpi.h>
#include <mpilab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void nap(double s) {
    struct timespec t = {.tv_sec = (time_t)s, .tv_nsec = (long)((s - (long)s) * 1e9)};
    nanosleep(&t, NULL);
}
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    (void)nap, (void)argc;
"""
TAIL = "MPI_Finalize(); return 0; }\n"
SUFFIXES = (
    ".html", ".mpitrace", ".perfetto.json", ".otf2", ".events.csv", ".messages.csv", ".requests.csv", ".calls.csv",
    ".summary.csv",
)  # fmt: skip
RING = "int right = (rank + 1) % size, left = (rank + size - 1) % size; double x = rank, y;"
SENDRECV = "MPI_Sendrecv(&x, 1, MPI_DOUBLE, right, 0, &y, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"

HANGS = """
    double never;
    MPI_Barrier(k->comm);
    MPI_Recv(&never, 1, MPI_DOUBLE, 0, 99, k->comm, MPI_STATUS_IGNORE);
"""

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a program: the body of main between MPI_Init and MPI_Finalize, or a whole source."""

    def written(body: str, *, whole: bool = False, name: str = "program.c") -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(body) if whole else HEAD + body + TAIL)
        return path

    return written


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run a command in this process; its exit status."""
    monkeypatch.setattr(sys, "argv", ["mpilab", *map(str, arguments)])
    monkeypatch.setattr(cli.signal, "signal", lambda *_: None)
    try:
        return cli.main()
    except SystemExit as end:
        return int(end.code or 0)


def counts(trace: Trace, by: str = "call") -> dict[tuple[str, ...], int]:
    """How often each call was made."""
    table = trace.table(by)
    return dict(zip(table.keys, table.count.tolist(), strict=True))


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """No test leaves a program's folder or process behind; a session's stay, because it is warm."""
    before = pages()
    yield
    assert not [folder.name for folder in pages() - before if not (folder / "runner.log").exists()]


def pages() -> set[Path]:
    """The folders of this process's runs and runners."""
    return {page.parent for page in sweep.base().glob(f"{os.getpid()}-*/page")}


# ---- what is traced ------------------------------------------------------------------------------------------------


def test_a_program_is_recorded_to_the_line(make: Make) -> None:
    """Each call of each rank is an event with peer, bytes and source line; messages join sends and receives."""
    trace = record(make(f"{RING}\n{SENDRECV}\n"), 3).trace
    assert trace.ranks == 3
    assert counts(trace) == {("MPI_Sendrecv",): 3, ("MPI_Comm_rank",): 3, ("MPI_Comm_size",): 3}
    line = HEAD.count("\n") + 2
    mine = trace.events[trace.events["call"] == trace.calls.index("MPI_Sendrecv")]
    assert {trace.places[p] for p in mine["place"]} == {f"program.c:{line}"}
    assert sorted(zip(mine["rank"].tolist(), mine["peer"].tolist(), strict=True)) == [(0, 1), (1, 2), (2, 0)]
    ends = [(int(trace.events[m["send"]]["rank"]), int(trace.events[m["recv"]]["rank"])) for m in trace.messages]
    assert sorted(ends) == [(0, 1), (1, 2), (2, 0)]
    assert trace.messages["bytes"].tolist() == [8.0] * 3
    assert trace.finished == [True] * 3


def test_a_receive_from_anyone_tells_who_came(make: Make) -> None:
    """Of a receive from any source the trace knows source, tag and size of the message that came."""
    trace = record(
        make("""
        double x[4];
        if (rank) MPI_Send(x, rank, MPI_DOUBLE, 0, 7 + rank, MPI_COMM_WORLD);
        for (int i = 1; i < size && !rank; i++)
            MPI_Sendrecv(x, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, x, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        """),
        3,
    ).trace
    sent = {(int(trace.events[m["send"]]["rank"]), m["bytes"].item()) for m in trace.messages}
    assert sent == {(1, 8.0), (2, 16.0)}


def test_bytes_of_derived_types_and_of_counts(make: Make) -> None:
    """A column of a matrix has its bytes, an Alltoall what a rank sends to all, an Alltoallv the sum of its counts."""
    trace = record(
        make(f"""{RING}
        MPI_Datatype column;
        double m[10][10];
        int counts[2] = {{rank + 1, 2}}, got[2] = {{rank == 0 ? 1 : 2, 2}}, displs[2] = {{0, 3}};
        if (rank == 0) got[1] = 2; else got[0] = 2;
        MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        MPI_Sendrecv(m, 1, column, right, 0, &m[0][1], 1, column, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Alltoall(m[0], 2, MPI_DOUBLE, m[1], 2, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(m[0], counts, displs, MPI_DOUBLE, m[2], got, displs, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Type_free(&column);
        """),
        2,
    ).trace
    size = {call: trace.events["bytes"][trace.events["call"] == i].tolist() for i, call in enumerate(trace.calls)}
    assert size["MPI_Sendrecv"] == [80.0, 80.0]
    assert sorted(size["MPI_Alltoall"]) == [8.0, 8.0, 32.0, 32.0]
    assert sorted(size["MPI_Alltoallv"]) == [24.0, 32.0]
    assert trace.messages["bytes"].tolist() == [80.0, 80.0]


def test_all_files_are_written_and_agree(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command shows timeline, summary, table and what the program printed, and writes every form of the trace."""
    path = make(f'{RING}\n{SENDRECV}\nif (!rank) printf("given %s\\n", argv[1]);')
    assert run(monkeypatch, "trace", "--program", path, "-n", 2, "--out", tmp_path / "t", "--", "-7") == 0
    out = capfd.readouterr().out
    for text in ("MPI wait rate", "MPI_Sendrecv", "What would help", "compute", "given -7", "program.c.html"):
        assert text in out
    assert {p.name for p in (tmp_path / "t").iterdir()} == {f"program.c{suffix}" for suffix in SUFFIXES}
    trace = Trace.load(tmp_path / "t" / "program.c.mpitrace")
    perfetto = json.loads((tmp_path / "t" / "program.c.perfetto.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in perfetto) == len(trace.events)
    assert (tmp_path / "t" / "program.c.events.csv").read_text().count("\n") == len(trace.events) + 1
    assert (tmp_path / "t" / "program.c.otf2" / "traces.otf2").is_file()
    assert run(monkeypatch, "trace", tmp_path / "t" / "program.c.mpitrace") == 0
    assert "MPI wait rate" in capfd.readouterr().out


def test_a_python_program_with_regions(make: Make) -> None:
    """mpilab.region names a part of an mpi4py program, and its calls are grouped by it."""
    path = make("""\
        import mpilab
        from mpi4py import MPI
        import numpy as np

        x, y = np.ones(10), np.empty(10)
        for _ in range(3):
            with mpilab.region("sum"):
                MPI.COMM_WORLD.Allreduce(x, y)
        MPI.COMM_WORLD.Barrier()
        """, whole=True, name="regions.py")  # fmt: skip
    trace = record(path, 2).trace
    told = counts(trace, "region")
    assert told["MPI_Allreduce", "sum"] == 6
    assert told["MPI_Barrier", ""] == 2
    assert len(trace.regions_spans) == 6


def test_regions_cost_nothing_without_the_library(make: Make, tmp_path: Path) -> None:
    """A C program with regions, position independent or not, and a Python one run without mpilab's library."""
    path = make('mpilab_region_begin("r"); mpilab_region_end(); printf("done\\n");')
    include = run_cli("include").strip()
    for flag in ("-pie", "-no-pie"):
        more = ["-fPIE"] if flag == "-pie" else ["-fno-pie"]
        subprocess.run([MPICC, f"-I{include}", *more, flag, path, "-o", tmp_path / "p"], check=True)
        said = subprocess.run([tmp_path / "p"], capture_output=True, text=True, check=True)
        assert said.stdout == "done\n"
        trace = record(tmp_path / "p", 1).trace
        assert [trace.regions[s] for s in trace.regions_spans["region"]] == ["r"]
    code = "import mpilab\nwith mpilab.region('r'): print('done')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "done\n"


def run_cli(*arguments: str) -> str:
    """Run mpilab in a process of its own; what it prints."""
    done = subprocess.run([sys.executable, "-m", "mpilab", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def test_pcontrol_switches_and_resets(make: Make) -> None:
    """MPI_Pcontrol(0) stops recording, 1 goes on, 2 forgets what was recorded so far."""
    body = """
        MPI_Barrier(MPI_COMM_WORLD);
        {first}
        for (int i = 0; i < 5; i++) MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Pcontrol(1);
        for (int i = 0; i < 3; i++) MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
        """
    told = counts(record(make(body.replace("{first}", "MPI_Pcontrol(0);")), 2).trace)
    assert (told["MPI_Barrier",], told["MPI_Bcast",], ("MPI_Allreduce",) in told) == (2, 6, False)
    told = counts(record(make(body.replace("{first}", "MPI_Pcontrol(2);")), 2).trace)
    assert (("MPI_Barrier",) in told, told["MPI_Allreduce",], told["MPI_Bcast",]) == (False, 10, 6)


def test_only_the_chosen_groups(make: Make) -> None:
    """With groups chosen, other calls are not recorded, and the trace says what that leaves unknown."""
    path = make(f"{RING}\n{SENDRECV}\nMPI_Barrier(MPI_COMM_WORLD);")
    assert counts(record(path, 2, choice=Choice(groups=("collective",))).trace) == {("MPI_Barrier",): 2}
    trace = record(path, 2, choice=Choice(groups=("p2p",))).trace
    assert counts(trace) == {("MPI_Sendrecv",): 2}
    assert any("not recorded" in note for note in trace.notes)


def test_recording_is_switched_from_outside(make: Make) -> None:
    """--between records only a part of the run, the program knowing nothing of it."""
    path = make("""
        for (int i = 0; i < 40; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            nap(0.05);
        }
        MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
        """)
    trace = record(path, 2, choice=Choice(begin_s=0.7, end_s=1.2)).trace
    told = counts(trace)
    assert 2 <= told["MPI_Barrier",] < 40
    assert ("MPI_Bcast",) not in told
    assert ("MPI_Comm_rank",) not in told


# ---- kernels -------------------------------------------------------------------------------------------------------


def test_a_kernel_in_c_and_python(small: Session, echo: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel's life is recorded on warm engines: init, runs and free are regions, C calls have their lines."""
    monkeypatch.setenv("MPILAB_COURSE", str(echo.folder.parents[1]))
    for language, line in (("c", True), ("python", False)):
        trace = small.trace_kernel("echo", echo.baseline(language), steps=6)
        assert trace.ranks == 2
        assert set(trace.regions) == {"", "init", "run", "free"}
        assert np.count_nonzero(trace.regions_spans["region"] == trace.regions.index("run")) == 4
        assert len(trace.messages) > 0
        assert any(place.startswith("baseline.c:") for place in trace.places) == line
        assert trace.finished == [True, True]
    again = small.try_kernel("echo", echo.reference("c"), budget_s=0.5)
    assert again.verdict == "OK", again.message


def test_a_kernel_that_hangs_is_shown(
    small: Session, echo: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of a kernel that deadlocks the trace holds what came before, and its first note names the deadlock."""
    monkeypatch.setenv("MPILAB_COURSE", str(echo.folder.parents[1]))
    text = echo.baseline("c").read_text()
    path = tmp_path / "hangs.c"
    path.write_text(re.sub(r"int kernel_run\(.*\{\n", lambda match: match[0] + HANGS, text))
    assert path.read_text() != text
    trace = small.trace_kernel("echo", path)
    assert trace.notes[0].startswith("DEADLOCK"), trace.notes
    assert counts(trace)["MPI_Barrier",] == 2
    assert small.trace_kernel("echo", echo.baseline("c")).finished == [True, True]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"ranks": 99}, "99 ranks"),
        ({"steps": 0}, "0 steps"),
        ({"ring": 0}, "a ring of 0 events"),
        ({"groups": ["p3p"]}, "no group of calls 'p3p'"),
    ],
)
def test_kernels_that_can_not_be_traced(
    small: Session, echo: Lab, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, object], says: str
) -> None:
    """A case that does not fit, or a choice that makes no sense, is said at once."""
    monkeypatch.setenv("MPILAB_COURSE", str(echo.folder.parents[1]))
    with pytest.raises(HarnessError, match=says):
        small.trace_kernel("echo", echo.baseline("c"), **arguments)


def test_a_kernel_is_compared_with_its_baseline(
    echo: Lab, small: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A kernel that isn't the baseline is traced beside it, both in one page; the baseline alone is alone."""
    monkeypatch.setenv("MPILAB_COURSE", str(echo.folder.parents[1]))
    monkeypatch.setattr(Session, "__init__", lambda self, **_: setattr(self, "clusters", small.clusters))
    monkeypatch.setattr(Session, "close", lambda _self: None)
    assert run(monkeypatch, "trace", "echo", echo.reference("c"), "--out", tmp_path) == 0
    assert (tmp_path / "echo-baseline.c.mpitrace").is_file()
    page = (tmp_path / "reference.c.html").read_text()
    assert "The two traces compared" in page
    assert not (tmp_path / "echo-baseline.c.html").exists()
    assert run(monkeypatch, "trace", "echo", echo.baseline("c"), "--out", tmp_path / "b") == 0
    assert "The two traces compared" not in (tmp_path / "b" / "baseline.c.html").read_text()
    traces = [tmp_path / "echo-baseline.c.mpitrace", tmp_path / "reference.c.mpitrace"]
    assert run(monkeypatch, "trace", *traces, "--out", tmp_path / "again") == 0
    assert "The two traces compared" in (tmp_path / "again" / "reference.c.html").read_text()
    capfd.readouterr()


# ---- what can't be traced, or not to its end -----------------------------------------------------------------------


def test_a_ring_of_one_event(make: Make) -> None:
    """A ring of one event keeps the last call of each rank and counts those it dropped."""
    trace = record(make("MPI_Barrier(MPI_COMM_WORLD); MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);"), 2,
                   choice=Choice(ring=1)).trace  # fmt: skip
    assert counts(trace) == {("MPI_Bcast",): 2}
    assert trace.dropped == [3, 3]


def test_a_ring_whose_last_event_is_no_call(make: Make) -> None:
    """When all that a ring of one event holds is part of a call that was dropped, the error says to make it larger."""
    path = make("MPI_Request r; MPI_Ibarrier(MPI_COMM_WORLD, &r); MPI_Wait(&r, MPI_STATUS_IGNORE);")
    with pytest.raises(HarnessError, match="larger ring"):
        record(path, 2, choice=Choice(ring=1))


@pytest.mark.parametrize("ring", [0, -1, MOST_RING + 1])
def test_a_ring_that_makes_no_sense(ring: int) -> None:
    """A ring has between one event and those that memory bears."""
    with pytest.raises(HarnessError, match=r"a ring of"):
        Choice(ring=ring)


def test_a_ring_for_which_there_is_no_room(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is too full is said before anything runs."""
    monkeypatch.setattr("mpilab.tracing.choice.shutil.disk_usage", lambda _: _Usage(1_000_000))
    with pytest.raises(HarnessError, match="smaller --ring"):
        record(make(""), 2)


class _Usage:
    def __init__(self, free: int) -> None:
        self.free = free


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('#include <stdio.h>\nint main(void) { puts("hi"); return 0; }\n', "never called MPI_Init"),
        ("int main(void) { return 3; }\n", "never called MPI_Init.*ended with status 3"),
        ("#include <stdlib.h>\nint main(void) { abort(); }\n", "never called MPI_Init"),
        ("int main(void) { oops }\n", "does not compile"),
    ],
    ids=["prints", "fails", "aborts", "does not compile"],
)
def test_a_program_that_is_not_mpi(make: Make, text: str, says: str) -> None:
    """A program that never comes to MPI_Init has nothing to record: the message says so, and how it ended."""
    with pytest.raises(HarnessError, match=says):
        record(make(text, whole=True), 2)


def test_a_binary_without_mpi_and_a_static_one(tmp_path: Path) -> None:
    """A binary that isn't linked with MPI, or statically, can't be observed, which is said before it runs."""
    source = tmp_path / "p.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", source, "-o", tmp_path / "plain"], check=True)
    with pytest.raises(HarnessError, match="not linked with an MPI library"):
        record(tmp_path / "plain", 2)
    subprocess.run(["cc", "-static", source, "-o", tmp_path / "static"], check=True)
    with pytest.raises(HarnessError, match="statically linked"):
        record(tmp_path / "static", 2)
    with pytest.raises(HarnessError, match="there is no file"):
        record(tmp_path / "gone", 2)


@pytest.mark.parametrize(
    ("end", "says"),
    [
        ("if (rank == 1) { *(volatile int *)NULL = 1; }", r"rank 1 died of SIGSEGV at program\.c:\d+"),
        ("if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);", "rank 1 called MPI_Abort with code 5"),
        ("exit(4);", "ended with status 4"),
        ("if (rank == 1) kill(getpid(), 9);", "ended with status"),
    ],
    ids=["crash", "abort", "exit", "killed"],
)
def test_a_program_that_dies_before_finalize(make: Make, end: str, says: str) -> None:
    """What a program recorded before it died is shown, with a note of how it died and who didn't finish."""
    path = make(f"#define kill(a, b) raise(b)\n{RING}\n{SENDRECV}\nMPI_Barrier(MPI_COMM_WORLD);\n{end}\nnap(5);\n")
    path.write_text("#include <signal.h>\n" + path.read_text())
    found = record(path, 2)
    assert counts(found.trace)["MPI_Sendrecv",] == 2
    assert re.search(says, found.ended), found.ended
    assert found.trace.notes[0] == found.ended
    if "exit" not in end:
        assert not all(found.trace.finished)


def test_a_program_that_gets_stuck(make: Make) -> None:
    """A deadlock ends the run within seconds, is named, and what came before is shown."""
    path = make(f"{RING}\n{SENDRECV}\nMPI_Recv(&y, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
    begin = time.monotonic()
    found = record(path, 2)
    assert time.monotonic() - begin < 50
    assert "got stuck" in found.ended
    assert "MPI_Recv" in found.ended
    assert counts(found.trace)["MPI_Sendrecv",] == 2


def test_a_program_without_an_end(make: Make) -> None:
    """A program that computes for ever is ended when its time is up, and its trace shown."""
    found = record(make(f"{RING}\n{SENDRECV}\nfor (;;) nap(1);"), 2, timeout_s=2)
    assert "still running after 2 s" in found.ended
    assert counts(found.trace)["MPI_Sendrecv",] == 2


def test_a_program_that_forks(make: Make) -> None:
    """A forked child leaves its parent's ring alone, whatever it does, and outlives nobody."""
    path = make(f"""{RING}
        if (!fork()) {{
            mpilab_region_begin("child");
            mpilab_region_end();
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            nap(30);
            _exit(0);
        }}
        {SENDRECV}
        """)
    found = record(path, 2)
    assert found.ended == ""
    assert counts(found.trace) == {("MPI_Sendrecv",): 2, ("MPI_Comm_rank",): 2, ("MPI_Comm_size",): 2}
    assert len(found.trace.regions_spans) == 0


def test_a_program_that_prints_without_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that floods its output is ended."""
    monkeypatch.setattr("mpilab.diagnosis.program.OUTPUT_LIMIT", 1_000_000)
    found = record(make(f'{RING}\n{SENDRECV}\nfor (;;) puts("more and more and more");'), 2)
    assert "printed without end" in found.ended


def test_interrupting_leaves_nothing(make: Make, tmp_path: Path) -> None:
    """Killed in the middle, `mpilab trace` leaves no process, no folder and no files of its own."""
    path = make("for (;;) nap(1);")
    words = [sys.executable, "-m", "mpilab", "trace", "--program", path, "--out", tmp_path / "t"]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not list(sweep.base().glob(f"{process.pid}-*/ring-1")):
        assert time.monotonic() < end
        time.sleep(0.05)
    folders = list(sweep.base().glob(f"{process.pid}-*"))
    process.terminate()
    assert process.wait(30) == 130
    assert not any(sweep.marked(folder.name) or folder.exists() for folder in folders)
    assert not (tmp_path / "t").exists()


# ---- rings and trace files that are damaged ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the rings of a real run of two ranks."""
    folder = tmp_path_factory.mktemp("rings")
    source = folder / "p.c"
    source.write_text(f"{HEAD}{RING}\nfor (int i = 0; i < 50; i++) {SENDRECV}\n{TAIL}")
    kept = programs.collect
    try:
        programs.collect = lambda where, *more: (_copy(where, folder), kept(where, *more))[1]
        record(source, 2)
    finally:
        programs.collect = kept
    return folder


def _copy(where: Path, to: Path) -> None:
    for path in (*where.glob("ring-*"), *where.glob("meta-*")):
        (to / path.name).write_bytes(path.read_bytes())


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda b: b[:10_000], "cut off"),
        (lambda b: b[:0], "is empty"),
        (lambda b: b[:8] + b"\x09" + b[9:], "version 9"),
        (lambda b: b[:20] + bytes(4) + b[24:], "0 ranks"),
        (lambda b: b[:4096] + b[4104:4112] + b[4096:4104] + b[4112:], "clock ran backwards"),
    ],
    ids=["cut off", "empty", "another version", "0 ranks", "clock backwards"],
)
def test_a_damaged_ring(recorded: Path, tmp_path: Path, damage: Callable[[bytes], bytes], says: str) -> None:
    """One rank's ring is damaged: what can be read is shown, and a note says what is wrong."""
    _copy(recorded, tmp_path)
    ring = tmp_path / "ring-1"
    ring.write_bytes(damage(ring.read_bytes()))
    trace = programs.collect(tmp_path, "damaged", "p")
    assert len(trace.events) > 0
    assert any(says in note for note in trace.notes), trace.notes
    assert str(trace)


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "no readable trace"), (b"PK\x03\x04 no", "no readable trace"), (b"hello", "no readable trace")],
    ids=["empty", "cut off", "no trace"],
)
def test_a_damaged_trace_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    """A trace file that isn't one is said to be none, with exit status 2."""
    path = tmp_path / "x.mpitrace"
    path.write_bytes(content)
    assert run(monkeypatch, "trace", path) == 2
    assert says in capfd.readouterr().err


# ---- files that are there already ----------------------------------------------------------------------------------


def test_own_files_are_replaced_and_others_left(make: Make, tmp_path: Path) -> None:
    """Files of an earlier trace of that name are replaced; when one is somebody else's, nothing is written at all."""
    trace = record(make("MPI_Barrier(MPI_COMM_WORLD);"), 2).trace
    folder = tmp_path / "t"
    first = files.write([trace], ["a"], folder)
    assert first[0] == folder / "a.html"
    before = {path: path.stat().st_ino for path in folder.iterdir()}
    files.write([trace], ["a"], folder)
    after = {path: path.stat().st_ino for path in folder.iterdir()}
    assert before.keys() == after.keys()
    assert all(before[path] != after[path] for path in before)
    for name in ("a.html", "a.mpitrace", "a.events.csv", "a.perfetto.json"):
        kept = (folder / name).read_bytes()
        (folder / name).write_text("mine")
        with pytest.raises(HarnessError, match="did not write it"):
            files.write([trace], ["a"], folder)
        assert (folder / name).read_text() == "mine"
        (folder / name).write_bytes(kept)
    assert {path: path.stat().st_ino for path in folder.iterdir()}.keys() == before.keys()
    (folder / "b.otf2").mkdir()
    with pytest.raises(HarnessError, match="did not write it"):
        files.write([trace], ["b"], folder)
    assert not (folder / "b.html").exists()


def test_a_folder_that_can_not_be_written(make: Make, tmp_path: Path) -> None:
    """An output folder that is a file is named, with what to do."""
    trace = record(make("MPI_Barrier(MPI_COMM_WORLD);"), 1).trace
    (tmp_path / "t").write_text("")
    with pytest.raises(HarnessError, match="--out"):
        files.write([trace], ["a"], tmp_path / "t")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["trace"], "say what is to be traced"),
        (["trace", "halo"], "say what is to be traced"),
        (["trace", "hallo", "x.c"], "did you mean halo"),
        (["trace", "halo", "nothere.c"], "there is no file nothere.c"),
        (["trace", "--program", "nothere.c"], "there is no file nothere.c"),
        (["trace", "--program", "x.c", "--steps", "3"], "for kernels of labs"),
        (["trace", "--program", "x.c", "--between", "3", "2"], "let it begin before it ends"),
        (["trace", "--program", "x.c", "--groups", "p2p,iq"], "no group of calls 'iq'"),
        (["trace", "gone.mpitrace"], "there is no such file"),
        (["trace", "--program", "x.c", "-n", "0"], "0 ranks"),
        (["trace", "--program", "x.c", "--timeout", "0"], "some time"),
    ],
)
def test_calls_that_make_no_sense(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    """A command that can't be carried out says what is wrong, with exit status 2 and no traceback."""
    assert run(monkeypatch, *arguments) == 2
    assert says in " ".join(capfd.readouterr().err.split())


# ---- clocks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [{"MPILAB_ALIGN": "1"}, {"MPIR_CVAR_NUM_CLIQUES": "2"}, {"MPIR_CVAR_NOLOCAL": "1"}],
    ids=["asked for", "two nodes", "a node a rank"],
)
def test_clocks_of_nodes_are_aligned(make: Make, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
    """Ranks of other nodes have other clocks: the trace's common time is right within the error that it states.

    Here the ranks share one clock, which each is made to read wrongly by 30 s times its rank; so the truth is known.
    """
    skew = 30.0  # longer than the program lasts, on the busiest machine
    found: list[rings.Ring] = []
    kept = rings.read
    monkeypatch.setattr(
        rings, "read", lambda *args, **more: (found.extend(kept(*args, **more)[0]), kept(*args, **more))[1]
    )
    path = make(f"{RING}\nfor (int i = 0; i < 20; i++) {{ {SENDRECV} nap(0.005); }}")
    trace = record(path, 4, settings=settings | {"MPILAB_SKEW_NS": str(int(skew * 1e9))}).trace
    assert len(found) == 4
    for ring in found:
        error = abs(ring.offset_s + skew * ring.rank)
        stated = ring.clock["offset_error_s"] + ring.clock["error_s"]
        assert error <= stated, (ring.rank, error, stated)
        assert stated < 0.05
    assert trace.events["end"].max() < skew  # else the ranks would lie behind one another
    sent, came = (trace.events[trace.messages[side]] for side in ("send", "recv"))
    worst = 2 * max(ring.clock["offset_error_s"] + ring.clock["error_s"] for ring in found)
    assert (came["end"] >= sent["start"] - worst).all()


def test_one_node_needs_no_alignment(make: Make) -> None:
    """Ranks of one machine share its clock: nothing is measured and no error is added."""
    trace = record(make("MPI_Barrier(MPI_COMM_WORLD);"), 2).trace
    assert trace.clock["offset_error_s"] == [0.0, 0.0]
    assert all(0 < error < 1e-5 for error in trace.clock["error_s"])


def test_the_command_is_described() -> None:
    """`mpilab trace --help` shows the three ways to say what is traced."""
    out = run_cli("trace", "--help")
    assert all(text in out for text in ("LAB FILE", "--program", ".mpitrace", *command.GROUPS))
