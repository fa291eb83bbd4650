"""The rows of `mpilab headlines`: what a source reports, and what we measure."""

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One figure beside ours; `figure`, `ours`, `low` and `high` are in `unit`, None where there is no such number."""

    source: str  # as docs/headlines.md lists them
    what: str
    figure: float | None
    unit: str  # "%" of change, "x" times as fast, "MB/s", ...
    ours: float | None
    low: float | None
    high: float | None
    platform: str  # cores or emulated
    ranks: int
    reached: bool
    lab: str
    language: str
    note: str = ""


class Headlines(msgspec.Struct, frozen=True):
    """All rows, and where they were measured."""

    rows: list[Row]
    machine: dict[str, str | int | float]
    versions: dict[str, str]
    took_s: float
