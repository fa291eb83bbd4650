"""The control page as its watcher sees it: the Python mirror of c/page.h.

Theory of operation.  Each rank publishes what it is doing into its part of a small shared file (c/page.h says what).
Whoever watches maps the same file and reads it while the ranks run, hang, or after they died; it writes nothing but
`forked`, for processes that it found, and `recording`.
"""

import ctypes
import mmap
from pathlib import Path
from typing import Any

from mpilab import calls

PHASES = ("idle", "load", "init", "run", "free", "wait")
IDLE, LOAD, INIT, RUN, FREE, WAIT = range(len(PHASES))
MODES = ("off", "record", "strict")
MPI, FINALIZED, EXITED = 1, 2, 3  # enum life; EXITED is added to what it was before
FRAMES, TEXT, THREADS, WAITS, POSTED, COMMS, MEMBERS = 16, 512, 8, 16, 1024, 64, 4096
CALLS, ROOM, POSTED_ROOM, SPARE = 512, 7, 2, 5


HEAD = ("pid", "life", "mode", "recording", "comm_count", "member_count", "any_source", "proc_null", "any_tag")


def call_names() -> list[str]:
    """Return the names of all MPI calls the PMPI library sees, numbered as in page.h; number 0 is '', no call."""
    table = (Path(__file__).parent / "c" / "calls.def").read_text(encoding="utf-8")
    return ["", *(f"MPI_{name}" for _, name, _ in calls.table(table))]


def call_groups() -> list[str]:
    """Return the group of each call, numbered likewise."""
    table = (Path(__file__).parent / "c" / "calls.def").read_text(encoding="utf-8")
    return ["", *(group for group, _, _ in calls.table(table))]


def call_kinds() -> list[str]:
    """Return what each call is to strict mode (third column of calls.def), numbered likewise."""
    table = (Path(__file__).parent / "c" / "calls.def").read_text(encoding="utf-8")
    return ["", *(kind for _, _, kind in calls.table(table))]


class Page:
    """The control page of a cluster or program."""

    def __init__(self, path: Path, ranks: int) -> None:
        """Make the file at `path` for `ranks` ranks and map it."""
        self.path, self.names = path, call_names()
        rank_page = structure()
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


def in_call(rank_page: Any) -> int:
    """Return the MPI call that a rank is in: that of its first thread in one, 0 when none is."""
    return next((t.in_call for t in rank_page.threads if t.in_call), 0)


def entered(rank_page: Any) -> int:
    """Return how many MPI calls a rank's threads have entered."""
    return sum(t.entered for t in rank_page.threads)


def structure() -> Any:
    """Return the type of one rank's page."""
    parts = {name: type(name, (ctypes.Structure,), {"_fields_": fields}) for name, fields in _parts().items()}
    return type("RankPage", (ctypes.Structure,), {"_fields_": _fields(parts)})


def _parts() -> dict[str, list[tuple[str, Any]]]:
    """The structures that struct rank_page holds arrays of."""
    i32, i64, u64 = ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64
    return {
        "standing": [
            ("in_call", i32),
            ("peer", i32),
            ("tag", i32),
            ("comm", i32),
            ("peer2", i32),
            ("tag2", i32),
            ("bytes", i64),
            ("place", u64),
            ("entered", u64),
            ("polls", u64),
            ("waits", i32),
            ("any", i32),
            ("wait", u64 * WAITS),
        ],
        "posted": [
            ("request", u64),
            ("call", i32),
            ("peer", i32),
            ("tag", i32),
            ("comm", i32),
            ("bytes", i64),
            ("place", u64),
            ("turn", i32),
            ("active", i32),
            ("room", u64 * POSTED_ROOM),
        ],
        "shown_comm": [("id", i32), ("size", i32), ("first", i32), ("turns", i32)],
    }


def _fields(parts: dict[str, Any]) -> list[tuple[str, Any]]:
    i32, u64 = ctypes.c_int32, ctypes.c_uint64
    words = ("phase", "signal", "aborted", "abort_code", "exited", "forked", "error_call", "frame_count")
    return [
        *((name, i32) for name in HEAD),
        ("room", i32 * ROOM),
        ("threads", parts["standing"] * THREADS),
        ("posted", parts["posted"] * POSTED),
        ("comms", parts["shown_comm"] * COMMS),
        ("members", i32 * MEMBERS),
        ("thread_count", i32),
        *((name, i32) for name in words),
        ("spare", i32 * SPARE),
        ("frames", u64 * FRAMES),
        ("kernel_base", u64),
        ("calls", ctypes.c_uint32 * CALLS),
        ("error_text", ctypes.c_char * TEXT),
        ("crash_at", ctypes.c_char * TEXT),
    ]
