"""The ranks that a notebook's `%%px` cells run on: an ipyparallel cluster that is watched.

Theory of operation.  The engines are the same as a runner's, with the PMPI library preloaded, so each publishes in
which MPI call it is.  While a cell runs they are watched: ranks that can never go on are named within about a second,
and then they, or ranks that died, are replaced in the background, so that neither a hang nor a crash costs more than
the variables.  Ctrl-C does the same.  What runs here is the reader's own, in the reader's own processes.
"""

import contextlib
import math
import os
import shutil
import threading
from collections.abc import Callable
from typing import Any

import psutil

from mpilab import build, page, sweep
from mpilab.diagnosis.program import THROTTLE
from mpilab.diagnosis.watch import Watch
from mpilab.engines import Ipyparallel
from mpilab.errors import HarnessError
from mpilab.transport import eager_bytes

POLL_S = 0.05
MEMORY_BYTES = 2 << 30  # of a rank
Say = Callable[[str], None]


class Ranks:
    """`count` ranks that cells run on."""

    def __init__(self, count: int = 4, up: Callable[[], None] = lambda: None) -> None:
        """Start them in the background; `up` is called when they are there, each time."""
        self.count, self._up = count, up
        self._failed: Exception | None = None
        self._client: Any = None
        self._page: Any = None
        self._start()

    def run(self, code: str, say: Say) -> None:
        """Run a cell on all ranks and show what they print; `say` is told what went wrong with them."""
        self._thread.join()
        if self._failed is not None:
            failed, self._failed = self._failed, None
            self._start()
            raise HarnessError(
                f"the ranks did not start: {failed}", then="run the cell again; `%lab doctor` looks closer"
            )
        reply = self._client[:].execute(code, silent=False, block=False)
        watch = Watch(self._page, self.count, eager_bytes(), math.inf)
        try:
            trouble = self._watched(reply, watch)
        except KeyboardInterrupt:
            trouble = f"interrupted: {self.where()}"
        if trouble:
            say(trouble)
            self.replace()
            return
        with contextlib.suppress(Exception):  # what a rank raised is in its output already
            reply.get()
        reply.display_outputs()

    def _watched(self, reply: Any, watch: Watch) -> str:
        """Wait for a cell; what keeps it from ever ending, or ''."""
        while not reply.ready():
            self._client.wait([reply], timeout=POLL_S)
            if gone := [rank for rank, p in enumerate(self._page.ranks) if not psutil.pid_exists(p.pid)]:
                return f"rank {gone[0]} died"
            if deadlock := watch.deadlock():
                return deadlock.message
        return ""

    def where(self) -> str:
        """In which MPI call each rank is."""
        if self._thread.is_alive():
            return "the ranks are starting"
        names = [self._page.name(page.in_call(p)).removesuffix("_c") for p in self._page.ranks]
        return "; ".join(f"rank {rank} is {'in ' + name if name else 'outside MPI'}" for rank, name in enumerate(names))

    def replace(self) -> None:
        """End these ranks in the background and start others."""
        old = self._folder
        self._start(before=lambda: _end(old.name))

    def close(self) -> None:
        """End them."""
        self._thread.join()
        _end(self._folder.name)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, before: Callable[[], None] = lambda: None) -> None:
        self._folder = sweep.new_folder()
        self._thread = threading.Thread(target=self._come_up, args=(before,), daemon=True)
        self._thread.start()

    def _come_up(self, before: Callable[[], None]) -> None:
        before()
        try:
            from mpilab import engine

            self._page = page.Page(self._folder / "page", self.count)
            with _environment({**THROTTLE, sweep.MARK: self._folder.name, "IPYTHONDIR": str(self._folder / "ipython")}):
                engines = Ipyparallel(self._folder, self.count, build.libraries())
            calls = [engines.call(r, engine.publish, str(self._folder), self._page.size) for r in range(self.count)]
            for call in calls:
                call.get()
            self._client = engines.client
            self._up()
        except Exception as error:  # noqa: BLE001 - told to who runs the next cell
            self._failed = error


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Any:
    """These variables for processes that start meanwhile."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end(mark: str) -> None:
    sweep.kill_marked(mark)
