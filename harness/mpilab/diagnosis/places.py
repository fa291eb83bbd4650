"""From an address to a line: where in the source a call was made.

Theory of operation. The C library writes a place as `binary+0xOFFSET` (of the call, from where the binary is mapped)
or, for Python, as `script.py:12`. addr2line knows the lines of a binary with debug information; it is asked once for
all places of a binary. Nothing here fails: a place that cannot be looked up is ''.
"""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

SPLIT = re.compile(r"(.+)\+0x([0-9a-f]{1,16})")
SECONDS = 20


def lines(places: Iterable[str]) -> dict[str, str]:
    """The "file.c:41" of each place; '' for one without debug information."""
    wanted: dict[str, dict[int, str]] = defaultdict(dict)
    found = {}
    for place in set(places):
        match = SPLIT.fullmatch(place)
        if match:
            wanted[match[1]][int(match[2], 16)] = place
        else:
            path, _, line = place.rpartition(":")
            found[place] = f"{Path(path).name}:{line}" if path else place
    for binary, offsets in wanted.items():
        base = _link_base(binary)
        answers = _addr2line(binary, [offset + base for offset in offsets])
        found |= dict(zip(offsets.values(), answers, strict=True))
    return found


def of_process(pid: int, addresses: Iterable[int]) -> dict[int, str]:
    """The place `binary+0xOFFSET` of return addresses in a live process; addresses in no binary are left out."""
    maps = []
    try:
        text = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    starts: dict[str, int] = {}
    for low, high, offset, path in re.findall(r"^(\w+)-(\w+) \S+ (\w+) \S+ \d+\s+(/.*)$", text, re.MULTILINE):
        if int(offset, 16) == 0:
            starts.setdefault(path, int(low, 16))
        maps.append((int(low, 16), int(high, 16), path))
    found = {}
    for address in addresses:
        path = next((p for low, high, p in maps if low <= address < high), "")
        if path in starts:
            found[address] = f"{path}+{address - 1 - starts[path]:#x}"
    return found


@lru_cache(maxsize=256)
def _link_base(binary: str) -> int:
    """What to add to an offset: executables that are not position independent are linked at an address."""
    try:
        with Path(binary).open("rb") as file:
            header = file.read(20)
    except OSError:
        return 0
    return 0x400000 if header[:4] == b"\x7fELF" and header[16:18] == b"\x02\x00" else 0


def _addr2line(binary: str, addresses: list[int]) -> list[str]:
    nothing = [""] * len(addresses)
    if re.search(r"/lib(mpi|c|pthread|python)[\d.]*\.so|\.cpython-", binary):
        return nothing
    try:
        said = subprocess.run(
            ["addr2line", "-e", binary, *map(hex, addresses)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return nothing
    answers = [line.split(" ")[0] for line in said.stdout.splitlines()]
    if len(answers) != len(addresses):
        return nothing
    return ["" if "?" in line or line.endswith(":0") else f"{Path(line).name}" for line in answers]
