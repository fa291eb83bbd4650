"""`mpilab hint` and `mpilab predict`: a nudge, and a question whose answer is seen in a run.

Theory of operation.  Hints open one by one (hints.py).  A prediction comes first: the question is shown with its
options; when one is chosen, the run that answers it is recorded, its trace shown, and only then what it means is said.
"""

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from mpilab import hints, lab
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Predict
from mpilab.session import Session
from mpilab.tracing import files, kernels

OUT = "trace"  # as for mpilab trace
Sessions = Callable[[], AbstractContextManager[Session]]


def hint(arguments: argparse.Namespace, console: Console) -> int:
    """Show the hints opened so far, and open the next one."""
    one = lab.find(arguments.lab)
    found = hints.look(one) if arguments.opened else hints.open_next(one)
    for number, said in enumerate(found.opened, 1):
        console.print(Text(f"{number}  {said}"))
    if not found.opened:
        console.print(f"no hint of {one.id} is open; there are {found.of}")
    elif len(found.opened) < found.of:
        console.print(f"{len(found.opened)} of {found.of}; ask again for the next, when you have tried this one")
    else:
        console.print(f"these are all {found.of}")
    return 0


def predict(arguments: argparse.Namespace, console: Console, sessions: Sessions) -> int:
    """Ask the lab's question, or, with an answer, run what answers it and explain."""
    one = lab.find(arguments.lab)
    ask = one.manifest.predict
    if ask is None:
        raise HarnessError(f"{one.id} has no question to predict", then="`mpilab trace` shows what a kernel does")
    console.print(Text(ask.question, style="bold"))
    for number, option in enumerate(ask.options, 1):
        console.print(Text(f"  {number}  {option}"))
    if arguments.answer is None:
        console.print(f"then: mpilab predict {one.id} N, which runs it")
        return 0
    if not 1 <= arguments.answer <= len(ask.options):
        raise HarnessError(f"there is no answer {arguments.answer}", then=f"choose 1 to {len(ask.options)}")
    page = _run(one, ask, console, sessions)
    right = arguments.answer == ask.answer
    said = "As you said" if right else f"Not as you said ({arguments.answer}), but {ask.answer}"
    console.print(Text.assemble((f"{said}. ", "bold green" if right else "bold yellow"), ask.because))
    console.print(f"[bold]{page}[/bold]: the run, in a browser")
    return 0


def _run(one: Lab, ask: Predict, console: Console, sessions: Sessions) -> Path:
    """Record the run that answers; show it; the page it is in."""
    path = one.baseline("c") if ask.look == "baseline" else one.reference("c")
    emulated = any(case.emulated for case in one.manifest.scale)
    with sessions() as session:
        recorded = kernels.record(session.clusters, one, path, emulated=emulated)
    console.print(recorded.trace.timeline(), recorded.trace.summary())
    return files.write([recorded.trace], [f"{one.id}-{ask.look}"], Path(OUT))[0]
