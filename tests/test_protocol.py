"""What comes out of a runner is either a message of the protocol or an error: nothing else, and nothing too large."""

import io
import json
from typing import Any

import numpy as np
import pytest

from mpilab import protocol
from mpilab.errors import HarnessError
from mpilab.protocol import Data, Done, Failure, Fetch, Files, Load, Observation, RankReport, Ready, Run

RUN = Run("s", 2, 8, 3, [8, 8], [0, 1, 0], [2], 1, 5.0)
SEEN = Observation("stuck", [RankReport("lost", in_call="MPI_Recv", calls={"MPI_Recv": 3}, abort_code=0)], 1.5)


def stream(body: Any, arrays: Any = (), rest: bytes = b"") -> io.BytesIO:
    """Return a stream that holds a message of this JSON, and `rest`."""
    return io.BytesIO(json.dumps({"body": body, "arrays": list(arrays)}).encode() + b"\n" + rest)


@pytest.mark.parametrize("body", [Load("slot", "c", "a b\n.so"), Data(3, 2), RUN, Fetch(["strict-0.jsonl"], 9)])
def test_a_request_arrives_as_it_was_sent(body: protocol.Request) -> None:
    """Every request is decoded into what it was, to the letter."""
    pipe = io.BytesIO()
    protocol.send(pipe, body)
    pipe.seek(0)
    assert protocol.receive_request(pipe) == (body, [])


@pytest.mark.parametrize("body", [Ready({"mpi": "MPICH"}), Done(), SEEN, Files([3, -1]), Failure("ü\n\0")])
def test_a_reply_arrives_as_it_was_sent(body: protocol.Reply) -> None:
    """Every reply is decoded into what it was, to the letter."""
    pipe = io.BytesIO()
    protocol.send(pipe, body)
    pipe.seek(0)
    assert protocol.receive_reply(pipe, 0) == (body, [])


def test_arrays_arrive_bit_by_bit() -> None:
    """NaN, infinities, empty and strided arrays come through flat and unchanged, message after message."""
    pipe = io.BytesIO()
    sent = [np.array([np.nan, -np.inf, -0.0, 5e-324]), np.zeros(0), np.arange(12.0).reshape(3, 4)[:, ::2], np.arange(3)]
    for _ in range(2):
        protocol.send(pipe, Done(), sent)
    pipe.seek(0)
    for _ in range(2):
        _, found = protocol.receive_reply(pipe, 100)
        for a, b in zip(sent, found, strict=True):
            assert b.tobytes() == np.asarray(a, dtype=np.float64).tobytes()
            assert b.ndim == 1


@pytest.mark.parametrize("content", [b"", b"a", b"12345678", b"a line of text\n"])
def test_bytes_travel_as_doubles(content: bytes) -> None:
    """The bytes of a file arrive as they were, filled up to whole doubles."""
    pipe = io.BytesIO()
    protocol.send(pipe, Files([len(content)]), [protocol.to_doubles(content)])
    pipe.seek(0)
    _, (found,) = protocol.receive_reply(pipe, len(content) // 8 + 1)
    assert found.tobytes()[: len(content)] == content
    assert found.tobytes().count(0) < 8


def test_no_more_doubles_are_taken_than_were_asked_for() -> None:
    """A reply with more numbers than are due is refused before they are read."""
    pipe = io.BytesIO()
    protocol.send(pipe, Done(), [np.zeros(6), np.zeros(5)])
    pipe.seek(0)
    assert len(protocol.receive_reply(pipe, 11)[1]) == 2
    pipe.seek(0)
    with pytest.raises(HarnessError, match="11 doubles where at most 10"):
        protocol.receive_reply(pipe, 10)


@pytest.mark.parametrize("lengths", [[-1], [10, -10], [2**62], [1 << 40, -(1 << 40)], [1e3], ["1"], [True], [None]])
def test_lengths_that_make_no_sense_are_refused(lengths: list[Any]) -> None:
    """Negative, huge and fractional lengths never reach a read."""
    with pytest.raises(HarnessError):
        protocol.receive_reply(stream({"type": "Done"}, lengths, bytes(800)), 100)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"hello\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"\xff\xfe\n",
        b'{"body": {"type": "Done"}}\n',
        b'{"body": {"type": "Done"}, "arrays": {}}\n',
        b'{"body": {"type": "Failure", "message": "\xff"}, "arrays": []}\n',
        b'{"body": {"type": "Failure", "message": 3}, "arrays": []}\n',
        b'{"body": {"type": "Failure"}, "arrays": []}\n',
        b'{"body": {"type": "Eval", "code": "1"}, "arrays": []}\n',
        b'{"body": {"type": "Load", "slot": "a", "language": "c", "path": "b"}, "arrays": []}\n',
        b'{"body": {"type": "Observation", "end": "well", "ranks": [], "elapsed_s": 1}, "arrays": []}\n',
        b'{"body": {"type": "Observation", "end": "died", "ranks": [{}], "elapsed_s": 1}, "arrays": []}\n',
        b'{"body": ' + b"[" * 100_000 + b', "arrays": []}\n',
        b"(lambda: 0)()\n",
        b"\x80\x04\x95pickle.\n",
    ],
    ids=lambda line: repr(line[:60]),
)
def test_what_is_no_reply_is_refused(line: bytes) -> None:
    """Hostile code may write anything: all that isn't a reply is an error of ours, and nothing of it is run."""
    with pytest.raises(HarnessError, match="isn't a message"):
        protocol.receive_reply(io.BytesIO(line), 100)


def test_a_request_is_no_reply_and_a_reply_no_request() -> None:
    """Each end takes only what the other may send."""
    pipe = io.BytesIO()
    protocol.send(pipe, SEEN)
    pipe.seek(0)
    with pytest.raises(HarnessError):
        protocol.receive_request(pipe)


def test_a_line_without_an_end_is_given_up() -> None:
    """No more than LINE_LIMIT bytes are read of a line that goes on and on."""
    endless = io.BytesIO(b'{"body": "' + b"x" * (protocol.LINE_LIMIT + 1000))
    with pytest.raises(HarnessError, match="isn't a message"):
        protocol.receive_reply(endless, 0)
    assert endless.tell() <= protocol.LINE_LIMIT


def test_the_longest_report_fits_into_a_line() -> None:
    """Sixteen ranks that print all they may, in characters that JSON spells with six, are below LINE_LIMIT."""
    worst = RankReport("raised", text="\1" * 4000, printed="\1" * 4000, error_text="\1" * 512, frames=["x" * 200] * 16)
    pipe = io.BytesIO()
    protocol.send(pipe, Observation("finished", [worst] * 16, 1.0))
    pipe.seek(0)
    assert protocol.receive_reply(pipe, 0)[0] == Observation("finished", [worst] * 16, 1.0)


@pytest.mark.parametrize("rest", [b"", bytes(7), bytes(79)])
def test_an_end_in_the_middle_is_an_end(rest: bytes) -> None:
    """When the other end closes before or within a message's arrays, that is EOFError, not half an array."""
    with pytest.raises(EOFError):
        protocol.receive_reply(stream({"type": "Done"}, [10], rest), 100)


def test_a_closed_stream_is_an_end() -> None:
    """Nothing at all is EOFError too."""
    with pytest.raises(EOFError):
        protocol.receive_reply(io.BytesIO(), 100)
