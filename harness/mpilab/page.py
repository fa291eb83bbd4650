"""The control page as the runner sees it: the Python mirror of c/page.h.

Theory of operation.  Each rank publishes what it is doing into its part of a small shared file (c/page.h says what).
The runner maps the same file and reads it while the ranks run, hang, or after they died; it writes
nothing but `forked`, for processes that it found.
"""

import ctypes
import mmap
import re
from pathlib import Path
from typing import Any

PHASES = ("idle", "load", "init", "run", "free", "wait")
IDLE, LOAD, INIT, RUN, FREE, WAIT = range(len(PHASES))
FRAMES, TEXT = 16, 512


def call_names() -> list[str]:
    """Return the names of all MPI calls the PMPI library sees, numbered as in page.h; number 0 is '', no call."""
    table = (Path(__file__).parent / "c" / "calls.def").read_text()
    return ["", *(f"MPI_{name}" for name in re.findall(r"^CALL\(\w+, (\w+),", table, re.MULTILINE))]


class Page:
    """The control page of a cluster, read only."""

    def __init__(self, path: Path, ranks: int) -> None:
        """Make the file at `path` for `ranks` ranks and map it."""
        self.names = call_names()
        rank_page: Any = type("RankPage", (ctypes.Structure,), {"_fields_": _fields(len(self.names))})
        self.size = ctypes.sizeof(rank_page)
        path.write_bytes(bytes(self.size * ranks))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), self.size * ranks)
        self.ranks = (rank_page * ranks).from_buffer(self._map)

    def name(self, call: int) -> str:
        """Return the name of call number `call`; '' for a number no call has."""
        return self.names[call] if 0 <= call < len(self.names) else ""

    def calls(self, rank: int) -> dict[str, int]:
        """Return how often `rank` made each call; calls it never made are left out."""
        return {self.names[i]: count for i, count in enumerate(self.ranks[rank].calls) if count}


def _fields(calls: int) -> list[tuple[str, type]]:
    i32, u64 = ctypes.c_int32, ctypes.c_uint64
    return [
        ("pid", i32),
        ("phase", i32),
        ("in_call", i32),
        ("signal", i32),
        ("aborted", i32),
        ("abort_code", i32),
        ("exited", i32),
        ("forked", i32),
        ("error_call", i32),
        ("frame_count", i32),
        ("frames", u64 * FRAMES),
        ("kernel_base", u64),
        ("entered", u64),
        ("calls", ctypes.c_uint32 * calls),
        ("error_text", ctypes.c_char * TEXT),
    ]
