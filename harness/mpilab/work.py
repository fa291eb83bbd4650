"""Modelled computation for Python kernels: `from mpilab.work import kernel_work`.

Theory of operation.  What it means is said in c/work.h, which holds the arithmetic; the harness's library, loaded
before the engines, does it for both languages.  Without that library, as in a program of one's own, NumPy does about
as much.
"""

import ctypes
from functools import cache

import numpy as np

BLOCK = 1000  # doubles


def kernel_work(flops: float) -> None:
    """Do `flops` floating-point operations that nothing depends on; on emulated nodes, sleep for 1 ns each."""
    work = _library_work()
    if work is not None:
        work(flops)
        return
    values = np.ones(BLOCK)
    for _ in range(int(flops / (2 * BLOCK))):
        values *= 0.999999
        values += 1e-6


@cache
def _library_work() -> "ctypes._NamedFuncPointer | None":
    library = ctypes.CDLL(None)  # what is loaded already; other threads may run meanwhile
    if not hasattr(library, "mpilab_work"):
        return None
    library.mpilab_work.argtypes, library.mpilab_work.restype = (ctypes.c_double,), None
    return library.mpilab_work
