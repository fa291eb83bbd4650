"""A runner: the process that holds MPI engines and runs kernels on them for the referee.

Theory of operation.  Started as `python -m mpilab.cluster FOLDER RANKS LIBRARIES HOME`; reads requests from standard
input, answers on standard output (protocol.py).  While engines run, it watches the control page: ranks that can never
go on are stuck (diagnosis/watch.py), ranks that are gone have died, time is limited, and so is what a kernel may print.
It judges nothing.  After anything but a clean end the engines are not fit for use, and the referee replaces the runner.

Nothing stays behind: the MPI shared-memory segments are unlinked as soon as every rank has mapped them, all processes
carry MPILAB_RUNNER in their environment, and when standard input closes (the referee is gone, however it went) the
runner kills them and removes its folder.
"""

import contextlib
import math
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import mpi4py
import numpy as np
import psutil

mpi4py.rc.initialize = False  # this process only names the engines' functions; it is no MPI process

from mpilab import engine, page, protocol, sandbox, sweep  # noqa: E402 - after the line above
from mpilab.diagnosis.deadlock import Deadlock  # noqa: E402
from mpilab.diagnosis.program import THROTTLE  # noqa: E402
from mpilab.diagnosis.snapshot import queues  # noqa: E402
from mpilab.diagnosis.watch import Watch  # noqa: E402
from mpilab.engines import HOMES  # noqa: E402
from mpilab.protocol import Array, End, RankReport  # noqa: E402
from mpilab.transport import eager_bytes  # noqa: E402

POLL_S = 0.01
GRACE_S = 2.0  # for the other ranks when one has given up
FEW = 4  # ranks; with more the page is looked at less often, for looking takes time from them
STACK_S = 0.3  # for Python to say where it is
PRINT_LIMIT = 64_000_000  # bytes a rank may print
SHOW_LIMIT = 4_000  # bytes of them that a report shows
MEMORY_SHARE = 0.25  # of the machine, for the data of all ranks together ...
LEAST_MEMORY = 300_000_000  # ... but no less than that for each: an idle engine has 80 MB


class Cluster:
    """Controller, engines, and the control page they publish on."""

    def __init__(self, folder: Path, ranks: int, libraries: Path, home: str) -> None:
        """Start `ranks` engines at `home` (engines.py); raises when they don't come up."""
        self.folder = folder
        self._kernels: dict[str, protocol.Load] = {}  # by slot
        self._kernel = protocol.Load("", "c", "")  # the one that runs: where a crash or hang is looked up
        self.page = page.Page(folder / "page", ranks)
        _set_environment(folder, libraries)
        self._engines = HOMES[home](folder, ranks, libraries)
        memory = max(int(psutil.virtual_memory().total * MEMORY_SHARE / ranks), LEAST_MEMORY)
        attached = [
            self._engines.call(rank, engine.attach, str(folder), self.page.size, memory) for rank in range(ranks)
        ]
        self._engines.wait_for_all(attached)
        self.versions: dict[str, str] = attached[0].get()
        for reply in attached:
            reply.get()
        sweep.unlink_segments([p.pid for p in self.page.ranks])
        self._servants = set(_children(os.getpid()))  # controller and mpiexec
        self.versions |= {**self._engines.versions, "python": sys.version.split()[0]}

    def load(self, request: protocol.Load) -> protocol.Observation:
        """Load a kernel on all engines."""
        if dead := [rank for rank, p in enumerate(self.page.ranks) if not _alive(p.pid)]:
            raise RuntimeError(f"the engine of rank {dead[0]} is gone: killed, or out of memory?")
        self._kernel = self._kernels[request.slot] = request
        args = (request.slot, request.language, request.path)
        calls = [self._engines.call(rank, engine.load, *args) for rank in range(len(self.page.ranks))]
        return self._watch(calls, 20.0)[0]

    def data(self, request: protocol.Data, arrays: list[Array]) -> protocol.Done:
        """Hand each rank its input sets."""
        calls = [self._engines.call(rank, engine.data, request.sets, a) for rank, a in enumerate(arrays)]
        self._engines.wait_for_all(calls)
        for reply in calls:
            reply.get()
        return protocol.Done()

    def run(self, request: protocol.Run) -> tuple[protocol.Observation, list[Array]]:
        """Run a kernel and watch it."""
        self._kernel = self._kernels.get(request.slot, self._kernel)
        spec = {name: getattr(request, name) for name in request.__struct_fields__}
        if request.ring:
            for old in (*self.folder.glob("ring-*"), *self.folder.glob("meta-*")):
                old.unlink()
        calls = [self._engines.call(rank, engine.run, spec) for rank in range(request.ranks)]
        return self._watch(calls, request.timeout_s)

    def fetch(self, request: protocol.Fetch) -> tuple[protocol.Files, list[Array]]:
        """What the last run wrote."""
        found = [_written(self.folder / name, request.most) for name in request.names]
        sizes = [-1 if content is None else len(content) for content in found]
        return protocol.Files(sizes), [protocol.to_doubles(content or b"") for content in found]

    def _watch(self, replies: list[Any], timeout_s: float) -> tuple[protocol.Observation, list[Array]]:
        """Wait for `replies`; stop waiting when the ranks are stuck, dead, late or too talkative."""
        start = time.monotonic()
        end: End = "finished"
        watch, stuck = Watch(self.page, len(replies), eager_bytes(), math.inf), None
        poll_s = POLL_S * max(1.0, len(replies) / FEW)
        while not all(reply.ready() for reply in replies):
            self._engines.wait(replies, poll_s)
            now = time.monotonic()
            pages = self.page.ranks[: len(replies)]
            if any(not _alive(p.pid) for p in pages):
                end = "died"
            elif deadlock := watch.deadlock():
                end, stuck = "stuck", self._stuck(watch, deadlock)
            else:
                if any(_failed(reply) for reply in replies):
                    timeout_s = min(timeout_s, now - start + GRACE_S)  # what the others still do explains nothing
                end = self._late(watch, now - start, timeout_s)
            if end != "finished":
                break
            if _input_closed():
                raise EOFError
        elapsed = time.monotonic() - start
        self._end_strangers()
        reports, arrays = [], []
        for rank, reply in enumerate(replies):
            report, *found = _answer(reply)
            reports.append(self._report(rank, report))
            arrays += found
        return protocol.Observation(end, reports, elapsed, stuck), arrays

    def _late(self, watch: Watch, elapsed_s: float, timeout_s: float) -> End:
        """Whether a run has gone on for too long, with nothing that explains it."""
        if watch.frozen():
            return "stuck"
        if elapsed_s > timeout_s:
            return "timed_out"
        return "flooded" if self._flooded() else "finished"

    def _stuck(self, watch: Watch, deadlock: Deadlock) -> protocol.Stuck:
        """Why ranks can never go on; a Python kernel is asked for its lines."""
        if self._kernel.language == "python":
            deadlock = watch.explained(self._python_lines()) or deadlock
        fields = {name: getattr(deadlock, name) for name in ("kind", "rank", "call", "where", "message", "rule")}
        return protocol.Stuck(**fields, queues=queues(watch.snapshot()))

    def _python_lines(self) -> dict[int, str]:
        """The line of the kernel in which each rank stands: "kernel.py:12"."""
        asked = {
            rank: self.folder / f"rank-{rank}.stack" for rank, p in enumerate(self.page.ranks) if p.phase != page.IDLE
        }
        for rank, path in asked.items():
            with contextlib.suppress(OSError):
                os.truncate(path, 0)
                os.kill(self.page.ranks[rank].pid, signal.SIGUSR1)
        time.sleep(STACK_S)
        lines = {}
        for rank, path in asked.items():
            text = path.read_text(encoding="utf-8", errors="replace")
            if match := re.search(rf'File "{re.escape(self._kernel.path)}", line (\d+)', text):
                lines[rank] = f"{Path(self._kernel.path).name}:{match[1]}"
        return lines

    def _end_strangers(self) -> None:
        """End processes that a kernel started, and note it; orphans of theirs have become this process's children."""
        for rank, p in enumerate(self.page.ranks):
            strangers = _children(p.pid)
            if rank == 0:
                strangers += [pid for pid in _children(os.getpid()) if pid not in self._servants]
            for pid in strangers:
                with contextlib.suppress(OSError):
                    if _alive(pid):
                        p.forked = 1
                    os.kill(pid, signal.SIGKILL)

    def _flooded(self) -> bool:
        return any(f.stat().st_size > PRINT_LIMIT for f in self.folder.glob("rank-*.out"))

    def _report(self, rank: int, answer: dict[str, Any]) -> RankReport:
        p = self.page.ranks[rank]
        with (self.folder / f"rank-{rank}.out").open("rb") as file:
            printed = file.read(SHOW_LIMIT).decode(errors="replace")
        seen = {
            "phase": page.PHASES[p.phase] if 0 <= p.phase < len(page.PHASES) else "",
            "calls": self.page.calls(rank),
            "in_call": self.page.name(page.in_call(p)),
            "signal": p.signal,
            "frames": _lines(p, self._kernel) if p.signal else [],
            "abort_code": p.abort_code if p.aborted else None,
            "exited": bool(p.exited),
            "forked": bool(p.forked),
            "error_call": self.page.name(p.error_call),
            "error_text": p.error_text.decode(errors="replace"),
            "printed": printed,
        }
        return RankReport(**(seen | answer))


def _written(path: Path, most: int) -> bytes | None:
    """A file's content up to its first zero byte: logs are made as long as they may become."""
    try:
        with path.open("rb") as file:
            return file.read(most).partition(b"\0")[0]
    except OSError:
        return None


def _answer(reply: Any) -> tuple[dict[str, Any], *tuple[Array, ...]]:
    nothing = [np.zeros(0)] * protocol.ARRAYS
    if not reply.ready():
        return {"status": "lost"}, *nothing
    try:
        answer = reply.get()
    except Exception as error:
        if "EngineError" in type(error).__name__ or "died" in str(error):
            return {"status": "lost"}, *nothing
        raise
    return answer if isinstance(answer, tuple) else (answer, *nothing)


def _failed(reply: Any) -> bool:
    """Whether a rank's kernel has given up."""
    return reply.ready() and _answer(reply)[0].get("status") in ("raised", "failed")


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _lines(p: Any, kernel: protocol.Load) -> list[str]:
    """The frames of a crash that lie in a C kernel's library, as 'function at file:line', innermost first."""
    library = kernel.path
    if kernel.language != "c" or not library:
        return []
    size = Path(library).stat().st_size * 4
    offsets = [a for a in p.frames[: p.frame_count] if 0 < a < size]
    if not offsets:
        return []
    args = ["addr2line", "-f", "-s", "-e", library, *(hex(a) for a in offsets)]
    try:
        found = subprocess.run(args, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []
    pairs = zip(found[::2], found[1::2], strict=False)
    return [f"{function} at {place.split(' ')[0]}" for function, place in pairs if "?" not in place]


def _set_environment(folder: Path, libraries: Path) -> None:
    os.environ |= {
        "MPILAB_RUNNER": folder.name,
        "LD_PRELOAD": f"{libraries}/life.so",
        "IPYTHONDIR": str(folder / "ipython"),
        **THROTTLE,
        # one thread at a time calls MPI; with MULTIPLE, as is usual with mpi4py, MPICH takes other algorithms than in C
        "MPI4PY_RC_THREAD_LEVEL": "serialized",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def _input_closed() -> bool:
    poll = select.poll()
    poll.register(0, select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def _serve(cluster: Cluster, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while True:
        request, arrays = protocol.receive_request(requests)
        answer: protocol.Reply
        results: list[Array] = []
        if isinstance(request, protocol.Load):
            answer = cluster.load(request)
        elif isinstance(request, protocol.Data):
            answer = cluster.data(request, arrays)
        elif isinstance(request, protocol.Fetch):
            answer, results = cluster.fetch(request)
        else:
            answer, results = cluster.run(request)
        protocol.send(replies, answer, results)


def main(folder: Path, ranks: int, libraries: Path, home: str) -> None:
    """Serve requests from standard input until it closes; then leave nothing behind."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not mix with the replies
    sweep.become_subreaper()
    if sandbox.MARK in os.environ:  # elsewhere sweep.py must be able to see whose it is
        sweep.become_private()
    try:
        cluster = Cluster(folder, ranks, libraries, home)
        protocol.send(replies, protocol.Ready(cluster.versions))
        _serve(cluster, sys.stdin.buffer, replies)
    except EOFError:
        pass
    except Exception as error:  # noqa: BLE001 - the referee tells the user
        protocol.send(replies, protocol.Failure(f"{type(error).__name__}: {error}"))
    finally:
        sweep.kill_marked(folder.name)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)  # ipyparallel's exit handlers would wait for engines that are gone


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
