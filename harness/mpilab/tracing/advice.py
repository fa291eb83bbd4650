"""What would help: one sentence for the largest loss, and the lab where that change is practised.

Theory of operation.  The time in MPI is divided into losses that exclude each other: the reasons for waiting
(waits.py), posting (short calls that create or start requests), and the rest of collective and of point-to-point
calls, which is transfer.  The largest decides.  Within a loss, its cause decides what to say: a late sender that was
itself waiting is a chain; ranks that compute unevenly are a matter of load, not of communication.
"""

from dataclasses import dataclass

import numpy as np

from mpilab.tracing import text
from mpilab.tracing.recording import IRECEIVES, ISENDS, RECEIVE_INITS, SEND_INITS, STARTS, WAITS, Floats, Recording
from mpilab.tracing.waits import Waiting

LITTLE = 0.05  # a wait rate with nothing to gain
UNEVEN = 0.5  # of the waiting at collectives must uneven computing explain to be its cause
MODULES = {
    "ring": "blocking",
    "halo": "nonblocking",
    "persistent-halo": "persistent",
    "three-arrays": "nonblocking-collective",
}
POSTING = ISENDS | IRECEIVES | SEND_INITS | RECEIVE_INITS | STARTS | {"MPI_Request_free"}
# For each loss, told apart by its cause: the sentence, and below the lab.
SENTENCES = {
    "uneven": (
        "ranks wait {share} of the run in {call} for rank {rank}, which computes most: share the work more "
        "evenly, or give early ranks work by a nonblocking collective; a faster network would not help."
    ),
    "at a collective": (
        "{share} of the run, ranks wait in {call} for the last one to come: start its nonblocking form as "
        "soon as the data are ready, and do other work until the result is needed."
    ),
    "collective": (
        "{share} of the run, data are moved in {call}: start its nonblocking form as soon as they are ready, "
        "and do other work until the result is needed."
    ),
    "chain": (
        "{share} of the run, {call} waits for senders that are themselves waiting, one rank for the next: "
        "break the chain, so that all send at once."
    ),
    "late sender": (
        "{share} of the run, {call} waits for data that has not been sent yet: post the receive early with "
        "MPI_Irecv, and wait only when the data are needed."
    ),
    "late sender, nonblocking": (
        "{share} of the run, {call} waits for data that has not been sent yet: send it earlier, or give the "
        "receiver more work before it waits."
    ),
    "late receiver": (
        "{share} of the run, {call} waits until the other side asks for the message: use MPI_Isend, and let "
        "the other side post its receives before it computes."
    ),
    "late receiver, nonblocking": (
        "{share} of the run, {call} waits until the other side asks for the message: post the receives earlier."
    ),
    "unattended": (
        "{share} of the run, {call} waits for messages that both sides had posted, while the other side "
        "computes outside MPI: let it call MPI_Test now and then, or wait for all requests at once."
    ),
    "posting": (
        "{share} of the run goes into creating and starting requests, mostly in {call}: where the same "
        "arguments come again, create the requests once and start them."
    ),
    "point-to-point": (
        "{share} of the run is the transfer itself, or the library's or the machine's delay, mostly in "
        "{call}: send fewer and larger messages, and compute while they travel."
    ),
    "other": ("{share} of the run is in {call}, which moves no data: call it once, outside of loops."),
}
LABS = {
    "uneven": "three-arrays",
    "at a collective": "three-arrays",
    "collective": "three-arrays",
    "chain": "ring",
    "late sender": "halo",
    "late sender, nonblocking": "halo",
    "late receiver": "halo",
    "late receiver, nonblocking": "halo",
    "unattended": "halo",
    "posting": "persistent-halo",
    "point-to-point": "halo",
}


@dataclass(frozen=True)
class Advice:
    """What would help, and the lab and module that teach it ('' where none does)."""

    text: str
    lab: str = ""

    @property
    def module(self) -> str:
        """The module of the lab."""
        return MODULES.get(self.lab, "")


def advise(trace: Recording, waiting: Waiting, within: Floats, whole: float, compute: tuple[float, ...]) -> Advice:
    """Say what would help most.

    Args:
        trace: what was recorded.
        waiting: what its events waited for.
        within: each event's seconds in the window.
        whole: the run time of all threads, in seconds.
        compute: each rank's seconds outside MPI; NaN for a rank that recorded nothing.
    """
    spent = float(within.sum())
    if not whole or spent < LITTLE * whole:
        share = text.percent(spent / whole if whole else 0.0)
        return Advice(f"little is to be gained here: only {share} of the run is in MPI; look at the computation.")
    seconds = {reason: np.minimum(lost, within) for reason, lost in waiting.seconds.items()}
    rest = within - np.minimum(sum(seconds.values()), within)
    posting = trace.is_call(POSTING)
    seconds["posting"] = np.where(posting, rest, 0.0)
    seconds["collective"] = np.where(waiting.collective & ~posting, rest, 0.0)
    seconds["point-to-point"] = np.where(waiting.p2p & ~posting, rest, 0.0)
    seconds["other"] = np.where(~waiting.p2p & ~waiting.collective, rest, 0.0)
    loss = max(seconds, key=lambda name: float(seconds[name].sum()))
    lost = seconds[loss]
    late = np.array(compute)
    uneven = float(np.nanmax(late) - np.nanmean(late)) * np.count_nonzero(np.isfinite(late))
    call = _main_call(trace, lost)
    if loss == "at a collective" and uneven > UNEVEN * lost.sum():
        loss = "uneven"
    elif loss == "late sender" and waiting.sender_waited.sum() > 0.5 * waiting.seconds[loss].sum():
        loss = "chain"
    elif loss.startswith("late") and call in WAITS:
        loss += ", nonblocking"
    share, rank = text.percent(float(lost.sum()) / whole), int(np.nanargmax(late))
    return Advice(SENTENCES[loss].format(share=share, call=call, rank=rank), LABS.get(loss, ""))


def _main_call(trace: Recording, lost: Floats) -> str:
    """The call that most of the time was lost in."""
    return trace.calls[int(np.argmax(np.bincount(trace.events["call"], lost, minlength=len(trace.calls))))]
