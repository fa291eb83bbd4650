"""`mpilab trace`: records a kernel or a program, shows it as text, and writes its files.

Theory of operation.  What is to be traced is told by the arguments: a lab and a file, a program, or trace files that
are there already.  Whatever it was, the same follows: timeline, summary and table in the terminal, files in a folder.
The exit status is 1 when what was recorded died, got stuck or was wrong; its trace is shown all the same.
"""

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from mpilab import lab
from mpilab.errors import HarnessError
from mpilab.session import Session
from mpilab.submission import read
from mpilab.tracing import files, kernels, programs
from mpilab.tracing.choice import GROUPS, RING, Choice, Recorded
from mpilab.tracing.model import Trace

OUT = "trace"  # the default folder
SUFFIX = ".mpitrace"
SHOWN_LINES = 12  # of what a program prints
Sessions = Callable[[], AbstractContextManager[Session]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.usage = (
        "mpilab trace LAB FILE [options]\n"
        "       mpilab trace --program PROGRAM.c|BINARY|SCRIPT.py [-n N] [options] [-- ARGS]\n"
        "       mpilab trace TRACE.mpitrace [TRACE.mpitrace] [--out DIR]"
    )
    parser.add_argument("what", nargs="*", metavar="LAB FILE", help="a kernel of a lab; or traces to show again")
    parser.add_argument("--program", metavar="PROGRAM", help="any MPI program: a C source, a binary, a Python script")
    parser.add_argument("-n", "--ranks", type=int, metavar="N", help="ranks (default: the lab's; of a program 2)")
    parser.add_argument("--steps", type=int, metavar="N", help="of the lab's kernel in one run (default: 20 or more)")
    parser.add_argument("--emulated", action="store_true", help="the lab's emulated case: many ranks, work that sleeps")
    parser.add_argument("--out", metavar="DIR", help=f"folder for the files (default: {OUT})")
    parser.add_argument("--groups", default="", metavar="G,G", help=f"record only these calls: {','.join(GROUPS)}")
    parser.add_argument("--ring", type=int, default=RING, metavar="EVENTS", help=f"a rank keeps (default: {RING})")
    parser.add_argument(
        "--between", nargs=2, type=float, metavar=("FROM", "TO"), help="record only these seconds of a program's run"
    )
    parser.add_argument(
        "--timeout", type=float, default=programs.TIMEOUT_S, metavar="S", help="seconds a program may take at most"
    )
    parser.add_argument(
        "--compare",
        action=argparse.BooleanOptionalAction,
        help="record the lab's baseline too, both in one page (default: unless FILE is the baseline)",
    )


def run(arguments: argparse.Namespace, console: Console, sessions: Sessions) -> int:
    """Record or load, show, write; the exit status."""
    what = arguments.what
    if arguments.program:
        found = {Path(arguments.program).name: _program(arguments)}
    elif what and all(one.endswith(SUFFIX) for one in what) and len(what) <= 2:
        found = {Path(one).name.removesuffix(SUFFIX): Recorded(Trace.load(one)) for one in what}
    elif len(what) == 2:
        found = _kernel(arguments, sessions)
    else:
        raise HarnessError("say what is to be traced", then="`mpilab trace --help` shows the three ways")
    for one in found.values():
        _show(one, console)
    if what and what[0].endswith(SUFFIX) and not arguments.out:
        return 0
    written = files.write([one.trace for one in found.values()], list(found), Path(arguments.out or OUT))
    console.print(f"[bold]{written[0]}[/bold]: open it in a browser; beside it: {_names(written[1:])}")
    return 1 if any(one.ended for one in found.values()) else 0


def _names(written: list[Path]) -> str:
    return ", ".join(path.name for path in written)


def _choice(arguments: argparse.Namespace) -> Choice:
    groups = tuple(filter(None, arguments.groups.split(",")))
    return Choice(arguments.ring, groups, *(arguments.between or ()))


def _program(arguments: argparse.Namespace) -> Recorded:
    if arguments.steps or arguments.compare:
        raise HarnessError("--steps and --compare are for kernels of labs", then="leave them out with --program")
    return programs.record(
        Path(arguments.program),
        2 if arguments.ranks is None else arguments.ranks,
        arguments.what,
        choice=_choice(arguments),
        timeout_s=arguments.timeout,
    )


def _kernel(arguments: argparse.Namespace, sessions: Sessions) -> dict[str, Recorded]:
    """The kernel's trace, behind the baseline's when they are to be compared."""
    one, path = lab.find(arguments.what[0]), Path(arguments.what[1])
    read(path)  # a mistyped path is said before clusters start
    choice = _choice(arguments)
    if arguments.between:
        raise HarnessError("--between is for programs: a kernel's run is short", then="choose --steps instead")
    compared = arguments.compare if arguments.compare is not None else not kernels.is_baseline(one, path)
    wanted = {path.name: path}
    if compared:
        baseline = one.baseline("python" if path.suffix == ".py" else "c")
        wanted = {f"{one.id}-baseline{path.suffix}": baseline} | wanted
    with sessions() as session:
        return {
            name: kernels.record(
                session.clusters,
                one,
                source,
                ranks=arguments.ranks,
                steps=arguments.steps,
                choice=choice,
                emulated=arguments.emulated,
            )
            for name, source in wanted.items()
        }


def _show(one: Recorded, console: Console) -> None:
    console.print(one.trace.timeline(), one.trace.summary(), one.trace.table())
    lines = one.printed.strip().splitlines()
    if lines:
        text = "\n".join(f"  {line}" for line in lines[:SHOWN_LINES])
        console.print(Text(f"it printed:\n{text}\n", style="dim"))
