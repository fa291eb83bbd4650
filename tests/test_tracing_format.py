"""docs/trace-format.md says what the code reads and writes: names, types, sizes, offsets."""

import re
from pathlib import Path

import numpy as np
import pytest

from mpilab.tracing import recording, rings, storage

TOP = Path(__file__).parents[1]
TEXT = (TOP / "docs" / "trace-format.md").read_text(encoding="utf-8")
RING_H = TOP / "harness" / "mpilab" / "c" / "ring.h"


def rows(name: str) -> list[list[str]]:
    """The cells of the table that follows a marker."""
    match = re.search(rf"<!-- {name} -->\n((?:\|.*\n)+)", TEXT)
    assert match, f"no table marked {name}"
    lines = match[1].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def described(dtype: np.dtype[np.void]) -> list[tuple[int, str, str]]:
    """Offset, type and name of each field, as the page spells them."""
    fields = []
    for name in dtype.names or ():
        kind, offset = (dtype.fields or {})[name][:2]
        fields.append((int(offset), f"char[{kind.itemsize}]" if kind.kind == "S" else kind.str[1:], name))
    return fields


@pytest.mark.parametrize(("name", "dtype"), [("header", rings.HEADER), ("event", rings.RING_EVENT)])
def test_the_rings_layout_is_as_documented(name: str, dtype: np.dtype[np.void]) -> None:
    """Each field of header and event, at its offset, with its type."""
    assert [(int(row[0]), row[1], row[2]) for row in rows(name)] == described(dtype)


@pytest.mark.parametrize("name", ["EVENT", "MESSAGE", "REQUEST", "SPAN"])
def test_the_arrays_columns_are_as_documented(name: str) -> None:
    """Each column of the trace file's arrays, in order, with its type."""
    columns = [(kind, column) for _, kind, column in described(getattr(recording, name))]
    assert [(row[0], row[1]) for row in rows(name)] == columns


def test_the_kinds_of_rows_are_as_documented() -> None:
    """Each negative number has its name."""
    found = {int(row[0]): row[1].split("`")[0].split(":")[0] for row in rows("kinds")}
    assert found == {getattr(rings, name): name for name in ("REGION", "COMPLETION", "START", "RECEIVE_PART")}
    assert set(found) == set(rings.KINDS)


def test_the_header_of_a_trace_file_is_as_documented() -> None:
    """Each field of header.json, and format and version as they are written."""
    found = {row[0]: row[1] for row in rows("json")}
    assert list(found) == list(storage.Header.__struct_fields__)
    assert (found["format"], found["version"]) == (f'"{storage.FORMAT}"', str(storage.VERSION))


def test_sizes_and_marks_are_as_documented() -> None:
    """The sizes of header and event, the magic word, and what stands for nothing."""
    assert f"first {rings.HEADER_BYTES} bytes" in TEXT
    assert rings.HEADER.itemsize <= rings.HEADER_BYTES
    found = {row[2]: row[3] for row in rows("header")}
    assert found["magic"] == f'"{rings.MAGIC.decode()}"'
    assert found["version"] == str(rings.VERSION)
    assert found["event_bytes"].endswith(str(rings.RING_EVENT.itemsize))
    assert str(recording.NO_EVENT) in TEXT
    assert str(recording.NO_CALL) in TEXT


@pytest.mark.parametrize(("name", "dtype"), [("event", rings.RING_EVENT), ("ring_header", rings.HEADER)])
def test_the_c_library_writes_what_python_reads(name: str, dtype: np.dtype[np.void]) -> None:
    """The structs of ring.h have the fields of rings.py, in order, with their types."""
    struct = re.search(rf"struct {name} \{{(.*?)\n\}};", RING_H.read_text(encoding="utf-8"), re.DOTALL)
    assert struct
    kinds = {"uint64_t": "u8", "int64_t": "i8", "uint32_t": "u4", "int32_t": "i4", "double": "f8"}
    found = []
    for kind, names in re.findall(r"^\s*(\w+) ([^;]+);", re.sub(r"/\*.*?\*/", "", struct[1]), re.MULTILINE):
        for one in names.split(","):
            field, _, length = one.strip().rstrip("]").partition("[")
            found.append((f"char[{length}]" if kind == "char" else kinds[kind], field))
    assert found == [(kind, field) for _, kind, field in described(dtype)]
