"""A trace is stored and comes back the same, or says what is wrong with its file; its views agree with each other."""

import csv
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from ring_builder import Rank

from mpilab.errors import HarnessError
from mpilab.tracing import gather, recording
from mpilab.tracing.model import Trace
from mpilab.tracing.tables import FIELDS


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """Two ranks: a message, a collective, a region."""
    a = Rank(0).call("MPI_Isend", 1, 2, peer=1, tag=3, bytes=800, request=1, region=1).call("MPI_Wait", 4, 6).done(1)
    a.call("MPI_Allreduce", 7, 9, bytes=8).region(1, 0, 3)
    b = Rank(1).call("MPI_Recv", 3, 5, peer=0, tag=3, bytes=800).call("MPI_Allreduce", 8, 9, bytes=8)
    a.meta.append({"region": 1, "name": "<step>"})
    folder = tmp_path / "rings"
    folder.mkdir()
    a.write(folder)
    b.write(folder)
    return gather.read(folder, title="a <b> ü")


def test_a_stored_trace_comes_back_the_same(trace: Trace, tmp_path: Path) -> None:
    """Every field, to the bit."""
    path = tmp_path / "x.mpitrace"
    trace.save(path)
    again = Trace.load(path)
    for name in Trace.__dataclass_fields__:
        before, after = getattr(trace, name), getattr(again, name)
        if isinstance(before, np.ndarray):
            assert before.dtype == after.dtype
            assert before.tobytes() == after.tobytes()
        else:
            assert before == after, name


def test_a_stored_trace_is_an_npz(trace: Trace, tmp_path: Path) -> None:
    """NumPy alone opens it, without pickles."""
    trace.save(tmp_path / "x.mpitrace")
    with np.load(tmp_path / "x.mpitrace", allow_pickle=False) as file:
        assert file["events"].tobytes() == trace.events.tobytes()


def test_what_cannot_be_written_is_said(trace: Trace, tmp_path: Path) -> None:
    """A folder in the way, or a place that isn't there and can't be made."""
    with pytest.raises(HarnessError, match="can't be written"):
        trace.save(tmp_path / "rings" / "ring-0" / "x.mpitrace")


def rewritten(path: Path, change: dict[str, bytes | None]) -> Path:
    """Replace members of the zip, or leave them out."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in (members | change).items():
            if content is not None:
                file.writestr(name, content)
    return path


def npy(array: np.ndarray) -> bytes:
    """An array as a .npy file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_other_files_are_refused_with_the_reason(trace: Trace, tmp_path: Path) -> None:
    """No file, an empty one, something else, another version, a member that is gone, a pickle, other columns."""
    path = tmp_path / "x.mpitrace"

    def refused(said: str) -> None:
        with pytest.raises(HarnessError, match=said):
            Trace.load(path)

    refused("there is no such file")
    for content in (b"", b"MPILABR", b"PK\x05\x06" + bytes(18)):
        path.write_bytes(content)
        refused("is no readable trace")
    trace.save(path)
    whole = path.read_bytes()
    header = json.loads(zipfile.ZipFile(path).read("header.json"))
    for change, said in (
        ({"header.json": None}, "header.json"),
        ({"header.json": b"{"}, "is no readable trace"),
        ({"header.json": b"[]"}, "not that of a trace"),
        ({"header.json": json.dumps(header | {"version": 2}).encode()}, "is of version 2, this mpilab reads version 1"),
        ({"header.json": json.dumps(header | {"ranks": 0}).encode()}, "don't fit 0 ranks"),
        ({"header.json": json.dumps(header | {"calls": 3}).encode()}, "is no readable trace"),
        ({"header.json": json.dumps(header | {"calls": [], "groups": []}).encode()}, "points to something"),
        ({"events.npy": None}, "events.npy"),
        ({"events.npy": npy(np.zeros(3))}, "has other columns"),
        ({"events.npy": npy(np.array([{}], object))}, "has other columns"),
        ({"events.npy": npy(trace.events)[:-5]}, "with 235 bytes"),
        ({"events.npy": npy(trace.events[::-1])}, "not in order"),
        ({"messages.npy": npy(np.full(1, 9, recording.MESSAGE))}, "message 0 points"),
        ({"events.npy": npy(trace.events[:0])}, "holds no event"),
        ({"requests.npy": npy(np.array([(0, 0, np.nan, 0, 0, 0)], recording.REQUEST))}, "times of request 0"),
    ):
        path.write_bytes(whole)
        rewritten(path, change)
        refused(said)


def test_a_claimed_size_costs_no_memory(trace: Trace, tmp_path: Path) -> None:
    """An array that says it has 2^50 rows is refused before room is made for them."""
    trace.save(tmp_path / "x")
    huge = npy(trace.events).replace(b"'shape': (5,), }          ", b"'shape': (1125899906842624,), }")
    huge = huge.replace(b"(5,)", b"(9,)")
    with pytest.raises(HarnessError):
        Trace.load(rewritten(tmp_path / "x", {"events.npy": huge}))


@pytest.mark.filterwarnings("ignore")  # Python and NumPy warn about some of the damage before they refuse it
def test_any_damage_gives_a_trace_or_a_message(trace: Trace, tmp_path: Path) -> None:
    """600 damaged copies, cut off or with bytes changed, inside the zip and around it: never another exception."""
    path, rng, refused = tmp_path / "x.mpitrace", np.random.default_rng(2), 0
    trace.save(path)
    whole = path.read_bytes()
    members = {n: zipfile.ZipFile(path).read(n) for n in ("header.json", "events.npy", "messages.npy", "requests.npy")}
    for turn in range(600):
        damaged = bytearray(whole)
        if turn % 3 == 0:
            damaged = damaged[: int(rng.integers(len(whole)))]
        elif turn % 3 == 1:
            for _ in range(3):
                damaged[int(rng.integers(len(damaged)))] = int(rng.integers(256))
        path.write_bytes(damaged)
        if turn % 3 == 2:
            name = list(members)[int(rng.integers(len(members)))]
            content = bytearray(members[name])
            content[int(rng.integers(len(content)))] = int(rng.integers(256))
            rewritten(path, {name: bytes(content)})
        try:
            again = Trace.load(path)
        except HarnessError:
            refused += 1
        else:
            assert str(again.summary())
            assert again.timeline()._repr_html_()
    assert 300 < refused < 600


def rows(text: str) -> list[dict[str, str]]:
    """Read CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def test_a_table_counts_every_call_once(trace: Trace) -> None:
    """By whatever it is grouped, the counts add up to the number of events, the sums to their durations."""
    whole = float((trace.events["end"] - trace.events["start"]).sum())
    for field in FIELDS:
        table = trace.table(field)
        assert table.count.sum() == len(trace.events)
        assert table.sum_s.sum() == pytest.approx(whole)
        assert table.mean_s * table.count == pytest.approx(table.sum_s)
        assert (table.max_s <= table.sum_s + 1e-12).all()
        assert len(rows(table.csv)) == len(table.keys)
        assert field in str(table)


def test_a_table_by_hand(trace: Trace) -> None:
    """Allreduce: 2 and 1 ms; the region's name, the peer, the bytes are said as they are."""
    first = rows(trace.table().csv)[0]
    assert (first["call"], first["count"]) == ("MPI_Allreduce", "2")
    assert [float(first[k]) for k in ("sum_s", "mean_s", "max_s", "bytes")] == pytest.approx([3e-3, 1.5e-3, 2e-3, 16])
    table = trace.table(["region", "peer"], "isend")
    assert table.keys == (("MPI_Isend", "<step>", "1"),)
    assert trace.table("completes", "wait").keys == (("MPI_Wait", "MPI_Isend"),)
    assert trace.table("rank", "MPI_Allreduce").keys == (("MPI_Allreduce", "0"), ("MPI_Allreduce", "1"))


def test_unknown_names_are_refused_with_the_known_ones(trace: Trace) -> None:
    """A field, a call or an axis that isn't there."""
    with pytest.raises(HarnessError, match=r"grouped by colour(.|\n)*region"):
        trace.table("colour")
    with pytest.raises(HarnessError, match=r"no MPI_Bcast(.|\n)*MPI_Allreduce"):
        trace.scatter(call="MPI_Bcast")
    with pytest.raises(HarnessError, match=r"no axis tag(.|\n)*entry"):
        trace.scatter("tag")
    with pytest.raises(HarnessError, match="from 2 s to 1 s"):
        trace.timeline(2, 1)


def test_a_point_names_its_event(trace: Trace) -> None:
    """Each point of a scatter plot has the time and latency of the event it names, so that one can go there."""
    for axis, column in (("end", "end"), ("entry", "start"), ("bytes", "bytes")):
        points = trace.scatter(axis)
        assert points.x.tolist() == trace.events[column][points.event].tolist()
        events = trace.events[points.event]
        assert points.latency_s.tolist() == (events["end"] - events["start"]).tolist()
        assert len(rows(points.csv)) == len(trace.events)


def test_a_histogram_holds_every_call(trace: Trace) -> None:
    """Its counts add up, also where all latencies are the same; edges rise."""
    for call in ("", "MPI_Recv"):
        found = trace.histogram(call)
        assert found.counts.sum() == (len(trace.events) if not call else 1)
        assert (np.diff(found.edges_s) > 0).all()


def test_bandwidth_doubts_calls_that_return_early(trace: Trace) -> None:
    """800 bytes in 2 ms of MPI_Recv are 400 kB/s; an Isend's figure is marked."""
    found = trace.bandwidth()
    at = found.calls.index("MPI_Recv")
    assert found.rank_bytes_per_s[at] == pytest.approx(400e3)
    assert dict(zip(found.calls, found.doubtful.tolist(), strict=True)) == {
        "MPI_Allreduce": False, "MPI_Isend": True, "MPI_Recv": False, "MPI_Wait": True,
    }  # fmt: skip


def test_the_timeline_shows_what_takes_most_of_a_cell(trace: Trace) -> None:
    """Eight cells of a millisecond each, from 1 to 9 ms: what each rank does in it, nothing where it computes."""
    names = ["compute", *recording.CLASSES]
    shown = [[names[cell + 1] for cell in lane] for lane in trace.timeline().cells(8)]
    assert shown[0] == ["send", "compute", "compute", "wait", "wait", "compute", "collective", "collective"]
    assert shown[1] == ["compute", "compute", "receive", "receive", "compute", "compute", "compute", "collective"]


def test_the_timeline_says_the_same_in_characters(trace: Trace) -> None:
    """One line a rank, with the letters of the legend."""
    lines = str(trace.timeline()).splitlines()
    assert lines[0].startswith("a <b> ü: 0 ns to 8 ms")
    assert set(lines[1].split()[1]) == set("s.wc")
    assert set(lines[2].split()[1]) == set("r.c")


def test_pictures_escape_what_the_program_named(trace: Trace) -> None:
    """Titles and regions come from the program, and are text in HTML."""
    for shown in (trace, trace.table("region"), trace.summary()):
        markup = shown._repr_html_()
        assert "<b>" not in markup
        assert "<step>" not in markup
    assert "&lt;step&gt;" in trace.table("region")._repr_html_()


def test_a_picture_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    """A timeline of 20,000 calls is no larger than its cells allow."""
    one = Rank(0, 1)
    for i in range(20_000):
        one.call("MPI_Barrier" if i % 2 else "MPI_Bcast", i, i + 0.5, peer=0)
    one.write(tmp_path)
    trace = gather.read(tmp_path)
    assert len(trace.timeline()._repr_html_()) < 100_000
    assert len(trace.scatter()._repr_html_()) < 1_000_000
    assert len(str(trace.table("bytes"))) < 10_000
