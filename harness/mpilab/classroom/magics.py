"""What a lab's notebook can do: `%load_ext mpilab`, then `%%kernel`, `%%px` and `%lab`.

Theory of operation.  One notebook works on one lab.  `%%kernel` writes its cell to a file and puts it through the
referee on warm clusters, with a progress bar; what comes back is shown as the record does, with a timeline.  `%%px`
runs on ranks that are watched (ranks.py).  Whatever a cell's code does happens in other processes: it may hang or
crash, and the next cell works.  What is wrong with us or the machine is said in one line, not as a traceback.
"""

import atexit
import shlex
import tempfile
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import HTML, Markdown, display

from mpilab import doctor, hints, lab, report
from mpilab.classroom.ranks import Ranks
from mpilab.errors import HarnessError
from mpilab.lab import LANGUAGES, SUFFIXES, Lab
from mpilab.protocol import Language
from mpilab.report import TEMPLATES
from mpilab.session import Session
from mpilab.verdict import Kind

USAGE = """%lab use LAB        begin with a lab, and start what is needed
%lab predict [N]    the lab's question; with an answer, the run that shows it
%lab hint           the next hint
%lab reset c        the baseline (or: python) in a new cell
%lab score c        what your last kernel earns
%lab trace c        its timeline; %lab trace baseline c: the baseline's
%lab where          in which MPI call each rank of the cluster is
%lab restart        new ranks for %%px
%lab doctor         is this machine fit to learn and to time on?"""


RAN = (Kind.OK, Kind.NOT_ATTEMPTED, Kind.WRONG_CALLS)  # there is something to see of these


class NotYetError(Exception):
    """A kernel does not earn its points yet."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@magics_class
class Lesson(Magics):
    """The magics, and the lab that the notebook is about."""

    def __init__(self, shell: Any) -> None:
        """Start nothing yet."""
        super().__init__(shell)
        self._notebook = shell
        self.lab: Lab | None = None
        self.session: Session | None = None
        self.ranks: Ranks | None = None
        self.last: dict[str, Any] = {}  # records, by language
        self._bar = Bar()
        self._folder = Path(tempfile.mkdtemp(prefix="mpilab-notebook-"))
        atexit.register(self.close)

    @line_magic("lab")  # type: ignore[arg-type]
    def act(self, line: str) -> Any:
        """`%lab WORD ...`: see USAGE."""
        words = shlex.split(line)
        acts: dict[str, Any] = {
            "use": self.use, "predict": self.predict, "hint": self.hint, "reset": self.reset, "score": self.score,
            "trace": self.trace, "where": self.where, "restart": self.restart, "doctor": self.doctor,
        }  # fmt: skip
        if not words or words[0] not in acts:
            raise UsageError(USAGE)
        try:
            return acts[words[0]](*words[1:])
        except TypeError as error:
            raise UsageError(USAGE) from error
        except HarnessError as error:
            raise UsageError(str(error)) from None

    @cell_magic
    def kernel(self, line: str, cell: str) -> None:
        """`%%kernel c` or `%%kernel python`: the cell through the referee."""
        path = self._file(_language(line.strip()))
        path.write_text(cell, encoding="utf-8")
        session, one = self._session(), self._lab()
        self._bar.begin()
        try:
            found = session.try_kernel(one.id, path)
            self.last[line.strip()] = found
            shown: list[Any] = [HTML(report.html(found))]
            if found.verdict in RAN:
                shown.append(session.trace_kernel(one.id, path).timeline())
        except HarnessError as error:
            raise UsageError(str(error)) from None
        finally:
            self._bar.end()
        display(*shown)

    @cell_magic
    def px(self, _line: str, cell: str) -> None:
        """`%%px`: the cell on every rank."""
        ranks = self._ranks()
        try:
            ranks.run(
                cell, lambda text: display(HTML(notice(text, "the ranks are replaced; run the first cells again")))
            )
        except HarnessError as error:
            raise UsageError(str(error)) from None

    def use(self, name: str) -> None:
        """Begin with a lab."""
        self.lab = lab.find(name)
        self._session()
        self._ranks()
        display(Markdown(f"**{self.lab.manifest.title}**: the referee and {self._ranks().count} ranks are starting."))

    def predict(self, answer: str = "") -> Any:
        """Record what answers the lab's question."""
        ask = self._lab().manifest.predict
        if ask is None:
            raise UsageError("this lab has no question to predict")
        if not answer.isdigit() or not 1 <= int(answer) <= len(ask.options):
            raise UsageError(f"write your answer behind it: %lab predict 1 (to {len(ask.options)})")
        self._bar.begin()
        try:
            emulated = any(case.emulated for case in self._lab().manifest.scale)
            path = self._lab().baseline("c") if ask.look == "baseline" else self._lab().reference("c")
            trace = self._session().trace_kernel(self._lab().id, path, emulated=emulated)
        finally:
            self._bar.end()
        right = int(answer) == ask.answer
        said = "As you said." if right else f"Not {answer}, but {ask.answer}."
        display(trace.timeline(), Markdown(f"**{said}** {ask.because}"))

    def hint(self) -> None:
        """Open the next hint."""
        found = hints.open_next(self._lab())
        lines = [f"{number}. {text}" for number, text in enumerate(found.opened, 1)]
        display(Markdown("\n".join([*lines, "", f"({len(found.opened)} of {found.of})"])))

    def reset(self, language: str) -> None:
        """Put the baseline into a new cell."""
        text = self._lab().baseline(_language(language)).read_text(encoding="utf-8")
        self._notebook.set_next_input(f"%%kernel {language}\n{text}")

    def score(self, language: str) -> float:
        """Say what the last kernel earns; raises NotYetError when that is nothing."""
        _language(language)
        found = self.last.get(language)
        if found is None:
            raise NotYetError(f"run the %%kernel {language} cell first")
        if found.verdict != Kind.OK:
            raise NotYetError(f"{found.verdict}: {found.score:g} of {found.points:g} points. {found.message}")
        return float(found.score)

    def trace(self, *words: str) -> Any:
        """Show the timeline of the last kernel, or the baseline's."""
        language = _language(words[-1] if words else "")
        path = self._lab().baseline(language) if words[0] == "baseline" else self._file(language)
        if not path.is_file():
            raise UsageError(f"run the %%kernel {language} cell first")
        return self._session().trace_kernel(self._lab().id, path)

    def where(self) -> None:
        """Say in which call each rank is."""
        display(Markdown(self._ranks().where()))

    def restart(self) -> None:
        """Replace the ranks of `%%px`."""
        self._ranks().replace()

    def doctor(self) -> None:
        """Say whether this machine is fit."""
        rows = [f"| {one.grade} | {one.name} | {one.found} | {one.mend} |" for one in doctor.examine()]
        display(Markdown("\n".join(["| | | found | mend |", "|---|---|---|---|", *rows])))

    def close(self) -> None:
        """End all processes."""
        for one in (self.session, self.ranks):
            if one is not None:
                one.close()
        self.session = self.ranks = None

    def _lab(self) -> Lab:
        if self.lab is None:
            raise UsageError("which lab? %lab use LAB")
        return self.lab

    def _session(self) -> Session:
        if self.session is None:
            self.session = Session(progress=self._bar)
        return self.session

    def _ranks(self) -> Ranks:
        if self.ranks is None:
            self.ranks = Ranks(up=lambda: self._notebook.register_magics(self))  # ipyparallel's own %%px came with them
        return self.ranks

    def _file(self, language: Language) -> Path:
        suffix = next(s for s, name in SUFFIXES.items() if name == language)
        return self._folder / f"{self._lab().id}{suffix}"


class Bar:
    """A progress bar in a cell's output: what is being done, and how far it is."""

    def __init__(self) -> None:
        self._handle: Any = None

    def begin(self) -> None:
        """Show it."""
        self._handle = display(HTML(""), display_id=True)

    def __call__(self, text: str, share: float) -> None:
        """Say what is being done, and the share done."""
        if self._handle is not None:
            self._handle.update(HTML(TEMPLATES.get_template("progress.html").render(text=text, share=share)))

    def end(self) -> None:
        """Take it away."""
        if self._handle is not None:
            self._handle.update(HTML(""))
            self._handle = None


def notice(text: str, then: str) -> str:
    """A few words that stand out, as HTML."""
    return TEMPLATES.get_template("notice.html").render(text=text, then=then)


def _language(word: str) -> Language:
    if word not in LANGUAGES:
        raise UsageError(f"which language? c or python, not {word!r}")
    return "c" if word == "c" else "python"


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext mpilab`."""
    shell.register_magics(Lesson(shell))
