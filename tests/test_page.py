"""The control page: Python and C mean the same bytes, and numbers that a kernel scribbled into it do no harm."""

import ctypes
import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mpilab import page
from mpilab.build import C_FOLDER


@pytest.fixture
def two(tmp_path: Path) -> page.Page:
    """A page of two ranks."""
    return page.Page(tmp_path / "page", 2)


def test_every_field_lies_where_c_puts_it(tmp_path: Path, two: page.Page) -> None:
    """Size, and each field's place and size, are what the compiler makes of page.h."""
    cc = shutil.which("cc")
    assert cc, "the tests need a C compiler"
    kind = type(two.ranks[0])
    names = [name for name, *_ in kind._fields_]
    rows = "".join(f"R({name})" for name in names)
    source = tmp_path / "page.c"
    source.write_text(
        "#include <stddef.h>\n#include <stdio.h>\n#include <page.h>\n"
        '#define R(f) printf(#f " %zu %zu\\n", offsetof(struct rank_page, f), sizeof(((struct rank_page *)0)->f));\n'
        f'int main(void) {{ {rows} printf("all 0 %zu\\n", sizeof(struct rank_page)); }}\n',
        encoding="utf-8",
    )
    subprocess.run([cc, "-I", str(C_FOLDER), str(source), "-o", str(tmp_path / "page.exe")], check=True)
    said = subprocess.run([str(tmp_path / "page.exe")], check=True, capture_output=True, text=True).stdout
    places = {name: (getattr(kind, name).offset, getattr(kind, name).size) for name in names}
    wanted = [f"{name} {offset} {size}" for name, (offset, size) in places.items()]
    assert said.splitlines() == [*wanted, f"all 0 {two.size}"]


def test_what_a_rank_writes_to_the_file_is_seen(tmp_path: Path, two: page.Page) -> None:
    """The page is the file: what is written there by another process is read here, each rank its own."""
    kind = type(two.ranks[0])
    with (tmp_path / "page").open("r+b") as file:
        file.seek(two.size + kind.pid.offset)
        file.write((4711).to_bytes(4, "little"))
        file.seek(two.size + kind.calls.offset + 4 * two.names.index("MPI_Recv"))
        file.write((3).to_bytes(4, "little"))
    assert (two.ranks[0].pid, two.ranks[1].pid) == (0, 4711)
    assert (two.calls(0), two.calls(1)) == ({}, {"MPI_Recv": 3})


def test_a_fresh_page_is_idle(two: page.Page) -> None:
    """Before any rank has written, there is no call, no signal, no error."""
    for rank in two.ranks:
        assert (rank.phase, two.name(page.in_call(rank)), rank.signal, rank.error_text) == (page.IDLE, "", 0, b"")


@pytest.mark.parametrize("number", [-1, -(2**31), 2**31 - 1, 10_000])
def test_a_number_of_no_call_has_no_name(two: page.Page, number: int) -> None:
    """A kernel that runs wild may write anything to the page: no number is out of bounds."""
    assert two.name(number) == ""


def test_the_first_name_is_no_call(two: page.Page) -> None:
    """Number 0 is `outside MPI`, the others are MPI names, each once."""
    assert two.names[0] == ""
    assert all(re.fullmatch(r"MPI_[A-Z]\w+", name) for name in two.names[1:])
    assert len(set(two.names)) == len(two.names)


def test_the_table_has_all_its_rows() -> None:
    """Each CALL( of calls.def is found, and each CALLS( twice, by page.py's way of reading it."""
    table = (C_FOLDER / "calls.def").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", table, flags=re.DOTALL)
    assert len(page.call_names()) == 1 + code.count("CALL(") + 2 * code.count("CALLS(")


def test_large_count_forms_stand_below_their_calls() -> None:
    """MPI_X_c comes right after MPI_X, which is how one can tell that it is one."""
    names = page.call_names()
    for before, name in itertools.pairwise(names):
        if name.endswith("_c"):
            assert before == name.removesuffix("_c")


def test_the_mirror_is_a_plain_structure(two: page.Page) -> None:
    """The page's bytes are exactly one structure a rank, so a rank's number is its place."""
    assert ctypes.sizeof(two.ranks) == 2 * two.size
