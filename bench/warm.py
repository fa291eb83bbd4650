"""Seconds from try to verdict, on warm clusters, for the reference of each lab in both languages.

Theory of operation.  One session, as a learner with `mpilab watch` or a notebook has it.  Each reference is tried once
to warm up (its first build, its lab's data), then `--tries` times; the median counts.  A comment is added each time,
so that it is built anew, as after an edit.  Writes docs/bench-warm.md.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from mpilab import lab, machine, record
from mpilab.lab import LANGUAGES, SUFFIXES, Lab
from mpilab.protocol import Language
from mpilab.session import Session

HEAD = """# From try to verdict

{cpu}, {cores} cores, {date}. Medians of {tries} tries of each lab's reference, edited before each, on warm clusters:
seconds until the verdict with its speed is there. `python bench/warm.py` makes this table.

| lab | C, s | mpi4py, s |
|---|---|---|
"""
MARKS = {"c": "/* try {} */\n", "python": "# try {}\n"}


def seconds(session: Session, one: Lab, language: Language, folder: Path, tries: int) -> float:
    """The median seconds of a try."""
    suffix = next(s for s, name in SUFFIXES.items() if name == language)
    took = []
    for i in range(tries + 1):
        path = folder / f"{one.id}{suffix}"
        path.write_text(one.reference(language).read_text() + MARKS[language].format(i))
        begin = time.monotonic()
        found = session.try_kernel(one.id, path)
        took.append(time.monotonic() - begin)
        if found.verdict != "OK":
            raise SystemExit(f"{path.name}: {found.verdict} {found.message}")
    return statistics.median(took[1:])


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=3)
    tries = parser.parse_args().tries
    about = machine.describe()
    text = HEAD.format(cpu=about["cpu"], cores=about["cores"], date=time.strftime("%Y-%m-%d"), tries=tries)
    with Session() as session, tempfile.TemporaryDirectory() as folder:
        for one in lab.labs():
            row = [seconds(session, one, language, Path(folder), tries) for language in LANGUAGES]
            line = f"| {one.id} | {row[0]:.1f} | {row[1]:.1f} |"
            print(line, flush=True)
            text += f"{line}\n"
    record.write(lab.course() / "docs" / "bench-warm.md", text.encode())


if __name__ == "__main__":
    main()
