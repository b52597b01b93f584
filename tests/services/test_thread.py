"""The main job, in one process: a recorded session becomes memories, rules, a prompt block and a warning."""

from __future__ import annotations

import pytest

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops import data
from bio_agent_ops.requests import Check
from bio_agent_ops.service import guarding, learning, reading, speaking
from bio_agent_ops.service.context import Context

pytestmark = pytest.mark.services


def play(ctx: Context, observations: list[dict[str, object]], tenant: str = "default") -> None:
    for obs in observations:
        ctx.redis.xadd(f"bio:obs:{tenant}", {"o": to_wire(prepare(obs))})


def test_recorded_session_teaches_the_rules_a_person_expects(ctx: Context) -> None:
    play(ctx, data.load())
    slept = learning.sleep(ctx, "default", inline=True)
    assert slept["pending"] == 0
    assert not slept["errors"]
    learned = [b["content"] for b in reading.list_beliefs(ctx, "default")]
    push = [c for c in learned if "git push origin main" in c]
    assert len(push) == 1, "the same mistake in two sessions is one rule"
    assert "GH006" in push[0]
    said = guarding.check(
        ctx,
        "default",
        Check(tool="Bash", tool_input={"command": "git push origin main"}, workspace="shop", session="x"),
    )
    assert said["verdict"] == "warn"
    block = speaking.persona(ctx, "default", workspace="shop", agent="", user="")
    assert "git push origin main" in block["block"]
    again = speaking.persona(ctx, "default", workspace="shop", agent="", user="")
    assert again["block"] == block["block"]


def test_second_sleep_changes_nothing(ctx: Context) -> None:
    play(ctx, data.load())
    learning.sleep(ctx, "default", inline=True)
    before = reading.list_beliefs(ctx, "default")
    play(ctx, data.load())  # every id again: one observation stays one
    slept = learning.sleep(ctx, "default", inline=True)
    assert slept["processed"] == 0
    assert reading.list_beliefs(ctx, "default") == before
