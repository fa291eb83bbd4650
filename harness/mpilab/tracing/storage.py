"""A trace as a file: one zip with the arrays and a header, written whole, and checked before a word of it is believed.

Theory of operation.  `*.mpitrace` is a zip that holds header.json and one .npy file for each array, so that NumPy alone
opens it too.  Nothing in it is ever unpickled.  Reading checks that every array has its columns, that every index
points to something, that times are finite and the events sorted; so what is loaded can be used without further checks,
and whatever else a file holds, the answer is a HarnessError that says what is wrong.  docs/trace-format.md describes
the file.
"""

import io
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mpilab import record
from mpilab.errors import HarnessError
from mpilab.tracing.recording import EVENT, MESSAGE, MOST_RANKS, NO_CALL, NO_EVENT, REQUEST, SPAN, Ints, Recording, Rows

FORMAT = "mpilab-trace"
VERSION = 1
ARRAYS = {"events": EVENT, "messages": MESSAGE, "requests": REQUEST, "regions_spans": SPAN}
LEVEL = 3  # zlib's; more takes longer and saves little
# What zipfile, NumPy's reader of headers and msgspec raise at damaged bytes, found out by damaging many.
_DAMAGE = (OSError, EOFError, LookupError, ValueError, TypeError, RuntimeError, MemoryError, OverflowError, SyntaxError,
           tokenize.TokenError, zipfile.BadZipFile, zlib.error, struct.error, msgspec.MsgspecError)  # fmt: skip


Pointer = tuple[str, Ints, int]  # what holds it, its values, what they must be below


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """header.json: all of a trace but its arrays."""

    format: str
    version: int
    ranks: int
    title: str
    calls: list[str]
    groups: list[str]
    regions: list[str]
    places: list[str]
    dropped: list[int]
    finished: list[bool]
    comms: dict[int, list[int]]
    clock: dict[str, Any]
    notes: list[str]
    versions: dict[str, Any]


def save(trace: Recording, path: Path) -> None:
    """Write `trace` to `path`, whole or not at all; raises HarnessError when it can't be written."""
    names = (name for name in Header.__struct_fields__ if name not in ("format", "version"))
    header = Header(format=FORMAT, version=VERSION, **{name: getattr(trace, name) for name in names})
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as file:
        file.writestr("header.json", msgspec.json.encode(header))
        for name in ARRAYS:
            array = io.BytesIO()
            np.lib.format.write_array(array, getattr(trace, name), allow_pickle=False)
            file.writestr(f"{name}.npy", array.getvalue())
    try:
        record.write(path, content.getvalue())
    except OSError as error:
        raise HarnessError(f"the trace can't be written to {path}: {error.strerror}") from error


def load(path: Path) -> dict[str, Any]:
    """Read what `save` wrote: the fields of a Recording, checked; raises HarnessError with what is wrong."""
    try:
        if not path.is_file():
            raise ValueError("there is no such file")
        with zipfile.ZipFile(path) as file:
            header = _header(file.read("header.json"))
            arrays = {name: _array(file.read(f"{name}.npy"), dtype) for name, dtype in ARRAYS.items()}
    except _DAMAGE as error:
        said = str(error) or type(error).__name__
        raise HarnessError(f"{path} is no readable trace of mpilab: {said}", then="record it again") from error
    wrong = _wrong(header, arrays)
    if wrong:
        raise HarnessError(f"the trace {path} is damaged: {wrong}", then="record it again")
    fields = {name: getattr(header, name) for name in Header.__struct_fields__ if name not in ("format", "version")}
    return fields | arrays


def _header(content: bytes) -> Header:
    said = msgspec.json.decode(content)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise ValueError("its header is not that of a trace")
    if said.get("version") != VERSION:
        raise ValueError(f"it is of version {said.get('version')}, this mpilab reads version {VERSION}")
    return msgspec.json.decode(content, type=Header)


def _array(content: bytes, dtype: np.dtype[np.void]) -> Rows:
    """The array of a .npy file; believes its header only as far as the bytes bear it out."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array of another version of NumPy's format")
    shape, _, found = np.lib.format.read_array_header_1_0(file)
    if found != dtype:
        raise ValueError(f"an array has other columns than {', '.join(dtype.names or ())}")
    data = content[file.tell() :]
    if len(shape) != 1 or len(data) != shape[0] * dtype.itemsize:
        raise ValueError(f"an array of shape {shape} with {len(data):,} bytes")
    return np.frombuffer(data, dtype)


def _wrong(h: Header, arrays: dict[str, Rows]) -> str:
    """What doesn't fit together, or ''."""
    events = arrays["events"]
    if not len(events):
        return "it holds no event"
    if not 0 < h.ranks <= MOST_RANKS or len(h.dropped) != h.ranks or len(h.finished) != h.ranks:
        return f"its lists don't fit {h.ranks} ranks"
    if len(h.calls) != len(h.groups) or not h.regions or not h.places:
        return "its lists of names don't fit together"
    for what, index, bound in _pointers(h, **arrays):
        if (index >= bound).any():
            return f"{what} {int(np.argmax(index >= bound))} points to something that isn't there"
    order = np.lexsort((events["start"], events["rank"]))
    return _wrong_numbers(arrays) or ("" if (order == np.arange(len(events))).all() else "its events are not in order")


def _pointers(h: Header, events: Rows, messages: Rows, requests: Rows, regions_spans: Rows) -> list[Pointer]:
    """All columns that count something, each with what it must be below."""
    count = len(events)
    return [
        ("event", events["call"], len(h.calls)),
        ("event", events["region"], len(h.regions)),
        ("event", events["place"], len(h.places)),
        ("event", events["rank"], h.ranks),
        ("event", np.maximum(events["peer"], 0), h.ranks),
        ("message", messages["send"], count),
        ("message", messages["recv"], count),
        ("message", _but(messages["post"], NO_EVENT), count),
        ("message", _but(messages["done"], NO_EVENT), count),
        ("request", requests["rank"], h.ranks),
        ("request", requests["event"], count),
        ("request", _but(requests["done"], NO_EVENT), count),
        ("request", _but(requests["call"], NO_CALL), len(h.calls)),
        ("region", regions_spans["rank"], h.ranks),
        ("region", regions_spans["region"], len(h.regions)),
    ]


def _wrong_numbers(arrays: dict[str, Rows]) -> str:
    """A time or a size that makes no sense, or ''."""
    for what, name in (("event", "events"), ("request", "requests"), ("region", "regions_spans")):
        start, end = arrays[name]["start"], arrays[name]["end"]
        sensible = np.isfinite(start) & np.isfinite(end) & (start <= end)
        if not sensible.all():
            return f"the times of {what} {int(np.argmax(~sensible))} make no sense"
    sizes = np.concatenate((arrays["events"]["bytes"], arrays["messages"]["bytes"]))
    return "" if np.isfinite(sizes).all() else "a number of bytes makes no sense"


def _but(index: Ints, none: int) -> Ints:
    """The indices, with 0 in place of `none`."""
    return np.where(index == none, 0, index)
