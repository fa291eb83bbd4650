"""A student's and an instructor's way through JupyterLab, in a real browser with nbgrader's real extensions.

One server, started in a class's folder: the assignment is fetched, worked on, validated and submitted in JupyterLab,
collected and graded, and its score is seen in the formgrader.  The tests are steps of one story, in their order.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from viewing import chromium

from mpilab import lab, sandbox
from mpilab.classroom import course

TOKEN, PORT = "a-token-of-the-tests", 18990
BIN = Path(sys.executable).parent
MS = 120_000  # of patience, on a busy machine
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(
        bool(sandbox.needed()) and not os.environ.get("CI"), reason=f"no sandbox here: {sandbox.needed()}"
    ),
]


@dataclass(frozen=True)
class Desk:
    """The class's folder, the browser's page, and how commands are run."""

    folder: Path
    page: Any
    variables: dict[str, str]

    def run(self, *command: str) -> str:
        """Run a command in the class's folder; what it said."""
        found = subprocess.run(
            [str(BIN / command[0]), *command[1:]],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert found.returncode == 0, found.stdout + found.stderr
        return found.stdout

    def open(self, path: str) -> None:
        """Go to a page of the server."""
        self.page.goto(f"http://127.0.0.1:{PORT}/{path}?token={TOKEN}&reset", timeout=MS)

    def cell(self, number: int) -> Any:
        """A code cell of the open notebook."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)

    def execute(self, number: int, text: str = "") -> None:
        """Run a cell, perhaps with another text."""
        self.cell(number).scroll_into_view_if_needed()
        self.cell(number).locator(".cm-content").click()
        if text:
            self.page.keyboard.press("Control+a")
            self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Shift+Enter")

    def find(self, role: str) -> int:
        """The number of the code cell that begins so."""
        cells = self.page.locator(".jp-Notebook .jp-CodeCell")
        return next(i for i in range(cells.count()) if cells.nth(i).inner_text().lstrip("[ ]:\n").startswith(role))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A class's folder with a released assignment, JupyterLab in it, and a browser."""
    root = tmp_path_factory.mktemp("jupyter")
    folder = root / "hpc1"
    course.make(folder, [lab.find("ring")], "hpc1", ("c",))
    (root / "exchange").mkdir()
    (root / "exchange").chmod(0o777)
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write(f'c.Exchange.root = "{root}/exchange"\nc.Exchange.cache = "{root}/cache"\n')
    places = {f"JUPYTER_{name}_DIR": str(root / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    variables = os.environ | places | {"HOME": str(root), "IPYTHONDIR": str(root / "ipython")}
    variables["PATH"] = f"{BIN}{os.pathsep}{variables['PATH']}"
    command = [str(BIN / "jupyter-lab"), "--no-browser", "--allow-root", f"--port={PORT}"]
    with (root / "log").open("w") as log, chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        one = Desk(folder, page, variables)
        one.run("nbgrader", "generate_assignment", "ring")
        one.run("nbgrader", "release_assignment", "ring")
        server = subprocess.Popen(
            [*command, f"--IdentityProvider.token={TOKEN}"], cwd=folder, env=variables, stdout=log, stderr=log
        )
        try:
            _wait_for_server(one, server, root / "log")
            yield one
        finally:
            server.terminate()
            server.wait(60)


def _wait_for_server(desk: Desk, server: "subprocess.Popen[bytes]", log: Path) -> None:
    from playwright.sync_api import Error

    for _ in range(240):
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            desk.page.goto(f"http://127.0.0.1:{PORT}/lab?token={TOKEN}&reset", timeout=5000)
        except Error:
            time.sleep(0.5)
        else:
            return
    pytest.fail(log.read_text()[-2000:])


def menu(desk: Desk, entry: str) -> None:
    """Choose an entry of nbgrader's menu."""
    desk.open("lab")
    desk.page.locator(".lm-MenuBar-itemLabel", has_text="Nbgrader").click(timeout=MS)
    desk.page.locator(".lm-Menu-itemLabel", has_text=entry).click(timeout=MS)


def test_1_an_assignment_is_fetched(desk: Desk) -> None:
    """The list shows the released lab; a click puts the notebook where the student works."""
    menu(desk, "Assignment List")
    desk.page.get_by_role("button", name="Fetch").click(timeout=MS)
    desk.page.get_by_role("button", name="Submit").wait_for(timeout=MS)
    assert (desk.folder / "ring" / "ring.ipynb").is_file()


def test_2_a_cell_is_changed_and_judged(desk: Desk) -> None:
    """Ranks answer; a cell that hangs is told and costs nothing; our conversion gets verdict, plot and timeline."""
    desk.open("lab/tree/ring/ring.ipynb")
    desk.cell(0).wait_for(timeout=MS)
    desk.page.locator("text=/\\| Idle/").wait_for(timeout=MS)  # before that, a cell's run is lost
    desk.execute(0)
    desk.cell(0).locator(".jp-OutputArea-output", has_text="the referee and 4 ranks").wait_for(timeout=MS)
    desk.execute(1)
    desk.cell(1).locator(".jp-OutputArea-output", has_text="rank 0 of 4").first.wait_for(timeout=MS)
    hangs = "%%px\nfrom mpi4py import MPI\nMPI.COMM_WORLD.recv(source=(MPI.COMM_WORLD.rank + 1) % 4)"
    desk.execute(2, hangs)
    desk.cell(2).locator("[role=alert]", has_text="wait").wait_for(timeout=MS)
    desk.execute(3, "%%px\nfrom mpi4py import MPI\nprint('alive', MPI.COMM_WORLD.rank)")
    desk.cell(3).locator(".jp-OutputArea-output", has_text="alive 3").first.wait_for(timeout=MS)
    kernel = desk.find("%%kernel c")
    desk.execute(kernel, "%%kernel c\n" + lab.find("ring").reference("c").read_text(encoding="utf-8"))
    output = desk.cell(kernel).locator(".jp-OutputArea")
    output.locator(".OK").wait_for(timeout=MS)
    assert output.locator("svg[role=img]").count() >= 1
    assert "rank 1" in output.inner_text()
    desk.execute(kernel + 1)
    desk.cell(kernel + 1).locator(".jp-OutputArea-output").wait_for(timeout=MS)
    assert 6 <= float(desk.cell(kernel + 1).locator(".jp-OutputArea-output").inner_text()) <= 10


def test_3_it_validates(desk: Desk) -> None:
    """The validation of nbgrader runs the whole notebook: the kernel passes, and only the explanation is missing."""
    desk.execute(2, "%%px\nprint('no hang')")
    desk.cell(2).locator(".jp-OutputArea-output", has_text="no hang").first.wait_for(timeout=MS)
    desk.page.get_by_role("button", name="Validate").click(timeout=MS)  # which saves, too
    dialog = desk.page.locator(".jp-Dialog-content")
    dialog.wait_for(timeout=2 * MS)
    said = dialog.inner_text()
    assert "You did not provide a response." in said
    assert "NotYetError" not in said
    assert said.count("The following cell failed") == 1 + said.count("Partial credit"), said  # speed may be pending
    desk.page.keyboard.press("Escape")


def test_4_it_is_submitted_and_graded(desk: Desk) -> None:
    """A click hands it in; the instructor collects and grades; nothing of the notebook's other cells is run."""
    menu(desk, "Assignment List")
    desk.page.get_by_role("button", name="Submit").first.click(timeout=MS)
    for _ in range(120):
        if list((desk.folder.parent / "exchange" / "hpc1" / "inbound").glob("*")):
            break
        time.sleep(0.5)
    desk.run("nbgrader", "collect", "ring")
    assert "1 kernels graded" in desk.run("mpilab", "grade-class", ".")


def test_5_the_formgrader_shows_the_score(desk: Desk) -> None:
    """The gradebook's page has the student's points."""
    desk.open("formgrader/gradebook/ring/ring")
    desk.page.locator("td", has_text="/ 12").first.wait_for(timeout=MS)
    text = desk.page.inner_text("body")
    assert any(f"{points} / 12" in text for points in ("10", "6")), text
