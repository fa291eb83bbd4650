"""`python -m mpilab` is the command `mpilab`."""

import sys

from mpilab.cli import main

sys.exit(main())
