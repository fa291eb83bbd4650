"""The table of MPI calls (c/calls.def), read: the PMPI library, traces and manifests all take their names from it."""

import re


def table(definitions: str) -> list[tuple[str, str, str]]:
    """(group, name, kind) of each call of calls.def, in the order of their numbers, which begin with 1."""
    rows = []
    for plural, group, name, kind in re.findall(r"^CALL(S?)\((\w+), (\w+), (\w+)\)", definitions, re.MULTILINE):
        rows.append((group, name, kind))
        if plural:
            rows.append((group, f"{name}_c", kind))
    return rows
