"""mpilab: a course on MPI communication with a referee inside.

In a notebook: `import mpilab; session = mpilab.Session(); session.try_kernel("halo", "halo.py")`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpilab.errors import HarnessError
    from mpilab.session import Session

__all__ = ["HarnessError", "Session"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import on first use: the engines import this package too, and need none of that."""
    if name == "Session":
        from mpilab.session import Session

        return Session
    if name == "HarnessError":
        from mpilab.errors import HarnessError

        return HarnessError
    raise AttributeError(f"module 'mpilab' has no attribute {name!r}")
