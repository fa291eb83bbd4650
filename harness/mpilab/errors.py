"""The second voice: what is wrong with mpilab, the machine or the way it was called.

Theory of operation.  What is wrong with a submission is a `Verdict` (verdict.py) and may cost points.  Everything else
is a `HarnessError`: it ends the command with status 2, never costs a point, and its message says what happened, where,
and what to do next.
"""


class HarnessError(Exception):
    """mpilab, the machine or the call is at fault; `message` says what happened and what to do next."""

    def __init__(self, message: str, *, then: str = "") -> None:
        """Join what happened (`message`) with what to do about it (`then`)."""
        super().__init__(f"{message}\n  next: {then}" if then else message)


class RunnerError(HarnessError):
    """The process that holds the engines failed or doesn't answer: the machine's doing, or that of a kernel in it."""
