"""The record of an attempt: everything measured, as JSON, written so that it is never half there.

Theory of operation.  One frozen struct holds the verdict, the speed and all samples; reports and scores can be made
from it again without running anything.  It is written to a temporary file, synced, and renamed.  Where the usual place
has no room, it goes to the next; only when no place has, is it the caller's to print.
"""

import os
import secrets
import tempfile
import time
from pathlib import Path

import msgspec

from mpilab.diagnosis.findings import Finding
from mpilab.errors import HarnessError
from mpilab.manifest import Case
from mpilab.stats import Estimate, Speed
from mpilab.verdict import Kind


class TimedCase(msgspec.Struct, frozen=True):
    """All samples of a timed case: seconds[contender][round][sample]."""

    case: Case
    seconds: dict[str, list[list[float]]]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt, from the file to the score."""

    lab: str
    language: str
    file: str
    verdict: Kind
    message: str
    score: float = 0.0
    points: float = 0.0
    pending: float = 0.0  # points that wait for a decided measurement
    why: str = ""
    speed: Speed | None = None  # None: not timed
    speedup: Estimate | None = None
    against_reference: Estimate | None = None
    reference_gain: Estimate | None = None
    control: Estimate | None = None
    rounds: int = 0
    samples: int = 0  # of the submission, in all rounds
    platform: str = "cores"
    timed: list[TimedCase] = []
    calls: dict[str, int] = {}
    findings: list[Finding] = []  # what is wrong with its MPI, causes first
    excerpts: dict[str, str] = {}  # the lines of the source that findings point to
    printed: str = ""
    remarks: str = ""  # the compiler's warnings
    machine: dict[str, str | int | float] = {}
    versions: dict[str, str] = {}
    hints: int = 0  # opened by the learner before this attempt
    sandbox: str = "none"
    seed: str = ""
    started: str = ""
    took_s: float = 0.0
    interrupted: bool = False
    compared_with: str = ""  # the other file, for `mpilab compare`


def clean(text: str) -> str:
    """Text that a kernel may have had a hand in, without characters that would command a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def state_folder() -> Path:
    """Where records are kept."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "mpilab" / "records"


def _spare_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"mpilab-{os.getuid()}" / "records"


def to_json(record: Record) -> bytes:
    """The record as indented JSON; infinite interval ends become null."""
    names = ("file", "message", "compared_with")  # a file may be called what is no text
    readable = {name: os.fsencode(getattr(record, name)).decode(errors="replace") for name in names}
    return msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(record, **readable)), indent=1)


def from_json(content: bytes) -> Record:
    """Read a record back; raises HarnessError when it isn't one."""
    try:
        return msgspec.json.decode(content, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HarnessError(f"this is not a record of mpilab: {error}") from error


def write(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whole or not at all; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():  # /dev/stdout, a pipe: nothing to replace
        path.write_bytes(content)
        return
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with scratch.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def keep(record: Record) -> Path:
    """Store a record in the first place that takes it; raises HarnessError with the record's text when none does."""
    name = f"{time.strftime('%Y%m%dT%H%M%S')}-{record.lab}-{record.language}-{secrets.token_hex(3)}.json"
    content, reasons = to_json(record), []
    for place in (state_folder, _spare_folder, Path.cwd):
        where = place.__name__
        try:
            where = str(place())
            write(place() / name, content)
        except (OSError, RuntimeError) as error:
            reasons.append(f"{where}: {error}")
        else:
            return Path(where) / name
    text = "the record could not be written anywhere (" + "; ".join(reasons) + "); here it is:\n" + content.decode()
    raise HarnessError(text, then="make room, then `mpilab try` again")
