"""The terminal: what commands print to, and their progress bar.

Theory of operation.  One console for results and one for everything else; in a file no line is folded.  The bar is
shown where somebody looks, and gone when the work is done.
"""

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

OUT = Console(soft_wrap=True, highlight=False)
ERR = Console(stderr=True, soft_wrap=True, highlight=False)
if not OUT.is_terminal:
    OUT.width = 120  # nobody folds lines in a file


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None]]:
    """A progress bar, told what is being done and the share done."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), TimeElapsedColumn())
    with Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda text, share: bar.update(task, description=text, completed=share)
