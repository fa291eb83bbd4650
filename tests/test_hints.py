"""Hints open one by one, are remembered, and stand in the record."""

from pathlib import Path

import pytest

from mpilab import hints
from mpilab.errors import HarnessError
from mpilab.lab import Lab


@pytest.fixture
def hinted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echo: Lab) -> Lab:
    """A lab with three hints, of a user who has opened none."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "hinted"
    folder.mkdir()
    text = (echo.folder / "lab.toml").read_text()
    (folder / "lab.toml").write_text(text.replace("[calls]", "hints = ['a', 'b', 'c']\n[calls]"))
    return Lab(folder, folder)


def test_hints_open_one_by_one(hinted: Lab) -> None:
    """Each time one more, at last all; looking opens none."""
    assert hints.look(hinted).opened == ()
    assert hints.open_next(hinted).opened == ("a",)
    assert hints.look(hinted).opened == ("a",)
    assert [len(hints.open_next(hinted).opened) for _ in range(4)] == [2, 3, 3, 3]
    assert hints.opened("hinted") == 3
    assert hints.opened("another") == 0


def test_a_damaged_note_counts_as_none(hinted: Lab) -> None:
    """Whatever is in the file, hints can be opened."""
    hints.open_next(hinted)
    for content in (b"", b"x", b"-4", b"\xff", b"10\n20"):
        hints._file("hinted").write_bytes(content)
        assert hints.opened("hinted") == 0
    assert hints.open_next(hinted).opened == ("a",)


def test_no_hints_and_no_room_are_said(echo: Lab, hinted: Lab, tmp_path: Path) -> None:
    """A lab without hints says so; a note that can't be kept is said, and no hint is given away for nothing."""
    with pytest.raises(HarnessError, match="no hints"):
        hints.open_next(echo)
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(HarnessError, match="cannot write"):
        hints.open_next(hinted)
