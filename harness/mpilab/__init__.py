"""mpilab: a course on MPI communication with a referee inside.

In a notebook: `import mpilab; session = mpilab.Session(); session.try_kernel("halo", "halo.py")`, and
`session.trace_kernel("halo", "halo.py")` or `mpilab.trace("program.c", ranks=4)` for a picture of what the ranks do.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpilab.errors import HarnessError
    from mpilab.regions import region
    from mpilab.session import Session
    from mpilab.tracing.model import Trace
    from mpilab.tracing.programs import trace
    from mpilab.work import kernel_work

__all__ = ["HarnessError", "Session", "Trace", "kernel_work", "region", "trace"]
__version__ = "0.1.0"

_HOME = {
    "HarnessError": "mpilab.errors",
    "Session": "mpilab.session",
    "kernel_work": "mpilab.work",
    "Trace": "mpilab.tracing.model",
    "region": "mpilab.regions",
    "load_ipython_extension": "mpilab.classroom.magics",  # %load_ext mpilab
    "trace": "mpilab.tracing.programs",
}


def __getattr__(name: str) -> object:
    """Import on first use: the engines import this package too, and need none of that."""
    if name not in _HOME:
        raise AttributeError(f"module 'mpilab' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value
