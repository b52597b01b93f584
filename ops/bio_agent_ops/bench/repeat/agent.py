"""The scripted agent: goes through the tasks of one session, one command at a time, and heeds what a memory tells it.

It means to do what failed (or, where the cause is gone, what is right by now). `reading` holds the rule by which it heeds
a memory. In the first session it heeds nothing, so that the same things fail in every arm. What it did and what became
of it is written down in `Outcome`s; whether a goal is reached is asked of the scenario's check, never of the agent.
"""

from __future__ import annotations

import re
import shlex
import time
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bio_agent_ops.bench.repeat import reading, sandbox
from bio_agent_ops.bench.repeat.scenarios import Again

Said = Sequence[tuple[str, str]]
_STARTS_HELD = re.compile(r"\[[a-z]+-memory\]")
_HINT = "Known about this:"  # what a memory says of a call that has failed: the call did run


@dataclass(frozen=True, slots=True)
class Task:
    """A scenario in the folder it was set up in. root: the scenario's own folder."""

    again: Again
    root: Path
    home: Path

    @property
    def place(self) -> Path:
        return self.root / self.again.case.cwd

    def reached(self) -> bool:
        return sandbox.run(self.again.goal, self.place, self.home).ok


@dataclass(slots=True)
class Outcome:
    """What became of one scenario's run.

    reached: the goal check passes at the end. tried: the command meant at first was run. failed: it was run and the goal
    was not reached by it. held: its call was stopped once and would have been let through; blocked: it was stopped for
    good. heeded: the line the agent followed. literal: it could only type what was offered. steps: commands run or
    stopped. fix_stopped: a line of the fix was stopped. told: memory lines that came with the call;
    fix_told: their number with the lines of the fix. before: the line stood before the agent, not in answer to a call.
    """

    scenario: str
    cell: str
    reached: bool = False
    tried: bool = False
    failed: bool = False
    held: bool = False
    blocked: bool = False
    heeded: str = ""
    before: bool = False
    literal: bool = False
    fix_stopped: bool = False
    fix_told: int = 0
    steps: int = 0
    told: list[str] = field(default_factory=list)

    @property
    def avoided(self) -> bool:
        return self.reached and not self.tried


@dataclass(slots=True)
class Harmless:
    """What a memory said of one command that nothing speaks against. stopped: for good, the second call too."""

    command: str
    stopped: bool
    told: list[str]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What came of a call: its result, and the memory's lines that were new with it."""

    result: str
    fresh: tuple[str, ...]

    @property
    def stopped(self) -> bool:
        """The call was not run: its result is the memory's own words. An output can only have a hint behind it."""
        return bool(_STARTS_HELD.search(self.result)) and _HINT not in self.result


_Script = Generator[str, _Seen, None]


class Agent:
    """One session's agent. `step` is given the whole conversation and returns the next command, None at the end.

    A host may ask twice for the same turn, so a step is taken only when a new result is there.
    """

    def __init__(self, tasks: Sequence[Task], harmless: Sequence[str], project: Path, *, heeds: bool) -> None:
        self.outcomes: list[Outcome] = []
        self.harmless: list[Harmless] = []
        self.gaps: list[float] = []  # seconds from one answer to the next question, of harmless commands
        self.turns = 0
        self.memory_bytes = 0  # of what a memory put before the agent in this session
        self._tasks, self._commands, self._project, self._heeds = tasks, harmless, project, heeds
        self._known: list[str] = []
        self._waited = 0.0
        self._script = self._run()
        self._next: str | None = None
        self._results = -1
        self._answered_at = 0.0

    @property
    def ended(self) -> bool:
        """Whether it went through all it had to do."""
        return self._results >= 0 and self._next is None

    def step(self, said: Said) -> str | None:
        results = [text for role, text in said if role == "tool"]
        if len(results) <= self._results:
            return self._next
        waited = time.perf_counter() - self._answered_at
        self._results = len(results)
        self.turns += 1
        lines = [line for role, text in said if role != "assistant" for line in reading.lines_of(text)]
        fresh = _beyond(lines, self._known)
        self._known = lines
        self.memory_bytes = memory_bytes(said)
        if len(results) == 0:
            self._next = next(self._script, None)
        else:
            self._waited = waited
            try:
                self._next = self._script.send(_Seen(results[-1], tuple(fresh)))
            except StopIteration:
                self._next = None
        self._answered_at = time.perf_counter()
        return self._next

    # ------------------------------------------------------------------------------------------------------ the script

    def _run(self) -> _Script:
        for task in self._tasks:
            outcome = Outcome(task.again.scenario.id, str(task.again.cell))
            self.outcomes.append(outcome)
            yield from self._task(task, outcome)
            outcome.reached = task.reached()
        for line in self._commands:
            seen = yield line
            self.gaps.append(self._waited)
            kept = Harmless(line, False, list(seen.fresh))
            self.harmless.append(kept)
            if seen.stopped:
                seen = yield line
                kept.stopped = seen.stopped

    def _task(self, task: Task, outcome: Outcome) -> _Script:
        again = task.again
        gone = again.case.gone if again.cell.cause_gone else None
        if gone is not None:
            yield _at(task, gone.see)
        said = self._heeded(self._known, task, answers=False)
        if said is not None:
            outcome.before = True
            yield from self._follow(task, outcome, said)
        else:
            yield from self._act(task, outcome)
        if not task.reached():
            yield from self._type(task, outcome, again.case.fix)
        if gone is not None and not task.reached():
            yield from self._type(task, outcome, [gone.right])

    def _act(self, task: Task, outcome: Outcome) -> _Script:
        """Do what was meant, unless its call is stopped with a line that names it and can be followed."""
        for call in (1, 2):
            seen = yield _at(task, task.again.intended)
            outcome.steps += 1
            outcome.told += seen.fresh
            if not seen.stopped:
                outcome.tried, outcome.failed = True, not task.reached()
                return
            if call == 2:
                outcome.blocked = True
                return
            outcome.held = True
            said = self._heeded(seen.fresh, task, answers=True)
            if said is not None:
                yield from self._follow(task, outcome, said)
                return

    def _follow(self, task: Task, outcome: Outcome, said: reading.Advice) -> _Script:
        outcome.heeded = said.line
        lines = reading.follow(said, task.again.case.fix) or ()
        outcome.literal = lines != task.again.case.fix
        yield from self._type(task, outcome, lines)
        if not task.reached() and not outcome.held:
            yield from self._act(task, outcome)

    def _type(self, task: Task, outcome: Outcome, lines: Sequence[str]) -> _Script:
        for line in lines:
            seen = yield _at(task, line)
            outcome.steps += 1
            outcome.fix_told += len(seen.fresh)
            if seen.stopped:
                outcome.fix_stopped = True
                yield _at(task, line)

    def _heeded(self, lines: Iterable[str], task: Task, *, answers: bool) -> reading.Advice | None:
        """The first line that names what is about to be done and can be followed."""
        intended, fix = task.again.intended, task.again.case.fix
        for line in lines if self._heeds else ():
            said = reading.advice(line, answers=answers)
            if said is not None and reading.names(said, intended) and reading.follow(said, fix) is not None:
                return said
        return None


def _at(task: Task, line: str) -> str:
    return f"cd {shlex.quote(str(task.place))} && {line}"


def _beyond(lines: Sequence[str], known: Sequence[str]) -> list[str]:
    left, out = Counter(known), []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            out.append(line)
    return out


def memory_bytes(said: Said) -> int:
    """UTF-8 bytes of what a memory put into a conversation: its blocks whole, and the lines with its mark."""
    return sum(reading.memory_size(text) for role, text in said if role != "assistant")
