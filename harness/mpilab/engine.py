"""What runs on an ipyparallel engine: hosts one kernel per slot, runs it, and reports.

Theory of operation.  The runner calls `attach` once and then `load`, `data` and `run` on all engines of a case at the
same time; engines agree on nothing but MPI.  A kernel that fails returns its report at once and leaves its peers
where they are: the runner sees who is stuck, decides, and replaces the engines.  What a kernel prints goes to a file of
its rank; what must survive a crash goes to the control page (c/page.h).
"""

import builtins
import contextlib
import ctypes
import faulthandler
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from mpilab import hosted, page
from mpilab.hosted import HOST, CKernel, Guarded, KernelFailedError, PythonKernel, Shape, called, load_c, load_python


class Burst(ctypes.Structure):
    """struct burst of host.c."""

    _fields_ = (
        *((name, ctypes.c_long) for name in ("n_in", "n_out")),
        *((name, ctypes.c_int) for name in ("warmup", "samples")),
        *((name, ctypes.c_void_p) for name in ("set", "keep", "inputs", "in_", "out", "kept", "seconds", "sums")),
    )


class _State:
    """This engine's slots, input sets and communicators."""

    def __init__(self) -> None:
        self.output = Path(os.devnull)
        self.stack: IO[str] | None = None
        self.slots: dict[str, Callable[..., Any]] = {}
        self.paths: dict[str, str] = {}
        self.comms: dict[tuple[str, int], MPI.Intracomm] = {}
        self.cores = sorted(os.sched_getaffinity(0))
        self.inputs: NDArray[np.float64] = np.zeros((1, 0))
        self.known: dict[Any, dict[str, Any]] = {}  # modules as they were before there was a kernel


STATE = _State()


def replaced() -> str:
    """What a kernel has put something else in place of, of what all share: "time.perf_counter"; '': nothing."""
    for module, known in STATE.known.items():
        now = vars(module)
        for name, value in known.items():
            if name != "_" and now.get(name) is not value:  # _: the last result, interactively
                return f"{module.__name__}.{name}"
    return ""


def rank() -> int:
    """This engine's rank in MPI_COMM_WORLD."""
    return MPI.COMM_WORLD.rank


def attach(folder: str, page_size: int, memory_bytes: int) -> dict[str, str]:
    """Map the control page, send what kernels print to a file, limit memory; return the versions in use."""
    _map_page(folder, page_size)
    STATE.output = Path(folder) / f"rank-{rank()}.out"
    fd = os.open(STATE.output, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    faulthandler.disable()  # host.c notes signals itself
    STATE.stack = (Path(folder) / f"rank-{rank()}.stack").open("w", encoding="utf-8")  # kept open for the handler
    faulthandler.register(signal.SIGUSR1, file=STATE.stack, all_threads=False)  # "where are you?"
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    STATE.known = {module: dict(vars(module)) for module in (time, builtins, MPI, hosted, sys.modules[__name__])}
    import mpi4py

    return {"mpi": MPI.Get_library_version().split("\n")[0].strip(), "mpi4py": mpi4py.__version__}


def publish(folder: str, page_size: int) -> None:
    """Map the control page, and no more: for ranks that a notebook's cells run on."""
    _map_page(folder, page_size)
    HOST.mpilab_phase(page.RUN)


def _map_page(folder: str, page_size: int) -> None:
    HOST.mpilab_attach.restype = ctypes.c_long
    HOST.mpilab_attach.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_long)
    answer = HOST.mpilab_attach(f"{folder}/page".encode(), rank(), page_size)
    if answer:
        raise RuntimeError(f"control page: {answer} (-1: cannot be mapped; else page.h says {answer}, not {page_size})")


def load(slot: str, language: str, path: str) -> dict[str, Any]:
    """Load the kernel at `path` into `slot`; return a report as `run` does."""
    with _kernel_output():
        HOST.mpilab_clear()
        HOST.mpilab_phase(page.LOAD)
        for key in [key for key in STATE.comms if key[0] == slot]:
            STATE.comms.pop(key).Free()
        STATE.paths[slot] = path
        try:
            STATE.slots[slot] = load_c(path) if language == "c" else load_python(path)
        except BaseException:  # noqa: BLE001 - whatever it raises, also SystemExit
            return {"status": "raised", "phase": "load", "text": _traceback(path)}
        finally:
            HOST.mpilab_phase(page.IDLE)
    return {"status": "returned", "phase": "load", "replaced": replaced()}


def data(sets: int, values: NDArray[np.float64]) -> None:
    """Keep this rank's `sets` input sets for the runs to come."""
    STATE.inputs = values.reshape(sets, -1).copy()


def run(spec: dict[str, Any]) -> tuple[dict[str, Any], *tuple[NDArray[np.float64], ...]]:
    """Run a kernel as protocol.Run says; return a report, and what protocol.Observation says of arrays."""
    order, keep, warmup = spec["order"], spec["keep"], spec["warmup"]
    _bind(spec["ranks"])
    comm, host = _comm(spec["slot"], spec["ranks"]), _comm("", spec["ranks"])
    n_out = spec["n_out"][rank()]
    source = STATE.inputs[order[0]]
    in_, out = Guarded(source.size), Guarded(n_out)
    in_.values[:] = source
    shape = Shape(spec["n"], spec["steps"], source.size, n_out, spec["work"])
    seconds, sums = np.zeros(len(order) - warmup), np.full(len(order), np.nan)
    kept = np.full((len(keep), n_out), np.nan)
    report: dict[str, Any] = {"status": "returned"}
    kernel = None
    with _kernel_output():
        HOST.mpilab_clear()
        HOST.mpilab_emulate(spec["emulated"])
        HOST.mpilab_disturb(spec["disturbed"])
        if spec["strict"] and HOST.mpilab_strict_kernel(os.fsencode(STATE.output.parent), comm.py2f()):
            raise RuntimeError("the strict log cannot be opened")
        if spec["ring"] and HOST.mpilab_record_kernel(host.py2f(), *_rings(spec)):
            raise RuntimeError(f"there is no room for rings of {spec['ring']} events")
        try:
            HOST.mpilab_phase(page.INIT)
            kernel = STATE.slots[spec["slot"]](comm, shape, in_.values, out.values)
            _burst(kernel, host, spec, in_, out, (seconds, sums, kept))
            HOST.mpilab_phase(page.FREE)
            kernel.free()
            if spec["strict"]:
                HOST.mpilab_strict_end(b"returned")
            report |= _aftermath(comm, host)
        except KernelFailedError as error:
            report |= {"status": "failed", "code": error.code, "phase": _phase()}
        except BaseException:  # noqa: BLE001 - whatever it raises, also SystemExit
            report |= {"status": "raised", "phase": _phase(), "text": _traceback(STATE.paths[spec["slot"]])}
        finally:
            HOST.mpilab_strict_off()
            HOST.mpilab_record_off()
            HOST.mpilab_phase(page.IDLE)
    report["replaced"] = replaced()
    report["overrun"] = in_.overrun("in") or out.overrun("out")
    report["input_changed"] = not np.array_equal(in_.values, STATE.inputs[order[-1]], equal_nan=True)
    return report, seconds, sums, kept


def _rings(spec: dict[str, Any]) -> tuple[bytes, ctypes.c_uint64, int]:
    """Where the rings go, how many events they hold, and of which calls."""
    return os.fsencode(STATE.output.parent), ctypes.c_uint64(spec["ring"]), spec["groups"]


def _bind(ranks: int) -> None:
    """Give each rank a core of its own where there are enough; the system may otherwise wake two on one core."""
    os.sched_setaffinity(0, {STATE.cores[rank()]} if ranks <= len(STATE.cores) else STATE.cores)


def _burst(
    kernel: CKernel | PythonKernel,
    host: MPI.Intracomm,
    spec: dict[str, Any],
    in_: Guarded,
    out: Guarded,
    results: tuple[NDArray[np.float64], ...],
) -> None:
    seconds, sums, kept = results
    order = np.array(spec["order"], dtype=np.intc)
    keep = np.full(order.size, -1, dtype=np.intc)
    keep[spec["keep"]] = np.arange(len(spec["keep"]))
    burst = Burst(
        n_in=in_.values.size,
        n_out=out.values.size,
        warmup=spec["warmup"],
        samples=seconds.size,
        set=order.ctypes.data,
        keep=keep.ctypes.data,
        inputs=STATE.inputs.ctypes.data,
        in_=in_.values.ctypes.data,
        out=out.values.ctypes.data,
        kept=kept.ctypes.data,
        seconds=seconds.ctypes.data,
        sums=sums.ctypes.data,
    )
    called(HOST.mpilab_burst(host.py2f(), kernel.function, kernel.self, ctypes.byref(burst)), kernel)


def _comm(slot: str, ranks: int) -> MPI.Intracomm:
    """The communicator of `slot` over the first `ranks` ranks; failed calls return their code."""
    key = (slot, ranks)
    if key not in STATE.comms:
        group = MPI.COMM_WORLD.Get_group().Range_incl([(0, ranks - 1, 1)])
        STATE.comms[key] = MPI.COMM_WORLD.Create_group(group)
        STATE.comms[key].Set_errhandler(MPI.ERRORS_RETURN)  # pmpi.c notes errors; mpi4py raises them
    return STATE.comms[key]


class _Stray(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_int) for name in ("found", "source", "tag", "bytes"))


def _aftermath(comm: MPI.Intracomm, host: MPI.Intracomm) -> dict[str, Any]:
    stray = _Stray()
    HOST.mpilab_stray_message(comm.py2f(), host.py2f(), ctypes.byref(stray))
    if not stray.found:
        return {}
    return {"stray": f"{stray.bytes} bytes from rank {stray.source} with tag {stray.tag}"}


def _phase() -> str:
    return page.PHASES[HOST.mpilab_current_phase()]


def _traceback(path: str) -> str:
    """The exception being handled, with the frames that are the kernel's own."""
    kind, error, tb = sys.exc_info()
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(kind, error)).strip()
    frames = [f for f in traceback.extract_tb(tb) if f.filename == path]
    lines = [f"line {f.lineno}, in {f.name}: {f.line}" for f in frames]
    return "\n".join([*lines, "".join(traceback.format_exception_only(kind, error)).strip()])


@contextlib.contextmanager
def _kernel_output() -> Iterator[None]:
    """Send what the kernel prints, from C or Python, to this rank's file."""
    os.truncate(STATE.output, 0)
    with (
        os.fdopen(os.dup(1), "w", buffering=1, errors="replace") as file,
        contextlib.redirect_stdout(file),
        contextlib.redirect_stderr(file),
    ):
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                file.flush()
            ctypes.CDLL(None).fflush(None)
