"""The strict log is read whatever is in it."""

import json
import random
from pathlib import Path

import pytest
from diagnosis_logs import Rank, ints, ranks, sig

from mpilab.diagnosis.log import Call, parse, place, places, read_log, read_logs, signature


def text(one: Rank) -> bytes:
    """Return what would stand in the file."""
    return "".join(f"{line}\n" for line in one.lines).encode()


def a_rank() -> Rank:
    """Return a log of a few calls."""
    one = Rank(1, 2)
    one.send(0, line=7)
    one.wait(one.irecv(0), got=[(0, 0)])
    one.finalize()
    return one


def test_a_whole_log_has_no_notes() -> None:
    """Entries, communicators and end are all there."""
    log = a_rank().log()
    assert (log.notes, log.end, log.comms[1].ranks) == ([], "finalized", [0, 1])
    assert log.init is not None
    assert (log.init.rank, log.init.ranks) == (1, 2)
    assert [entry.call for entry in log.entries if isinstance(entry, Call)] == [
        "MPI_Send", "MPI_Irecv", "MPI_Waitall", "MPI_Finalize",
    ]  # fmt: skip


def test_a_log_cut_anywhere_is_read_to_there() -> None:
    """Whatever byte the rank died at, the lines before it are read, and a cut line is noted."""
    data = text(a_rank())
    for end in range(len(data)):
        log = parse(1, data[:end])
        assert len(log.entries) <= data[:end].count(b"\n")
        assert bool(log.notes) == (end > 0 and data[end - 1 : end] != b"\n")


def test_a_missing_log_is_an_empty_one(tmp_path: Path) -> None:
    """No file is no error: the log says so."""
    (tmp_path / "strict-0.jsonl").write_bytes(text(a_rank()))
    first, second = read_logs(tmp_path, 2)
    assert first.entries
    assert (second.entries, second.rank) == ([], 1)
    assert "no log of rank 1" in second.notes[0]


def test_what_was_never_written_is_no_line(tmp_path: Path) -> None:
    """The file may be longer than what was written into it, by zeros: they are not part of the log."""
    (tmp_path / "strict-0.jsonl").write_bytes(text(a_rank()) + bytes(3_000_000))
    log = read_log(tmp_path / "strict-0.jsonl", 0)
    assert (log.notes, log.end) == ([], "finalized")
    (tmp_path / "strict-0.jsonl").write_bytes(text(a_rank())[:-9] + bytes(3_000_000))
    assert read_log(tmp_path / "strict-0.jsonl", 0).notes == ["the log of rank 0 ends within a line"]


def test_a_full_log_says_so() -> None:
    """The log's last line may be that it is full."""
    one = Rank(0, 2)
    one.write(k="full")
    assert "is full" in one.log().notes[0]


def test_the_first_end_counts() -> None:
    """What is written after MPI_Finalize doesn't undo it."""
    one = a_rank()
    one.end("exit")
    assert one.log().end == "finalized"


def test_an_endless_log_is_read_in_part(tmp_path: Path) -> None:
    """No more than the limit is read, and the log says so."""
    (tmp_path / "strict-0.jsonl").write_bytes(text(a_rank()) * 100)
    log = read_log(tmp_path / "strict-0.jsonl", 0, limit_bytes=1000)
    assert 0 < len(log.entries) < 20
    assert "longer than 1,000 bytes" in log.notes[-1]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[1, 2]",
        b'{"k": "call"}',
        b'{"k": "call", "n": "1", "call": "MPI_Send"}',
        b'{"k": "call", "n": 1, "call": ["MPI_Send"]}',
        b'{"k": "unheard-of", "n": 1}',
        b'{"n": 1}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"k":"call","n":1,"call":"x","x":' + b"[" * 100_000,
        b"__import__('os').system('false')",
        b'{"k": "call", "n": 1e999, "call": "MPI_Send"}',
        b'{"k": "call", "n": ' + b"9" * 5000 + b', "call": "MPI_Send"}',
    ],
    ids=range(14),
)
def test_a_line_that_is_none_is_skipped_and_counted(line: bytes) -> None:
    """Anything but the lines of the format is left out, and the others are still read."""
    data = text(a_rank())
    log = parse(0, line + b"\n" + data)
    assert log.notes == ["1 lines in the log of rank 0 could not be read"]
    assert log.entries == parse(0, data).entries


def test_random_bytes_are_no_log() -> None:
    """Noise, and damage to a good log, never raise."""
    chance, data = random.Random(1), bytearray(text(a_rank()))
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(5):
            damaged[chance.randrange(len(data))] = chance.randrange(256)
        assert len(parse(0, bytes(damaged)).entries) <= len(parse(0, bytes(data)).entries) + 5
        assert parse(0, chance.randbytes(200)).entries == []


def test_a_signature_is_hash_elements_type_and_bytes() -> None:
    """The four parts of a signature; what isn't one is None."""
    one = signature("1f/3/MPI_INT/12")
    assert one == ("1f", 3, "MPI_INT", 12)
    for bad in ("", "1f/3/MPI_INT", "x/3/MPI_INT/12", "1f/-3/MPI_INT/12", "1f/3//12", "1f/" + "9" * 50 + "/a/1"):
        assert signature(bad) is None


def test_the_signature_of_nothing() -> None:
    """No elements have the hash 0."""
    assert sig() == "0/0/-/0"
    assert ints(0) == "0/0/-/0"


def test_places_are_lines_where_they_can_be() -> None:
    """A place of a binary is looked up, that of a script is its line already, an unknown one is none."""
    table = {"/x/kernel.so+0x12": "kernel.c:41"}
    assert place("/x/kernel.so+0x12", table) == "kernel.c:41"
    assert place("/x/kernel.so+0x99", table) == ""
    assert place("/a b/x.py:12", {}) == "x.py:12"
    assert place("", {}) == ""


def test_all_places_can_be_looked_up_at_once() -> None:
    """The set of places holds those of calls and of findings."""
    one, two = ranks(2)
    one.send(1, line=3)
    two.write(k="finding", kind="crash", n=1, text="x", also="/x/k.so+0x1")
    assert places([one.log(), two.log()]) == {"/x/k.c:3", "/x/k.so+0x1"}


def test_300_000_lines_are_one_pass() -> None:
    """A large log is read line by line, all of it."""
    line = json.dumps(
        {"k": "call", "n": 1, "call": "MPI_Isend", "at": "/x/k.so+0x1", "comm": 1, "dest": 1, "sig": ints(4)}
    )
    assert len(parse(0, f"{line}\n".encode() * 300_000).entries) == 300_000
