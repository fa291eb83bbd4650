"""Collective calls are compared across ranks: call, order, root, operation, counts and types, each by its own rule."""

from typing import Any

import pytest
from diagnosis_logs import Rank, doubles, found, ints, kinds, only, ranks, sig

from mpilab.diagnosis.collectives import kind_of


def all_call(name: str, number: int, *, line: int = 5, **what: Any) -> list[Rank]:
    """Let all ranks make one call; a value that is a function is asked for each rank."""
    programs = ranks(number)
    for one in programs:
        fields = {key: value(one.rank) if callable(value) else value for key, value in what.items()}
        request = one.coll(name, line=line, **fields)
        if request and not name.endswith("_init"):
            one.wait(request)
    return programs


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("MPI_Bcast", ("bcast", "blocking")),
        ("MPI_Bcast_c", ("bcast", "blocking")),
        ("MPI_Iallreduce_c", ("allreduce", "nonblocking")),
        ("MPI_Ireduce_scatter_block", ("reduce_scatter_block", "nonblocking")),
        ("MPI_Barrier_init", ("barrier", "persistent")),
        ("MPI_Alltoallw_init_c", ("alltoallw", "persistent")),
        ("MPI_Comm_dup", ("comm_dup", "blocking")),
        ("MPI_Comm_idup", ("comm_dup", "nonblocking")),
        ("MPI_Intercomm_create", ("intercomm_create", "blocking")),
        ("MPI_Ineighbor_alltoall", ("neighbor_alltoall", "nonblocking")),
    ],
)
def test_a_call_is_an_operation_of_a_sort(call: str, kind: tuple[str, str]) -> None:
    """Blocking, nonblocking, persistent, and their large-count names."""
    assert kind_of(call) == kind


# ------------------------------------------------------------------------------------------------------------- calls
def test_other_calls_are_told_with_the_ranks_that_make_them() -> None:
    """The odd one is named with its line, and the others too."""
    programs = ranks(4)
    for one in programs:
        one.coll("Barrier")
        one.coll("Reduce" if one.rank == 2 else "Bcast", line=7 if one.rank == 2 else 5, root=0)
    one = only(programs)
    assert (one.kind, one.rank, one.call, one.where) == ("call-mismatch", 2, "MPI_Reduce", "k.c:7")
    assert "number 2 on MPI_COMM_WORLD" in one.message
    assert "ranks 0, 1 and 3 in MPI_Bcast (k.c:5); rank 2 in MPI_Reduce (k.c:7)" in one.message


@pytest.mark.parametrize("other", ["Iallreduce", "Allreduce_init"])
def test_blocking_does_not_meet_nonblocking_or_persistent(other: str) -> None:
    """The same operation of another sort does not match."""
    a, b = ranks(2)
    a.coll("Allreduce")
    request = b.coll(other)
    b.wait(request) if other[0] == "I" else b.free(request)
    one = only([a, b])
    assert one.kind == "call-mismatch"
    assert "do not match each other" in one.message


def test_the_large_count_name_is_the_same_call() -> None:
    """MPI_Bcast and MPI_Bcast_c match."""
    a, b = ranks(2)
    a.coll("Bcast", root=0, send=[ints(1)])
    b.coll("Bcast_c", root=0, recv=[ints(1)])
    assert found([a, b]) == []


def test_another_order_is_called_that() -> None:
    """Reduce and Bcast swapped on one rank: one finding, which says that the order differs."""
    a, b = ranks(2)
    for one, calls in ((a, ("Reduce", "Bcast", "Barrier")), (b, ("Bcast", "Reduce", "Barrier"))):
        for name in calls:
            one.coll(name, root=None if name == "Barrier" else 0)
    assert "the order of the calls differs" in only([a, b]).message


def test_a_rank_that_ended_without_the_call() -> None:
    """The others may even get through: it's wrong all the same."""
    programs = ranks(3)
    for one in programs[:2]:
        one.coll("Bcast", root=0, line=5)
    one = only(programs)
    assert one.kind == "call-mismatch"
    assert (
        "ranks 0 and 1 call MPI_Bcast (k.c:5) as collective number 1 on MPI_COMM_WORLD; rank 2 never does"
        in one.message
    )


def test_a_log_that_stops_proves_nothing() -> None:
    """When the run was cut off a rank that has not come yet might have."""
    programs = ranks(3)
    for one in programs[:2]:
        one.coll("Bcast", root=0, line=5)
    for ended in ("died", "flooded"):
        assert found(programs, ended, "finished") == []


def test_communicators_are_apart() -> None:
    """Only calls on the same communicator are compared, and only its members are missed."""
    programs = ranks(4)
    for one in programs:
        half = one.rank % 2
        one.comm(2 + half, [half, 2 + half], "half")
        one.coll("Bcast" if half else "Barrier", comm=2 + half, root=0 if half else None)
        one.coll("Barrier", comm=1000000 + one.rank)
    assert found(programs) == []


def test_orders_that_cross_between_communicators() -> None:
    """Two communicators used in opposite order may deadlock, even where a broadcast got through."""
    a, b = ranks(2)
    for one, order in ((a, (1, 2)), (b, (2, 1))):
        one.comm(2, [0, 1], "copy")
        for comm in order:
            one.coll("Bcast", comm=comm, root=0, line=5)
    one = only([a, b])
    assert one.kind == "call-mismatch"
    assert "on MPI_COMM_WORLD and copy in orders that form a circle" in one.message


def test_nonblocking_or_threaded_calls_may_cross() -> None:
    """Nonblocking calls on two communicators wait for nothing, and two threads have no order."""
    a, b = ranks(2)
    for one, order in ((a, (1, 2)), (b, (2, 1))):
        one.comm(2, [0, 1], "copy")
        one.wait(*[one.coll("Ibarrier", comm=comm) for comm in order])
    assert found([a, b]) == []
    a, b = ranks(2)
    for one, order in ((a, (1, 2)), (b, (2, 1))):
        one.comm(2, [0, 1], "copy")
        inside = [one.call("Bcast", comm=comm, seq=1, root=0) for comm in order]
        for number in inside:
            one.ret(number)
    assert found([a, b]) == []


# ------------------------------------------------------------------------------------------------ roots and operations
def test_another_root_is_told_with_both_values() -> None:
    """The odd root, its rank and line; and no other finding about the same call."""
    programs = all_call("Bcast", 4, root=lambda rank: int(rank == 3), send=lambda rank: [ints(rank + 1)])
    one = only(programs)
    assert (one.kind, one.rank) == ("root-mismatch", 3)
    assert "rank 3 names root 1 in MPI_Bcast (k.c:5), rank 0 root 0" in one.message


def test_every_rank_its_own_root_is_one_finding() -> None:
    """Passing the rank as root is one mistake."""
    assert kinds(all_call("Reduce", 8, root=lambda rank: rank)) == ["root-mismatch"]


def test_another_operation_is_told() -> None:
    """MPI_SUM here and MPI_MAX there."""
    what = {"op": lambda rank: "MPI_MAX" if rank == 1 else "MPI_SUM", "send": [ints(1)], "recv": [ints(1)]}
    one = only(all_call("Allreduce", 3, **what))
    assert one.kind == "operator-mismatch"
    assert "rank 1 names operation MPI_MAX" in one.message


def test_a_users_operation_has_another_address_everywhere() -> None:
    """Addresses of functions differ from process to process; a user's operation is not a predefined one."""
    assert found(all_call("Allreduce", 3, op=lambda rank: f"user@0x{rank}")) == []
    mixed = all_call("Allreduce", 3, op=lambda rank: "user@0x1" if rank else "MPI_SUM")
    assert kinds(mixed) == ["operator-mismatch"]


# ---------------------------------------------------------------------------------------------- counts and types
A, B, N = ints(3), doubles(3), 3


def at_root(value: Any) -> Any:
    """Return a field that only rank 0, the root, has."""
    return lambda rank: None if rank else value


def not_root(value: Any) -> Any:
    """Return a field that only the others have."""
    return lambda rank: value if rank else None


RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("Bcast", {"root": 0, "send": at_root([A]), "recv": not_root([A])}),
    ("Bcast", {"root": 0, "send": [A]}),
    ("Ibcast", {"root": 0, "send": at_root([A]), "recv": not_root([A])}),
    ("Gather", {"root": 0, "send": [A], "recv": at_root([A])}),
    ("Gather", {"root": 0, "send": not_root([A]), "recv": at_root([A])}),  # the root in place
    ("Gatherv", {"root": 0, "send": lambda rank: [ints(rank)], "recv": at_root([ints(i) for i in range(N)])}),
    ("Scatter", {"root": 0, "send": at_root([A]), "recv": [A]}),
    ("Scatterv", {"root": 0, "send": at_root([ints(i) for i in range(N)]), "recv": lambda rank: [ints(rank)]}),
    ("Allgather", {"send": [A], "recv": [A]}),
    ("Allgather", {"recv": [A]}),
    ("Allgatherv", {"send": lambda rank: [ints(rank)], "recv": [ints(i) for i in range(N)]}),
    ("Alltoall", {"send": [A], "recv": [A]}),
    ("Alltoall", {"recv": [A]}),
    ("Alltoallv", {
        "send": lambda rank: [ints(10 * rank + i) for i in range(N)],
        "recv": lambda rank: [ints(10 * i + rank) for i in range(N)],
    }),
    ("Alltoallv", {"recv": lambda rank: [ints(i + rank) for i in range(N)]}),  # in place: symmetric
    ("Reduce", {"root": 0, "op": "MPI_SUM", "send": [A], "recv": at_root([A])}),
    ("Reduce", {"root": 0, "op": "MPI_SUM", "send": not_root([A]), "recv": at_root([A])}),
    ("Allreduce", {"op": "MPI_SUM", "send": [A], "recv": [A]}),
    ("Allreduce", {"op": "MPI_SUM", "send": lambda rank: [A] if rank else None, "recv": [A]}),
    ("Scan", {"op": "MPI_SUM", "send": [A], "recv": [A]}),
    ("Exscan", {"op": "MPI_SUM", "send": [A], "recv": [A]}),
    ("Reduce_scatter_block", {"op": "MPI_SUM", "send": [ints(9)], "recv": [A]}),
    ("Reduce_scatter", {"op": "MPI_SUM", "recv": [ints(i) for i in range(N)]}),
    ("Neighbor_alltoall", {"send": lambda rank: [ints(rank)], "recv": [B]}),  # whose neighbor is whose is not known
    ("Barrier", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "what"), RIGHT, ids=lambda value: value if isinstance(value, str) else "")
def test_right_counts_and_types_are_no_finding(name: str, what: dict[str, Any]) -> None:
    """Every collective, with what it needs, in place too."""
    assert found(all_call(name, N, **what)) == []


def but(rank: int, usual: Any, odd: Any) -> Any:
    """Return a field that is `odd` on one rank."""
    return lambda one: odd if one == rank else usual


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("Bcast", {"root": 0, "send": at_root([A]), "recv": lambda rank: [None, [A], [B]][rank]}),
    ("Bcast", {"root": 0, "send": at_root([A]), "recv": lambda rank: [None, [A], [ints(4)]][rank]}),
    ("Gather", {"root": 0, "send": but(2, [A], [ints(2)]), "recv": at_root([A])}),
    ("Gatherv", {"root": 0, "send": lambda rank: [ints(3 * rank // 2)], "recv": at_root([ints(i) for i in range(N)])}),
    ("Scatter", {"root": 0, "send": at_root([A]), "recv": but(1, [A], [B])}),
    ("Scatterv", {"root": 0, "send": at_root([ints(i) for i in range(N)]), "recv": [ints(1)]}),
    ("Allgather", {"send": but(1, [A], [B]), "recv": [A]}),
    ("Allgather", {"send": [A], "recv": but(2, [A], [ints(4)])}),
    ("Allgatherv", {"send": lambda rank: [ints(rank + 1)], "recv": [ints(i) for i in range(N)]}),
    ("Allgatherv", {"recv": lambda rank: [ints(i + rank // 2) for i in range(N)]}),
    ("Alltoall", {"send": but(1, [A], [ints(2)]), "recv": [A]}),
    ("Alltoallv", {"send": lambda rank: [ints(10 * rank + i) for i in range(N)],
                   "recv": lambda rank: [ints(10 * i + rank + (i == 2 and rank == 1)) for i in range(N)]}),
    ("Alltoallw", {"send": [A, B, A], "recv": [A, A, A]}),
    ("Reduce", {"root": 0, "op": "MPI_SUM", "send": but(2, [A], [ints(2)]), "recv": at_root([A])}),
    ("Allreduce", {"op": "MPI_SUM", "send": but(1, [A], [B]), "recv": but(1, [A], [B])}),
    ("Scan", {"op": "MPI_SUM", "send": but(1, [A], [ints(2)]), "recv": but(1, [A], [ints(2)])}),
    ("Reduce_scatter", {"op": "MPI_SUM", "recv": but(1, [A, A, A], [A, A, ints(2)])}),
    ("Reduce_scatter_block", {"op": "MPI_SUM", "recv": but(1, [A], [ints(2)])}),
    ("Allreduce_init", {"op": "MPI_SUM", "send": but(1, [A], [B]), "recv": [A]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "what"), WRONG, ids=lambda value: value if isinstance(value, str) else "")
def test_wrong_counts_and_types_are_one_finding(name: str, what: dict[str, Any]) -> None:
    """Every collective, with one rank that differs: one finding, that names call and line."""
    programs = all_call(name, N, **what)
    if name.endswith("_init"):
        for one in programs:
            one.free(1)
    one = only(programs)
    assert (one.kind, one.call, one.where) == ("count-or-type-mismatch", f"MPI_{name}", "k.c:5")


def test_a_count_mismatch_names_both_ranks() -> None:
    """Who has what where whom has what; the rule is that of collectives."""
    one = only(all_call("Bcast", 2, root=0, send=at_root([ints(4)]), recv=not_root([doubles(4)])))
    assert "rank 0 has 4 MPI_INT in MPI_Bcast (k.c:5) where rank 1 has 4 MPI_DOUBLE (k.c:5)" in one.message
    assert "exactly" in one.rule


def test_mpis_own_error_is_not_told_again() -> None:
    """The error that a collective returns for such a mismatch is no second finding."""
    a, b = ranks(2)
    a.coll("Bcast", root=0, send=[ints(4)])
    b.ret(b.coll("Bcast", root=0, recv=[ints(2)], done=False) or b.number, err=15, text="message sizes do not match")
    assert kinds([a, b]) == ["count-or-type-mismatch"]


def test_packed_matches_anything() -> None:
    """What was packed may be broadcast as MPI_PACKED."""
    packed = sig((12, "MPI_PACKED"))
    assert found(all_call("Bcast", 2, root=0, send=at_root([packed]), recv=not_root([ints(3)]))) == []


def test_roots_of_intercommunicators_are_not_compared() -> None:
    """There the root's group says MPI_ROOT and MPI_PROC_NULL."""
    programs = ranks(2)
    for one in programs:
        one.comm(2, [0, 1], "inter", inter=1)
        one.coll("Bcast", comm=2, root=-3 if one.rank else 0, send=[ints(one.rank)])
    assert found(programs) == []


def test_hostile_numbers_are_no_error() -> None:
    """Roots, ranks and lists that cannot be are left out of the comparison."""
    for root in (-9, 99, 10**18):
        assert found(all_call("Gatherv", 2, root=root, send=[A], recv=[A])) == []
    programs = all_call("Gatherv", 2, root=0, send=["?"], recv=[])
    programs[0].comm(1, [5, -1, 10**18], "MPI_COMM_WORLD")
    assert found(programs) == []
    programs[1].comm(1, [], "MPI_COMM_WORLD")
    assert found(programs) == []
