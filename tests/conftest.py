"""What all tests share: records go to a temporary folder, and one session's clusters stay warm for all `mpi` tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpilab.lab import Lab
from mpilab.session import Session

COURSE = Path(__file__).parent / "course"  # a course of one small lab, for the tests


@pytest.fixture(autouse=True, scope="session")
def _records_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's own records out of it."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="session")
def echo() -> Lab:
    """The tests' own lab: every rank puts out twice what its right neighbour put in."""
    return Lab(COURSE / "labs" / "echo", COURSE / "solutions" / "echo")


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    """A session with warm clusters for the labs."""
    with Session() as warm:
        yield warm


@pytest.fixture(scope="session")
def quick() -> Iterator[Session]:
    """A session for kernels that cost their engines: plain processes, which are there again sooner."""
    with Session(home="mpiexec") as warm:
        yield warm


@pytest.fixture(scope="session")
def small(echo: Lab) -> Iterator[Session]:
    """A session for the tests' own lab: two engines in each cluster, which start sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPILAB_COURSE", str(echo.folder.parents[1]))
        warm = Session()
    with warm:
        yield warm
