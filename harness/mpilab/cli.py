"""The command `mpilab`.

Theory of operation.  Each subcommand is a function that takes the parsed arguments and returns an exit status: 0 the
verdict is OK, 1 the submission is at fault, 2 mpilab, the machine or the call is.  Nothing here decides anything; it
parses, calls, and prints.  Ctrl-C and a polite kill end the session decently.
"""

import argparse
import contextlib
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import msgspec
from rich.table import Table
from rich.text import Text

from mpilab import __version__, demo, doctor, guide, lab, record, report
from mpilab.build import C_FOLDER
from mpilab.classroom import command as classroom
from mpilab.clusters import Clusters
from mpilab.diagnosis import report as diagnosis
from mpilab.diagnosis.diagnose import TIMEOUT_S, diagnose
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES
from mpilab.record import Record
from mpilab.scaling import command as scaling
from mpilab.scaling import headlines
from mpilab.session import BUDGET_S, Session
from mpilab.submission import read
from mpilab.terminal import ERR, OUT, progress_bar
from mpilab.tracing import command as tracing
from mpilab.verdict import Kind

MOST_RANKS = 256
GRADES = {doctor.PASS: "green", doctor.CAUTION: "yellow", doctor.FAIL: "bold red"}


def list_labs(_: argparse.Namespace) -> int:
    """List the labs."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("lab", "module", "minutes", "points", "title"):
        table.add_column(name, justify="right" if name in ("minutes", "points") else "left")
    for one in lab.labs():
        m = one.manifest
        table.add_row(one.id, m.module, str(m.minutes), f"{m.points:g}", m.title)
    OUT.print(table)
    return 0


def start(arguments: argparse.Namespace) -> int:
    """Copy a lab's baseline to work on."""
    one = lab.find(arguments.lab)
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    sources = [one.baseline(language) for language in ([arguments.language] if arguments.language else LANGUAGES)]
    targets = [folder / f"{one.id}{source.suffix}" for source in sources]
    for target in targets:
        if target.exists():
            raise HarnessError(
                f"{target} is there already and is left as it is", then="name another folder, or move it"
            )
    for source, target in zip(sources, targets, strict=True):
        shutil.copyfile(source, target)
        OUT.print(f"{target}: the baseline. Convert it, then: mpilab try {one.id} {target}")
    return 0


def try_file(arguments: argparse.Namespace) -> int:
    """Put one file through the pipeline."""
    lab.find(arguments.lab)  # a mistyped name is said before clusters start,
    read(Path(arguments.file))  # and so is a mistyped path
    with _session(arguments) as session:
        result = session.try_kernel(arguments.lab, arguments.file, budget_s=arguments.budget)
    return _finish(result, arguments.json)


def compare(arguments: argparse.Namespace) -> int:
    """Hold two kernels of a lab against each other."""
    lab.find(arguments.lab)
    for path in (arguments.file_a, arguments.file_b):
        read(Path(path))
    with _session(arguments) as session:
        result = session.compare(arguments.lab, arguments.file_a, arguments.file_b, budget_s=arguments.budget)
    return _finish(result, arguments.json)


def watch(arguments: argparse.Namespace) -> int:
    """Try a file again on every save."""
    import watchfiles

    lab.find(arguments.lab)
    path = Path(arguments.file).resolve()
    if not path.exists():
        raise HarnessError(f"there is no file {path}", then=f"`mpilab start {arguments.lab}` gives you one")
    with _session(arguments) as session:
        # also looks every half second: a save while we try, or before the watching begins, isn't lost
        saves = watchfiles.watch(
            path.parent, debounce=200, step=20, rust_timeout=500, yield_on_timeout=True, recursive=False
        )
        seen = None
        while True:
            content = path.read_bytes() if path.is_file() else None
            if content is not None and content != seen:
                seen, begin = content, time.monotonic()
                result = session.try_kernel(arguments.lab, arguments.file, budget_s=arguments.budget)
                _finish(result, arguments.json)
                OUT.print(f"  [dim]{time.monotonic() - begin:.1f} s; waiting for the next save, Ctrl-C ends[/dim]\n")
            next(saves)


def run_diagnose(arguments: argparse.Namespace) -> int:
    """Say what is wrong with the MPI of a program: a C source, a binary or a Python script."""
    with progress_bar() as progress:
        found = diagnose(
            Path(arguments.program), arguments.n, arguments.arguments, timeout_s=arguments.timeout, progress=progress
        )
    OUT.print(diagnosis.text(found))
    if arguments.json:
        record.write(Path(arguments.json), msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return 0 if found.verdict == "ok" else 1


def run_trace(arguments: argparse.Namespace) -> int:
    """Record what the ranks do in MPI, of a kernel or any program, and show it."""
    return tracing.run(arguments, OUT, lambda: _session(arguments))


def run_scale(arguments: argparse.Namespace) -> int:
    """Run a kernel's scale cases beside baseline and reference: time and communication time against ranks."""
    return scaling.run(arguments, OUT, _clusters)


def run_headlines(arguments: argparse.Namespace) -> int:
    """Measure every figure that the course's sources report, and show it beside ours."""
    return headlines.run(arguments, OUT, _clusters)


def give_hint(arguments: argparse.Namespace) -> int:
    """Open a lab's next hint."""
    return guide.hint(arguments, OUT)


def ask_prediction(arguments: argparse.Namespace) -> int:
    """Ask what a run will show; with an answer, run it and explain."""
    return guide.predict(arguments, OUT, lambda: _session(arguments, warm=False))


def include(_: argparse.Namespace) -> int:
    """Print the folder of mpilab.h, for mpicc -I."""
    OUT.print(str(C_FOLDER))
    return 0


def examine(_: argparse.Namespace) -> int:
    """Say whether this machine is fit to learn and to time on."""
    findings = doctor.examine()
    for finding in findings:
        mend = f"  -> {finding.mend}" if finding.mend and finding.grade != doctor.PASS else ""
        OUT.print(
            Text.assemble((f"{finding.grade:8}", GRADES[finding.grade]), f"{finding.name}: {finding.found}{mend}")
        )
    return 2 if any(f.grade == doctor.FAIL for f in findings) else 0


def show_report(arguments: argparse.Namespace) -> int:
    """Show a stored record again."""
    try:
        content = Path(arguments.record).read_bytes()
    except OSError as error:
        raise HarnessError(f"{arguments.record}: {error.strerror}") from error
    return _finish(record.from_json(content), None)


def run_demo(arguments: argparse.Namespace) -> int:
    """Put every lab's baseline, reference and one wrong answer through the pipeline."""
    return demo.run(OUT, Path(arguments.out))


def _finish(result: Record, path: str | None) -> int:
    OUT.print(report.text(result))
    if path:
        try:
            record.write(Path(path), record.to_json(result))
        except OSError as error:
            raise HarnessError(
                f"cannot write {path}: {error.strerror}", then=f"{record.state_folder()} has it"
            ) from error
    return 0 if result.verdict == Kind.OK else 1


@contextlib.contextmanager
def _session(_: argparse.Namespace, *, warm: bool = True) -> Iterator[Session]:
    """A session that shows a progress bar while it works."""
    with progress_bar() as progress, Session(progress=progress, warm=warm) as session:
        yield session


@contextlib.contextmanager
def _clusters() -> Iterator[Clusters]:
    """Clusters that start when they are needed, and a progress bar."""
    with progress_bar() as progress, contextlib.closing(Clusters(progress=progress)) as clusters:
        yield clusters


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mpilab", description="A course on MPI communication with a referee inside.")
    parser.add_argument("--version", action="version", version=f"mpilab {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Callable[[argparse.Namespace], int], *arguments: str) -> argparse.ArgumentParser:
        text = (function.__doc__ or "").strip()
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(function=function)
        for argument in arguments:
            one.add_argument(argument)
        return one

    command("labs", list_labs)
    one = command("start", start, "lab")
    one.add_argument("folder", nargs="?", default=".", help="where to put it (default: here)")
    one.add_argument("--language", choices=LANGUAGES, help="default: both")
    for one in (
        command("try", try_file, "lab", "file"),
        command("watch", watch, "lab", "file"),
        command("compare", compare, "lab", "file_a", "file_b"),
    ):
        one.add_argument("--json", metavar="PATH", help="write the record there as well")
        one.add_argument(
            "--budget",
            type=_seconds,
            default=BUDGET_S,
            metavar="S",
            help="seconds the answer may take (compare: the timing)",
        )
    one = command("diagnose", run_diagnose, "program")
    one.add_argument("-n", type=_ranks, default=2, metavar="N", help="ranks (default: 2)")
    one.add_argument("--json", metavar="PATH", help="write the diagnosis there as well")
    one.add_argument("--timeout", type=_seconds, default=TIMEOUT_S, metavar="S", help="seconds a run may take at most")
    one.add_argument("arguments", nargs="*", metavar="-- ARGS", help="what the program is given")
    tracing.add_arguments(command("trace", run_trace))
    scaling.add_arguments(command("scale", run_scale))
    headlines.add_arguments(command("headlines", run_headlines))
    command("hint", give_hint, "lab").add_argument("--opened", action="store_true", help="open none, show those opened")
    command("predict", ask_prediction, "lab").add_argument("answer", type=int, nargs="?", metavar="N")
    classroom.add_commands(command)
    command("include", include)
    command("doctor", examine)
    command("report", show_report, "record")
    one = command("demo", run_demo)
    one.add_argument("--out", default="build/demo", help="folder for index.html (default: build/demo)")
    return parser


def _parse() -> argparse.Namespace:
    """Parse the command line; Python 3.11 loses DIR in `start LAB --language c DIR`, FILE in `trace LAB -n 2 FILE`."""
    parser = _parser()
    words = sys.argv[1:]
    own = words[: words.index("--")] if "--" in words else words
    theirs = words[len(own) + 1 :]  # what stands behind -- is the program's
    arguments, rest = parser.parse_known_args(own)
    if len(rest) == 1 and not rest[0].startswith("-") and arguments.function is start:
        arguments.folder = rest.pop()
    if arguments.function is run_trace and not any(word.startswith("-") for word in rest):
        arguments.what += rest
        rest = []
    if theirs and arguments.function not in (run_diagnose, run_trace):
        rest += theirs
    elif theirs:
        (arguments.what if arguments.function is run_trace else arguments.arguments).extend(theirs)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return arguments


def _ranks(text: str) -> int:
    value = int(text)
    if not 1 <= value <= MOST_RANKS:
        raise argparse.ArgumentTypeError(f"expected a number of ranks, 1 to {MOST_RANKS}")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError("expected seconds, more than 0 and at most 3600")
    return value


def _polite_kill(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    """Run the command; returns its exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _polite_kill)
    try:
        arguments = _parse()
        status: int = arguments.function(arguments)
    except HarnessError as error:
        ERR.print(Text.assemble(("mpilab: ", "bold"), str(error)))
        return 2
    except OSError as error:
        ERR.print(Text.assemble(("mpilab: ", "bold"), f"{error.filename or 'the system'}: {error.strerror}"))
        return 2
    except KeyboardInterrupt:
        ERR.print("mpilab: interrupted; what was measured is in the records")
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
