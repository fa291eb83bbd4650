"""Everything together: the logs of a strict run, how it and the plain run ended, and what was wrong.

Theory of operation.  Each analysis yields what it sees; here consequences are taken out, so that one mistake is one
finding.  Collective calls that differ explain the deadlock they end in.  A strict run that got stuck while the plain
one finished is luck: the root waits in standard sends that the plain run buffered.  What is left over at the end (a
request, a message) counts only when all ranks came to the end in good order and their logs are whole.
"""

from collections.abc import Iterator, Mapping, Sequence

from mpilab.diagnosis import collectives, messages, onesided
from mpilab.diagnosis.deadlock import Deadlock, explain
from mpilab.diagnosis.findings import Finding, finding, tidy
from mpilab.diagnosis.log import ORDERLY, Comm, RankLog
from mpilab.diagnosis.operations import Deeds, deeds
from mpilab.diagnosis.requests import errors, missing_waits, reported, unfinalized
from mpilab.diagnosis.snapshot import Snapshot, from_deeds

_CAUSES = {"outside-mpi", "invalid-argument", "call-mismatch", "root-mismatch"}  # of what then looks like a deadlock
FINISHED, STUCK = "finished", ("stuck", "timed_out")  # as in protocol.End


def analyse(
    logs: Sequence[RankLog],
    *,
    ended: str,
    plain_ended: str,
    snapshot: Snapshot | None = None,
    places: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Return what is wrong, causes first; nothing for a correct program.

    `logs`: one for each world rank, in order.  `ended` and `plain_ended` say how the strict and the plain run ended, in
    the words of protocol.End ("" for a run that wasn't made).  `snapshot`: where the ranks stood when the strict run
    got stuck, should the logs not tell.  `places`: which "file.c:line" each place of the logs is.
    """
    ranks = [deeds(log, places or {}) for log in logs]
    comms = {number: comm for log in logs for number, comm in log.comms.items()}
    matching = messages.match(ranks)
    gone = bool(logs) and all(
        log.end == "finalized" for log in logs
    )  # MPICH may hang or die in MPI_Finalize over what was left
    over = (ended == FINISHED or gone) and all(log.end in ORDERLY and not log.notes for log in logs)
    found = [*reported(ranks), *collectives.compare(ranks, comms, over=over), *messages.compare(matching.pairs)]
    found += list(errors(ranks, found))
    if not any(one.kind == "rma-epoch" for one in found):  # what is in no epoch is in no order
        found += onesided.compare(ranks, comms)
    if ended in STUCK and not gone and not any(one.kind in _CAUSES for one in found):
        eager_bytes = max((log.init.eager for log in logs if log.init), default=0)
        deadlock = explain(from_deeds(ranks), eager_bytes)
        if deadlock is None and snapshot and ended == "stuck":  # else it shows ranks on their way
            deadlock = explain(snapshot, eager_bytes)
        if deadlock:
            found.append(_told(deadlock, plain_ended))
    if over:
        found += _left_over(ranks, matching, comms)
    elif not found:
        found += unfinalized(ranks)  # one that left early ended the others
        found += _missed(ranks, matching, comms) if {log.end for log in logs} <= {"finalized", ""} else []
    return tidy(found)


def _told(deadlock: Deadlock, plain_ended: str) -> Finding:
    """Return a deadlock as the finding it is: an unmatched message or luck, when the plain run came to its end."""
    kind, message = deadlock.kind, deadlock.message
    if kind == "deadlock" and plain_ended == FINISHED and deadlock.lucky:
        kind = "unmatched-message" if deadlock.never else "eager-reliance"
        message += "\nwithout strict sends it ran to the end, because the library buffered messages: by luck"
    return finding(kind, deadlock.rank, deadlock.call, deadlock.where, message, rule=deadlock.rule)


def _missed(ranks: Sequence[Deeds], matching: messages.Matching, comms: Mapping[int, Comm]) -> Iterator[Finding]:
    """Yield what was sent to a rank that came to MPI_Finalize without receiving it, though others were ended there."""
    done = {deed.log.rank for deed in ranks if deed.log.end == "finalized" and not deed.log.notes}
    yield from messages.unmatched(messages.Matching([], [one for one in matching.sends if one.peer in done], []), comms)


def _left_over(ranks: Sequence[Deeds], matching: messages.Matching, comms: Mapping[int, Comm]) -> Iterator[Finding]:
    """Yield what was never completed, received or finalized."""
    forgotten = list(missing_waits(ranks))
    yield from (one for _, one in forgotten)
    told = {id(one) for request, _ in forgotten for one in request.transfers}
    sends = [one for one in matching.sends if id(one) not in told]
    receives = [one for one in matching.receives if id(one) not in told]
    yield from messages.unmatched(messages.Matching([], sends, receives), comms)
    yield from unfinalized(ranks)
