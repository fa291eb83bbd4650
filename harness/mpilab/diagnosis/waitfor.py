"""The wait-for graph of a snapshot: who can never go on, and the roots of it.

Theory of operation.  A rank that computes may do anything yet.  A rank in MPI can go on when what it waits for (all of
it, or for a Waitany one of it) can happen: the partner's operation is there already, or somebody who can go on may
still provide it.  So the ranks that can go on are the smallest set that holds the computing ones and is closed under
this rule; the rest, if any, is deadlocked, whatever the others do.  Among the rest we look for the roots: ranks that
wait for one that has ended or that makes another collective call, and circles; everybody else waits for them in turn.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from mpilab.diagnosis.collectives import kind_of
from mpilab.diagnosis.log import ANY
from mpilab.diagnosis.snapshot import Op, RankState, Snapshot, operations


@dataclass(frozen=True)
class Root:
    """Ranks at the root, each with the operation it waits for; a circle, or with `end` a wait for what has gone."""

    ranks: tuple[int, ...]
    ops: tuple[Op, ...]
    end: bool


class Graph:
    """Who waits for whom."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.states: dict[int, RankState] = {state.rank: state for state in snapshot.ranks}
        self.ops = operations(snapshot)
        self.waits: dict[int, list[Op]] = defaultdict(list)
        self.absent: dict[tuple[int, int], list[int]] = {}
        self.calls: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)  # collective calls at hand, by rank
        for op in self.ops:
            if op.waited:
                self.waits[op.rank].append(op)
            if op.wait.kind == "collective":
                self.calls[op.wait.comm, op.wait.seq][op.rank] = op.wait.call
        self.live = self._live()
        self.dead = [
            rank
            for rank, state in self.states.items()
            if state.state in ("mpi", "finalizing") and rank not in self.live
        ]

    def _live(self) -> set[int]:
        live = {
            rank
            for rank, state in self.states.items()
            if state.state == "running" or (state.state == "mpi" and not state.waits)
        }
        while True:
            more = {
                rank
                for rank, state in self.states.items()
                if rank not in live and state.state in ("mpi", "finalizing") and self._can(state, live)
            }
            if not more:
                return live
            live |= more

    def _can(self, state: RankState, live: set[int]) -> bool:
        happen = (self._may_happen(op, live) for op in self.waits[state.rank])
        return any(happen) if state.any_of else all(happen)

    def _may_happen(self, op: Op, live: set[int]) -> bool:
        if op.matched:
            return True
        if op.wait.kind in ("collective", "finalize"):
            return not self.mismatched(op) and all(rank in live for rank in self.missing(op))
        return any(rank in live for rank in self.targets(op))

    def members(self, op: Op) -> Iterable[int]:
        """Return the ranks of the operation's communicator."""
        return op.wait.members or self.states

    def missing(self, op: Op) -> list[int]:
        """Return the ranks that have not come to a collective call, or to MPI_Finalize."""
        if op.wait.kind == "finalize":
            return [rank for rank, state in self.states.items() if state.state not in ("finalizing", "finalized")]
        key = comm, seq = op.wait.comm, op.wait.seq
        if key not in self.absent:
            here, states = self.calls[key], self.states
            self.absent[key] = [
                rank
                for rank in self.members(op)
                if rank in states and rank not in here and states[rank].entered.get(comm, -1) < seq
            ]
        return self.absent[key]

    def mismatched(self, op: Op) -> list[int]:
        """Return the ranks that make another call in the place of this collective one."""
        if op.wait.kind != "collective":
            return []
        here = self.calls[op.wait.comm, op.wait.seq]
        return [rank for rank, call in here.items() if kind_of(call) != kind_of(op.wait.call)]

    def targets(self, op: Op) -> list[int]:
        """Return the ranks that could end the wait if they went on: one is enough, or (collective) all are needed.

        When one that is needed has gone, those that have; of many that would do, those that have not.
        """
        if op.matched:
            return []
        if op.wait.kind in ("collective", "finalize"):
            ranks = [rank for rank in self.mismatched(op) or self.missing(op) if rank not in self.live]
            return [rank for rank in ranks if self.gone(rank)] or ranks
        if op.wait.peer != ANY:
            return [op.wait.peer]
        ranks = [rank for rank in self.members(op) if rank != op.rank]
        return [rank for rank in ranks if not self.gone(rank)] or ranks

    def gone(self, rank: int) -> bool:
        """Whether a rank will not send, receive or come to a collective call any more."""
        state = self.states.get(rank)
        return state is None or state.state in ("finalizing", "finalized", "exited", "done")

    def blocking(self, rank: int) -> list[Op]:
        """Return the operations that keep a rank."""
        return [op for op in self.waits[rank] if not self._may_happen(op, self.live)]

    def roots(self) -> list[Root]:
        """Return waits for what has gone; and a circle for each group of ranks that doesn't wait for such a one."""
        roots: list[Root] = []
        for rank in self.dead:
            for op in self.blocking(rank):
                if self.mismatched(op) or all(self.gone(one) for one in self.targets(op)):
                    roots.append(Root((rank,), (op,), end=True))
                    break
        edges = {rank: [(op, one) for op in self.blocking(rank) for one in self.targets(op)] for rank in self.dead}
        explained = _reaching({rank for root in roots for rank in root.ranks}, edges)
        for rank in self.dead:
            if rank not in explained:
                circle = _circle(rank, edges)
                roots.append(circle)
                explained = _reaching(explained | set(circle.ranks), edges)
        return roots


def _reaching(goal: set[int], edges: dict[int, list[tuple[Op, int]]]) -> set[int]:
    """Return the ranks that wait, directly or not, for one of `goal`, and those themselves."""
    back: dict[int, list[int]] = defaultdict(list)
    for rank, out in edges.items():
        for _, one in out:
            back[one].append(rank)
    found, todo = set(goal), list(goal)
    while todo:
        for rank in back[todo.pop()]:
            if rank not in found:
                found.add(rank)
                todo.append(rank)
    return found


def _circle(start: int, edges: dict[int, list[tuple[Op, int]]]) -> Root:
    """Return a shortest circle through the first rank that is met twice on the way from `start`."""
    path: list[int] = []
    rank = start
    while rank not in path:
        path.append(rank)
        rank = next(one for _, one in edges[rank] if one in edges)
    before: dict[int, tuple[int, Op]] = {}
    todo = [rank]
    while todo and rank not in before:  # breadth first, back to where it began
        here = todo.pop(0)
        for op, one in edges[here]:
            if one in edges and one not in before:
                before[one] = here, op
                todo.append(one)
    ranks: list[int] = []
    ops: list[Op] = []
    here = rank
    while not ranks or here != rank:
        here, op = before[here]
        ranks.append(here)
        ops.append(op)
    return Root(tuple(reversed(ranks)), tuple(reversed(ops)), end=False)
