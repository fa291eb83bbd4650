"""What the machine is: for the record, and to know what may be timed."""

import contextlib
import os
import platform
from pathlib import Path


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0))


def describe() -> dict[str, str | int | float]:
    """What a reader of a record must know of the machine: cpu, cores, load (one minute's average), system."""
    model = platform.processor()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return {"cpu": model, "cores": cores(), "load": os.getloadavg()[0], "system": platform.platform()}
