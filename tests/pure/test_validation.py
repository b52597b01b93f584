"""What later acts say of a rule that acts taught."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bio_agent_schema.types import Act, Episode, FixKind, Kind, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain.lessons.validation import Says, says


def ran(seq: int, command: str, *, failed: bool = False, token: str = "", **more: Any) -> Episode:
    given: dict[str, Any] = {
        "id": f"e{seq}", "seq": seq, "workspace": "shop", "agent": "a", "user": "", "session": "s", "turn": "",
        "kind": Kind.TOOL, "source": "", "origin": "", "speaker": "", "provenance": Provenance.AGENT, "content": "",
        "tool": "Bash", "tool_input": {"command": command}, "command": command, "exit_code": int(failed),
        "is_failure": failed, "error_token": token, "severity": 0.2, "cwd": "", "task": "", "goal": "", "mode": "normal",
        "occurred_at": datetime(2026, 5, 4, tzinfo=UTC),
    }  # fmt: skip
    return Episode(**given | more)


def act(command: str) -> Act:
    (one,) = shell.parse_command(command)
    return one


def heard(lesson: dict[str, Any], *done: Episode) -> list[tuple[str, Says]]:
    acts = {e.id: shell.act_of(e.tool, e.tool_input, e.command) for e in done}
    return [(e.id, s) for e, s in says(lesson, done, acts)]


REPLACE = {
    "kind": FixKind.REPLACE.value,
    "failed": act("npm test"),
    "fixed": act("npm run test:unit"),
    "between": [],
    "token": "ELIFECYCLE",
}
PREPARE = {"kind": FixKind.PREPARE.value, "failed": act("git push origin main"), "fixed": act("git push origin main"),
           "between": [act("git pull --rebase")], "token": "fetch-first"}  # fmt: skip


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (ran(1, "npm run test:unit"), Says.FOLLOWED),
        (ran(1, "npm test", failed=True, token="ELIFECYCLE"), Says.BROKEN_AND_FAILED),
        (ran(1, "npm test"), Says.BROKEN_AND_WORKED),
        (ran(1, "npm test", failed=True, token="ENOSPC"), None),
        (ran(1, "npm run test:unit", failed=True), None),
        (ran(1, "npm run build"), None),
        (ran(1, "npm ci && npm test"), None),
        (ran(1, "npm test", recalled=True), None),
        (ran(1, "npm test", kind=Kind.EVENT), None),
    ],
)
def test_of_a_form_that_another_replaced(done: Episode, said: Says | None) -> None:
    assert heard(REPLACE, done) == ([("e1", said)] if said else [])


def test_of_steps_that_have_to_come_first() -> None:
    push, pull = "git push origin main", "git pull --rebase"
    assert heard(PREPARE, ran(1, pull), ran(2, push)) == [("e2", Says.FOLLOWED)]
    assert heard(PREPARE, ran(1, push)) == []  # it may not have been needed
    assert heard(PREPARE, ran(1, push, failed=True, token="fetch-first")) == [("e1", Says.BROKEN_AND_FAILED)]
    assert heard(PREPARE, ran(1, pull), ran(2, push, failed=True, token="fetch-first")) == []
    assert heard(PREPARE, ran(1, pull, failed=True), ran(2, push)) == []
