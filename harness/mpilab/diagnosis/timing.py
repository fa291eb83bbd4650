"""Mistakes in measuring that are no mistakes in MPI: said as notes, they cost nothing.

Theory of operation. Looks at the source only. clock() counts processor time, which stands still while a rank sleeps
and runs twice as fast with two threads; a sleeping rank gives its core away, so sleep() is no computation; what is
printed, checked or set up between two readings of the clock is timed as well. Text in comments and strings does not
count.
"""

import ast
import re

C_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
C_TOKENS = re.compile(
    r"\b(?P<wtime>MPI_Wtime)\s*\(|\b(?P<cpu>clock)\s*\(\s*\)|\b(?P<sleep>sleep|usleep|nanosleep)\s*\("
    r"|\b(?P<output>f?printf|puts)\s*\(|\b(?P<check>assert|verify\w*|check\w*|validate\w*)\s*\("
    r"|\bMPI_(?P<setup>\w+_init|Comm_dup|Comm_split|Type_commit)\s*\(|^\}(?P<end>)",
    re.MULTILINE,
)
PYTHON_CPU = {"process_time", "thread_time", "process_time_ns"}
CPU = (
    "{where}: {name} counts processor time, not time that goes by: a rank that waits asleep takes none, and one with "
    "two threads takes twice as much. Use MPI_Wtime, a barrier before, and the maximum over the ranks."
)
SLEEP = (
    "{where}: {name} gives the core away: as a stand-in for computation it hides what waiting costs, because another "
    "rank may use the core meanwhile. Do arithmetic instead."
)
INSIDE = (
    "{where}: {name} stands between two readings of MPI_Wtime: it is timed as well. Move it out of the timed region."
)


def notes(source: str, name: str) -> list[str]:
    """What to say about how a C or Python source called `name` measures time; each kind of mistake once."""
    found = _python(source, name) if name.endswith(".py") else _c(source, name)
    return list({text.partition(": ")[2]: text for text in reversed(found)}.values())[::-1]


def _c(source: str, name: str) -> list[str]:
    code = C_NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), source)
    found: list[str] = []
    pending: list[str] = []
    timed = False
    for match in C_TOKENS.finditer(code):
        where = f"{name}:{code.count(chr(10), 0, match.start()) + 1}"
        kind = match.lastgroup or "end"
        word = match[0].rstrip("( \n").strip()
        if kind == "end":
            timed, pending = False, []
        elif kind == "wtime":
            found += pending if timed else []
            timed, pending = not timed, []
        elif kind == "cpu":
            found.append(CPU.format(where=where, name="clock()"))
        elif kind == "sleep":
            found.append(SLEEP.format(where=where, name=f"{word}()"))
        elif timed:
            pending.append(INSIDE.format(where=where, name=word))
    return found


def _python(source: str, name: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        where = f"{name}:{node.lineno}"
        if called in PYTHON_CPU:
            found.append(CPU.format(where=where, name=f"time.{called}()"))
        if called == "sleep":
            found.append(SLEEP.format(where=where, name="time.sleep()"))
    return found
