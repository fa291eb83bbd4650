"""Programs made at random: correct ones have no finding, and a deadlock is named exactly when there is one."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from diagnosis_logs import Rank, doubles, found, ints, ranks, sig

from mpilab.diagnosis.analysis import analyse
from mpilab.diagnosis.log import RankLog, parse

TYPES: list[Callable[[int], str]] = [ints, doubles, lambda n: sig(*[(1, "MPI_INT"), (1, "MPI_DOUBLE")] * n)]
COLLECTIVES = ("Barrier", "Bcast", "Gatherv", "Scatter", "Allgather", "Alltoallv", "Reduce", "Allreduce", "Scan")


@dataclass
class Correct:
    """A correct program, written into the logs of its ranks as one of its possible courses.

    Every step is a message or a collective call; requests are completed some time later, in any order.
    """

    size: int
    chance: random.Random
    programs: list[Rank] = field(default_factory=list)
    pending: list[list[tuple[int, tuple[int, int] | None]]] = field(default_factory=list)
    comms: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin: the world, and a communicator of some ranks in another order."""
        self.programs = ranks(self.size)
        self.pending = [[] for _ in self.programs]
        some = self.chance.sample(range(self.size), self.chance.randint(1, self.size))
        self.comms = {1: list(range(self.size)), 2: some}
        for rank in some:
            self.programs[rank].comm(2, some, "some")

    def run(self, steps: int) -> list[Rank]:
        """Return the logs after so many steps and all waits."""
        for _ in range(steps):
            self.chance.choice([self.message, self.message, self.message, self.collective, self.exchange])()
            for rank in range(self.size):
                if self.chance.random() < 0.2:
                    self.complete(rank)
        for rank in range(self.size):
            self.complete(rank)
        return self.programs

    def complete(self, rank: int) -> None:
        """Wait for all that a rank has started, in any order."""
        mine = self.pending[rank]
        self.chance.shuffle(mine)
        if mine:
            self.programs[rank].wait(*[one for one, _ in mine], got=[got for _, got in mine], line=99)
        mine.clear()

    def message(self) -> None:
        """Send one message."""
        comm = self.chance.choice([1, 2])
        members = self.comms[comm]
        source, dest = self.chance.randrange(len(members)), self.chance.randrange(len(members))
        count, tag, kind = self.chance.randrange(5), self.chance.randrange(3), self.chance.choice(TYPES)
        what = {"comm": comm, "tag": tag}
        sender, receiver = self.programs[members[source]], self.programs[members[dest]]
        if source == dest or self.chance.random() < 0.5:
            self.pending[sender.rank].append((sender.isend(dest, kind(count), line=10, **what), None))
        elif self.chance.random() < 0.3:
            request = sender.isend(dest, kind(count), line=11, name="Ssend_init", **what)
            sender.start(request)
            sender.wait(request)
            sender.free(request)
        else:
            sender.send(dest, kind(count), line=12, name=self.chance.choice(["Send", "Bsend"]), **what)
        self.receive(receiver, source, kind(count + self.chance.randrange(3)), comm, tag)

    def receive(self, receiver: Rank, source: int, data: str, comm: int, tag: int) -> None:
        """Receive it, in one of many ways; the wildcards only in a blocking call, where they can take no other."""
        how, what = self.chance.randrange(4), {"comm": comm, "tag": tag}
        if how == 0:
            self.pending[receiver.rank].append((receiver.irecv(source, data, line=20, **what), (source, tag)))
        elif how == 1:
            receiver.recv(source, data, line=21, **what)
        elif how == 2:
            receiver.recv(-1, data, got=(source, tag), line=22, **what)
        else:
            receiver.ret(receiver.call("Mprobe", line=23, source=-1, **what), source=source, tag=tag, msg=7)
            receiver.ret(receiver.call("Mrecv", line=24, msg=7, sig=data), source=source, tag=tag)

    def exchange(self) -> None:
        """Exchange with Sendrecv in a ring."""
        for one in self.programs:
            there, here = (one.rank + 1) % self.size, (one.rank - 1) % self.size
            what = {"dest": there, "stag": 9, "ssig": ints(2), "source": here, "rtag": 9, "rsig": ints(2)}
            one.ret(one.call("Sendrecv", line=30, **what), source=here, tag=9)

    def collective(self) -> None:
        """Make one collective call of any sort."""
        comm, name = self.chance.choice([1, 2]), self.chance.choice(COLLECTIVES)
        members, data = self.comms[comm], self.chance.choice(TYPES)
        size, count, root = len(members), self.chance.randrange(4), self.chance.randrange(len(members))
        amounts = [[self.chance.randrange(3) for _ in members] for _ in members]
        call = self.chance.choice([name, f"I{name.lower()}"])
        for i, rank in enumerate(members):
            at_root, piece = i == root, [data(count)]
            fields = {
                "Barrier": {},
                "Bcast": {"root": root, "send" if at_root else "recv": piece},
                "Gatherv": {
                    "root": root,
                    "send": [data(amounts[0][i])],
                    "recv": [data(n) for n in amounts[0]] if at_root else None,
                },
                "Scatter": {"root": root, "send": piece if at_root else None, "recv": piece},
                "Allgather": {"send": piece, "recv": piece},
                "Alltoallv": {
                    "send": [data(amounts[i][j]) for j in range(size)],
                    "recv": [data(amounts[j][i]) for j in range(size)],
                },
                "Reduce": {"root": root, "op": "MPI_SUM", "send": piece, "recv": piece if at_root else None},
                "Allreduce": {"op": "MPI_MAX", "send": piece, "recv": piece},
                "Scan": {"op": "MPI_SUM", "send": piece, "recv": piece},
            }[name]
            request = self.programs[rank].coll(call, comm=comm, line=40, **fields)
            if request:
                self.pending[rank].append((request, None))


@pytest.mark.parametrize("seed", range(150))
def test_a_correct_program_has_no_finding(seed: int) -> None:
    """Whatever it does, in whatever order its requests complete."""
    chance = random.Random(seed)
    programs = Correct(chance.randint(1, 6), chance).run(chance.randint(1, 80))
    assert found(programs) == []


@pytest.mark.parametrize("seed", range(100))
def test_a_correct_program_cut_off_anywhere_has_no_finding(seed: int) -> None:
    """When it was ended from outside, or some logs are missing, nothing wrong is to be seen in the rest."""
    chance = random.Random(1000 + seed)
    programs = Correct(chance.randint(2, 5), chance).run(40)
    logs: list[RankLog] = []
    for one in programs:
        data = "".join(f"{line}\n" for line in one.lines).encode()
        logs.append(parse(one.rank, data[: chance.randrange(len(data) + 1)]))
    for ended in ("died", "timed_out", "finished"):
        if ended != "timed_out":  # a cut log looks stuck, which this one isn't
            assert analyse(logs, ended=ended, plain_ended="finished") == []
    assert all(one.kind in ("deadlock", "eager-reliance", "unmatched-message", "call-mismatch")
               for one in analyse(logs, ended="timed_out", plain_ended="finished"))  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_one_mistake_in_a_correct_program_is_one_kind_of_finding(seed: int) -> None:
    """A wrong type, a short receive, a wrong root, a forgotten request: that, and nothing else."""
    chance = random.Random(2000 + seed)
    program = Correct(chance.randint(2, 5), chance)
    programs = program.run(20)
    a, b = programs[0], programs[1]
    kind = chance.choice(["count-or-type-mismatch", "truncation", "root-mismatch", "missing-wait", "unmatched-message"])
    if kind == "count-or-type-mismatch":
        a.send(1, ints(4), tag=5)
        b.recv(0, doubles(4), tag=5)
    elif kind == "truncation":
        a.send(1, ints(4), tag=5)
        b.recv(0, ints(3), tag=5)
    elif kind == "root-mismatch":
        for one in programs:
            one.coll("Bcast", root=int(one is b))
    elif kind == "missing-wait":
        a.isend(1, tag=5)
        b.recv(0, tag=5)
    else:
        a.send(1, name="Bsend", tag=5)
    program.run(20)
    assert [one.kind for one in found(programs)] == [kind]


# -------------------------------------------------------------------------------------- deadlocks, against a simulation
Step = tuple[str, int, int]  # send or recv, the other rank (-1 any), the tag; or barrier


def simulate(programs: list[list[Step]]) -> list[int]:
    """Return how many steps each rank finishes when every send waits for its receive."""
    at = [0] * len(programs)

    def now(rank: int) -> Step | None:
        return programs[rank][at[rank]] if at[rank] < len(programs[rank]) else None

    moved = True
    while moved:
        moved = False
        if all((step := now(rank)) and step[0] == "barrier" for rank in range(len(programs))):
            at, moved = [one + 1 for one in at], True
            continue
        for sender in range(len(programs)):
            step = now(sender)
            if step is None or step[0] != "send":
                continue
            other = now(step[1])
            if other and other[0] == "recv" and other[1] in (-1, sender) and other[2] == step[2] and step[1] != sender:
                at[sender] += 1
                at[step[1]] += 1
                moved = True
    return at


def logged(programs: list[list[Step]], at: list[int]) -> list[Rank]:
    """Return the logs of ranks that finished so many steps, stand in the next, or in MPI_Finalize."""
    logs = ranks(len(programs))
    for one, steps, done in zip(logs, programs, at, strict=True):
        for number, (what, other, tag) in enumerate(steps[: done + 1]):
            if what == "send":
                one.send(other, tag=tag, line=number + 1, done=number < done)
            elif what == "recv":
                one.recv(other, tag=tag, line=number + 1, done=number < done)
            else:
                one.coll("Barrier", line=number + 1, done=number < done)
        if done == len(steps):
            one.finalize(done=False)
    return logs


def random_steps(chance: random.Random, size: int) -> list[list[Step]]:
    """Return programs of matching steps, with some of them swapped or lost."""
    programs: list[list[Step]] = [[] for _ in range(size)]
    for _ in range(chance.randint(1, 12)):
        if chance.random() < 0.2:
            for steps in programs:
                steps.append(("barrier", 0, 0))
            continue
        a, b = chance.sample(range(size), 2)
        tag = chance.randrange(2)
        programs[a].append(("send", b, tag))
        programs[b].append(("recv", a, tag))
    for steps in programs:
        if len(steps) > 1 and chance.random() < 0.3:
            i = chance.randrange(len(steps) - 1)
            steps[i], steps[i + 1] = steps[i + 1], steps[i]
        if steps and chance.random() < 0.1:
            steps.pop(chance.randrange(len(steps)))
    return programs


def test_a_deadlock_is_named_exactly_when_there_is_one() -> None:
    """Two thousand programs: the verdict from their logs is that of the simulation, and names ranks that are stuck."""
    chance, stuck = random.Random(3), 0
    for _ in range(2000):
        size = chance.randint(2, 6)
        programs = random_steps(chance, size)
        at = simulate(programs)
        left = [rank for rank in range(size) if at[rank] < len(programs[rank])]
        findings = found(logged(programs, at), "stuck", "stuck")
        assert bool(findings) == bool(left), (programs, at, findings)
        if left:
            stuck += 1
            assert len(findings) == 1
            assert findings[0].rank in left
            assert findings[0].kind in ("deadlock", "call-mismatch")
            assert findings[0].where == f"k.c:{at[findings[0].rank] + 1}"
    assert 500 < stuck < 1500


def test_who_stands_in_mpi_on_the_way_is_no_deadlock() -> None:
    """Programs that will finish, caught at any moment, are never called stuck."""
    chance = random.Random(4)
    for _ in range(1000):
        programs = random_steps(chance, chance.randint(2, 5))
        at = simulate(programs)
        if any(done < len(steps) for done, steps in zip(at, programs, strict=True)):
            continue
        shorter = [steps[: chance.randrange(len(steps) + 1)] for steps in programs]
        part = simulate(shorter)
        logs = ranks(len(programs))
        for one, cut, whole, done in zip(logs, shorter, programs, part, strict=True):
            one.lines = logged([whole if r == one.rank else [] for r in range(len(programs))], [
                done if r == one.rank else 0 for r in range(len(programs))
            ])[one.rank].lines  # fmt: skip
            if done == len(cut):  # it computes before its next step: take that call out again
                one.lines = one.lines[:-1]
        assert found(logs, "timed_out", "finished") == []
