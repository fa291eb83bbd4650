"""Named regions of a Python program, for `mpilab trace`.

Theory of operation.  The PMPI library, which mpilab loads before the program, notes where a region begins and ends.
Without it nothing happens, so a program with regions runs anywhere.
"""

import contextlib
import ctypes
from collections.abc import Iterator
from functools import cache


@contextlib.contextmanager
def region(name: str) -> Iterator[None]:
    """Give a part of the program a name: `with mpilab.region("exchange"): ...`; regions nest."""
    library = _library()
    if library is None:
        yield
        return
    library.mpilab_region_begin(name.encode())
    try:
        yield
    finally:
        library.mpilab_region_end()


@cache
def _library() -> ctypes.PyDLL | None:
    library = ctypes.PyDLL(None)  # what is loaded already
    return library if hasattr(library, "mpilab_region_begin") else None
