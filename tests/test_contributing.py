"""A lab author can add a lab by adding a folder: the five steps of CONTRIBUTING.md, followed to the letter."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]

ORACLE = '''"""Rank 0 ends up with everyone's block."""

import numpy as np


def inputs(rng, case):
    if case.n < 1:
        raise ValueError("n must be at least 1")
    return [rng.random(case.n) for _ in range(case.ranks)]


def expected(case, inputs):
    return [np.concatenate(inputs), *(np.zeros(0) for _ in inputs[1:])]
'''
C = """struct kernel {
    MPI_Comm comm;
    int n, rank, ranks;
    long steps;
    const double *in;
    double *out;
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    *k = (struct kernel){.comm = comm, .n = (int)shape->n, .steps = shape->steps, .in = in, .out = out};
    TRY(MPI_Comm_rank(comm, &k->rank));
    return MPI_Comm_size(comm, &k->ranks);
}

int kernel_run(struct kernel *k) {
    for (long step = 0; step < k->steps; step++) {
BODY
    }
    return 0;
}

int kernel_free(struct kernel **self) {
    free(*self);
    return 0;
}
"""
PYTHON = """class Kernel:
    def __init__(self, comm, shape, in_, out):
        self.comm, self.n, self.steps, self.in_, self.out = comm, shape.n, shape.steps, in_, out

    def run(self):
        for _ in range(self.steps):
BODY

    def free(self):
        pass
"""
BASELINE_C = """        for (int i = 0; k->rank && i < k->n; i++)
            TRY(MPI_Send(k->in + i, 1, MPI_DOUBLE, 0, 0, k->comm));
        for (int i = 0; k->rank == 0 && i < (k->ranks - 1) * k->n; i++)
            TRY(MPI_Recv(k->out + k->n + i, 1, MPI_DOUBLE, 1 + i / k->n, 0, k->comm, MPI_STATUS_IGNORE));
        if (k->rank == 0) memcpy(k->out, k->in, sizeof(double) * (size_t)k->n);"""
STEP = "step 1: one call for all"
GATHER_C = f"        /* {STEP} */\n"
GATHER_C += "        TRY(MPI_Gather(k->in, k->n, MPI_DOUBLE, k->out, k->n, MPI_DOUBLE, 0, k->comm));"
BASELINE_PYTHON = """            for i in range(self.n if self.comm.rank else 0):
                self.comm.Send(self.in_[i : i + 1], 0)
            for i in range(self.n, self.out.size):
                self.comm.Recv(self.out[i : i + 1], i // self.n)
            self.out[: self.n] = self.in_[: self.out.size]"""
GATHER_PYTHON = f"            # {STEP}\n"
GATHER_PYTHON += "            self.comm.Gather(self.in_, self.out if self.comm.rank == 0 else None)"
WRONG = {
    "only_the_root.c": ("DEADLOCK", "        if (k->ranks == 1 || k->rank == 0)\n    " + GATHER_C.split("\n")[1]),
    "gives_up.c": ("CRASHED", "        return 3;"),
    "adds_one.c": ("WRONG_ANSWER", GATHER_C + "\n        if (k->rank == 0) k->out[0] += 1;"),
    "by_hand.c": ("WRONG_CALLS", BASELINE_C + "\n        /* as before */ ;"),
    "forgets_one.c": ("WRONG_ANSWER", GATHER_C + "\n        k->out[k->n - 1] = 0;"),
    "gives_up_again.c": ("CRASHED", "        return 4;"),
    "forgets_one.py": ("WRONG_ANSWER", GATHER_PYTHON + "\n            self.out[:1] = 0"),
    "divides_by_zero.py": ("CRASHED", "            1 // 0"),
    "only_the_root.py": ("DEADLOCK", "            if self.comm.rank == 0:\n    " + GATHER_PYTHON.split("\n")[1]),
    "no_such_method.py": ("CRASHED", "            self.comm.Collect(self.in_, self.out)"),
    "adds_one.py": ("WRONG_ANSWER", GATHER_PYTHON + "\n            self.out += 1"),
    "by_hand.py": ("WRONG_CALLS", BASELINE_PYTHON + "\n            done = True"),
}


def write(folder: Path) -> None:
    """Steps 1 to 5."""
    text = (TOP / "CONTRIBUTING.md").read_text()
    manifest = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert manifest, "CONTRIBUTING.md shows no manifest"
    lab, solutions = folder / "labs" / "gather", folder / "solutions" / "gather"
    (solutions / "wrong").mkdir(parents=True)
    lab.mkdir(parents=True)
    (lab / "lab.toml").write_text(re.sub(r"^ {3}", "", manifest[1], flags=re.MULTILINE))
    (lab / "oracle.py").write_text(ORACLE)
    (lab / "baseline.c").write_text(C.replace("BODY", BASELINE_C))
    (lab / "baseline.py").write_text(PYTHON.replace("BODY", BASELINE_PYTHON))
    (solutions / "reference.c").write_text(C.replace("BODY", GATHER_C))
    (solutions / "reference.py").write_text(PYTHON.replace("BODY", GATHER_PYTHON))
    for name, (verdict, body) in WRONG.items():
        first = f"/* expect: {verdict} - a test */\n" if name.endswith(".c") else f"# expect: {verdict} - a test\n"
        frame = C if name.endswith(".c") else PYTHON
        (solutions / "wrong" / name).write_text(first + frame.replace("BODY", body))


@pytest.mark.mpi
def test_a_lab_in_five_steps(tmp_path: Path) -> None:
    """Following CONTRIBUTING.md gives a lab that is listed, and whose files the lab tests prove."""
    write(tmp_path)
    environment = os.environ | {"MPILAB_COURSE": str(tmp_path), "MPILAB_ALL_WRONG": "1"}
    listed = subprocess.run(
        [sys.executable, "-m", "mpilab", "labs"], env=environment, capture_output=True, text=True, check=True
    )
    assert "Gather: everyone's piece in one place" in listed.stdout

    def prove(which: str) -> "subprocess.CompletedProcess[str]":
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_labs.py", "-k", which]
        return subprocess.run(tests, cwd=TOP, env=environment, capture_output=True, text=True, check=False)

    proved = prove("gather or every")
    assert proved.returncode == 0, proved.stdout
    assert f"{2 + 2 + len(WRONG) + 2 + 1 + 2 + 1 + 1} passed" in proved.stdout
    (tmp_path / "solutions" / "gather" / "wrong" / "adds_one.py").unlink()
    less = prove("foresees")
    assert less.returncode == 1, "a lab with too few mistakes passed"
