"""Writes the wrappers of the PMPI library: one C function for each row of calls.def.

Theory of operation. The prototypes come from the MPI library's own mpi.h, through the C preprocessor, so the table
holds only names. MPI names its parameters alike in all calls (`dest`, `sendcounts`, `request`), so what a call does
follows from their names and from the row's kind. Calls that need more than that are written by hand in pmpi.c.
"""

import re
from dataclasses import dataclass

from mpilab.calls import table

HAND_WRITTEN = re.compile(r"(Wait|Test)(all|any|some)?|Start(all)?|Init(_thread)?|Finalize|Abort|Pcontrol")
# communicators made without all of the parent taking part, or without a parent
NOT_COLLECTIVE = {
    "Comm_create_group", "Intercomm_create", "Comm_create_from_group", "Intercomm_create_from_groups", "Comm_join"
}  # fmt: skip
FIELDS = {  # parameter -> field of struct op
    "comm": "comm", "local_comm": "comm", "comm_old": "comm", "oldcomm": "comm", "intercomm": "comm",
    "dest": "dest", "tag": "tag", "sendtag": "tag", "source": "source", "recvtag": "rtag", "root": "root",
    "sendbuf": "send.buf", "sendcount": "send.count", "sendtype": "send.type", "sendcounts": "send.counts",
    "sdispls": "send.displs", "sendtypes": "send.types",
    "recvbuf": "recv.buf", "recvcount": "recv.count", "recvtype": "recv.type", "recvcounts": "recv.counts",
    "rdispls": "recv.displs", "displs": "recv.displs", "recvtypes": "recv.types",
    "origin_addr": "send.buf", "origin_count": "send.count", "origin_datatype": "send.type",
    "result_addr": "recv.buf", "result_count": "recv.count", "result_datatype": "recv.type",
    "target_rank": "dest", "rank": "dest", "win": "win", "assert": "argument", "lock_type": "lock", "group": "group",
    "color": "argument", "partitions": "argument", "partition": "first", "partition_low": "first",
    "partition_high": "last", "length": "last", "array_of_partitions": "indices",
    "target_disp": "displacement", "target_count": "target.count", "target_datatype": "target.type",
    "op": "op", "request": "request", "array_of_requests": "request", "message": "message", "flag": "flag",
    "status": "status",
}  # fmt: skip
NEW_OBJECT = {
    "NEW_COMM": ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph", "newintercomm", "newintracomm",
                 "intercomm"),
    "NEW_TYPE": ("newtype",), "NEW_GROUP": ("group", "newgroup"), "NEW_OP": ("op",),
    "NEW_INFO": ("info", "newinfo"), "NEW_ERRHANDLER": ("errhandler",), "NEW_WIN": ("win",), "NEW_FILE": ("fh",),
    "FREE_COMM": ("comm",), "FREE_TYPE": ("datatype",), "FREE_GROUP": ("group",), "FREE_OP": ("op",),
    "FREE_INFO": ("info",), "FREE_ERRHANDLER": ("errhandler",), "FREE_WIN": ("win",), "FREE_FILE": ("fh",),
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A row of the table with its prototype's parameters: (type, name, "[]" of an array)."""

    group: str
    name: str
    kind: str
    parameters: tuple[tuple[str, str, str], ...]

    def has(self, name: str) -> bool:
        """Whether the call has a parameter of that name."""
        return any(n == name for _, n, _ in self.parameters)

    def type_of(self, name: str) -> str:
        """The type of a parameter, '' if there is none of that name."""
        return next((t for t, n, _ in self.parameters if n == name), "")


def prototypes(header: str) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """The parameters of each MPI function that a preprocessed mpi.h declares."""
    found = {}
    for name, text in re.findall(r"\bint\s+MPI_(\w+)\s*\(([^()]*)\)", header):
        parameters = []
        for one in text.split(","):
            match = re.fullmatch(r"\s*(.*?)(\w+)\s*((?:\[\d*\])*)\s*", " ".join(one.split()))
            if match and match[1]:
                parameters.append((match[1].strip(), match[2], match[3]))
        found[name] = tuple(parameters)
    return found


def source(definitions: str, header: str) -> str:
    """C source: the wrapper of each call of the table that the MPI library has."""
    known = prototypes(header)
    rows = [Row(g, n, k, known[n]) for g, n, k in table(definitions) if n in known and not HAND_WRITTEN.fullmatch(n)]
    return "\n".join([_wrapper(row) for row in rows])


def _wrapper(row: Row) -> str:
    name = row.name
    parameters = ", ".join(f"{t} {n}{a}" for t, n, a in row.parameters) or "void"
    arguments = ", ".join(n for _, n, _ in row.parameters)
    request = "(uint64_t)(uintptr_t)*request" if _makes_request(row) else "0"
    lines = [
        f"int MPI_{name}({parameters}) {{",
        f"    struct standing *s = enter(CALL_{name}, {_comm(row)}, {_peer(row)}, {_tag(row)}, {_bytes(row)},",
        "                               __builtin_return_address(0));",
        *_second_half(row),
        "    int result, mode = mpilab_page->mode;",
        "    if (LIKELY(mode == MODE_OFF)) {",
        f"        result = PMPI_{name}({arguments});",
        "    } else if (mode == MODE_RECORD) {",
        *_own_status(row),
        *_more_bytes(row),
        "        uint64_t start = ticks();",
        f"        result = PMPI_{name}({arguments});",
        *_of_status(row),
        f"        if (mpilab_page->recording & GROUP_{row.group}) {{",
        f"            mpilab_event(s, CALL_{name}, start, result ? 0 : {request});",
        *_received_part(row),
        "        }",
        "    } else {",
        f"        struct op call = {{{_fields(row)}}};",
        f"        if (mpilab_before(&call)) call.result = PMPI_{name}({', '.join(_strict_arguments(row))});",
        "        result = mpilab_after(&call);",
        "    }",
        *_afterwards(row),
        f"    return leave(s, CALL_{name}, result);",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _comm(row: Row) -> str:
    """The communicator of the call; a window is known by its handle like one (c/comms.c)."""
    if row.kind in ("ACCESS", "EPOCH", "FREE_WIN"):
        return f"(MPI_Comm){'*' if row.kind == 'FREE_WIN' else ''}win"
    for name in ("comm", "local_comm", "comm_old", "oldcomm"):
        if kind := row.type_of(name):
            return f"*{name}" if "*" in kind else name
    return "intercomm" if row.type_of("intercomm") == "MPI_Comm" else "MPI_COMM_NULL"


def _peer(row: Row) -> str:
    if row.kind == "COLLECTIVE" and not row.has("root"):
        return "NOBODY"
    if row.kind in ("NEW_COMM", "OTHER"):
        return "NOBODY"
    return next((n for n in ("dest", "source", "root", "target_rank", "rank") if row.has(n)), "NOBODY")


def _tag(row: Row) -> str:
    return next((n for n in ("tag", "sendtag") if row.has(n) and row.kind != "NEW_COMM"), "0")


def _bytes(row: Row) -> str:
    pair = _count_and_type(row)
    return f"bytes_of({pair[0]}, {pair[1]})" if pair else "-1"


def _count_and_type(row: Row) -> tuple[str, str] | None:
    """The parameters that say how long the call's message is."""
    pairs = (
        ("count", "datatype"), ("sendcount", "sendtype"), ("recvcount", "datatype"), ("recvcount", "recvtype"),
        ("origin_count", "origin_datatype"),
    )  # fmt: skip
    if row.kind.startswith(("NEW_COMM", "NEW_TYPE")) or row.group in ("datatype", "group", "object"):
        return None
    return next((p for p in pairs if row.has(p[0]) and row.type_of(p[1]) == "MPI_Datatype"), None)


def _more_bytes(row: Row) -> list[str]:
    """Record mode: the bytes that take a moment to find out, of derived types and of arrays of counts."""
    large, name = int(row.name.endswith("_c")), row.name.lower().removesuffix("_c").removesuffix("_init")
    if name.startswith(("neighbor", "ineighbor")):
        return []
    if name.endswith("alltoallv"):
        counts = "sendbuf == MPI_IN_PLACE ? recvcounts : sendcounts, sendbuf == MPI_IN_PLACE ? recvtype : sendtype"
        return [f"        s->bytes = mpilab_sum_bytes(s, {large}, {counts});"]
    if name.endswith("reduce_scatter"):
        return [f"        s->bytes = mpilab_sum_bytes(s, {large}, recvcounts, datatype);"]
    if not (pair := _count_and_type(row)):
        return []
    lines = [f"        if (s->bytes < 0) s->bytes = mpilab_type_bytes({pair[0]}, {pair[1]});"]
    if name.endswith("alltoall"):
        lines += ["        if (s->comm >= 0) s->bytes *= mpilab_page->comms[s->comm].size;"]
    return lines


def _received_part(row: Row) -> list[str]:
    if row.kind in ("SENDRECV", "REPLACE") and row.has("status"):
        return ["            if (!result) mpilab_received(s, status);"]
    return []


def _second_half(row: Row) -> list[str]:
    """What `enter` can't be told: the receive half of a Sendrecv, the turn of a collective."""
    lines = []
    if row.kind in ("SENDRECV", "REPLACE"):
        lines.append("    s->peer2 = source, s->tag2 = recvtag;")
    made_by_all = row.kind in ("NEW_COMM", "FREE_COMM") and row.name not in NOT_COLLECTIVE and _comm(row)[0] != "M"
    window = row.kind == "FREE_WIN" or row.name == "Win_fence"
    if row.kind == "COLLECTIVE" or made_by_all or window or (row.kind in ("NEW_WIN", "NEW_FILE") and row.has("comm")):
        lines.append("    if (s->comm >= 0) mpilab_page->comms[s->comm].turns++;")
    if row.kind in ("FREE_COMM", "FREE_WIN"):
        lines.append(f"    MPI_Comm gone = (MPI_Comm)*{'comm' if row.kind == 'FREE_COMM' else 'win'};")
    if row.kind == "FREE_REQUEST":
        lines.append("    MPI_Request gone = *request;")
    return lines


def _blocking_receive(row: Row) -> bool:
    return row.has("status") and row.kind in ("RECV", "SENDRECV", "REPLACE", "MRECV", "PROBE", "MPROBE")


def _own_status(row: Row) -> list[str]:
    if not _blocking_receive(row):
        return []
    return ["        MPI_Status own;", "        if (status == MPI_STATUS_IGNORE) status = &own;"]


def _of_status(row: Row) -> list[str]:
    if row.kind in ("RECV", "MRECV") and row.has("status"):
        return ["        if (!result) mpilab_came(s, status);"]
    return []


def _fields(row: Row) -> str:
    """The initialisers of struct op."""
    fields = {
        "call": f"CALL_{row.name}", "kind": f"KIND_{row.kind}", "large": str(int(row.name.endswith("_c"))),
        "place": "(void *)s->place", "standing": "s", "dest": "NOBODY", "source": "NOBODY", "root": "NOBODY",
    }  # fmt: skip
    objects = [n for n in NEW_OBJECT.get(row.kind, ()) if "*" in row.type_of(n)]
    receives = row.kind in ("RECV", "MRECV", "PROBE", "MPROBE")
    for kind, name, array in row.parameters:
        pointer = "*" in kind or bool(array)
        field = FIELDS.get("source" if name == "dest" and receives else name)  # MPICH's MPI_Precv_init says dest
        if objects and name == objects[0]:
            fields["object"] = name
            field = "comm" if row.kind == "FREE_COMM" else None
        if (
            field not in ("comm", "win", "request")
            and name != "color"
            and row.kind.startswith(("NEW", "FREE", "OTHER"))
        ):
            field = None
        if field in ("comm", "win"):
            fields[field] = f"*{name}" if pointer else name
        elif field in ("request", "message"):
            handle = {"request": "MPI_Request", "message": "MPI_Message"}[field]
            fields[field] = f"({handle} *){name}" if pointer else f"&{name}"
            fields |= {"requests": "1"} if field == "request" else {}
        elif field == "op" and kind != "MPI_Op":
            continue
        elif field and field.endswith((".counts", ".displs", ".types", ".buf")):
            fields[field] = f"(void *){name}"
        elif field == "indices":
            fields[field] = f"(int *){name}"
        elif field:
            fields["rtag" if field == "tag" and receives else field] = name
    fields |= _common_buffer(row)
    fields |= {"makes": "1"} if _makes_request(row) else {}
    return ", ".join(f".{field} = {value}" for field, value in fields.items())


def _common_buffer(row: Row) -> dict[str, str]:
    """The fields of calls whose buffer, count and type have no side of their own in their names."""
    sides = {"SEND": ("send",), "RECV": ("recv",), "MRECV": ("recv",), "REPLACE": ("send", "recv")}.get(row.kind, ())
    fields: dict[str, str] = {}
    for side in sides:
        if row.has("count"):
            count = f"(int64_t){'partitions * ' if row.has('partitions') else ''}count"
            fields |= {f"{side}.buf": "(void *)buf", f"{side}.count": count, f"{side}.type": "datatype"}
    if row.kind == "COLLECTIVE":
        for side in ("send", "recv"):
            fields |= {f"{side}.type": "datatype"} if row.has("datatype") else {}
            fields |= {f"{side}.count": "count"} if row.has("count") else {}
            fields |= {f"{side}.buf": "buffer"} if row.has("buffer") else {}
        if row.has("datatype") and row.has("recvcount"):  # Reduce_scatter_block: as much from everyone
            fields["send.count"] = "recvcount"
        if "catterv" in row.name:
            fields |= {"send.displs": "(void *)displs", "recv.displs": "NULL"}
    if row.kind in ("ACCESS", "EPOCH", "FREE_WIN"):
        fields |= {"comm": _comm(row), "win": "*win" if row.kind == "FREE_WIN" else "win"}
    if row.kind == "ACCESS" and _fetches(row):
        fields |= {"recv.buf": "origin_addr", "recv.count": "origin_count", "recv.type": "origin_datatype"}
        fields["send.buf"] = "NULL"
    if row.kind == "ACCESS" and row.has("datatype"):
        fields |= {f"{side}.count": "1" for side in ("send", "recv", "target")}
        fields |= {f"{side}.type": "datatype" for side in ("send", "recv", "target")}
    return fields


def _fetches(row: Row) -> bool:
    """Whether the call's one buffer of its own is filled from another rank's window."""
    return bool(re.fullmatch("R?[Gg]et(_c)?", row.name))


def _strict_arguments(row: Row) -> list[str]:
    """The call's arguments, with the buffers that strict mode may have put in the place of the program's."""
    names = []
    for _, name, _ in row.parameters:
        receives = {"COLLECTIVE": ("recvbuf", "buffer"), "ACCESS": ("origin_addr",) * _fetches(row)}
        if name in receives.get(row.kind, ()):
            names.append("call.recv.buf")
        elif name == "status" and _blocking_receive(row):
            names.append("call.status")
        else:
            names.append(name)
    return names


def _makes_request(row: Row) -> bool:
    return row.type_of("request") == "MPI_Request *" and row.kind not in (
        "WAIT",
        "CANCEL",
        "FREE_REQUEST",
        "START",
        "PARTITION",
    )


def _afterwards(row: Row) -> list[str]:
    if _makes_request(row):
        active = int(not row.name.removesuffix("_c").endswith("_init"))
        turn = "s->comm >= 0 ? mpilab_page->comms[s->comm].turns : 0" if row.kind == "COLLECTIVE" else "0"
        lines = [f"    if (!result) posted(s, CALL_{row.name}, *request, {active}, {turn});"]
    elif row.kind == "FREE_REQUEST":
        lines = ["    if (!result) completed((uint64_t)(uintptr_t)gone, MPI_REQUEST_NULL);"]
    elif row.kind in ("FREE_COMM", "FREE_WIN"):
        lines = ["    if (!result) mpilab_comm_gone(gone);"]
    elif row.kind == "NEW_WIN":
        lines = [f"    if (!result) mpilab_window_new({_comm(row)}, *win);"]
    else:
        lines = []
    if row.kind in ("PROBE", "MPROBE", "GET_STATUS") and row.has("flag"):
        lines.append("    if (!result && !*flag) s->polls++;")
    if row.kind == "NEW_COMM":
        new = next(n for n in NEW_OBJECT["NEW_COMM"] if "*" in row.type_of(n))
        lines.append(f"    if (!result) mpilab_comm_new({_comm(row)}, *{new});")
    return lines
