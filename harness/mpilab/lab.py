"""A lab: a folder with a manifest, an oracle and a baseline, beside the solutions that students don't get.

Theory of operation.  `labs/<lab>/` holds lab.toml, oracle.py, baseline.c and baseline.py; `solutions/<lab>/` holds
reference.c, reference.py and wrong/*.  File names are convention, so the manifest holds no paths.  manifest.py
reads the manifest.  The oracle is the serial truth in NumPy:

    inputs(rng, case)       -> one float64 array per rank
    expected(case, inputs)  -> one float64 array per rank, what each rank's `out` must hold after a run
    RTOL                    -> relative tolerance, if 1e-12 is too strict (reductions in another order)
    hint(case, rank, wrong) -> optional: a sentence about a wrong answer; `wrong` is a boolean array over `out`

A case that makes no sense (fewer rows than ranks, say) is refused by `inputs` with a ValueError that says why.
"""

import difflib
import importlib.util
import os
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpilab import manifest
from mpilab.errors import HarnessError
from mpilab.manifest import Case, Manifest
from mpilab.protocol import Array, Language
from mpilab.verdict import Kind

SUFFIXES: dict[str, Language] = {".c": "c", ".py": "python"}
LANGUAGES: tuple[Language, ...] = ("c", "python")
DEFAULT_RTOL = 1e-12


class Oracle:
    """The functions of a lab's oracle.py, with what they return checked."""

    def __init__(self, path: Path) -> None:
        """Import `path`; raises HarnessError when it isn't an oracle."""
        spec = importlib.util.spec_from_file_location(f"oracle_of_{path.parent.name}", path)
        if spec is None or spec.loader is None or not path.is_file():
            raise HarnessError(f"{path} is missing", then="a lab needs an oracle.py: see CONTRIBUTING.md")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            self._inputs: Callable[[np.random.Generator, Case], list[Array]] = module.inputs
            self._expected: Callable[[Case, list[Array]], list[Array]] = module.expected
        except Exception as error:
            raise HarnessError(f"{path}: {type(error).__name__}: {error}") from error
        self._hint: Callable[[Case, int, NDArray[np.bool_]], str] = getattr(module, "hint", lambda *_: "")
        self.rtol: float = getattr(module, "RTOL", DEFAULT_RTOL)
        if not isinstance(self.rtol, float | int) or not 0 <= self.rtol < 1:
            raise HarnessError(f"{path}: RTOL is {self.rtol!r}, expected a number from 0 to 1")
        self._path = path

    def inputs(self, rng: np.random.Generator, case: Case) -> list[Array]:
        """One input set for `case`: an array per rank."""
        return self._arrays("inputs", case, lambda: self._inputs(rng, case))

    def expected(self, case: Case, inputs: list[Array]) -> list[Array]:
        """What each rank must put out for `inputs`."""
        return self._arrays("expected", case, lambda: self._expected(case, inputs))

    def hint(self, case: Case, rank: int, wrong: NDArray[np.bool_]) -> str:
        """What the lab's author has to say of a wrong answer; `wrong` marks the wrong elements of `out`."""
        try:
            return str(self._hint(case, rank, wrong))
        except Exception as error:
            raise HarnessError(f"{self._path}, hint({case}, {rank}): {type(error).__name__}: {error}") from error

    def _arrays(self, name: str, case: Case, call: Callable[[], list[Array]]) -> list[Array]:
        try:
            arrays = [np.ascontiguousarray(a, dtype=np.float64).ravel() for a in call()]
        except ValueError as error:
            raise HarnessError(f"{self._path} refuses the case {case}: {error}", then="mend lab.toml") from error
        except Exception as error:
            raise HarnessError(f"{self._path}, {name}({case}): {type(error).__name__}: {error}") from error
        if len(arrays) != case.ranks:
            raise HarnessError(f"{self._path}: {name} gave {len(arrays)} arrays for {case.ranks} ranks")
        if not all(np.isfinite(a).all() for a in arrays):
            raise HarnessError(
                f"{self._path}: {name}({case}) holds numbers that aren't finite: nothing can be checked by them"
            )
        return arrays


class Lab:
    """A lab's folder, read when asked."""

    def __init__(self, folder: Path, solutions: Path) -> None:
        """`folder` is labs/<lab>, `solutions` is solutions/<lab>."""
        self.id, self.folder, self.solutions = folder.name, folder, solutions

    @cached_property
    def manifest(self) -> Manifest:
        """lab.toml, checked."""
        return manifest.read(self.folder / "lab.toml")

    @cached_property
    def oracle(self) -> Oracle:
        """oracle.py, imported."""
        return Oracle(self.folder / "oracle.py")

    def baseline(self, language: Language) -> Path:
        """The working code the student starts from."""
        return self._file(self.folder / "baseline", language)

    def reference(self, language: Language) -> Path:
        """Our conversion."""
        return self._file(self.solutions / "reference", language)

    def wrong(self) -> list[Path]:
        """The foreseen mistakes, each with the verdict it must get on its first line."""
        return sorted(p for p in (self.solutions / "wrong").glob("*") if p.suffix in SUFFIXES)

    def _file(self, stem: Path, language: Language) -> Path:
        path = stem.with_suffix(next(s for s, name in SUFFIXES.items() if name == language))
        if not path.is_file():
            raise HarnessError(f"{path} is missing", then="a lab has its baseline and reference in C and in Python")
        return path


def course() -> Path:
    """The folder that holds labs/ and solutions/: this repository, or what MPILAB_COURSE names."""
    return Path(os.environ.get("MPILAB_COURSE") or Path(__file__).parents[2]).resolve()


def labs() -> list[Lab]:
    """All labs of the course, by name."""
    folders = sorted(p for p in (course() / "labs").glob("*") if p.is_dir() and not p.name.startswith((".", "_")))
    if not folders:
        raise HarnessError(f"no labs in {course() / 'labs'}", then="set MPILAB_COURSE to a folder with labs/")
    return [Lab(folder, course() / "solutions" / folder.name) for folder in folders]


def find(name: str) -> Lab:
    """The lab called `name`; raises HarnessError with the nearest names when there is none."""
    found = {lab.id: lab for lab in labs()}
    if name in found:
        return found[name]
    near = difflib.get_close_matches(name, found, n=3, cutoff=0.4) or list(found)
    raise HarnessError(f"there is no lab {name!r}", then=f"did you mean {' or '.join(near)}? `mpilab labs` lists all")


def stated_verdict(path: Path) -> str:
    """The verdict that a wrong answer states on its first line: `/* expect: VERDICT - reason */`."""
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    match = re.fullmatch(r"(?:/\*|#) expect: ([A-Z_]+) - (.+?)(?: \*/)?", first)
    if not match or match[1] not in set(Kind):
        raise HarnessError(f"{path}: its first line must be `/* expect: VERDICT - reason */` (C) or `# expect: ...`")
    return match[1]
