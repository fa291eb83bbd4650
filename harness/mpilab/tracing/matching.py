"""What belongs together: a request with its completion, a send with its receive.

Theory of operation.  Both are questions about order, so both work when the oldest events are gone, and both are array
operations without a loop over events.

Requests: a handle is reused, so on one rank the completions of a handle take its postings in order.  A completion that
comes when nothing is open belongs to a posting that was dropped.

Messages: MPI keeps the order of messages between two ranks on one communicator with one tag, and a wildcard's status
says which message came; so the k-th send of such a stream belongs to its k-th receive, in the order in which they were
posted.  Where a side dropped events, the last send is laid on the last receive instead.  Then a receive that would have
completed before its send began moves the whole stream, because it can't have.
"""

from typing import NamedTuple

import numpy as np

from mpilab.tracing.recording import Flags, Floats, Ints


def pair_requests(keys: Ints, opens: Flags) -> Ints:
    """For each completion the posting it completes.

    Args:
        keys: a number for each (rank, handle), in the order in which things happened on each rank.
        opens: whether a row posts or starts the request (True) or completes it (False).

    Returns:
        For each row that completes, the row that posted it, -1 when that was dropped; for each row that posts, the row
        that completes it, -1 when none does.
    """
    partner = np.full(len(keys), -1, np.int64)
    if not len(keys):
        return partner
    order = np.argsort(keys, kind="stable")
    key, opening = keys[order], opens[order]
    first = _first_of_group(key)
    posted = _count_in_group(opening, first)
    completed = _count_in_group(~opening, first)
    # completions that found nothing open, so far, in this group: the deepest the balance has been below 0
    group = np.cumsum(first)
    step = 2 * len(keys)  # pushes each group below all before it, so that the running minimum starts anew
    deepest = np.minimum.accumulate(posted - completed - group * step) + group * step
    orphans = np.maximum(0, -deepest)
    orphans_before = np.where(first, 0, np.concatenate(([0], orphans[:-1])))
    closes = ~opening & (orphans == orphans_before)
    # the k-th posting of a group goes with its k-th completion that is no orphan
    posts_at = np.flatnonzero(opening)
    base = np.concatenate(([0], np.cumsum(opening)))[np.flatnonzero(first)][group - 1]
    which = base + completed - orphans - 1
    partner[order[closes]] = order[posts_at[which[closes]]]
    partner[partner[order[closes]]] = order[closes]
    return partner


class Sides(NamedTuple):
    """The sends or the receives of a trace, one row each; rows of a stream stand in the order they were posted."""

    comm: Ints
    source: Ints  # ranks in MPI_COMM_WORLD
    dest: Ints
    tag: Ints
    time: Floats  # of a send its start, of a receive the end of the call that completed it


def pair_messages(sends: Sides, receives: Sides, orphans: Flags, dropped: Flags, error_s: float) -> tuple[Ints, Ints]:
    """Which send went to which receive.

    Args:
        sends: one row each.
        receives: the same.
        orphans: for each receive, whether its posting was dropped: it counts, but it gets no send, because the order
            of such is not known.
        dropped: for each rank, whether it dropped events.
        error_s: by how much two ranks' clocks may disagree.

    Returns:
        Rows of sends and rows of receives, pair by pair.
    """
    ns, nr = len(sends.comm), len(receives.comm)
    if not ns or not nr:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    columns = [np.concatenate(both) for both in zip(sends[:4], receives[:4], strict=True)]
    stream = _numbered(columns)
    s_order, r_order = np.argsort(stream[:ns], kind="stable"), np.argsort(stream[ns:], kind="stable")
    s_stream, r_stream = stream[:ns][s_order], stream[ns:][r_order]
    streams = int(stream.max()) + 1
    s_count, r_count = np.bincount(s_stream, minlength=streams), np.bincount(r_stream, minlength=streams)
    s_first, r_first = np.cumsum(s_count) - s_count, np.cumsum(r_count) - r_count
    from_end = np.zeros(streams, bool)
    from_end[stream[dropped[columns[1]] | dropped[columns[2]]]] = True
    from_end[stream[ns:][orphans]] = True
    # the j-th receive of a stream goes with send j + shift
    j = np.arange(nr) - r_first[r_stream]
    begun = _begun_before(s_stream, sends.time[s_order], r_stream, receives.time[r_order] + error_s)
    possible = np.full(streams, ns, np.int64)
    np.minimum.at(possible, r_stream, begun - 1 - j)
    wanted = np.where(from_end, s_count - r_count, 0)
    whole = ~from_end & (s_count == r_count)  # nothing is missing: order alone decides, whatever the clocks say
    shift = np.where(whole, 0, np.minimum(wanted, possible))
    k = j + shift[r_stream]
    paired = (k >= 0) & (k < s_count[r_stream]) & ~orphans[r_order]
    return s_order[(s_first[r_stream] + k)[paired]], r_order[paired]


def nth_of_group(keys: list[Ints], from_end: Flags) -> Ints:
    """For each row, how many rows with the same keys come before it; where `from_end`, minus how many from it on."""
    group = _numbered(keys)
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group) if len(group) else np.zeros(0, np.int64)
    index = np.empty(len(group), np.int64)
    index[order] = np.arange(len(group)) - (np.cumsum(counts) - counts)[group[order]]
    return np.where(from_end, index - counts[group], index)


def _numbered(columns: list[Ints]) -> Ints:
    """A number for each distinct row of the columns, from 0."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, index = np.unique(column, return_inverse=True)
        # two columns at a time, renumbered in between, so that the product can't overflow
        number = np.unique(number * max(1, len(values)) + index, return_inverse=True)[1]
    return number.astype(np.int64)


def _first_of_group(sorted_keys: Ints) -> Flags:
    return np.concatenate(([True], sorted_keys[1:] != sorted_keys[:-1]))


def _count_in_group(flags: Flags, first: Flags) -> Ints:
    """For each row, how many flags are set in its group up to and with it."""
    total: Ints = np.cumsum(flags)
    starts = np.flatnonzero(first)
    before: Ints = total[starts] - flags[starts]
    return np.asarray(total - before[np.cumsum(first) - 1])


def _begun_before(s_stream: Ints, s_time: Floats, r_stream: Ints, r_time: Floats) -> Ints:
    """For each receive, how many sends of its stream had begun when it completed."""
    both = np.concatenate((s_stream, r_stream))
    is_receive = np.concatenate((np.zeros(len(s_stream), bool), np.ones(len(r_stream), bool)))
    order = np.lexsort((is_receive, np.concatenate((s_time, r_time)), both))
    begun = _count_in_group(~is_receive[order], _first_of_group(both[order]))
    result = np.empty(len(both), np.int64)
    result[order] = begun
    return result[len(s_stream) :]
