"""One arm on one host: the first sessions, some days, the second sessions, and third ones in which the cause is gone."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bio_agent_ops.bench.repeat import hosts, installation, reading, sandbox, scenarios
from bio_agent_ops.bench.repeat.agent import Agent, Harmless, Outcome, Task
from bio_agent_ops.bench.repeat.hosts import Wiring
from bio_agent_ops.bench.repeat.scenarios import CELLS, Again

DAYS = 3  # between a scenario's two runs, in the test clock
PER_SESSION = 10  # scenarios that share a session and a workspace
HARMLESS = Path(__file__).parents[2] / "data" / "harmless_commands.txt"


@dataclass(slots=True)
class ArmResult:
    """What came of one arm. first_failed: scenarios that failed in their first run, of `scenarios`. gaps: seconds between
    an answer of the model and its next question, of harmless commands. rules: what the memory had learned."""

    arm: str
    scenarios: int
    first_failed: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    harmless: list[Harmless] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    turns: int = 0
    memory_tokens: list[tuple[float, int]] = field(default_factory=list)  # (tokens at a session's end, its turns)
    rules: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"outcomes": [asdict(o) | {"avoided": o.avoided} for o in self.outcomes]}


@dataclass(frozen=True)
class Plan:
    """What every arm of a run shares. program: the host's, None in this process."""

    host: str
    program: Path | None
    again: Sequence[Again]
    harmless: Sequence[Sequence[str]]
    folder: Path
    say: Callable[[str], None]

    def sessions(self) -> list[list[Again]]:
        return [list(self.again[i : i + PER_SESSION]) for i in range(0, len(self.again), PER_SESSION)]

    def runs(self) -> list[Again]:
        """All runs that are reported, in order: the second ones, then the further ones with the cause gone."""
        return [*self.again, *(one for part in self.sessions() for one in scenarios.once_more(part))]


def harmless_blocks(path: Path = HARMLESS) -> list[list[str]]:
    """Commands that nothing speaks against, in blocks that stand for themselves; lines that begin with # are remarks."""
    blocks: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            blocks.append([])
        elif not line.startswith("#"):
            blocks[-1].append(line)
    return [block for block in blocks if block]


def run_arm(plan: Plan, arm: str) -> ArmResult:
    """Both runs of every scenario under one arm. Raises HostError, RuntimeError."""
    began = time.perf_counter()
    folder = plan.folder / arm
    folder.mkdir(parents=True)
    home = folder / "u"
    sandbox.new_user(home)
    result = ArmResult(arm, len(plan.again))
    with ExitStack() as stack:
        memory = stack.enter_context(installation.running(folder)) if arm.startswith("bio") else None
        wiring = Wiring(arm, home, memory.home.root if memory else None, folder / "exact.jsonl")
        if memory is not None:
            memory.days_ago(DAYS)
        if arm != "none":  # without a memory the second run is the first one over again
            for number, part in enumerate(plan.sessions()):
                first = [Again(a.scenario, a.scenario.first, CELLS[0]) for a in part]
                agent = _session(plan, wiring, number, first, (), heeds=False)
                result.first_failed += sum(o.failed for o in agent.outcomes)
                plan.say(f"{arm}: first session {number + 1} of {len(plan.sessions())}")
        if memory is not None:
            memory.settle()
            memory.sleep()
            memory.move_back(DAYS)
            memory.days_ago(0)
            result.rules = memory.rules()
        parts = plan.sessions()
        for number, part in enumerate(parts):
            dealt = [line for block in plan.harmless[number :: len(parts)] for line in block]
            agent = _session(plan, wiring, number, part, dealt, heeds=True)
            result.outcomes += agent.outcomes
            result.harmless += agent.harmless
            result.gaps += agent.gaps
            result.turns += agent.turns
            result.memory_tokens.append((agent.memory_bytes / 3, agent.turns))
            plan.say(f"{arm}: second session {number + 1} of {len(parts)}")
        for number, part in enumerate(parts):
            if gone := scenarios.once_more(part):
                agent = _session(plan, wiring, number, gone, (), heeds=True)
                result.outcomes += agent.outcomes
                result.turns += agent.turns
                result.memory_tokens.append((agent.memory_bytes / 3, agent.turns))
                plan.say(f"{arm}: third session {number + 1} of {len(parts)}")
    result.seconds = round(time.perf_counter() - began, 1)
    return result


def _session(
    plan: Plan, wiring: Wiring, number: int, part: Sequence[Again], harmless: Sequence[str], *, heeds: bool
) -> Agent:
    project = plan.folder / wiring.arm / f"project-{number + 1}"
    if project.exists():
        shutil.rmtree(project)
    project.mkdir()
    tasks = [_task(project, place, again, wiring.home) for place, again in enumerate(part)]
    agent = Agent(tasks, harmless, project, heeds=heeds)
    if plan.program is None:
        hosts.direct(agent, project, wiring)
    else:
        hosts.real(plan.host, plan.program, agent, project, wiring)
    return agent


def _task(project: Path, place: int, again: Again, home: Path) -> Task:
    """Set a scenario up in a folder of its own. The folder's name says nothing of the scenario."""
    root = project / f"{'other' if again.case is again.scenario.other else 'task'}-{place + 1}"
    made = sandbox.make(root, again.setup, home)
    if not made.ok:
        raise RuntimeError(f"{again.scenario.id}: its setup ends with {made.exit_code}: {made.output[-300:]}")
    return Task(again, root, home)


def known_to(result: ArmResult, place: int) -> list[str]:
    """The rules of the workspace of scenario number `place`."""
    workspace = f"workspace:project-{place // PER_SESSION + 1} "
    return [rule.removeprefix(workspace) for rule in result.rules if rule.startswith(workspace)]


def miss(outcome: Outcome, again: Again, rules: Sequence[str]) -> str:
    """Why a failure was repeated (or the goal missed), in the order in which a memory could have helped. rules: what was
    known in the workspace."""
    if outcome.avoided:
        return ""
    if outcome.heeded:
        return "what was offered was followed and did not reach the goal"
    meant = again.intended
    spoken = [said for line in outcome.told if (said := reading.advice(line, answers=True))]
    if any(reading.names(said, meant) for said in spoken):
        usable = any(reading.names(s, meant) and reading.follow(s, again.case.fix) for s in spoken)
        if not usable:
            return "warned of, but nothing was offered that could be followed"
        return "warned of beside the call: it had run"
    if any(reading.same_program(said, meant) for said in spoken):
        return "spoken of, but not in words that name the act by the agent's rule"
    if any((said := reading.advice(rule)) and reading.same_program(said, meant) for rule in rules):
        return "a rule on this program was learned, but neither block nor guard spoke of this act"
    return "no rule on this program was learned"
