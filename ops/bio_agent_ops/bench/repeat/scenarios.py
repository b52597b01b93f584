"""Scenarios: failures that run on a bare machine, what fixes each, and how the world may have changed by the next time.

A row: `{id, name, tool, needs, cwd, setup, condemned, error_like, fix, goal_check, observed, variant, cause_gone}`.
`setup` is one script, run in an empty folder; `condemned`, the lines of `fix` and `goal_check` are run in `cwd` below it.
`variant` is the same failure with other names and arguments. `cause_gone` is run after the setup: then `see` shows
`evidence` of the change (its output matches `see_like`), and `right_command` is right. A variant may have its own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bio_agent_ops.bench.repeat import sandbox
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.rows import Form, Refusal

OWN = Path(__file__).parents[2] / "data" / "scenarios.jsonl"


@dataclass(frozen=True, slots=True)
class Gone:
    """The world in which the cause of the failure is no more. see, seen: what shows it, and what its output then holds."""

    setup: tuple[str, ...]
    see: str
    seen: str
    right: str
    goal: str


@dataclass(frozen=True, slots=True)
class Case:
    """One telling of a scenario: its names and its arguments."""

    cwd: str
    setup: tuple[str, ...]
    condemned: str
    fix: tuple[str, ...]
    goal: str
    gone: Gone | None
    observed: int | None = None  # the exit code of `condemned`


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way to fail. first: as it happens the first time; other: with other names and arguments."""

    id: str
    name: str
    tool: str
    needs: tuple[str, ...]
    error_like: str
    first: Case
    other: Case | None

    def missing(self) -> str:
        """What this machine lacks for it, "" when nothing."""
        for need in (self.tool, *self.needs):
            there = shutil.which(need) or shutil.which(need + "3") or _module(need)
            if not there:
                return need
        return ""


@dataclass(frozen=True, slots=True)
class Cell:
    """How the second time differs from the first."""

    other_arguments: bool
    cause_gone: bool

    def __str__(self) -> str:
        arguments = "other arguments" if self.other_arguments else "same arguments"
        return f"{arguments}, cause {'gone' if self.cause_gone else 'present'}"


CELLS = (Cell(False, False), Cell(True, False), Cell(False, True), Cell(True, True))
# In half of eight the second run has other arguments; in a quarter the cause is gone.
_TURNS = (CELLS[0], CELLS[1], CELLS[0], CELLS[3], CELLS[0], CELLS[1], CELLS[1], CELLS[2])


@dataclass(frozen=True, slots=True)
class Again:
    """A scenario's second run: the case, its cell, and what its agent means to do at first."""

    scenario: Scenario
    case: Case
    cell: Cell

    @property
    def intended(self) -> str:
        return self.case.gone.right if self.cell.cause_gone and self.case.gone else self.case.condemned

    @property
    def goal(self) -> str:
        return self.case.gone.goal if self.cell.cause_gone and self.case.gone else self.case.goal

    @property
    def setup(self) -> tuple[str, ...]:
        """Scripts in order, each begun in the scenario's folder."""
        first = "\n".join(self.case.setup)
        return (first, "\n".join(self.case.gone.setup)) if self.cell.cause_gone and self.case.gone else (first,)


def assigned(scenarios: Sequence[Scenario], shift: int = 0) -> list[Again]:
    """Each scenario's second run. Its cell goes by its place and not by what it is; `shift` moves all by so many places,
    so that eight shifts show every scenario in every cell it offers. A cell it does not offer falls back to the nearest
    one: its first telling with the cause gone, then the other telling, then the first one."""
    out = []
    for place, scenario in enumerate(scenarios):
        cell = _TURNS[(place + shift) % len(_TURNS)]
        out.append(_offered(scenario, cell))
    return out


def _offered(scenario: Scenario, cell: Cell) -> Again:
    if cell.cause_gone:
        cases = [scenario.other, scenario.first] if cell.other_arguments else [scenario.first, scenario.other]
        for case in cases:
            if case is not None and case.gone is not None:
                return Again(scenario, case, Cell(case is scenario.other, True))
    if cell.other_arguments and scenario.other is not None:
        return Again(scenario, scenario.other, CELLS[1])
    return Again(scenario, scenario.first, CELLS[0])


def once_more(part: Sequence[Again]) -> list[Again]:
    """The scenarios of a session whose second run had the cause present, as they are once it is gone, where they tell of
    that: every other one with other arguments first."""
    out = []
    for place, again in enumerate(part):
        if not again.cell.cause_gone:
            gone = _offered(again.scenario, CELLS[3] if place % 2 == 0 else CELLS[2])
            out += [gone] if gone.cell.cause_gone else []
    return out


# ------------------------------------------------------------------------------------------------------------- reading


def _case(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and all(form.text(value.get(name)) for name in ("cwd", "condemned", "goal_check"))
        and all(form.texts(value.get(name)) for name in ("setup", "fix"))
        and bool(value["fix"])
        and not Path(value["cwd"]).is_absolute()
        and ".." not in Path(value["cwd"]).parts
        and _gone(value.get("cause_gone"))
    )


def _gone(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, Mapping)
        and form.texts(value.get("setup"))
        and all(form.text(value.get(name)) for name in ("see", "see_like", "right_command"))
        and _pattern(value["see_like"])
    )


def _pattern(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(re.compile(value))
    except re.error:
        return False


FORM = Form(
    "repeat scenarios",
    {
        "id": form.ID, "name": form.ID, "tool": form.ID,
        "needs": (form.texts, "a list of program or module names"),
        "cwd": (form.text, "a folder below the scenario's own"),
        "setup": (form.texts, "a list of shell lines"), "condemned": form.TEXT,
        "error_like": (_pattern, "a regular expression"), "fix": (form.texts, "a list of shell lines"), "goal_check": form.TEXT,
        "variant": (lambda v: v is None or _case(v), "null or an object like the row itself"),
        "cause_gone": (_gone, "null or an object with setup, see, see_like and right_command"),
    },
)  # fmt: skip


def read(path: Path) -> tuple[list[Scenario], list[Refusal]]:
    """The scenarios of a file, and what was refused of it. Raises OSError."""
    rows, refused = form.read(path, FORM)
    good = [row for row in rows if _case(row)]
    refused += [
        Refusal(path.name, 0, f"{row['id']}: cwd, fix or cause_gone cannot be used") for row in rows if row not in good
    ]
    return [_scenario(row) for row in good], refused


def _scenario(row: Mapping[str, Any]) -> Scenario:
    other = row["variant"]
    return Scenario(
        row["id"], row["name"], row["tool"], tuple(row["needs"]), row["error_like"], _case_of(row),
        _case_of(other) if other else None,
    )  # fmt: skip


def _case_of(row: Mapping[str, Any]) -> Case:
    gone = row.get("cause_gone")
    goal = row["goal_check"]
    return Case(
        row["cwd"], tuple(row["setup"]), row["condemned"], tuple(row["fix"]), goal,
        Gone(tuple(gone["setup"]), gone["see"], gone["see_like"], gone["right_command"], gone.get("goal_check") or goal)
        if gone else None,
        row.get("observed", {}).get("condemned_rc"),
    )  # fmt: skip


@cache
def _module(name: str) -> bool:
    """Whether the `python3` that a scenario's commands run has the module: it need not be the one that runs this."""
    python = shutil.which("python3")
    if python is None or not name.isidentifier():
        return False
    done = subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False)
    return done.returncode == 0


# ----------------------------------------------------------------------------------------------------------- verifying


def faults(scenario: Scenario, folder: Path) -> Iterator[str]:
    """What of a scenario is not as its row says, found out by running it in empty folders below `folder`."""
    for label, case in (("first", scenario.first), ("variant", scenario.other)):
        if case is None:
            continue
        at = folder / label
        place = at / case.cwd
        if not (made := sandbox.make(at, ("\n".join(case.setup),))).ok:
            yield f"{label}: setup ends with {made.exit_code}: {made.output[-200:]}"
            continue
        ran = sandbox.run(case.condemned, place)
        if ran.ok:
            yield f"{label}: the condemned command succeeds"
        if case.observed is not None and ran.exit_code != case.observed:
            yield f"{label}: the condemned command ends with {ran.exit_code}, not {case.observed}"
        if not re.search(scenario.error_like, ran.output, re.MULTILINE):
            yield f"{label}: the error is another one: {ran.output[-200:]!r}"
        if sandbox.run(case.goal, place).ok:
            yield f"{label}: the goal is reached without the fix"
        for line in case.fix:
            if not (ran := sandbox.run(line, place)).ok:
                yield f"{label}: the fix ends with {ran.exit_code}: {line}: {ran.output[-200:]}"
        if not sandbox.run(case.goal, place).ok:
            yield f"{label}: the fix does not reach the goal"
        if case.gone is not None:
            yield from _gone_faults(label, case, case.gone, folder / f"{label}-gone")


def _gone_faults(label: str, case: Case, gone: Gone, at: Path) -> Iterator[str]:
    place = at / case.cwd
    if not (made := sandbox.make(at, ("\n".join(case.setup), "\n".join(gone.setup)))).ok:
        yield f"{label}: setup without the cause ends with {made.exit_code}: {made.output[-200:]}"
        return
    seen = sandbox.run(gone.see, place)
    if not seen.ok or not re.search(gone.seen, seen.output, re.MULTILINE):
        yield f"{label}: what shows that the cause is gone shows {seen.output[-200:]!r}"
    if sandbox.run(gone.goal, place).ok:
        yield f"{label}: the goal is reached before the right command"
    if not (ran := sandbox.run(gone.right, place)).ok:
        yield f"{label}: the right command ends with {ran.exit_code}: {ran.output[-200:]}"
    if not sandbox.run(gone.goal, place).ok:
        yield f"{label}: the right command does not reach the goal"
