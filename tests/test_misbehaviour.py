"""Whatever a kernel does, a verdict names it, nothing stays behind, and the next one finds a warm cluster.

Each body below becomes the `run` of an otherwise ordinary kernel; the tests use one session one after the other, so
each also shows that the one before left a working cluster.
"""

# ruff: noqa: E501, ISC003, ISC004 - a table of kernels, a line each

import os
from pathlib import Path

import psutil
import pytest

from mpilab import correctness, referee, sweep
from mpilab.lab import Lab
from mpilab.record import Record
from mpilab.session import Session
from mpilab.verdict import Kind

pytestmark = pytest.mark.mpi

C = """#include <math.h>
#include <stdio.h>
#include <unistd.h>
struct kernel {{ MPI_Comm comm; long n; const double *in; double *out; int rank, size; }};
int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {{
    struct kernel *k = malloc(sizeof *k);
    *k = (struct kernel){{comm, shape->n, in, out, 0, 0}};
    MPI_Comm_rank(comm, &k->rank);
    MPI_Comm_size(comm, &k->size);
    *self = k;
    return 0;
}}
int kernel_free(struct kernel **self) {{ return free(*self), 0; }}
int kernel_run(struct kernel *k) {{
    {body}
    return 0;
}}
"""
BODY_LINE = 15  # the line of {body}
PYTHON = """class Kernel:
    def __init__(self, comm, shape, in_, out):
        self.comm, self.shape, self.in_, self.out = comm, shape, in_, out
    def free(self):
        pass
    def run(self):
        {body}
"""
DOUBLE_C = "MPI_Sendrecv(k->in, k->n, MPI_DOUBLE, (k->rank + k->size - 1) % k->size, 0, k->out, k->n, MPI_DOUBLE, " + (
    "(k->rank + 1) % k->size, 0, k->comm, MPI_STATUS_IGNORE); for (long i = 0; i < k->n; i++) k->out[i] *= 2;"
)
DOUBLE_PYTHON = (
    "c = self.comm; c.Sendrecv(self.in_, (c.rank - 1) % c.size, 0, self.out, (c.rank + 1) % c.size, 0); "
    + ("self.out *= 2")
)

# name, body, verdict, what the message must say
C_CASES = [
    ("segfaults", "volatile int *p = 0; *p = 1;", Kind.CRASHED, f"SIGSEGV in run: kernel_run at kernel.c:{BODY_LINE}"),
    ("divides", "volatile int one = 7, zero = 0; return one / zero;", Kind.CRASHED, "SIGFPE"),
    ("exits", "exit(3);", Kind.CRASHED, "called exit() in run"),
    ("leaves", "_exit(3);", Kind.CRASHED, "ended without a word"),
    ("aborts", "MPI_Abort(k->comm, 7);", Kind.CRASHED, "called MPI_Abort with code 7"),
    ("loops", "for (volatile int x = 0;; x++);", Kind.TIMED_OUT, "outside MPI"),
    ("polls", "int f = 0; double d; MPI_Request r; MPI_Irecv(&d, 1, MPI_DOUBLE, 0, 9, k->comm, &r); "
     "while (!f) MPI_Test(&r, &f, MPI_STATUS_IGNORE);", Kind.TIMED_OUT, "in MPI_Test"),
    ("deadlocks", "if (k->size > 1) MPI_Recv(k->out, 1, MPI_DOUBLE, 1 - k->rank, 0, k->comm, MPI_STATUS_IGNORE);" + DOUBLE_C,
     Kind.DEADLOCK, "ranks 0 and 1 both wait in MPI_Recv"),
    ("one_rank_fails", "if (k->rank == 1) return 5; " + DOUBLE_C, Kind.CRASHED, "rank 1 returned error code 5"),
    ("overruns", DOUBLE_C + " k->out[k->n] = 0;", Kind.WRONG_ANSWER, "wrote to out[3], but out[] has 3 elements"),
    ("underruns", DOUBLE_C + " k->out[-1] = 0;", Kind.WRONG_ANSWER, "wrote to out[-1]"),
    ("writes_in", DOUBLE_C + " ((double *)k->in)[0] = 5;", Kind.WRONG_ANSWER, "changed in[]"),
    ("fails", "return 42;", Kind.CRASHED, "returned error code 42 from run"),
    ("nan", "for (long i = 0; i < k->n; i++) k->out[i] = NAN;", Kind.WRONG_ANSWER, "out[0] is never written (NaN), expected"),
    ("nothing", "", Kind.WRONG_ANSWER, "never written"),
    ("prints", 'for (int i = 0; i < 20000; i++) printf("%d: a line of about fifty characters, just to fill it\\n", i);'
     + DOUBLE_C, Kind.OK, ""),
    ("floods", 'for (;;) printf("a line of about fifty characters, just to fill the disk\\n");', Kind.CRASHED, "without end"),
    ("allocates", "for (size_t size = 1 << 28;;) { char *p = malloc(size); if (!p) return 12; p[0] = 1; }",
     Kind.CRASHED, "error code 12"),
    ("forks", "if (fork() == 0) for (;;) sleep(100);" + DOUBLE_C, Kind.CRASHED, "started another process"),
    ("forks_away", "if (fork() == 0) { setsid(); if (fork() == 0) for (;;) sleep(100); _exit(0); }" + DOUBLE_C,
     Kind.CRASHED, "started another process"),
    ("forks_and_returns", "fork();" + DOUBLE_C, Kind.CRASHED, "started another process"),
    ("mpi_error", "MPI_Send(k->in, 1, MPI_DOUBLE, 99, 0, k->comm);" + DOUBLE_C, Kind.CRASHED,
     "got an error from MPI_Send: Invalid rank"),
    ("stray", "MPI_Request r; MPI_Isend(k->in, 1, MPI_DOUBLE, (k->rank + 1) % k->size, 7, k->comm, &r);" + DOUBLE_C,
     Kind.ERRONEOUS_MPI, "8 bytes from rank 0 with tag 7"),
    ("forbidden", "MPI_Barrier(k->comm);" + DOUBLE_C, Kind.WRONG_CALLS, "MPI_Barrier was called"),
    ("own_clock", "} double MPI_Wtime(void) { return 0; } int more(void) {", Kind.TAMPERED, "defines MPI_Wtime"),
    ("past_the_referee", "PMPI_Barrier(k->comm);", Kind.TAMPERED, "calls PMPI_Barrier"),
]  # fmt: skip
PYTHON_CASES = [
    ("raises", "raise ValueError('with a reason')", Kind.CRASHED, "line 7, in run: raise ValueError('with a reason')"),
    ("one_raises", "c = self.comm; c.size == 2 and (c.Barrier() if c.rank else 1 / 0); " + DOUBLE_PYTHON, Kind.CRASHED, "rank 0 raised in run"),
    ("exits", "raise SystemExit(0)", Kind.CRASHED, "SystemExit"),
    ("leaves", "import os; os._exit(0)", Kind.CRASHED, "ended without a word"),
    ("loops", "while True: pass", Kind.TIMED_OUT, "outside MPI"),
    ("deadlocks", "self.comm.Recv(self.out, self.comm.rank ^ 1 if self.comm.size > 1 else 0)", Kind.DEADLOCK, "in MPI_Recv"),
    ("segfaults", "import ctypes; ctypes.string_at(0)", Kind.CRASHED, "SIGSEGV"),
    ("overruns", "import ctypes; ctypes.memset(self.out.ctypes.data, 0, 8 * self.out.size + 8)", Kind.WRONG_ANSWER,
     "wrote to out[3]"),
    ("writes_in", "self.in_[0] = 1", Kind.CRASHED, "read-only"),
    ("fails", "return 9", Kind.CRASHED, "returned error code 9 from run"),
    ("nan", "self.out[:] = float('nan')", Kind.WRONG_ANSWER, "NaN"),
    ("prints", "print('x' * 1_000_000); " + DOUBLE_PYTHON, Kind.OK, ""),
    ("allocates", "import numpy; self.all = [numpy.empty(1 << 26) for _ in range(4096)]", Kind.CRASHED, "Unable to allocate"),
    ("forks", "import os; os.fork() or os._exit(0); " + DOUBLE_PYTHON, Kind.CRASHED, "started another process"),
    ("starts_a_process", "import subprocess; subprocess.Popen(['sleep', '1234'], start_new_session=True); " + DOUBLE_PYTHON,
     Kind.CRASHED, "started another process"),
    ("patches_the_clock", "import time; time.perf_counter = lambda: 0.0; " + DOUBLE_PYTHON, Kind.TAMPERED,
     "it replaces time.perf_counter"),
]  # fmt: skip
CASES = [pytest.param("c", *case, id=f"c-{case[0]}") for case in C_CASES]
CASES += [pytest.param("python", *case, id=f"python-{case[0]}") for case in PYTHON_CASES]


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endless loops end sooner than in real life."""
    monkeypatch.setattr(correctness, "LIMIT_S", 4.0)


def attempt(small: Session, echo: Lab, path: Path) -> Record:
    """One attempt at the tests' lab, timed as little as possible."""
    return referee.attempt(small.clusters, echo, path, 0.1)


@pytest.mark.parametrize(("language", "name", "body", "verdict", "says"), CASES)
def test_a_verdict_names_it(
    small: Session, echo: Lab, tmp_path: Path, language: str, name: str, body: str, verdict: Kind, says: str
) -> None:
    """A misbehaving kernel gets the verdict that names what it did."""
    del name
    path = tmp_path / ("kernel.c" if language == "c" else "kernel.py")
    path.write_text((C if language == "c" else PYTHON).format(body=body))
    record = attempt(small, echo, path)
    assert (record.verdict, says in record.message) == (verdict, True), record.message


@pytest.mark.parametrize("language", ["c", "python"])
def test_the_innocent_find_a_working_cluster(small: Session, echo: Lab, language: str) -> None:
    """After all that, our own conversion passes."""
    assert attempt(small, echo, echo.reference("c" if language == "c" else "python")).verdict == Kind.OK


def test_nothing_is_left(small: Session) -> None:
    """No process that a kernel started, and no segment of shared memory, is left."""
    assert small.clusters.theirs.versions()
    assert ["sleep", "1234"] not in [p.info["cmdline"] for p in psutil.process_iter(["cmdline"])]
    folders = [folder.name for folder in sweep.base().glob(f"{os.getpid()}-*")]
    processes = [process for name in folders for process in sweep.marked(name)]
    segments = {s for p in processes for s in sweep.SEGMENT.findall(Path(f"/proc/{p.pid}/maps").read_text())}
    assert [name for name in segments if Path(name).exists()] == []


def test_what_a_kernel_prints_is_shown(small: Session, echo: Lab, tmp_path: Path) -> None:
    """What a kernel prints, from C or Python, comes back in the record."""
    (tmp_path / "talks.c").write_text(C.format(body=f'printf("from C\\n"); {DOUBLE_C}'))
    (tmp_path / "talks.py").write_text(PYTHON.format(body=f"print('from Python'); {DOUBLE_PYTHON}"))
    assert "from C" in attempt(small, echo, tmp_path / "talks.c").printed
    assert "from Python" in attempt(small, echo, tmp_path / "talks.py").printed
