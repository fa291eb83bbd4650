"""The first voice: what is wrong with a submission, or that nothing is.

Theory of operation.  A verdict is a word from a short list and a message that says what, where, expected, got and what
to try next.  Anything but OK costs points and stops the pipeline (NOT_ATTEMPTED is still timed: it shows what "no
difference" looks like on this machine).
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The verdicts."""

    OK = "OK"
    NOT_ATTEMPTED = "NOT_ATTEMPTED"  # the same code as the baseline
    BUILD_FAILED = "BUILD_FAILED"
    CRASHED = "CRASHED"
    DEADLOCK = "DEADLOCK"
    TIMED_OUT = "TIMED_OUT"
    WRONG_ANSWER = "WRONG_ANSWER"
    WRONG_CALLS = "WRONG_CALLS"  # right, but not in the style the lab is about
    ERRONEOUS_MPI = "ERRONEOUS_MPI"  # right by luck
    TAMPERED = "TAMPERED"


@dataclass(frozen=True)
class Verdict:
    """A kind and what to tell the student."""

    kind: Kind
    message: str = ""


OK = Verdict(Kind.OK, "correct, and in the style asked for")
