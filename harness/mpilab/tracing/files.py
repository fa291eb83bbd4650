"""A trace's files: the trace itself, its page, and what other tools read.

Theory of operation.  All files of a trace have its name: NAME.mpitrace, NAME.html, NAME.perfetto.json, CSV files, and
the folder NAME.otf2.  Files of ours with that name are replaced; a file that we did not write is left as it is, and
then nothing is written at all.  Everything is written into a scratch folder beside its place first and renamed then, so
each file is the old one or the new one, never half of it.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from mpilab.errors import HarnessError
from mpilab.tracing import archive, export, page
from mpilab.tracing.advice import Advice
from mpilab.tracing.model import Trace

CSV: dict[str, Callable[[Trace], str]] = {
    "events": export.events_csv,
    "messages": export.messages_csv,
    "requests": export.requests_csv,
    "calls": lambda trace: trace.table().csv,
    "summary": lambda trace: trace.summary().csv,
}
# How to know a file of ours: its first bytes, and what is found soon after them.
BEGINNINGS = {
    ".html": (b"<!doctype html>",),
    ".json": (b'{"traceEvents"',),
    ".csv": (b"rank,call,", b"send,recv,", b"call,rank,", b"call,count,", b"name,seconds,"),
    ".mpitrace": (b"PK",),
}
MARKS = {".html": b'<meta name="generator" content="mpilab trace">', ".mpitrace": b"header.json"}
MARK_BYTES = 65536
ANCHOR = "traces.otf2"


def write(traces: Sequence[Trace], names: Sequence[str], folder: Path) -> list[Path]:
    """Write all files of one trace, or of two that share the page of the last; return their paths, the page first.

    Raises HarnessError when one can't be written, or would replace a file that isn't ours.
    """
    scratch = folder / f".{names[-1]}.{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch.mkdir()
        for trace, name in zip(traces, names, strict=True):
            _data(trace, scratch / name)
        (scratch / f"{names[-1]}.html").write_text(page.render([_view(trace) for trace in traces]), encoding="utf-8")
        made = sorted(path.name for path in scratch.iterdir())
        for name in made:
            _must_be_ours(folder / name)
        for name in made:
            _replace(scratch / name, folder / name)
    except OSError as error:
        raise HarnessError(
            f"{error.filename or folder}: {error.strerror}", then="name another folder: --out"
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return sorted((folder / name for name in made), key=lambda path: (path.suffix != ".html", path.name))


def _data(trace: Trace, stem: Path) -> None:
    """The files of one trace; `stem` is their name without what comes behind it."""
    trace.save(stem.with_name(f"{stem.name}.mpitrace"))
    stem.with_name(f"{stem.name}.perfetto.json").write_bytes(export.perfetto(trace))
    for kind, content in CSV.items():
        stem.with_name(f"{stem.name}.{kind}.csv").write_text(content(trace), encoding="utf-8")
    archive.write(trace, stem.with_name(f"{stem.name}.otf2"))


def _view(trace: Trace) -> page.View:
    summary = trace.summary()
    return page.View(trace, summary.rows(), _sentence(summary.advice))


def _sentence(advice: Advice) -> str:
    return f"{advice.text} Practise it: mpilab start {advice.lab}." if advice.lab else advice.text


def _must_be_ours(path: Path) -> None:
    """Raise HarnessError when there is something at `path` that no trace wrote."""
    if os.path.lexists(path) and not _is_ours(path):
        raise HarnessError(
            f"{path} is there already, and mpilab did not write it; nothing was written",
            then="name another folder: --out",
        )


def _is_ours(path: Path) -> bool:
    if path.suffix == ".otf2":
        return path.is_dir() and not path.is_symlink() and (path / ANCHOR).is_file()
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(MARK_BYTES)
    return head.startswith(BEGINNINGS[path.suffix]) and MARKS.get(path.suffix, b"") in head


def _replace(new: Path, path: Path) -> None:
    """Put `new` in the place of `path`; a folder is moved out of the way first."""
    if path.is_dir():
        path.rename(new.with_name(f"{new.name}.old"))
    new.rename(path)
