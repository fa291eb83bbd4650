"""What was measured is stored whole or not at all, and can be read again."""

import contextlib
import json
import os
import resource
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpilab import record
from mpilab.errors import HarnessError
from mpilab.manifest import Case
from mpilab.record import Record, TimedCase
from mpilab.stats import Estimate, Speed

FULL = Record(
    lab="halo",
    language="c",
    file="my halo.c",
    verdict="OK",
    message="correct <b>ü</b>\n",
    score=9.5,
    points=10,
    speed=Speed.AS_FAST,
    speedup=Estimate(1.25, 1.2, 1.3),
    control=Estimate(1.0, 0.99, 1.01),
    rounds=11,
    samples=220,
    timed=[TimedCase(Case(ranks=2, n=8, steps=3), {"baseline": [[1e-4, 2e-4], [3e-4]], "submission": [[1e-4], []]})],
    calls={"MPI_Isend": 4},
    machine={"cpu": "x", "cores": 2, "load": 0.5},
    seed="0123abcd",
)


@contextlib.contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Make every write beyond `size` bytes of a file fail, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with no room left."""
    folder = tmp_path / "full"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("cannot mount a small file system here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The three places that records may go to, all in the test's own folder."""
    found = [tmp_path / "state" / "mpilab" / "records", tmp_path / "tmp" / f"mpilab-{os.getuid()}" / "records"]
    for name in ("tmp", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path / "here")
    return [*found, tmp_path / "here"]


def block(place: Path) -> None:
    """Have a file stand where the folder `place` should."""
    if place.is_dir():
        place.rmdir()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()


def test_a_record_is_read_back_as_it_was() -> None:
    """Nothing is lost on the way to JSON and back."""
    assert record.from_json(record.to_json(FULL)) == FULL


def test_the_json_has_what_scripts_read() -> None:
    """The keys that the command line promises are there, and intervals are objects of three numbers."""
    found = json.loads(record.to_json(FULL))
    wanted = {
        "lab", "language", "verdict", "message", "score", "points", "speedup", "against_reference", "speed", "control",
        "rounds", "samples", "platform", "versions", "seed",
    }  # fmt: skip
    assert wanted <= set(found)
    assert found["speedup"] == {"estimate": 1.25, "low": 1.2, "high": 1.3}
    assert found["against_reference"] is None
    assert found["speed"] == "as fast as the reference"


def test_a_file_name_that_is_not_utf8_has_a_record_too() -> None:
    """A submission may be called anything the system allows: its record is made."""
    import msgspec

    odd = msgspec.structs.replace(FULL, file=os.fsdecode(b"\xff.c"), message=os.fsdecode(b"\xff.c is empty"))
    assert json.loads(record.to_json(odd))["lab"] == "halo"


@pytest.mark.parametrize("change", [{"verdict": "SPLENDID"}, {"speed": "very fast"}, {"speedup": 3}, {"lab": None}])
def test_what_is_no_record_is_refused(change: dict[str, object]) -> None:
    """JSON that mpilab can't have written is refused when it is read, not when it is shown."""
    content = json.dumps(json.loads(record.to_json(FULL)) | change).encode()
    with pytest.raises(HarnessError, match="not a record"):
        record.from_json(content)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"lab": "\xff"}', b"[" * 100_000])
def test_garbage_is_no_record(content: bytes) -> None:
    """Whatever file `mpilab report` is given, the answer is one sentence."""
    with pytest.raises(HarnessError, match="not a record"):
        record.from_json(content)


def test_writing_makes_the_folders_and_leaves_no_scratch(tmp_path: Path) -> None:
    """After a write there is the file and nothing else."""
    path = tmp_path / "a" / "b" / "record.json"
    record.write(path, b"one")
    record.write(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_content(tmp_path: Path) -> None:
    """A write that fails half-way raises, leaves what was there, and no scratch file."""
    path = tmp_path / "record.json"
    record.write(path, b"old")
    with files_limited_to(4096), pytest.raises(OSError, match="File too large"):
        record.write(path, b"x" * 100_000)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_keeps_the_old_content(full_disk: Path) -> None:
    """The same on a disk that is really full."""
    path = full_disk / "record.json"
    record.write(path, b"old")
    with pytest.raises(OSError, match="No space left"):
        record.write(path, b"x" * 100_000)
    assert path.read_bytes() == b"old"
    assert list(full_disk.iterdir()) == [path]


def test_an_interrupted_write_keeps_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a write is like any other failure of it."""
    path = tmp_path / "record.json"
    record.write(path, b"old")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        record.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_regular_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    """`--json /dev/stdout` writes to it and never puts a file in its place; a pipe stands for it here."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        with contextlib.suppress(OSError):
            record.write(path, b"one")
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_record_is_kept_in_the_state_folder(places: list[Path]) -> None:
    """With nothing in the way the record is where XDG_STATE_HOME says, under a name that tells lab and language."""
    path = record.keep(FULL)
    assert path.parent == places[0] == record.state_folder()
    assert "-halo-c-" in path.name
    assert record.from_json(path.read_bytes()) == FULL


def test_two_records_of_one_second_are_two(places: list[Path]) -> None:
    """Records never replace each other."""
    assert record.keep(FULL) != record.keep(FULL)
    assert len(list(places[0].iterdir())) == 2


@pytest.mark.parametrize("blocked", [1, 2])
def test_a_record_goes_to_the_next_place_that_takes_it(places: list[Path], blocked: int) -> None:
    """Where a place can't be written, the next one gets the record: temporary folder, then current folder."""
    for place in places[:blocked]:
        block(place)
    assert record.keep(FULL).parent == places[blocked]


def test_a_record_survives_a_full_disk(places: list[Path], full_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the state folder's disk is full, the record is in the temporary folder, whole."""
    monkeypatch.setenv("XDG_STATE_HOME", str(full_disk))
    (full_disk / "ballast").write_bytes(b"x" * 65536)
    path = record.keep(FULL)
    assert path.parent == places[1]
    assert record.from_json(path.read_bytes()) == FULL


def test_a_record_that_nobody_takes_is_shown(places: list[Path]) -> None:
    """When no place takes it, the error holds every place with its reason, and the record itself."""
    with files_limited_to(0), pytest.raises(HarnessError) as caught:
        record.keep(FULL)
    message = str(caught.value)
    for place in places:
        assert str(place) in message
        assert list(place.iterdir()) == []
    assert message.count("File too large") == 3
    assert record.from_json(message[message.index("{") : message.rindex("}") + 1].encode()) == FULL


def test_a_folder_that_is_gone_does_not_lose_the_record(places: list[Path]) -> None:
    """A current folder that was removed meanwhile is only the last of three places."""
    places[2].rmdir()
    assert record.keep(FULL).parent == places[0]


def test_a_user_without_a_home_has_records(places: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container whose user is a mere number, there is no home folder: the next place takes the record."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert record.keep(FULL).parent == places[1]
