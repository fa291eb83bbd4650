"""A kernel of either language as the engine sees it, and the buffers it works on.

Theory of operation.  A C kernel is a shared library, called through ctypes; a Python kernel is a class whose `run` is
wrapped as a C function, so that host.c's timed loop is the same for both.  Buffers have guard cells around them that a
kernel must leave alone.
"""

import ctypes
import os
import random
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

GUARD = 64  # doubles before and after each buffer that the kernel must not touch
GUARD_VALUE = -6.02214076e23
HOST = ctypes.PyDLL(None)  # the preloaded host library; PyDLL, because it calls Python kernels back
KERNEL_CALL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
HANDLE_SIZE = MPI._sizeof(MPI.Comm)  # noqa: SLF001 - mpi4py's documented way
COMM_TYPE = ctypes.c_int if ctypes.sizeof(ctypes.c_int) == HANDLE_SIZE else ctypes.c_void_p


class Shape(ctypes.Structure):
    """struct kernel_shape; a Python kernel gets the same object and reads the same fields."""

    _fields_ = (*((name, ctypes.c_long) for name in ("n", "steps", "n_in", "n_out")), ("work", ctypes.c_double))


class KernelFailedError(Exception):
    """A kernel function returned something else than 0."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Guarded:
    """A buffer of doubles with guard cells around it, at a random place so that no layout is always lucky."""

    def __init__(self, size: int) -> None:
        shift = 8 * random.randrange(64)  # whole cache lines, up to a page
        self._all = np.full(size + 2 * GUARD + shift + 8, GUARD_VALUE)
        start = shift + GUARD + (-self._all.ctypes.data // 8) % 8
        self.values = self._all[start : start + size]
        self._start = start

    def overrun(self, name: str) -> str:
        """Say which cell outside the buffer was written, or ''."""
        wrong = np.flatnonzero(self._all != GUARD_VALUE) - self._start
        outside = wrong[(wrong < 0) | (wrong >= self.values.size)]
        return f"{name}[{outside[0]}], but {name}[] has {self.values.size} elements" if outside.size else ""


class CKernel:
    """One initialised C kernel."""

    def __init__(self, library: ctypes.CDLL, comm: MPI.Intracomm, shape: Shape, *arrays: NDArray[np.float64]) -> None:
        self._library = library
        self._pointer = ctypes.c_void_p()
        self.function = ctypes.cast(library.kernel_run, ctypes.c_void_p)
        HOST.mpilab_kernel_at(self.function)
        handle = COMM_TYPE.from_address(MPI._addressof(comm))  # noqa: SLF001 - mpi4py's documented way
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        called(library.kernel_init(handle, ctypes.byref(shape), *pointers, ctypes.byref(self._pointer)))
        self.self = self._pointer

    def free(self) -> None:
        """Call kernel_free."""
        called(self._library.kernel_free(ctypes.byref(self._pointer)))


class PythonKernel:
    """One initialised Python kernel; `function` is its `run` as host.c calls it."""

    def __init__(self, cls: type, comm: MPI.Intracomm, shape: Shape, *arrays: NDArray[np.float64]) -> None:
        arrays[0].flags.writeable = False
        self._kernel = cls(comm, shape, *arrays)
        self.error: BaseException | None = None
        run = self._kernel.run

        def call(_: object) -> int:
            try:
                return int(run() or 0)
            except BaseException as error:  # noqa: BLE001 - raised again where Python sees it
                self.error = error
                return -1

        self._callback = KERNEL_CALL(call)  # kept alive
        self.function = ctypes.cast(self._callback, ctypes.c_void_p)
        self.self = ctypes.c_void_p()

    def free(self) -> None:
        """Call the kernel's free."""
        called(int(self._kernel.free() or 0))
        del self._callback, self.function  # which know this object: it goes now, not when garbage is collected


def called(code: int, kernel: "CKernel | PythonKernel | None" = None) -> None:
    """Raise what a kernel function raised, or KernelFailedError when it returned another code than 0."""
    error = getattr(kernel, "error", None)
    if error is not None:
        raise error
    if code:
        raise KernelFailedError(code)


def load_c(path: str) -> Callable[..., CKernel]:
    """Load a shared library; what is returned makes an initialised kernel of it."""
    library = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    return lambda *args: CKernel(library, *args)


def load_python(path: str) -> Callable[..., PythonKernel]:
    """Execute a source file; what is returned makes an initialised kernel of its class."""
    module = types.ModuleType("kernel")
    module.__file__ = path
    exec(compile(Path(path).read_text(), path, "exec"), module.__dict__)  # noqa: S102 - this is where kernels live
    return lambda *args: PythonKernel(module.Kernel, *args)
