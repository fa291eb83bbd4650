"""Where a Python program has put what it read from a buffer that MPI is still receiving into.

Theory of operation.  Until a receive is complete, its buffer holds a poison of its own (c/guard.c): a NaN whose bits
survive arithmetic.  The C library (c/watch.c) calls `seen` after each line that runs meanwhile.  It looks through what
the line's function can have stored something in: its variables, their attributes and elements, a few levels deep.  A
number with these bits outside of the buffer proves that the buffer was read.  What was only looked at (printed,
compared) leaves no trace.
"""

import ctypes
import itertools
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType, ModuleType
from typing import Any

DEPTH = 3  # a variable, its attributes, their elements
ELEMENTS = 1000  # of a list or an object that are looked at
_NOT_DATA = (str, bytes, bool, type, FunctionType, ModuleType)
_poisoned = ctypes.PyDLL(None).mpilab_poisoned
_poisoned.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def seen(frame: FrameType) -> str | None:
    """Return the name of something in a frame that holds what was read from a buffer in flight; None: nothing does."""
    known: set[int] = set()
    return next(
        (name for name, value in frame.f_locals.items() for _ in _within(value, DEPTH, known) if _poison(_)), None
    )


def _within(value: Any, depth: int, known: set[int]) -> Iterator[Any]:
    """Yield a value and what it holds."""
    if id(value) in known or issubclass(type(value), _NOT_DATA):
        return
    known.add(id(value))
    yield value
    if depth > 0:
        for one in itertools.islice(_parts(value), ELEMENTS):
            yield from _within(one, depth - 1, known)


def _parts(value: Any) -> Iterator[Any]:
    if type(value) in (list, tuple, set):
        return iter(value)
    if type(value) is dict:
        return iter(value.values())
    try:
        return iter(list(object.__getattribute__(value, "__dict__").values()))
    except AttributeError:
        return iter(())


def _poison(value: Any) -> bool:
    """Whether a number or an array is, or holds, what a buffer in flight is poisoned with; runs none of its code."""
    kind = type(value)
    if issubclass(kind, float):
        return _in_number(ctypes.c_double(value))
    if kind is int:  # a small one may have such a value by chance
        return _in_number(ctypes.c_int64(value))
    numpy = sys.modules.get("numpy")  # a program without it has no arrays
    if numpy is None:
        return False
    if issubclass(kind, numpy.generic):
        return _in_array(numpy.asarray(value), numpy)
    return issubclass(kind, numpy.ndarray) and _in_array(value, numpy)


def _in_number(value: ctypes.c_double | ctypes.c_int64) -> bool:
    return bool(_poisoned(ctypes.byref(value), 8, 8))


def _in_array(array: Any, numpy: Any) -> bool:
    while isinstance(array.base, numpy.ndarray):  # all of the memory, whichever part of it this is
        array = array.base
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "fciu" or size < 4 or not (array.flags.c_contiguous or array.flags.f_contiguous):
        return False
    width = 4 if (kind, size) in (("f", 4), ("c", 8)) else 8  # of 32-bit integers, two in a row
    return bool(_poisoned(array.ctypes.data, array.nbytes, width))
