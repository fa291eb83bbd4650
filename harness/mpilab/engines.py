"""Engines: the ranks that a runner holds, started in one of two ways and called in one.

Theory of operation.  A call names a function of engine.py, a rank and arguments; it returns a reply at once, which is
ready when the rank has answered.  `Ipyparallel` starts a controller and engines under mpiexec, as a notebook's cluster
is.  `Mpiexec` starts plain processes, which is faster for many ranks, and speaks to each over two named pipes in the
runner's folder with the protocol's messages; a rank that waits for its next call costs nothing.
"""

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from traitlets.config import Config

from mpilab import protocol
from mpilab.errors import HarnessError

START_S = 40.0
REPLY_DOUBLES = 1 << 26
PRELOAD = ("life.so", "pmpi.so")


class Reply(Protocol):
    """The answer to a call, perhaps still to come."""

    def ready(self) -> bool:
        """Whether the rank has answered."""

    def get(self) -> Any:
        """What it answered; raises what went wrong there."""


class Engines(Protocol):
    """All ranks of a runner."""

    versions: dict[str, str]

    def call(self, rank: int, function: Callable[..., Any], *arguments: Any) -> Reply:
        """Have `rank` call a function of engine.py."""

    def wait(self, replies: Sequence[Any], timeout_s: float) -> None:
        """Wait until all have answered, or for so long."""

    def wait_for_all(self, replies: Sequence[Any]) -> None:
        """Wait until all have answered."""


class Ipyparallel:
    """Engines of an ipyparallel cluster."""

    def __init__(self, folder: Path, ranks: int, libraries: Path) -> None:
        """Start `ranks` engines under one mpiexec; raises when they don't come up."""
        import ipyparallel

        from mpilab import engine

        config = Config()
        config.MPIEngineSetLauncher.engine_args = ["--IPEngine.enable_nanny=False", "--log-level=40"]
        preload = " ".join(str(libraries / name) for name in PRELOAD)
        config.MPIEngineSetLauncher.mpi_args = ["-genv", "LD_PRELOAD", preload]
        config.MPIEngineSetLauncher.mpi_cmd = [str(Path(sys.executable).parent / "mpiexec")]
        self._cluster = ipyparallel.Cluster(
            engines="mpi",
            n=ranks,
            profile_dir=str(folder / "profile"),
            # a short heartbeat shortens the start; many misses, because a busy engine isn't dead
            controller_args=["--HeartMonitor.period=200", "--HeartMonitor.max_heartmonitor_misses=600"],
            log_level=40,
            shutdown_atexit=False,  # it would wait for engines that are gone; sweep.py ends them
            config=config,
        )
        self._cluster.start_cluster_sync()
        self.client = self._cluster.connect_client_sync()
        self.client.wait_for_engines(ranks, timeout=START_S, interactive=False)
        ids = self.client[:].apply_sync(engine.rank)
        self._views = [self.client[ids.index(rank)] for rank in range(ranks)]
        self.versions = {"ipyparallel": ipyparallel.__version__}

    def call(self, rank: int, function: Callable[..., Any], *arguments: Any) -> Reply:
        """Have `rank` call `function`."""
        reply: Reply = self._views[rank].apply_async(function, *arguments)
        return reply

    def wait(self, replies: Sequence[Any], timeout_s: float) -> None:
        """Wait until all have answered, or for so long."""
        self.client.wait(replies, timeout=timeout_s)

    def wait_for_all(self, replies: Sequence[Any]) -> None:
        """Wait until all have answered."""
        self.client.wait(replies)


class Mpiexec:
    """Plain processes under one mpiexec, each with a pair of named pipes."""

    def __init__(self, folder: Path, ranks: int, libraries: Path) -> None:
        """Start `ranks` processes (rank.py); raises HarnessError when they don't come up."""
        for rank in range(ranks):
            for name in pipes(folder, rank):
                os.mkfifo(name, 0o600)
        requests, replies = zip(*(pipes(folder, rank) for rank in range(ranks)), strict=True)
        self._requests = [os.fdopen(os.open(name, os.O_RDWR), "wb") for name in requests]
        self._replies = [os.fdopen(os.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb") for name in replies]
        mpiexec = str(Path(sys.executable).parent / "mpiexec")
        preload = " ".join(str(libraries / name) for name in PRELOAD)
        command = [mpiexec, "-n", str(ranks), "-genv", "LD_PRELOAD", preload]
        self._process = subprocess.Popen(
            [*command, sys.executable, "-m", "mpilab.rank", str(folder)], stdin=subprocess.DEVNULL
        )
        self.versions: dict[str, str] = {}
        hello = [_Piped(stream) for stream in self._replies]
        end = time.monotonic() + START_S
        while not all(reply.ready() for reply in hello):
            if self._process.poll() is not None:
                raise HarnessError(f"mpiexec ended with status {self._process.returncode} while {ranks} ranks started")
            if time.monotonic() > end:
                raise HarnessError(f"{ranks} ranks did not start within {START_S:.0f} s")
            self.wait(hello, 0.2)
        for reply in hello:
            reply.get()

    def call(self, rank: int, function: Callable[..., Any], *arguments: Any) -> Reply:
        """Have `rank` call a function of engine.py."""
        import numpy as np

        plain = [a for a in arguments if not isinstance(a, np.ndarray)]
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        protocol.send(self._requests[rank], protocol.Call(function.__name__, plain), arrays)
        return _Piped(self._replies[rank])

    def wait(self, replies: Sequence[Any], timeout_s: float) -> None:
        """Wait until all have answered, or for so long."""
        end = time.monotonic() + timeout_s
        while waiting := [reply.stream for reply in replies if not reply.ready()]:
            left = end - time.monotonic()
            if left <= 0 or not select.select(waiting, [], [], left)[0]:
                return

    def wait_for_all(self, replies: Sequence[Any]) -> None:
        """Wait until all have answered."""
        while not all(reply.ready() for reply in replies):
            self.wait(replies, START_S)


class _Piped:
    """The answer that a rank writes into its pipe."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self._answer: tuple[protocol.Answer, list[protocol.Array]] | None = None
        self._gone = False

    def ready(self) -> bool:
        """Whether the rank has answered, or is gone."""
        if self._answer is None and not self._gone and select.select([self.stream], [], [], 0)[0]:
            os.set_blocking(self.stream.fileno(), True)
            try:
                self._answer = protocol.receive_answer(self.stream, REPLY_DOUBLES)
            except (EOFError, HarnessError):  # what isn't an answer was written by a kernel that has taken over
                self._gone = True
        return self._answer is not None or self._gone

    def get(self) -> Any:
        """What it answered; raises when it failed or is gone."""
        if self._answer is None:
            raise EngineError("the rank is gone")
        answer, arrays = self._answer
        if answer.error:
            raise RuntimeError(answer.error)
        return (answer.value, *arrays) if arrays else answer.value


class EngineError(Exception):
    """A rank ended without an answer."""


HOMES: dict[str, Callable[[Path, int, Path], Engines]] = {"ipyparallel": Ipyparallel, "mpiexec": Mpiexec}


def pipes(folder: Path, rank: int) -> tuple[Path, Path]:
    """The named pipes of a rank: for calls, for answers."""
    return folder / f"rank-{rank}.calls", folder / f"rank-{rank}.answers"


def serve(folder: Path) -> None:
    """Be a rank of `Mpiexec`: answer calls until there are no more."""
    from mpilab import engine

    calls, answers = pipes(folder, engine.rank())
    with answers.open("wb") as out, calls.open("rb") as come:
        protocol.send(out, protocol.Answer(None), [])
        with contextlib.suppress(EOFError):
            while True:
                call, arrays = protocol.receive_call(come)
                try:
                    value = getattr(engine, call.function)(*call.arguments, *arrays)
                except Exception as error:  # noqa: BLE001 - the runner tells
                    protocol.send(out, protocol.Answer(None, f"{type(error).__name__}: {error}"), [])
                    continue
                head, *rest = value if isinstance(value, tuple) else (value,)
                protocol.send(out, protocol.Answer(head), rest)
