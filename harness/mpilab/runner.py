"""The referee's end of a runner: start it, ask it, replace it, end it.

Theory of operation.  A `Runner` is a cluster in a process of its own (cluster.py); this class holds the pipe to it.
Starting takes seconds, so it goes on in the background until the first request needs it.  After anything but a clean
end the engines may be hung, gone, or hold messages nobody received: the cluster is thrown away and a new one starts at
once, so that the next kernel finds a warm and innocent one.
"""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

import psutil

from mpilab import protocol, sandbox, sweep
from mpilab.errors import HarnessError, RunnerError
from mpilab.manifest import Transport
from mpilab.protocol import Array, Observation
from mpilab.transport import TRANSPORTS

T = TypeVar("T")
START_S = 50.0  # ten times what it takes; very rarely an engine does not find its controller
START_TRIES = 3
LOOK_S = 2.0  # how often a sandbox that does not answer is looked at
STILL_TRIES, STILL_S = 5, 0.05  # for threads that are about to end
GRACE_S = 30.0  # beyond a request's own limit, before a silent runner is given up
PACKAGE_FOLDER = Path(__file__).parents[1]
INBOX = "inbox"  # in a runner's folder: what its sandbox is given to load
FETCH_BYTES = 16 << 20  # of a log


@dataclass(frozen=True)
class Ran:
    """What a run did; of each rank: seconds of each sample, weighted sums of all outputs, kept outputs (flat)."""

    observation: Observation
    seconds: list[Array]
    sums: list[Array]
    outputs: list[Array]


class Runner:
    """A warm MPI cluster of `ranks` engines that loads and runs kernels."""

    def __init__(
        self, ranks: int, libraries: Path, home: str = "ipyparallel", over: Transport = "shared", *, boxed: bool = False
    ) -> None:
        """Start it.

        `libraries` is the folder that holds life.so and pmpi.so, `home` one of engines.HOMES; `boxed`: in a sandbox.
        """
        self.ranks, self._libraries, self._home, self._over = ranks, libraries, home, over
        self.boxed = boxed
        self._ready: protocol.Ready | None = None
        self._threads = 0
        self._closed = False
        self._start()

    def versions(self) -> dict[str, str]:
        """Wait until the cluster is up; return the versions it runs on.  A start that hangs or fails is tried again."""
        for left in reversed(range(START_TRIES)):
            if self._ready is not None:
                break
            try:
                reply, _ = self._receive(START_S, 0)  # replaces the runner when it raises
            except HarnessError:
                if not left:
                    raise
                continue
            if isinstance(reply, protocol.Ready):
                self._ready = reply
            elif left:
                self.replace()
            else:
                raise HarnessError(f"the MPI cluster did not start: {reply}", then="run `mpilab doctor`")
            self._threads = self._running()
        assert self._ready is not None
        return self._ready.versions

    def left_running(self) -> bool:
        """Whether more threads and processes run, while nothing is asked of the engines, than did at the start."""
        for _ in range(STILL_TRIES):
            if self._running() <= self._threads:
                return False
            time.sleep(STILL_S)
        return True

    def _running(self) -> int:
        """Threads of the runner and of all processes below it."""
        total = 0
        for process in self._processes():
            with contextlib.suppress(psutil.Error):
                total += process.num_threads()
        return total

    def load(self, slot: str, language: protocol.Language, path: Path) -> Observation:
        """Load a kernel into `slot` on all engines."""
        return self._ask(protocol.Load(slot, language, str(self._given(path))), [], 20.0, 0)[0]

    def _given(self, path: Path) -> Path:
        """Where the engines find a file: in a sandbox they see only copies."""
        if not self.boxed:
            return path
        copy = self.folder / INBOX / path.parent.name / path.name
        if not copy.exists():  # it may be mapped; another content has another folder
            copy.parent.mkdir(mode=0o755, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o644)
        return copy

    def data(self, sets: Sequence[Sequence[Array]]) -> None:
        """Hand over input sets: sets[k][rank] is what that rank gets in set k."""
        import numpy as np

        per_rank = [np.concatenate([s[rank] for s in sets]) for rank in range(len(sets[0]))]
        self._send(protocol.Data(len(sets), len(per_rank)), per_rank)
        self._reply(protocol.Done, GRACE_S, 0)

    def run(self, request: protocol.Run) -> "Ran":
        """Run a kernel."""
        observation, arrays = self._ask(request, [], request.timeout_s, _doubles(request))
        return Ran(observation, *(arrays[k :: protocol.ARRAYS] for k in range(protocol.ARRAYS)))

    def run_and_read(self, request: protocol.Run, read: Callable[[Path], T]) -> tuple[Observation, list[Array], T]:
        """Run a kernel; returns what was observed, per rank its kept outputs, and what `read` makes of what it left.

        `read` is given the runner's folder, with the strict logs or the rings, which may be gone afterwards.
        """
        kept: list[T] = []

        def before_end() -> None:
            if self.boxed:
                self._fetch([f"strict-{rank}.jsonl" for rank in range(request.ranks)])
            kept.append(read(self.folder))

        observation, arrays = self._ask(request, [], request.timeout_s, _doubles(request), before_end)
        return observation, arrays[protocol.ARRAYS - 1 :: protocol.ARRAYS], kept[0]

    def _fetch(self, names: list[str]) -> None:
        """Bring files out of the sandbox into the runner's folder."""
        self._send(protocol.Fetch(names, FETCH_BYTES), [])
        files, arrays = self._reply(protocol.Files, GRACE_S, len(names) * (FETCH_BYTES // 8 + 1))
        for name, size, content in zip(names, files.sizes, arrays, strict=False):
            if 0 <= size <= content.nbytes:
                (self.folder / name).write_bytes(content.tobytes()[:size])

    def close(self) -> None:
        """End the runner and everything below it."""
        self._closed = True
        self._end()

    def _ask(
        self,
        request: protocol.Request,
        arrays: list[Array],
        timeout_s: float,
        limit: int,
        before_end: Callable[[], None] = lambda: None,
    ) -> tuple[Observation, list[Array]]:
        self._send(request, arrays)
        observation, results = self._reply(Observation, timeout_s + GRACE_S, limit)
        clean = observation.end == "finished" and all(
            r.status == "returned" and not (r.stray or r.overrun or r.error_call or r.forked or r.replaced)
            for r in observation.ranks
        )
        try:
            before_end()  # what is in the runner's folder goes with it
        finally:
            if not clean:
                self.replace()
        return observation, results

    def _send(self, request: protocol.Request, arrays: list[Array]) -> None:
        self.versions()
        assert self._process.stdin is not None
        try:
            protocol.send(self._process.stdin, request, arrays)
        except OSError:
            self._lost()
        except BaseException:  # Ctrl-C with half a request written
            self.replace()
            raise

    def _reply(self, kind: type[T], timeout_s: float, limit: int) -> tuple[T, list[Array]]:
        reply, arrays = self._receive(timeout_s, limit)
        if isinstance(reply, kind):
            return reply, arrays
        self.replace()
        raise RunnerError(f"the runner failed: {reply}", then="try again; if it stays so, run `mpilab doctor`")

    def _receive(self, timeout_s: float, limit: int) -> tuple[protocol.Reply, list[Array]]:
        assert self._process.stdout is not None
        try:
            self._wait(self._process.stdout, timeout_s)
            try:
                return protocol.receive_reply(self._process.stdout, limit)
            except HarnessError as error:
                raise RunnerError(str(error), then="new engines start: try again") from error
        except (EOFError, OSError):
            self._lost()
            raise
        except BaseException:  # no answer, half a one, or Ctrl-C before it: the pipe is of no use any more
            self.replace()
            raise

    def _wait(self, stream: IO[bytes], timeout_s: float) -> None:
        """Wait for a reply; raises RunnerError when there is none, or can be none."""
        end = time.monotonic() + timeout_s
        while not select.select([stream], [], [], max(0.0, min(LOOK_S, end - time.monotonic())))[0]:
            if self.boxed and self._stopped():
                raise RunnerError("a kernel has stopped the process that runs it", then="new engines start: try again")
            if time.monotonic() > end:
                raise RunnerError(f"the runner has not answered for {timeout_s:.0f} s", then="run `mpilab doctor`")

    def _stopped(self) -> bool:
        with contextlib.suppress(psutil.Error):
            return any(p.status() == psutil.STATUS_STOPPED for p in self._processes())
        return False

    def _processes(self) -> list[psutil.Process]:
        """All processes below the runner's first."""
        try:
            return list(psutil.Process(self._process.pid).children(recursive=True))
        except psutil.Error:
            return []

    def _lost(self) -> None:
        log = self._log()
        self.replace()
        raise RunnerError(f"the runner's process ended unexpectedly{log}", then="try again: a new one is starting")

    def _log(self) -> str:
        with contextlib.suppress(OSError):
            lines = (self.folder / "runner.log").read_text(errors="replace").strip().splitlines()
            return ": " + lines[-1] if lines else ""
        return ""

    def replace(self) -> None:
        """End this cluster in the background and start another."""
        old, folder = self._process, self.folder
        threading.Thread(target=_end, args=(old, folder)).start()
        self._start()

    def _start(self) -> None:
        self.folder = sweep.new_folder()
        path = os.pathsep.join([str(PACKAGE_FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
        arguments = [str(self.folder), str(self.ranks), str(self._libraries), self._home]
        command, variables = [sys.executable, "-m", "mpilab.cluster", *arguments], dict(os.environ)
        if self.boxed:
            inbox = self.folder / INBOX
            inbox.mkdir(mode=0o755)
            given = [PACKAGE_FOLDER / __package__, self._libraries, inbox]
            command = sandbox.command(command, read=given, memory=[self.folder])
            path, variables = str(PACKAGE_FOLDER), sandbox.environment()
        with (self.folder / "runner.log").open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=variables | {"PYTHONPATH": path} | dict(TRANSPORTS[self._over]),
                start_new_session=True,  # Ctrl-C is for the referee, which then ends the runner
            )
        self._ready = None

    def _end(self) -> None:
        _end(self._process, self.folder)


def _doubles(request: protocol.Run) -> int:
    """How many doubles the answer to a request holds."""
    return 2 * request.ranks * len(request.order) + len(request.keep) * sum(request.n_out)


def _end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Kill a runner and whatever carries its mark, and remove its folder."""
    sweep.unlink_segments([p.pid for p in sweep.marked(folder.name)])  # before they go with the runner
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
    sweep.kill_marked(folder.name)
    shutil.rmtree(folder, ignore_errors=True)
