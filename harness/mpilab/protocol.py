"""What the referee and a runner say to each other, and how it travels over a pipe.

Theory of operation.  A runner may hold hostile code, so only JSON and raw float64 arrays come out of it: nothing is
ever unpickled.  A message is one line of JSON, `{"body": ..., "arrays": [length, ...]}`, followed by the arrays' bytes
in that order.  Both ends decode `body` into the types below, so a message that isn't one of them is refused, and the
receiver says beforehand how many doubles it is willing to take.

Requests: `Load` a kernel into a slot, set `Data` for the runs to come, `Run`, `Fetch` what a run wrote.  Each is
answered by `Done`, `Observation`, `Files` or `Failure`.
"""

from typing import IO, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from mpilab.errors import HarnessError

Stream = IO[bytes]
REQUEST_LIMIT = 1 << 27  # doubles: more than any case
ARRAYS = 3  # of each rank, in an Observation
LINE_LIMIT = 4_000_000  # bytes of JSON in one message: two ranks' printed text is far below

End = Literal["finished", "stuck", "timed_out", "died", "flooded"]
Array = NDArray[np.float64]
Language = Literal["c", "python"]


class Load(msgspec.Struct, frozen=True, tag=True):
    """Load the kernel at `path` into `slot` on all engines (C: a shared library; Python: a source file)."""

    slot: str
    language: Language
    path: str


class Data(msgspec.Struct, frozen=True, tag=True):
    """The input sets for the runs to come; arrays: for each rank, its sets one after the other."""

    sets: int
    ranks: int


class Run(msgspec.Struct, frozen=True, tag=True):
    """init, one run for each entry of `order` (which input set it gets), free; outputs of runs `keep` come back."""

    slot: str
    ranks: int
    n: int
    steps: int
    n_out: list[int]
    order: list[int]
    keep: list[int]
    warmup: int
    timeout_s: float
    strict: bool = False  # with MPI as bad as the standard permits; the logs are in the runner's folder afterwards
    ring: int = 0  # recorded, with so many events a rank; the rings are in the runner's folder afterwards
    groups: int = 0  # of calls that are recorded (c/wrap.h)
    work: float = 0.0  # floating-point operations in a unit of modelled compute
    emulated: bool = False  # modelled compute sleeps
    disturbed: bool = False  # with `strict`: what messages bring is falsified


class Fetch(msgspec.Struct, frozen=True, tag=True):
    """Send what the last run wrote: the files of the runner's folder with these names, up to their first zero byte."""

    names: list[str]
    most: int  # bytes of each


Request = Load | Data | Run | Fetch


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The cluster is up: versions of what it runs on."""

    versions: dict[str, str]


class Done(msgspec.Struct, frozen=True, tag=True):
    """The data are in place."""


class RankReport(msgspec.Struct, frozen=True):
    """How one rank fared in a `Run` or `Load`."""

    status: Literal["returned", "raised", "failed", "lost"]
    phase: str = ""  # load, init, run, free or wait
    code: int = 0  # what the kernel returned (failed)
    text: str = ""  # what it raised (raised)
    overrun: str = ""  # which guard cells were overwritten
    input_changed: bool = False
    replaced: str = ""  # what of Python's, mpi4py's or the harness's own a kernel has put something else in place of
    stray: str = ""  # a message nobody received
    calls: dict[str, int] = {}
    in_call: str = ""  # the MPI call it is in
    signal: int = 0
    frames: list[str] = []
    abort_code: int | None = None
    exited: bool = False
    forked: bool = False
    error_call: str = ""
    error_text: str = ""
    printed: str = ""


class Stuck(msgspec.Struct, frozen=True):
    """Why ranks can never go on: a finding's kind, rank, call, where and message, the rule, the message queues."""

    kind: str
    rank: int
    call: str
    where: str
    message: str
    rule: str = ""
    queues: str = ""


class Observation(msgspec.Struct, frozen=True, tag=True):
    """What a run did; arrays: for each rank its seconds per sample, its outputs' weighted sums, its kept outputs."""

    end: End
    ranks: list[RankReport]
    elapsed_s: float
    stuck: Stuck | None = None


class Files(msgspec.Struct, frozen=True, tag=True):
    """What was asked for by `Fetch`; arrays: each file's bytes, filled up to whole doubles."""

    sizes: list[int]  # bytes; -1: there is no such file


class Failure(msgspec.Struct, frozen=True, tag=True):
    """The runner itself failed; never the submission's fault."""

    message: str


Reply = Ready | Done | Observation | Files | Failure


class Call(msgspec.Struct, frozen=True, tag=True):
    """A runner's call to one of its ranks: a function of engine.py; arrays: its last arguments."""

    function: str
    arguments: list[Any]


class Answer(msgspec.Struct, frozen=True, tag=True):
    """What a rank answers: the function's value (of a tuple the first, arrays: the rest), or what went wrong."""

    value: Any
    error: str = ""


class _Envelope(msgspec.Struct):
    body: msgspec.Raw
    arrays: list[int]


def send(stream: Stream, body: Request | Reply | Call | Answer, arrays: list[Array] | None = None) -> None:
    """Write one message; `arrays` are flat float64."""
    flat = [np.ascontiguousarray(a, dtype=np.float64).ravel() for a in arrays or []]
    line = msgspec.json.encode(_Envelope(msgspec.Raw(msgspec.json.encode(body)), [a.size for a in flat]))
    stream.write(line + b"\n")
    stream.writelines(a.tobytes() for a in flat)
    stream.flush()


def to_doubles(content: bytes) -> Array:
    """Bytes as an array that can travel."""
    return np.frombuffer(content + bytes(-len(content) % 8), dtype=np.float64)


def receive_request(stream: Stream) -> tuple[Request, list[Array]]:
    """Read a request, which comes from the referee; raises as `receive_reply` does."""
    return _receive(stream, Request, REQUEST_LIMIT)


def receive_reply(stream: Stream, limit: int) -> tuple[Reply, list[Array]]:
    """Read a reply with at most `limit` doubles.

    Raises EOFError when the other end has closed, HarnessError when what came isn't such a message.
    """
    return _receive(stream, Reply, limit)


def receive_call(stream: Stream) -> tuple[Call, list[Array]]:
    """Read a call, which comes from the runner; raises as `receive_reply` does."""
    return _receive(stream, Call, REQUEST_LIMIT)


def receive_answer(stream: Stream, limit: int) -> tuple[Answer, list[Array]]:
    """Read a rank's answer; raises as `receive_reply` does."""
    return _receive(stream, Answer, limit)


def _receive(stream: Stream, kind: Any, limit: int) -> tuple[Any, list[Array]]:
    line = stream.readline(LINE_LIMIT)
    if not line:
        raise EOFError
    try:
        envelope = msgspec.json.decode(line, type=_Envelope)
        body = msgspec.json.decode(envelope.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise HarnessError(f"a runner sent something that isn't a message: {error}") from error
    if any(length < 0 for length in envelope.arrays) or sum(envelope.arrays) > limit:
        raise HarnessError(f"a runner sent {sum(envelope.arrays)} doubles where at most {limit} were due")
    return body, [_read_array(stream, length) for length in envelope.arrays]


def _read_array(stream: Stream, length: int) -> Array:
    data = stream.read(8 * length)
    if len(data) != 8 * length:
        raise EOFError
    return np.frombuffer(data, dtype=np.float64)
