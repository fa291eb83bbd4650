"""Is this machine fit to learn and to time on?  PASS, CAUTION or FAIL for each thing, with its mend.

Theory of operation.  Each check is a function that returns a `Finding`; FAIL means labs can't run here, CAUTION that
they can but something is less good than it could be.  The check of MPI is the real thing: a C kernel and mpi4py on one
small cluster.  Nothing is changed, but for what dead sessions left behind.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from mpilab import build, sweep
from mpilab.errors import HarnessError
from mpilab.machine import cores
from mpilab.protocol import Run
from mpilab.runner import Runner
from mpilab.sandbox import needed
from mpilab.submission import Submission

PASS, CAUTION, FAIL = "PASS", "CAUTION", "FAIL"
GIB = 2**30
TRIAL = """
struct kernel { MPI_Comm comm; double *out; };
static struct kernel only;
int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    (void)shape, (void)in;
    only = (struct kernel){comm, out};
    *self = &only;
    return 0;
}
int kernel_run(struct kernel *self) {
    double one = 1;
    return MPI_Allreduce(&one, self->out, 1, MPI_DOUBLE, MPI_SUM, self->comm);
}
int kernel_free(struct kernel **self) { return *self = NULL, 0; }
"""


@dataclass(frozen=True)
class Finding:
    """What a check found, and how to mend it."""

    name: str
    grade: str
    found: str
    mend: str = ""


def compiler() -> Finding:
    """A C compiler that makes shared libraries."""
    cc = shutil.which("cc")
    if not cc:
        return Finding("C compiler", FAIL, "none", "Debian and Ubuntu: apt install gcc libc6-dev")
    said = subprocess.run([cc, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    return Finding("C compiler", PASS, said[0] if said else cc)


def mpi() -> Finding:
    """A C kernel built by mpicc and mpi4py share one MPI library, on a live cluster."""
    name = "MPI and mpi4py"
    folder = sweep.new_folder()
    try:
        built = build.build(Submission("trial.c", "c", TRIAL), folder)
        if not isinstance(built, build.Artifact):
            return Finding(name, FAIL, built.message, "make install")
        runner = Runner(2, build.libraries())
        try:
            versions = runner.versions()
            runner.load("trial", "c", built.path)
            runner.data([[np.zeros(1), np.zeros(1)]])
            request = Run("trial", 2, 1, 1, [1, 1], [0], [0], 0, 10.0)
            ran = runner.run(request)
        finally:
            runner.close()
        if ran.observation.end != "finished" or [o.tolist() for o in ran.outputs] != [[2.0], [2.0]]:
            return Finding(
                name, FAIL, f"a C kernel on mpi4py's communicator gave {ran.observation.end}", "make install"
            )
        library = versions["mpi"].replace("Version:", "").split()
        return Finding(name, PASS, f"{' '.join(library)}, mpi4py {versions['mpi4py']}: one ABI, 2 ranks tried")
    except HarnessError as error:
        return Finding(name, FAIL, str(error), "make clean && make install")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def core_count() -> Finding:
    """Enough cores for timed cases."""
    count = cores()
    if count < 2:
        mend = "labs can be checked, not timed: give this machine (or container) two cores"
        return Finding("cores", CAUTION, f"{count}", mend)
    return Finding("cores", PASS, f"{count}")


def load() -> Finding:
    """Other work on the machine."""
    now, _, _ = os.getloadavg()
    share = now / cores()
    if share > 1.0:
        return Finding(
            "load", CAUTION, f"{now:.1f} on {cores()} cores", "timing works, but takes longer: close what's busy"
        )
    return Finding("load", PASS, f"{now:.1f} on {cores()} cores")


def memory() -> Finding:
    """Memory for two clusters."""
    free = psutil.virtual_memory().available
    grade = FAIL if free < 0.7 * GIB else CAUTION if free < 1.5 * GIB else PASS
    return Finding(
        "memory", grade, f"{free / GIB:.1f} GiB free", "" if grade == PASS else "two clusters take 1 GiB: free some"
    )


def shared_memory() -> Finding:
    """/dev/shm, through which the ranks talk."""
    path = Path("/dev/shm")
    if not os.access(path, os.W_OK):
        return Finding("/dev/shm", FAIL, "not writable", "mount a tmpfs there (docker run --shm-size=256m)")
    free = shutil.disk_usage(path).free
    grade = FAIL if free < 16 * 2**20 else CAUTION if free < 128 * 2**20 else PASS
    return Finding(
        "/dev/shm", grade, f"{free / 2**20:.0f} MiB free", "" if grade == PASS else "docker run --shm-size=256m"
    )


def disk() -> Finding:
    """Room for what a session writes."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    grade = FAIL if free < 50 * 2**20 else CAUTION if free < GIB else PASS
    return Finding(
        "disk", grade, f"{free / GIB:.1f} GiB free in {tempfile.gettempdir()}", "" if grade == PASS else "free some"
    )


def noise() -> Finding:
    """How much of a second of pure computing the system takes away."""
    lost = slices = 0.0
    begin = last = time.perf_counter()
    while last - begin < 0.5:
        now = time.perf_counter()
        if now - last > 1e-4:
            lost, slices = lost + (now - last), slices + 1
        last = now
    share = lost / (last - begin)
    found = f"{share:.1%} of the time taken away, in {slices:.0f} slices of {1e3 * lost / max(slices, 1):.1f} ms"
    if share > 0.2:
        return Finding("time-slice noise", CAUTION, found, "intervals will be wider: close what's busy, or wait")
    return Finding("time-slice noise", PASS, found)


def sandbox() -> Finding:
    """What graded code runs in."""
    why = needed()
    if not why:
        return Finding("sandbox", PASS, "bubblewrap, tried")
    return Finding("sandbox", CAUTION, f"fine for learning, not for grading: {why}", "apt install bubblewrap")


def leftovers() -> Finding:
    """What dead sessions left behind, which is removed."""
    found = sweep.sweep()
    return Finding("leftovers", PASS, f"removed those of {len(found)} dead sessions" if found else "none")


CHECKS: tuple[Callable[[], Finding], ...] = (
    compiler, core_count, load, memory, shared_memory, disk, noise, sandbox, leftovers, mpi,
)  # fmt: skip


def examine() -> list[Finding]:
    """Make all checks; a check that fails itself is a FAIL."""
    first = Finding("Python", PASS, f"{sys.version.split()[0]}")
    return [first, *(_safely(check) for check in CHECKS)]


def _safely(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except (OSError, HarnessError) as error:
        return Finding(check.__name__.replace("_", " "), FAIL, f"{error}", "mend that first")
