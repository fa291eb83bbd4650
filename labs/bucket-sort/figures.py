"""The two figures of `bucket-sort` that are no conversions: what its baseline's trace shows.

Theory of operation.  The baseline is recorded, once in each of ROUNDS rounds, and its calls are read from the rings on
one clock; estimates are medians over rounds, and the smallest and the largest stand beside them.  Of the times in a
round the lower decile counts, which other load hardly moves.

How fast is MPI_Alltoallv?  Two ranks on cores with 2 MB of keys each.  A call lasts from the last rank's entry to the
last one's return, for waiting moves nothing; all ranks' bytes over that are its effective bandwidth, as the source
counts it.  The source's library copied each key twice and so met the limit of the memory system.  What memory gives
here is measured by a plain copy of as many bytes (copies.c), both ranks at once, in the same rounds; caches may be
large enough today to do better.

How slow is MPI_Allreduce?  On emulated nodes, in which order ranks come and how long they stay is compared: a line of
least squares through latency against entry, both taken from the call's means.  Where it only makes all wait for the
last one, who comes a second sooner stays a second longer, and the slope is -1.
"""

import msgspec
import numpy as np

from mpilab import check, machine, stats
from mpilab.errors import HarnessError
from mpilab.manifest import Case
from mpilab.scaling.rows import Row
from mpilab.tracing import gather

ROUNDS = 7  # the smallest and the largest of so many hold the median, but for 1.6 % of cases
RANKS = 16  # as in the source
LARGE = Case(ranks=2, n=1 << 19, steps=10)  # 2 MB of keys on a rank
COPIES = 20  # in a round
MB = 1e6
BANDWIDTH, SLOPE, NEAR = 800.0, -1.0, 0.1
RING = 1 << 10  # events of a rank
LIMIT_S = 60.0


def rows(on, lab):
    """Measure both; returns their rows.

    Raises:
        HarnessError: a kernel can't be built or run, or its numbers are wrong.
    """
    runner = on.many(RANKS)
    for slot, path in (("baseline", lab.baseline("c")), ("copies", lab.folder / "copies.c")):
        artifact = on.artifact(path)
        if verdict := check.judge_load(runner.load(slot, artifact.language, artifact.path), path.name):
            raise HarnessError(f"{path.name}: {verdict.message}", then="mend that first")
    with on.measuring():
        return [_bandwidth(on, lab, runner), _slope(on, lab, runner)]


def _bandwidth(on, lab, runner):
    what = "effective bandwidth of MPI_Alltoallv, 2 MB a process, all processes together"
    if machine.cores() < LARGE.ranks:
        return _row(what, BANDWIDTH, "MB/s", [], LARGE, f"two ranks need two cores, here is {machine.cores()}")
    run = _recorded(on, lab, runner, LARGE)
    exchanged, copied = [], []
    for i in range(ROUNDS):
        on.progress(f"{lab.id}: bandwidth, round {i + 1} of {ROUNDS}", 0.5 * i / ROUNDS)
        start, end, size = run("MPI_Alltoallv")
        exchanged.append(size.sum(axis=0).max() / stats.lower_decile(end.max(axis=0) - start.max(axis=0)) / MB)
        _, seconds, _ = runner.run(LARGE.run("copies", [1] * LARGE.ranks, [0] * COPIES, [], LIMIT_S))
        copied.append(4 * LARGE.n * LARGE.ranks / stats.lower_decile(np.max(seconds, axis=0)) / MB)
    share = stats.median([a / b for a, b in zip(exchanged, copied, strict=True)])
    said = f"{share:.0%} of what a plain copy through main memory gives, {stats.median(copied):,.0f} MB/s"
    said += "; more than all of it, for the keys stay in the caches" if share > 1 else ""
    return _row(what, BANDWIDTH, "MB/s", exchanged, LARGE, said)


def _slope(on, lab, runner):
    case = next(case for case in lab.manifest.scale if case.emulated and case.ranks == RANKS)
    run = _recorded(on, lab, runner, case)
    slopes, longest = [], []
    for i in range(ROUNDS):
        on.progress(f"{lab.id}: slope, round {i + 1} of {ROUNDS}", 0.5 + 0.5 * i / ROUNDS)
        start, end, _ = run("MPI_Allreduce")
        entry, latency = start - start.mean(axis=0), end - start
        longest.append(latency.max())
        slopes.append((entry * (latency - latency.mean(axis=0))).sum() / (entry**2).sum())
    said = f"the longest of {case.steps} calls lasts {1e3 * stats.median(longest):.0f} ms"
    return _row("latency of MPI_Allreduce against time of entry", SLOPE, "slope", slopes, case, said)


def _recorded(on, lab, runner, case):
    """Make a case ready; returns what runs the baseline and gives start, end and bytes [rank, step] of a call."""
    inputs = lab.oracle.inputs(on.rng("figures", lab.id, case), case)
    truth = lab.oracle.expected(case, inputs)
    runner.data([inputs])
    request = case.run("baseline", [t.size for t in truth], [0], [0], LIMIT_S)
    request = msgspec.structs.replace(request, ring=RING, groups=0xFF)

    def run(call):
        observation, outputs, trace = runner.run_and_read(request, gather.read)
        rows = [[out] for out in outputs]
        if verdict := check.judge_run(case, observation, rows, [truth], lab.oracle.rtol, lab.oracle.hint):
            raise HarnessError(f"the baseline went wrong ({case}): {verdict.kind}, {verdict.message}")
        mine = trace.events["rank"] < case.ranks  # the runner may have more, with rings from other cases
        events = trace.events[mine & (trace.events["call"] == trace.calls.index(call))]
        events = events[np.lexsort((events["start"], events["rank"]))].reshape(case.ranks, case.steps)
        return events["start"], events["end"], events["bytes"]

    return run


def _row(what, figure, unit, found, case, note):
    """A row of what was found in the rounds; nothing was, where it can't be measured."""
    ours, low, high = (round(float(of(found)), 4) if found else None for of in (stats.median, min, max))
    reached = bool(found) and (ours >= figure if unit == "MB/s" else low < figure + NEAR and high > figure - NEAR)
    return Row(
        source="002",
        what=what,
        figure=figure,
        unit=unit,
        ours=ours,
        low=low,
        high=high,
        platform=case.on,
        ranks=case.ranks,
        reached=reached,
        lab="bucket-sort",
        language="c",
        note=note,
    )
