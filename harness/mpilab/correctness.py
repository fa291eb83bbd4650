"""The check cases: a kernel's numbers against the truth, plain and strict.

Theory of operation.  Each case is run plain and then strict, with MPI as unkind as the standard permits; what was seen
is judged by check.py.  The truth is the oracle's; of an experiment, whose right answers depend on the machine (`truth
= "reference"`), it is what our own reference finds there, once a session.  A case that goes over another transport
than shared memory has a runner of its own, and only its numbers are checked.
"""

from dataclasses import dataclass
from typing import Self

import msgspec

from mpilab import build, check
from mpilab.attempt import Attempt
from mpilab.clusters import Clusters
from mpilab.diagnosis import log, places
from mpilab.diagnosis.analysis import analyse
from mpilab.diagnosis.findings import finding
from mpilab.errors import HarnessError
from mpilab.lab import Lab
from mpilab.manifest import Case, Transport
from mpilab.protocol import Array, Observation, Run
from mpilab.runner import Runner
from mpilab.verdict import OK, Kind, Verdict

LIMIT_S = 10.0  # a check case takes milliseconds
MEASURED_LIMIT_S = 40.0  # one that measures takes longer, the more so on a busy machine
STRICT_LIMIT_S = 30.0
EXPLAIN_LIMIT_S = 5.0  # a strict run that only explains
SETS = 2
USUAL: Transport = "shared"
NETWORK: Transport = "tcp"
STRICT = ".strict"  # behind a slot's name: the kernel as it is built for strict runs


def checked(on: Clusters, runner: Runner, state: Attempt, slot: str, artifact: build.Artifact) -> Verdict:
    """Load a kernel and run all check cases, plain and strict; OK says that the numbers are right, and not by luck."""
    loaded = runner.load(slot, artifact.language, artifact.path)
    if verdict := check.judge_load(loaded, artifact.path.name):
        return verdict
    runner.load(f"{slot}{STRICT}", artifact.language, artifact.strict)
    # there is no network in a sandbox: what goes over one is for the student to see, and isn't graded
    wanted = [case for case in state.lab.manifest.check if not (on.boxed and case.over == NETWORK)]
    cases = [_Checked.make(on, state, slot, case) for case in wanted]
    for strict, text in ((False, "checking"), (True, "checking strictly")):
        for i, one in enumerate(cases):
            on.progress(f"{text} {one.case}", 0.15 + (0.13 if strict else 0.0) + 0.13 * i / len(cases))
            if verdict := _check(on, runner, state, one, artifact, strict=strict):
                return verdict
    return (_hidden(runner, state, cases) if on.boxed else None) or OK


def _hidden(runner: Runner, state: Attempt, cases: "list[_Checked]") -> Verdict | None:
    """What is wrong with a kernel whose numbers are right; a learner's own is taken at its word."""
    return _needs_messages(runner, state, cases) or left_running(runner)


def left_running(runner: Runner) -> Verdict | None:
    """What is wrong with a kernel of which something goes on when it has been freed."""
    if not runner.left_running():
        return None
    return Verdict(Kind.TAMPERED, "a thread or a process of it still runs after kernel_free: end what you start")


def _needs_messages(runner: Runner, state: Attempt, cases: "list[_Checked]") -> Verdict | None:
    """What is wrong with a kernel whose numbers stay right when all that its messages bring is falsified."""
    fit = [one for one in cases if one.case.ranks > 1 and one.case.over == USUAL and not one.measured]
    if not fit:
        return None
    one = max(fit, key=lambda c: (c.case.n, c.case.ranks))
    slot = f"{one.request.slot}{STRICT}"
    request = msgspec.structs.replace(one.request, slot=slot, timeout_s=LIMIT_S, strict=True, disturbed=True)
    runner.data(one.sets)
    ran = runner.run(request)
    if one.judge(state.lab, ran.observation, ran.outputs) is not None:
        return None
    text = f"its numbers stay right when all messages bring false ones ({one.case}): they come another way"
    return Verdict(Kind.TAMPERED, text)


def _check(
    on: Clusters, runner: Runner, state: Attempt, one: "_Checked", artifact: build.Artifact, *, strict: bool
) -> Verdict | None:
    if one.case.over == USUAL:
        return _check_strictly(runner, state, one) if strict else _check_case(runner, state, one)
    if strict:
        return None
    there = on.pair(one.case)[1]
    if verdict := check.judge_load(there.load(one.request.slot, artifact.language, artifact.path), artifact.path.name):
        return verdict
    return _check_case(there, state, one)


@dataclass(frozen=True)
class _Checked:
    """A check case made ready: its data, the request, and what must come out, one entry for each run."""

    case: Case
    sets: list[list[Array]]
    request: Run
    expected: list[list[Array]]
    measured: bool  # the truth depends on the machine, and strict mode is another machine

    @classmethod
    def make(cls, on: Clusters, state: Attempt, slot: str, case: Case) -> Self:
        lab = state.lab
        measured = lab.manifest.truth == "reference"
        order = [0] if measured else [*range(SETS), 0]
        sets = [lab.oracle.inputs(on.rng(lab.id, case, k), case) for k in sorted(set(order))]
        truth = [lab.oracle.expected(case, inputs) for inputs in sets]
        n_out = [t.size for t in truth[0]]
        request = case.run(slot, n_out, order, list(range(len(order))), MEASURED_LIMIT_S if measured else LIMIT_S)
        if measured:
            what = (lab.id, state.language, str(case), str(on.pair(case)[0].ranks))
            truth = [on.found_once(what, lambda: _measured(on, state, sets, request, case))]
        return cls(case, sets, request, [truth[k] for k in order], measured)

    def judge(
        self, lab: Lab, observation: Observation, outputs: list[Array], *, strict: bool = False
    ) -> Verdict | None:
        """What is wrong with a run of this case."""
        runs = len(self.expected)
        rows = [list(o.reshape(runs, -1)) if o.size else [o] * runs for o in outputs]
        expected = check.as_they_are(rows) if strict and self.measured else self.expected
        return check.judge_run(self.case, observation, rows, expected, lab.oracle.rtol, lab.oracle.hint)


def _measured(on: Clusters, state: Attempt, sets: list[list[Array]], request: Run, case: Case) -> list[Array]:
    """What our own reference finds in a case."""
    path = state.lab.reference("c" if state.language == "c" else "python")
    artifact = on.artifact(path)
    runner = on.pair(case)[0]
    slot = "reference"
    loaded = check.judge_load(runner.load(slot, artifact.language, artifact.path), path.name)
    runner.data(sets)
    ran = runner.run(msgspec.structs.replace(request, slot=slot))
    observation, outputs = ran.observation, ran.outputs
    if loaded or observation.end != "finished" or any(report.status != "returned" for report in observation.ranks):
        why = loaded.message if loaded else f"its run {observation.end}"
        raise HarnessError(f"our own {path} found nothing in {case}: {why}", then="try again; run `mpilab doctor`")
    return outputs


def _check_case(runner: Runner, state: Attempt, one: _Checked) -> Verdict | None:
    """A plain run; when its numbers are wrong, a strict one may say why."""
    home = runner.folder  # another one when the runner is replaced
    runner.data(one.sets)
    ran = runner.run(one.request)
    observation, outputs = ran.observation, ran.outputs
    if one.case.ranks > 1:
        for report in observation.ranks:
            state.calls.update(report.calls)
    state.printed = next((r.printed for r in observation.ranks if r.printed.strip()), state.printed)
    verdict = one.judge(state.lab, observation, outputs)
    if stuck := observation.stuck:
        state.findings = [finding(stuck.kind, stuck.rank, stuck.call, stuck.where, stuck.message, rule=stuck.rule)]
    strictly = runner.folder == home and one.case.over == USUAL
    if verdict and verdict.kind is Kind.WRONG_ANSWER and strictly:
        _check_strictly(runner, state, one, EXPLAIN_LIMIT_S)
        more = f"\n{check.explained(state.findings[0])}" if state.findings else ""
        return Verdict(verdict.kind, verdict.message + more)
    return verdict


def _check_strictly(runner: Runner, state: Attempt, one: _Checked, limit_s: float = STRICT_LIMIT_S) -> Verdict | None:
    """A run with MPI as unkind as the standard permits."""
    request = msgspec.structs.replace(one.request, slot=f"{one.request.slot}{STRICT}", timeout_s=limit_s, strict=True)
    home = runner.folder
    runner.data(one.sets)
    observation, outputs, logs = runner.run_and_read(request, lambda folder: log.read_logs(folder, one.case.ranks))
    lines = places.lines(log.places(logs))
    state.findings = analyse(logs, ended=observation.end, plain_ended="finished", places=lines)
    if state.findings and runner.folder == home:
        runner.replace()  # requests may be open, communicators left
    wrong = one.judge(state.lab, observation, outputs, strict=True)
    return check.judge_strict(one.case, observation, state.findings, wrong)
