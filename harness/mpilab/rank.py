"""A rank of a runner that is a plain process under mpiexec: `python -m mpilab.rank FOLDER` (engines.py)."""

import sys
from pathlib import Path

from mpilab.engines import serve

if __name__ == "__main__":
    serve(Path(sys.argv[1]))
