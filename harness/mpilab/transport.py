"""What messages travel over: how MPICH is set for each of a case's `over`, and how large a message may go eagerly.

Theory of operation.  MPICH reads its settings when a rank starts, so a transport is a choice of environment for a whole
runner.  `shared` is MPICH's default between ranks of a machine; `large` is the same with larger cells, which let larger
messages go eagerly and take more memory; `tcp` treats every rank as a node of its own and sends over the loopback
network.  The eager limits are measured (labs/eager measures them again, to the byte).
"""

import os
from collections.abc import Mapping

from mpilab.manifest import Transport

TRANSPORTS: Mapping[Transport, Mapping[str, str]] = {
    "shared": {},
    "large": {
        "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": "32768",
        "MPIR_CVAR_CH4_PACK_BUFFER_SIZE": "65536",  # without it MPI_Init refuses such cells
        "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "1000000",
    },
    "tcp": {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "tcp,self"},
}
CELL, HEAD = 8192, 80  # MPICH's shared-memory cell and what it keeps of it
UCX_EAGER = 259_131  # over TCP, unless UCX_RNDV_THRESH says otherwise


def eager_bytes() -> int:
    """The largest message that goes eagerly between ranks of this machine, as MPICH is set in this process."""
    if os.environ.get("MPIR_CVAR_NOLOCAL") == "1":
        limit = os.environ.get("UCX_RNDV_THRESH", "")
        return int(limit) - 1 if limit.isdigit() else UCX_EAGER
    cell = os.environ.get("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "")
    return (int(cell) if cell.isdigit() else CELL) - HEAD
