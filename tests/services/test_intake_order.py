"""A failure and what closes it are linked though they arrive in different batches."""

from __future__ import annotations

import pytest

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.service import reading
from bio_agent_ops.service.context import Context
from bio_agent_workers.intake import Intake

pytestmark = pytest.mark.services


def test_fix_in_a_later_batch_closes_its_failure(ctx: Context) -> None:
    intake = Intake(ctx.db, ctx.redis, ctx.settings)
    steps = [
        ("noise-1", "ls", 0),
        ("f", "python3 migrate.py", 1),
        ("noise-2", "ls -l", 0),
        ("fix", "python3 migrate.py", 0),
    ]
    for name, command, code in steps:
        obs = {"id": name, "kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "exit_code": code,
               "content": "x", "session": "s"}  # fmt: skip
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})
        intake.run_once(block_ms=10)
    intake.release()
    failure = next(e for e in reading.list_episodes(ctx, "default") if e["id"] == "f")
    assert failure["resolved_by"] == "fix"
    assert not failure["unresolved"]


def test_what_succeeds_takes_the_place_of_words_that_answered_a_failure(ctx: Context) -> None:
    steps = [
        ("g", {"kind": "tool", "tool": "Bash", "tool_input": {"command": "git push origin main"}, "exit_code": 1}),
        ("words", {"kind": "user", "provenance": "owner", "content": "That's expected, main is locked today."}),
        ("done", {"kind": "tool", "tool": "Bash", "tool_input": {"command": "git push origin topic"}, "exit_code": 0}),
    ]
    closed_by = []
    for name, given in steps:
        intake = Intake(ctx.db, ctx.redis, ctx.settings)  # another reader each time: what is known comes from Postgres
        obs = {"id": name, "content": "GH006: protected branch", "session": "t", **given}
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})
        intake.run_once(block_ms=10)
        intake.release()
        failure = next(e for e in reading.list_episodes(ctx, "default") if e["id"] == "g")
        closed_by.append((failure["unresolved"], failure["resolved_by"]))
    assert closed_by == [(True, None), (False, "words"), (False, "done")]
