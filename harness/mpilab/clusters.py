"""Warm MPI clusters, and what every attempt on them shares: seed, builds, the right to measure.

Theory of operation.  `ours` runs the baseline and the reference, `theirs` the submission (and the baseline once more,
as the control): a crash or hang of a submission costs nobody else's cluster.  `many` gives plain processes under
mpiexec, for more ranks than a notebook's cluster has and for other transports.  Clusters start in the background, stay
warm, and are gone when the process ends, however it ends (sweep.py).  One session at a time may measure on a machine; a
second one waits its turn.
"""

import contextlib
import fcntl
import hashlib
import secrets
import shutil
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

from mpilab import build, lab, sweep
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case, Transport
from mpilab.protocol import Array, Language
from mpilab.runner import Runner
from mpilab.submission import Submission, read
from mpilab.verdict import Verdict

THEIRS = "theirs"  # of `many`: the submissions' runners
Progress = Callable[[str, float], None]  # what is being done, and the share done of the whole attempt


class Clusters:
    """Warm clusters; end them with `close`."""

    def __init__(
        self,
        *,
        progress: Progress | None = None,
        seed: str | None = None,
        home: str = "ipyparallel",
        boxed: bool = False,
    ) -> None:
        """Start none yet.

        `seed` repeats an earlier session's data and order (it is in that session's records); `home` is where engines
        of `ours` and `theirs` live (engines.HOMES); `boxed`: submissions are built and run in a sandbox.
        """
        sweep.sweep()
        self.progress: Progress = progress or (lambda _text, _share: None)
        self.seed = seed or secrets.token_hex(8)
        self.folder = sweep.new_folder()
        self.progress("building the harness's C parts", 0.0)
        self._libraries, self._home, self.boxed = build.libraries(), home, boxed
        self._runners: list[Runner] = []
        self._many: dict[tuple[Transport, str], Runner] = {}
        self._found: dict[tuple[str, ...], list[Array]] = {}
        self._loaded: tuple[str, ...] = ()
        self._versions: dict[str, str] = {}
        self._built: dict[Submission, build.Artifact | Verdict] = {}
        self._finish = weakref.finalize(self, _close, self._runners, self.folder)

    def warm(self) -> None:
        """Start both clusters in the background."""
        self.progress("starting two MPI clusters", 0.0)
        _ = self.ours, self.theirs

    @cached_property
    def ranks(self) -> int:
        """How many engines `ours` and `theirs` have: enough for the cases of all labs."""
        manifests = [one.manifest for one in lab.labs()]
        cases = [c for m in manifests for c in (*m.check, *m.time) if not c.emulated and c.over == "shared"]
        return max((c.ranks for c in cases), default=2)

    @cached_property
    def ours(self) -> Runner:
        """The cluster of baseline and reference."""
        return self._start(self.ranks, self._home)

    @cached_property
    def theirs(self) -> Runner:
        """The cluster of the submission."""
        return self._start(self.ranks, self._home, boxed=self.boxed)

    def many(self, ranks: int, over: Transport = "shared", whose: str = "everyone's") -> Runner:
        """A runner of at least `ranks` plain processes with messages `over` that, one for each `whose`."""
        key = (over, whose)
        known = self._many.get(key)
        if known is None or known.ranks < ranks:
            self.progress(f"starting {ranks} ranks", 0.0)
            self._many[key] = self._start(ranks, "mpiexec", over, boxed=self.boxed and whose == THEIRS)
            if known is not None:
                known.close()
                self._runners.remove(known)
        return self._many[key]

    def found_once(self, what: tuple[str, ...], find: Callable[[], list[Array]]) -> list[Array]:
        """What `find` returns, found once a session."""
        if what not in self._found:
            self._found[what] = find()
        return self._found[what]

    def _start(self, ranks: int, home: str, over: Transport = "shared", *, boxed: bool = False) -> Runner:
        runner = Runner(ranks, self._libraries, home, over, boxed=boxed)
        self._runners.append(runner)
        return runner

    def rng(self, *what: object) -> np.random.Generator:
        """Random numbers that depend on the session's seed and `what` they are for."""
        digest = hashlib.sha256("/".join(map(str, (self.seed, *what))).encode()).digest()
        return np.random.default_rng(list(digest))

    def build_once(self, submission: Submission) -> build.Artifact | Verdict:
        """Build a submission, once for each content."""
        if submission not in self._built:
            self._built[submission] = build.build(submission, self.folder)
        return self._built[submission]

    def build_theirs(self, submission: Submission) -> build.Artifact | Verdict:
        """Build what a student has handed in."""
        return build.build(submission, self.folder, boxed=True) if self.boxed else self.build_once(submission)

    def artifact(self, path: Path) -> build.Artifact:
        """Build a file of ours; raises HarnessError when it can't be."""
        submission = read(path)
        built = self.build_once(submission) if isinstance(submission, Submission) else submission
        if isinstance(built, Verdict):
            raise HarnessError(f"our own {path} does not build: {built.message}", then="tell us, please")
        return built

    def pair(self, case: Case) -> tuple[Runner, Runner]:
        """Where a case runs: our runner and the submissions'."""
        if case.on == "cores" and case.over == "shared":
            return self.ours, self.theirs
        return self.many(case.ranks, case.over, "ours"), self.many(case.ranks, case.over, THEIRS)

    def load_ours(self, one: Lab, language: Language, runner: Runner) -> None:
        """Have baseline and reference of a lab in the slots of a runner of ours."""
        paths = {"baseline": one.baseline(language), "reference": one.reference(language)}
        artifacts = {slot: self.artifact(path) for slot, path in paths.items()}
        wanted = (str(runner.folder), *(str(a.path) for a in artifacts.values()))
        if wanted == self._loaded:
            return
        for slot, artifact in artifacts.items():
            runner.load(slot, artifact.language, artifact.path)
        self._loaded = wanted

    @contextlib.contextmanager
    def measuring(self) -> Iterator[None]:
        """Be the only one on this machine that measures."""
        with (sweep.base() / "measuring.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.progress("waiting for another session to finish its measurement", 0.5)
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def new_engines_for_theirs(self) -> None:
        """Throw away all engines that ran a submission; others start in the background."""
        used = [runner for (_, whose), runner in self._many.items() if whose == THEIRS]
        for runner in [*([self.__dict__["theirs"]] if "theirs" in self.__dict__ else []), *used]:
            runner.replace()

    def versions(self) -> dict[str, str]:
        """What the clusters run on; waits for the first start only."""
        if not self._versions:
            self._versions = {**(self._runners or [self.theirs])[-1].versions(), "numpy": np.__version__}
        return self._versions

    def close(self) -> None:
        """End the clusters and remove what they left."""
        self._finish()


def _close(runners: list[Runner], folder: Path) -> None:
    for runner in runners:
        runner.close()
    shutil.rmtree(folder, ignore_errors=True)
