"""A lab's manifest, lab.toml: what there is to say of a lab that isn't code.

Theory of operation.  The file is decoded into the types below; a key that isn't there is refused by name, and so is an
MPI call that doesn't exist.  Paths are convention (lab.py), so none is in it.  CONTRIBUTING.md shows one.

A case says where it can be believed.  On `cores` compute is real and ranks have a core each: grades come from these.
On `emulated` nodes modelled compute (kernel_work) sleeps, so many ranks share few cores while messages and the MPI
library's progress are real: they show who waits for whom, and neither bandwidth nor the cost of a call.
"""

import difflib
import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from mpilab import page
from mpilab.errors import HarnessError
from mpilab.protocol import Language, Run

Platform = Literal["cores", "emulated"]
Transport = Literal["shared", "large", "tcp"]  # transport.py says how MPICH is set for each
Positive = Annotated[int, Meta(ge=1)]
Text = Annotated[str, Meta(min_length=1)]
MOST_RANKS = {"cores": 16, "emulated": 128}
FIGURE = re.compile(r"-(\d+(?:\.\d+)?) %|(\d+(?:\.\d+)?) x")


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One size of the problem: what `n` and `steps` mean, and where its modelled work is done, is the lab's to say."""

    ranks: Annotated[int, Meta(ge=1, le=128)]
    n: Annotated[int, Meta(ge=0)]
    steps: Positive = 1
    work: Annotated[float, Meta(ge=0, le=1e12)] = 0.0  # floating-point operations of modelled compute, in a unit of it
    on: Platform = "cores"
    over: Transport = "shared"

    def __str__(self) -> str:
        work = f", work={self.work:g}" if self.work else ""
        return f"ranks={self.ranks}, n={self.n}, steps={self.steps}{work}" + self._where()

    def run(self, slot: str, n_out: list[int], order: list[int], keep: list[int], timeout_s: float) -> Run:
        """The request to run this case; protocol.Run says what the arguments are."""
        return Run(
            slot=slot,
            ranks=self.ranks,
            n=self.n,
            steps=self.steps,
            work=self.work,
            emulated=self.emulated,
            n_out=n_out,
            order=order,
            keep=keep,
            warmup=0,
            timeout_s=timeout_s,
        )

    def _where(self) -> str:
        return (", emulated" if self.emulated else "") + (f", over {self.over}" if self.over != "shared" else "")

    @property
    def emulated(self) -> bool:
        """Whether modelled compute sleeps."""
        return self.on == "emulated"


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """MPI calls a conversion must make (each entry `A|B|...`: one of them) and must not make."""

    require: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()


class Predict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to answer before a run, and the run whose trace answers it."""

    question: Text
    options: Annotated[tuple[Text, ...], Meta(min_length=2)]
    answer: Positive  # which of the options, counted from 1
    because: Text
    look: Literal["baseline", "reference"]  # whose trace shows it


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure that a source reports, to be reached by our own conversion in this lab's scale cases."""

    source: Text
    what: Text
    figure: Annotated[str, Meta(pattern=FIGURE.pattern)]  # "-27 %": so much less time; "2.0 x": so many times as fast
    of: Literal["time", "communication"]
    ranks: Annotated[tuple[Positive, ...], Meta(min_length=1)]  # it is held against the first scale case of each
    language: Language = "c"
    unless: str = ""  # why it can't appear on this MPI or this platform, if it can't

    @property
    def target(self) -> float:
        """Our time over the baseline's, at most."""
        match = FIGURE.fullmatch(self.figure)
        assert match is not None
        return 1 - float(match[1]) / 100 if match[1] else 1 / float(match[2])


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """lab.toml."""

    title: str
    module: str
    objectives: tuple[str, ...]
    minutes: Positive
    points: Annotated[float, Meta(gt=0, le=1e6)]
    check: Annotated[tuple[Case, ...], Meta(min_length=1)]
    time: tuple[Case, ...] = ()  # none: an experiment, whose answers are right or wrong
    scale: tuple[Case, ...] = ()
    truth: Literal["oracle", "reference"] = "oracle"  # reference: right is what ours measures on the same machine
    calls: Calls = Calls()
    bonus: str = ""
    hints: tuple[Text, ...] = ()  # each says more than the one before
    predict: Predict | None = None
    figure: tuple[Figure, ...] = ()


def read(path: Path) -> Manifest:
    """The manifest at `path`; raises HarnessError that names the key when it isn't one."""
    try:
        manifest = msgspec.toml.decode(path.read_text(encoding="utf-8"), type=Manifest)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
        raise HarnessError(f"{path}: {error}", then="CONTRIBUTING.md lists the keys of a lab.toml") from error
    _check_calls(path, manifest.calls)
    for wrong in filter(None, (_complaint(manifest), *map(_complaint_of_case, _cases(manifest)))):
        raise HarnessError(f"{path}: {wrong}", then="CONTRIBUTING.md says more")
    return manifest


def _cases(manifest: Manifest) -> list[Case]:
    return [*manifest.check, *manifest.time, *manifest.scale]


def _complaint(manifest: Manifest) -> str:
    """What is wrong with keys that belong together, or ''."""
    ask = manifest.predict
    if ask and ask.answer > len(ask.options):
        return f"predict.answer is {ask.answer}, but there are {len(ask.options)} options"
    if any(case.emulated for case in manifest.check):
        return "check: emulated nodes are for time and scale; numbers are checked on cores"
    there = {case.ranks for case in manifest.scale if case.over == "shared"}
    for one in manifest.figure:
        if missing := sorted(set(one.ranks) - there):
            return f"figure {one.what!r}: there is no scale case with {missing[0]} ranks"
    return ""


def _complaint_of_case(case: Case) -> str:
    if case.ranks > MOST_RANKS[case.on]:
        return f"{case}: expected ranks <= {MOST_RANKS[case.on]} on {case.on}"
    if case.emulated and not case.work:
        return f"{case}: an emulated case needs `work`, the modelled compute that sleeps"
    return ""


def _check_calls(path: Path, calls: Calls) -> None:
    known = page.call_names()
    for name in "|".join((*calls.require, *calls.forbid)).split("|"):
        if name and name not in known:
            near = difflib.get_close_matches(name, known, n=1) or ["one of harness/mpilab/c/calls.def"]
            raise HarnessError(
                f"{path}: there is no MPI call {name!r}", then=f"did you mean {near[0]}? CONTRIBUTING.md says more"
            )
