"""The collective calls of a communicator's ranks, compared: call, root, operation, counts and types.

Theory of operation.  The k-th collective call of every rank on a communicator belongs together, so one dictionary by
(communicator, k) is all the matching there is.  At the first k where the calls differ the comparison of that
communicator ends: what follows is out of step.  Else roots and operations must be the same, and the signatures of what
is sent and received must agree as the call's own rule says (RULES).  A rank that never came is no mistake while it
runs; when it has ended in good order it is.  Roots on intercommunicators, and who sends to whom in neighborhood
collectives, cannot be told from the logs: of those only the calls are compared.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from mpilab.diagnosis.findings import Finding, finding, ranks_text
from mpilab.diagnosis.log import ORDERLY, Comm, Signature, signature
from mpilab.diagnosis.messages import PACKED, at, comm_name, described
from mpilab.diagnosis.operations import Collective, Deeds, base

Step = list[Collective]  # the calls that belong together, one a rank, by rank in the communicator
Pair = tuple[Collective, str, Collective, str]  # who, what it sends, who, what that one receives


@lru_cache(maxsize=512)
def kind_of(call: str) -> tuple[str, str]:
    """Return the operation of a collective call and its sort: ("allreduce", "nonblocking") for MPI_Iallreduce_c."""
    name = base(call)
    if name.endswith("_init"):
        return name.removesuffix("_init").lower(), "persistent"
    if name.startswith("I") and not name.startswith("Inter"):
        return name[1:].lower(), "nonblocking"
    return name.replace("Comm_idup", "Comm_dup").lower(), "blocking" if name != "Comm_idup" else "nonblocking"


def compare(ranks: Sequence[Deeds], comms: Mapping[int, Comm], *, over: bool) -> Iterator[Finding]:
    """Yield what does not agree; `over`: the run ended, so what a rank has not called by now it never will."""
    steps: dict[int, dict[int, Step]] = defaultdict(lambda: defaultdict(list))
    for deed in ranks:
        for one in deed.collectives:
            if one.call.comm not in comms or one.rank in comms[one.call.comm].ranks:
                steps[one.call.comm][one.call.seq].append(one)
    ended = {deed.log.rank for deed in ranks if deed.log.end in ORDERLY and not deed.log.notes}
    in_step: list[Step] = []
    for comm, by_number in sorted(steps.items()):
        members, name = comms[comm].ranks if comm in comms else [], comm_name(comm, comms)
        for number, step in sorted(by_number.items()):
            found = _calls(step, by_number.get(number + 1, []), name)
            if not found and over and len(step) < len(members):
                found = _absent(step, [rank for rank in members if rank in ended], name)
            if found:
                yield found
                break
            in_step.append(step)
            if not (comm in comms and comms[comm].inter):
                yield from _arguments(step, members)
    yield from _crossed(ranks, in_step, comms)


def _calls(step: Step, after: Step, name: str) -> Finding | None:
    """Return a finding when the ranks make different calls."""
    kinds = {one.call.call: kind_of(one.call.call) for one in step}
    if len(set(kinds.values())) < 2:
        return None
    groups: dict[tuple[str, str], Step] = defaultdict(list)
    for one in step:
        groups[kinds[one.call.call]].append(one)
    parts = [
        f"{ranks_text(one.rank for one in group)} in {group[0].call.call}{at(group[0].where)}"
        for group in sorted(groups.values(), key=lambda group: (-len(group), group[0].rank))[:4]
    ]
    text = f"collective call number {step[0].call.seq} on {name} is not the same on all ranks: {'; '.join(parts)}"
    later = {one.rank: kind_of(one.call.call) for one in after}
    if len({operation for operation, _ in groups}) == 1:
        text += "; blocking, nonblocking and persistent calls do not match each other"
    elif any(later.get(one.rank) in groups and later[one.rank] != kinds[one.call.call] for one in step):
        text += "; the order of the calls differs"
    odd = min(groups.values(), key=lambda group: (len(group), -group[0].rank))[0]
    return finding("call-mismatch", odd.rank, odd.call.call, odd.where, text)


def _absent(step: Step, ended: Sequence[int], name: str) -> Finding | None:
    """Return a finding when a rank of the communicator has ended in good order without the call."""
    here = {one.rank for one in step}
    absent = [rank for rank in ended if rank not in here]
    if not absent:
        return None
    first = step[0]
    call, never = ("calls" if len(here) == 1 else "call"), ("does" if len(absent) == 1 else "do")
    text = (
        f"{ranks_text(here)} {call} {first.call.call}{at(first.where)} as collective number {first.call.seq} on {name};"
        f" {ranks_text(absent)} never {never}"
    )
    return finding("call-mismatch", first.rank, first.call.call, first.where, text)


def _arguments(step: Step, members: Sequence[int]) -> Iterator[Finding]:
    """Yield where roots, operations or data of the calls of one step differ."""
    if any(one.call.root is not None and one.call.root < 0 for one in step):
        return  # no rank at all: MPI says so itself
    roots = _differ(step, "root-mismatch", "root", {one.rank: one.call.root for one in step})
    if roots:  # without a root there is no saying who sends to whom
        yield roots
        return
    operations = _differ(step, "operator-mismatch", "operation", {one.rank: _operation(one.call.op) for one in step})
    if operations:
        yield operations
    rule = RULES.get(kind_of(step[0].call.call)[0])
    for a, sent, b, room in rule(step, members) if rule else ():
        one, other = signature(sent), signature(room)
        if sent == room or one is None or other is None or _equal(one, other):
            continue
        text = (
            f"rank {a.rank} has {described(one)} in {a.call.call}{at(a.where)} where rank {b.rank} has"
            f" {described(other)}{at(b.where)}"
        )
        yield finding("count-or-type-mismatch", b.rank, b.call.call, b.where, text, rule="collective")
        return  # one a call is enough


def _differ(step: Step, kind: str, what: str, values: Mapping[int, int | str | None]) -> Finding | None:
    """Return a finding when the ranks' `values`, None where there is none, are not all the same."""
    count = Counter(value for value in values.values() if value is not None)
    if len(count) < 2:
        return None
    (common, _), (odd, _) = count.most_common()[0], count.most_common()[-1]
    a, b = (next(one for one in step if values[one.rank] == value) for value in (common, odd))
    text = f"rank {b.rank} names {what} {odd} in {b.call.call}{at(b.where)}, rank {a.rank} {what} {common}{at(a.where)}"
    return finding(kind, b.rank, b.call.call, b.where, text)


def _operation(op: str) -> str | None:
    """Return an operation's name; a user's own is at another address on every rank, so all of them are one."""
    return "of the user" if op.startswith("user@") else op or None


def _equal(one: Signature, other: Signature) -> bool:
    return (one.hash, one.elements) == (other.hash, other.elements) or PACKED in (one.basic, other.basic)


# ------------------------------------------------------------------------- which data must agree: one rule a collective
def _root(step: Step, members: Sequence[int]) -> Collective | None:
    root = step[0].call.root
    if root is None or not 0 <= root < len(members):
        return None
    return next((one for one in step if one.rank == members[root]), None)


def _part(data: Sequence[str] | None, index: int) -> str:
    """Return the signature for the partner `index`: of its own in a v or w call, the only one in others; "" unknown."""
    if not data:
        return ""
    return data[0] if len(data) == 1 else data[index] if index < len(data) else ""


def _bcast(step: Step, members: Sequence[int]) -> Iterator[Pair]:
    root = _root(step, members) or step[0]
    of_root = _part(root.call.send or root.call.recv, 0)
    for one in step:
        yield root, of_root, one, _part(one.call.recv or one.call.send, 0)


def _gather(step: Step, members: Sequence[int]) -> Iterator[Pair]:
    root = _root(step, members)
    for one in step if root else ():
        assert root
        yield one, _part(one.call.send, 0), root, _part(root.call.recv, members.index(one.rank))


def _scatter(step: Step, members: Sequence[int]) -> Iterator[Pair]:
    root = _root(step, members)
    for one in step if root else ():
        assert root
        yield root, _part(root.call.send, members.index(one.rank)), one, _part(one.call.recv, 0)


def _reduce(step: Step, _members: Sequence[int]) -> Iterator[Pair]:
    first = step[0]
    for one in step[1:]:
        yield first, _part(first.call.send or first.call.recv, 0), one, _part(one.call.send or one.call.recv, 0)


def _reduce_scatter(step: Step, _members: Sequence[int]) -> Iterator[Pair]:
    """Every rank names the same counts for all."""
    having = [(one, one.call.recv) for one in step if one.call.recv]
    for one, recv in having[1:]:
        yield from _elementwise(having[0][0], having[0][1], one, recv)


def _elementwise(a: Collective, left: Sequence[str], b: Collective, right: Sequence[str]) -> Iterator[Pair]:
    if left != right:
        yield from ((a, x, b, y) for x, y in zip(left, right, strict=False))


def _allgather(step: Step, members: Sequence[int]) -> Iterator[Pair]:
    having = [one for one in step if one.call.recv]
    for one in having[1:]:  # all must expect the same of everyone
        yield from _elementwise(having[0], having[0].call.recv or [], one, one.call.recv or [])
    for one in step if having and members else ():
        yield one, _part(one.call.send, 0), having[0], _part(having[0].call.recv, members.index(one.rank))


def _alltoall(step: Step, members: Sequence[int]) -> Iterator[Pair]:
    data = {tuple(part) for one in step for part in (one.call.send, one.call.recv) if part}
    if len(data) == 1 and len(next(iter(data))) == 1:
        return
    where = [(members.index(one.rank), one) for one in step if members]
    for i, one in where:
        for j, other in where:
            yield one, _part(one.call.send or one.call.recv, j), other, _part(other.call.recv, i)


RULES: dict[str, Callable[[Step, Sequence[int]], Iterator[Pair]]] = {
    "bcast": _bcast,
    **dict.fromkeys(("gather", "gatherv"), _gather),
    **dict.fromkeys(("scatter", "scatterv"), _scatter),
    **dict.fromkeys(("allgather", "allgatherv"), _allgather),
    **dict.fromkeys(("alltoall", "alltoallv", "alltoallw"), _alltoall),
    **dict.fromkeys(("reduce", "allreduce", "scan", "exscan"), _reduce),
    **dict.fromkeys(("reduce_scatter", "reduce_scatter_block"), _reduce_scatter),
}


def _crossed(ranks: Iterable[Deeds], steps: Iterable[Step], comms: Mapping[int, Comm]) -> Iterator[Finding]:
    """Yield a finding when blocking calls on several communicators are made in orders that form a circle."""
    graph: TopologicalSorter[tuple[int, int]] = TopologicalSorter()
    good = {(step[0].call.comm, step[0].call.seq): step for step in steps if len(step) > 1}
    for deed in ranks:
        before: Collective | None = None
        for one in deed.collectives:
            operation, sort = kind_of(one.call.call)
            key = one.call.comm, one.call.seq
            if key not in good or sort != "blocking" or operation == "comm_free":
                continue
            if before and 0 <= before.left < one.entered:  # else two threads are at it, which have no order
                graph.add(key, (before.call.comm, before.call.seq))
            before = one
    try:
        graph.prepare()
    except CycleError as error:
        circle = error.args[1][:-1]
        ours = [one for key in circle for one in good[key]]
        names = " and ".join(comm_name(comm, comms) for comm in sorted({comm for comm, _ in circle}))
        text = (
            f"{ranks_text(one.rank for one in ours)} make collective calls on {names} in orders that form a circle"
            f" (one of them is {ours[0].call.call}{at(ours[0].where)}): each may wait for the other"
        )
        yield finding("call-mismatch", ours[0].rank, ours[0].call.call, ours[0].where, text)
