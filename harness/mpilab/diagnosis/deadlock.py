"""Who can never go on, and why, in plain words.

Theory of operation.  waitfor.py finds the roots of a deadlock: waits for what has gone, and circles.  Here they become
a few sentences: each root in full, roots of the same shape and everybody who waits for them counted.  A wait for a
message looks for the one it was probably meant for, because a wrong tag is the likelier mistake than a lost message.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mpilab.diagnosis.findings import ranks_text
from mpilab.diagnosis.log import ANY
from mpilab.diagnosis.messages import at, near
from mpilab.diagnosis.operations import STANDARD, base
from mpilab.diagnosis.snapshot import Op, Snapshot
from mpilab.diagnosis.waitfor import Graph, Root

SHOWN = 3  # roots told in full
SENTENCES = 4  # of a circle


@dataclass(frozen=True)
class Deadlock:
    """Ranks that can never go on.

    `kind` is that of the finding: deadlock, or call-mismatch when collective calls differ.  `rank`, `call` and `where`
    are those of one rank at the root.  `lucky`: the root waits in standard sends, so buffering them would help;
    `small`: one is not larger than the eager limit.  `never`: what is waited for can't come.  `rule` is the key
    of the rule broken.
    """

    kind: str
    message: str
    ranks: tuple[int, ...]
    rank: int
    call: str
    where: str
    lucky: bool
    small: bool
    never: bool
    rule: str


def explain(snapshot: Snapshot, eager_bytes: int) -> Deadlock | None:
    """Return why ranks can never go on, or None when all may; messages up to `eager_bytes` go eagerly (0: unknown)."""
    graph = Graph(snapshot)
    if not graph.dead:
        return None
    words = _Words(graph, eager_bytes)
    roots = graph.roots()
    lines = words.roots(roots)
    told = {rank for root in roots for rank in root.ranks}
    lines += words.waiting(rank for rank in graph.dead if rank not in told)
    first = roots[0]
    ops = [op for root in roots for op in root.ops]
    sends = [op for op in ops if op.wait.kind == "send" and base(op.wait.call) in STANDARD]
    state = graph.states[first.ranks[0]]
    return Deadlock(
        kind="call-mismatch" if any(map(graph.mismatched, first.ops)) else "deadlock",
        message="\n".join(lines),
        ranks=tuple(sorted(graph.dead)),
        rank=state.rank,
        call=state.call,
        where=state.where,
        lucky=bool(sends),
        small=any(op.wait.bytes <= eager_bytes for op in sends),
        never=first.end,
        rule="never" if first.end or any(map(words.hint, first.ops)) else "",
    )


class _Words:
    """Roots and waits as sentences."""

    def __init__(self, graph: Graph, eager_bytes: int) -> None:
        self.graph, self.eager = graph, eager_bytes
        self.left = [op for op in graph.ops if not op.matched and op.wait.kind in ("send", "recv", "partitioned")]

    def roots(self, roots: Sequence[Root]) -> list[str]:
        """Return a line for each shape of root: the first in full, how many more there are like it."""
        shapes: dict[tuple[object, ...], list[Root]] = {}
        for root in roots:
            shape = *(self._shape(op) for op in root.ops), root.end
            shapes.setdefault(shape, []).append(root)
        lines = []
        for group in list(shapes.values())[:SHOWN]:
            text = self._ended(group) if group[0].end else self._circle(group[0])
            if len(group) > 1 and not group[0].end:
                rest = ranks_text(rank for root in group[1:] for rank in root.ranks)
                text += f"; {len(group) - 1} more such circles: {rest}"
            lines.append(text)
        if len(shapes) > SHOWN:
            rest = ranks_text(rank for group in list(shapes.values())[SHOWN:] for root in group for rank in root.ranks)
            lines.append(f"{rest} wait likewise")
        return lines

    def _shape(self, op: Op) -> tuple[object, ...]:
        state = self.graph.states[op.rank]
        if self.graph.mismatched(op):
            return op.wait.comm, op.wait.seq
        return state.call, state.where, op.wait.kind, op.wait.call, op.wait.where

    def _ended(self, group: Sequence[Root]) -> str:
        """Say what a rank waits for that can't come any more, and who else waits so."""
        op = group[0].ops[0]
        if self.graph.mismatched(op):
            return self._differs(op)
        gone = self.graph.targets(op)
        text = f"{self._waits(op)}, {self._fate(gone)}{self.hint(op)}"
        alike = [root.ranks[0] for root in group[1:]]
        return f"{text}; {ranks_text(alike)} wait{'s' if len(alike) == 1 else ''} likewise" if alike else text

    def _differs(self, op: Op) -> str:
        """Say which ranks make which call in the place of one collective call."""
        groups: dict[str, list[int]] = {}
        for one in self.graph.ops:
            if (one.wait.kind, one.wait.comm, one.wait.seq) == ("collective", op.wait.comm, op.wait.seq):
                groups.setdefault(f"{one.wait.call}{at(one.wait.where)}", []).append(one.rank)
        calls = "; ".join(f"{ranks_text(ranks)} in {call}" for call, ranks in list(groups.items())[:4])
        comm = self.graph.snapshot.comm(op.wait.comm)
        return f"collective call number {op.wait.seq} on {comm} is not the same on all ranks: {calls}"

    def _fate(self, gone: Sequence[int]) -> str:
        """Say what became of the ranks waited for."""
        words = {
            "finalizing": "in MPI_Finalize",
            "finalized": "past MPI_Finalize",
            "exited": "no longer running",
            "done": "done with its run",
        }
        states = Counter(words[state.state] for rank in gone if (state := self.graph.states.get(rank)))
        if not states:
            return "and there is no such rank" if gone else "and there is no other rank"
        verb = "is" if len(gone) == 1 else "are"
        return f"but {ranks_text(gone)} {verb} {' or '.join(states)}"

    def _circle(self, root: Root) -> str:
        """Say how ranks wait for each other."""
        ops, first = root.ops, root.ops[0]
        if len(ops) == 1:
            receives = "receive" if first.wait.kind == "send" else "send"
            return f"{self._waits(first)}, which is itself: it can't {receives} while it waits{self._sizes(ops)}"
        if len({self._shape(op) for op in ops}) == 1 and first.wait.kind in ("send", "recv"):
            verb = "to" if first.wait.kind == "send" else "for a message from"
            who = ranks_text(root.ranks)
            if len(ops) == 2:
                text = f"{who} both wait in {self._call(first)} {verb} each other{at(self._where(first))}"
            else:
                steps = [
                    f"{rank} {verb.split(maxsplit=1)[0]} {op.wait.peer}"
                    for rank, op in zip(root.ranks, ops, strict=True)
                ]
                steps = [*steps[:3], "...", steps[-1]] if len(steps) > 5 else steps
                text = f"{who} wait in {self._call(first)}{at(self._where(first))} in a circle: {', '.join(steps)}"
            return text + (self.hint(first) or self._sizes(ops))
        text = "; ".join(self._waits(op) for op in ops[:SENTENCES])
        if len(ops) > SENTENCES:
            text += f"; and so on through {ranks_text(root.ranks[SENTENCES:])}, back to rank {root.ranks[0]}"
        return text + (next(filter(None, map(self.hint, ops)), "") or self._sizes(ops))

    def _sizes(self, ops: Sequence[Op]) -> str:
        """Say why the sends among `ops` can't just end, or that they may by luck."""
        sends = [op.wait for op in ops if op.wait.kind == "send"]
        if not sends:
            return "; no message is under way" if all(op.wait.kind == "recv" for op in ops) else ""
        none = "neither can finish before the other receives"
        if len(sends) != 2:
            none = (
                "none can finish before the next receives" if len(sends) > 2 else "it can't finish before the receive"
            )
        sizes = sorted({wait.bytes for wait in sends})
        size = f"{sizes[0]:,} B" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} B"
        each = "each message is" if len(sends) > 1 else "the message is"
        if not all(base(wait.call or "MPI_Send") in STANDARD for wait in sends):
            return f"; a synchronous send waits for its receive, so {none}"
        if self.eager and sizes[0] > self.eager:
            return f"; {each} {size}, larger than the eager limit ({self.eager:,} B here), so {none}"
        if self.eager:
            return f"; small messages ({size}) go eagerly here (up to {self.eager:,} B), so it may run: by luck"
        return f"; {each} {size}: {none} unless the library buffers it"

    def waiting(self, ranks: Iterable[int]) -> list[str]:
        """Return one line for all who wait for others in turn."""
        ranks = list(ranks)
        if not ranks:
            return []
        if len(ranks) <= 2:
            return [self._waits(self.graph.blocking(rank)[0], standing=True) for rank in ranks]
        count = Counter(self._standing(rank) for rank in ranks)
        calls = ", ".join(f"{number} in {call}" for call, number in count.most_common(3))
        more = ", ..." if len(count) > 3 else ""
        return [f"{ranks_text(ranks)} wait for them in turn: {calls}{more}"]

    def _waits(self, op: Op, *, standing: bool = False) -> str:
        """Say which rank waits in which call for what of whom."""
        wait, targets = op.wait, self.graph.targets(op)
        who = f"rank {wait.peer}" if wait.peer != ANY else "any rank"
        tag = "any tag" if wait.tag == ANY else f"tag {wait.tag}"
        comm = "" if wait.comm == 1 else f" on {self.graph.snapshot.comm(wait.comm)}"
        if wait.kind == "send":
            what = f"for the receive of its message with {tag}{comm} by {who}"
        elif wait.kind == "recv":
            what = f"for a message with {tag}{comm} from {who}"
        elif wait.kind == "partitioned":
            what = f"for the partitioned operation of {who}"
        else:
            who = ranks_text(targets)
            what = f"for {who}{comm}"
        text = f"rank {op.rank} waits in {self._place(op)} {what}"
        if standing and len(targets) == 1 and targets[0] in self.graph.states:
            text += f", which is in {self._standing(targets[0])}"
        return text

    def _call(self, op: Op) -> str:
        state = self.graph.states[op.rank]
        return state.call or op.wait.call

    def _where(self, op: Op) -> str:
        return self.graph.states[op.rank].where or op.wait.where

    def _place(self, op: Op) -> str:
        """Return the call a rank stands in, and when it is a Wait the operation it waits for."""
        call, wait = self._call(op), op.wait
        posted = f" for its {wait.call}{at(wait.where)}" if wait.call and wait.call != call else ""
        return f"{call}{at(self._where(op))}{posted}"

    def _standing(self, rank: int) -> str:
        state = self.graph.states[rank]
        return f"{state.call or 'MPI'}{at(state.where)}"

    def hint(self, op: Op) -> str:
        """Say which operation the wait was probably meant for."""
        if op.wait.kind not in ("send", "recv", "partitioned"):
            return ""
        mine = op.transfer()
        others = [one.transfer() for one in self.left if one is not op and one.wait.kind != op.wait.kind]
        close = near(mine, others, self.graph.snapshot.comm)
        if close is None:
            return ""
        other, how = close
        which = f"rank {other.rank}'s {other.call}{at(other.where)}"
        return f"; {which} does not match rank {op.rank}'s {op.wait.call or self._call(op)}: {how}"
