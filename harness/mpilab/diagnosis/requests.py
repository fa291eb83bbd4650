"""What the logs show at their ends: errors that MPI returned, requests never completed, ranks without MPI_Finalize.

Theory of operation.  An error class says which argument was bad, so the value can be named from the call's own line.
Errors that only follow from what another analysis found (a truncation, a collective that does not agree, a finding of
the C library at the same call) are left out.  A request that is active when its rank ends in good order was forgotten.
"""

from collections.abc import Iterable, Iterator, Sequence

from mpilab.diagnosis.findings import Finding, finding
from mpilab.diagnosis.kinds import KINDS
from mpilab.diagnosis.log import ANY, ORDERLY, Call, place
from mpilab.diagnosis.messages import at
from mpilab.diagnosis.operations import IN_STATUS, PENDING, TRUNCATE, Deeds, Request

# The error classes of MPICH: the kind of finding, the key of its rule, and what is wrong in a word.
_CLASSES = {
    1: ("invalid-argument", "buffer", "buffer"),
    2: ("invalid-argument", "count", "count"),
    3: ("invalid-argument", "type", "datatype"),
    4: ("invalid-argument", "tag", "tag"),
    5: ("invalid-argument", "comm", "communicator"),
    6: ("invalid-argument", "rank", "rank"),
    7: ("invalid-argument", "root", "root"),
    8: ("invalid-argument", "", "group"),
    9: ("invalid-argument", "op", "operation"),
    10: ("invalid-argument", "", "topology"),
    11: ("invalid-argument", "", "dimension"),
    12: ("invalid-argument", "", "argument"),
    TRUNCATE: ("truncation", "", ""),
    19: ("request-lifecycle", "", "request"),
    **dict.fromkeys((45, 46, 47, 51, 52, 53), ("invalid-argument", "", "window argument")),
    49: ("rma-race", "", ""),
    50: ("rma-epoch", "", ""),
    55: ("invalid-argument", "", "displacement"),
}
_COLLECTIVE = {"call-mismatch", "root-mismatch", "operator-mismatch", "count-or-type-mismatch"}


def reported(ranks: Iterable[Deeds]) -> Iterator[Finding]:
    """Yield what the C library found on the spot."""
    for deed in ranks:
        for call, entry in deed.reported:
            kind, text = entry.kind, entry.text
            if kind not in KINDS:
                kind, text = "mpi-error", f"{entry.kind}: {entry.text}"
            also = place(entry.also, deed.table)
            if also:
                text += f"{_second_place(kind, text)} {also}"
            where = place(entry.at, deed.table) or (deed.where(call) if call else "")
            yield finding(kind, deed.log.rank, call.call if call else "", where, text)


def _second_place(kind: str, text: str) -> str:
    """Return the words between a finding and the place that belongs to it."""
    if kind != "buffer-race":
        return "; see"
    return ", completed at" if text.endswith("its completion") else ", posted at"


def errors(ranks: Iterable[Deeds], found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the errors that MPI returned and that nothing in `found` explains."""
    truncated = {one.rank for one in found if one.kind == "truncation"}
    collective = any(one.kind in _COLLECTIVE for one in found)
    for deed in ranks:
        known = {call.n for call, _ in deed.reported if call}
        for call, err, text in deed.errors:
            kind, rule, what = _CLASSES.get(err, ("mpi-error", "", ""))
            if call.n in known or (kind == "truncation" and deed.log.rank in truncated) or (call.seq and collective):
                continue
            if err in (IN_STATUS, PENDING) and found:
                continue
            if call.call in ("MPI_File_open", "MPI_File_delete") and err not in _CLASSES:
                continue  # files return their errors: a missing file is no mistake
            said = " ".join(text.split())[:300]
            named = f" with an invalid {what}{_value(call, rule)}" if what else ""
            message = f"rank {deed.log.rank} calls {call.call}{named}; MPI says: {said or f'error class {err}'}"
            yield finding(kind, deed.log.rank, call.call, deed.where(call), message, rule=rule)


def _value(call: Call, rule: str) -> str:
    """Return the values that the bad argument may be, where the log has them."""
    named: dict[str, dict[str, int | None]] = {
        "rank": {"destination": call.dest, "source": call.source},
        "tag": {"send": call.stag, "receive": call.rtag} if call.ssig or call.rsig else {"tag": call.tag},
        "root": {"root": call.root},
    }
    known = [f"{name} {value}" for name, value in named.get(rule, {}).items() if value is not None]
    return f" ({', '.join(known)})" if known else ""


def missing_waits(ranks: Iterable[Deeds]) -> Iterator[tuple[Request, Finding]]:
    """Yield each request that was still active when its rank ended in good order, with the finding it is."""
    for deed in ranks:
        if deed.log.end not in ORDERLY:
            continue
        told = {call.n for call, _ in deed.reported if call}, {entry.also for _, entry in deed.reported}
        for number, request in deed.active.items():
            call = request.call
            if call.n in told[0] or (call.at and call.at in told[1]):
                continue  # the C library saw how its handle was lost
            text = f"rank {deed.log.rank} never completes its {call.call}{at(deed.where(call))}{_meant(request)}"
            if request.persistent and request.started:
                text += f", started in {request.started.call}{at(deed.where(request.started))}"
            by = deed.overwritten.get(number)
            if by:
                text += f"; its handle was overwritten by {by.call}{at(deed.where(by))}"
            if any(one.partner is None for one in request.transfers):
                text += "; the other side of the message is missing too"
            yield request, finding("missing-wait", deed.log.rank, call.call, deed.where(call), text)


def _meant(request: Request) -> str:
    for one in request.transfers[:1]:
        peer = "any rank" if one.peer == ANY else f"rank {one.peer}"
        return f" {'to' if one.sends else 'from'} {peer}"
    return ""


def unfinalized(ranks: Iterable[Deeds]) -> Iterator[Finding]:
    """Yield the ranks that ended without MPI_Finalize."""
    for deed in ranks:
        if deed.log.init and deed.log.end == "exit" and not any(e.kind == "missing-finalize" for _, e in deed.reported):
            text = f"rank {deed.log.rank} ended without MPI_Finalize"
            yield finding("missing-finalize", deed.log.rank, "MPI_Finalize", "", text)
