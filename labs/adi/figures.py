"""The figure of `adi` that is no conversion: the same baseline with a larger eager limit.

Theory of operation.  The source raised the library's buffers until its messages went eagerly, and the run took 6 %
less.  Here the first emulated case runs over MPICH's default and over larger cells (mpilab/transport.py), in
alternation; a round's two times are paired.
"""

import math

import msgspec

from mpilab import stats
from mpilab.clusters import Clusters
from mpilab.lab import Lab
from mpilab.scaling.measure import ERROR, ROUNDS, measure
from mpilab.scaling.rows import Row

FIGURE = -6.0  # percent of the run time: 146 s -> 137 s


def rows(on: Clusters, lab: Lab) -> list[Row]:
    """Measure the baseline's run time with both settings."""
    case = next(one for one in lab.manifest.scale if one.emulated and one.over == "shared")
    settings = {"shared": case, "large": msgspec.structs.replace(case, over="large")}
    seconds: dict[str, list[float]] = {over: [] for over in settings}
    order = on.rng("settings", lab.id)
    for _ in range(ROUNDS):
        for over in order.permutation(list(settings)).tolist():
            found = measure(on, lab, {"baseline": lab.baseline("c")}, [settings[over]], rounds=1)[0]
            if found.refused:
                return [_row(case.ranks, None, found.refused)]
            seconds[over].append(found.typical("baseline", "time"))
    logs = [math.log(large / usual) for usual, large in zip(seconds["shared"], seconds["large"], strict=True)]
    return [_row(case.ranks, stats.estimate(logs, ERROR), "")]


def _row(ranks: int, ratio: stats.Estimate | None, note: str) -> Row:
    change = [round(100 * (value - 1), 2) for value in (ratio.estimate, ratio.low, ratio.high)] if ratio else [None] * 3
    return Row(
        source="002",
        what="run time with a larger eager limit, unconverted",
        figure=FIGURE,
        unit="%",
        ours=change[0],
        low=change[1],
        high=change[2],
        platform="emulated",
        ranks=ranks,
        reached=change[0] is not None and change[0] <= FIGURE,
        lab="adi",
        language="c",
        note=note,
    )
