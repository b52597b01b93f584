"""What followed a rule is credited to it: helped, hurt, or nothing where there was no opportunity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.requests import Check
from bio_agent_ops.service import guarding, learning, reading, speaking
from bio_agent_ops.service.context import Context

pytestmark = pytest.mark.services


def did(session: str, command: str, exit_code: int = 0, said: str = "done") -> dict[str, Any]:
    return {
        "kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "content": said, "exit_code": exit_code,
        "session": session, "workspace": "api",
    }  # fmt: skip


def lived(ctx: Context, seen: Sequence[dict[str, Any]]) -> None:
    for obs in seen:
        ctx.redis.xadd("bio:obs:default", {"o": to_wire(prepare(obs))})
    learning.sleep(ctx, "default", inline=True)


@pytest.fixture
def rule(ctx: Context) -> str:
    lived(ctx, [
        did("s1", "pytest -q", 2, "ModuleNotFoundError: No module named 'ledger'"),
        did("s1", "python -m pytest -q", 0, "148 passed"),
    ])  # fmt: skip
    rules = speaking.persona(ctx, "default", workspace="api", agent="", user="", session_id="")["rules"]
    assert len(rules) == 1
    return str(rules[0]["id"])


def counts(ctx: Context, rule: str) -> tuple[int, int, float]:
    shown = reading.show_belief(ctx, "default", rule)
    return shown["helped"], shown["hurt"], shown["confidence"]


@pytest.mark.parametrize(
    ("seen", "helped", "hurt"),
    [
        ([did("s2", "python -m pytest -q tests/api", 0, "12 passed")], 1, 0),
        ([did("s2", "python -m pytest -q", 1, "1 failed")], 0, 1),
        ([did("s2", "ls"), did("s2", "git status")], 0, 0),  # no opportunity
        ([did("s2", "pytest -q", 2, "ModuleNotFoundError"), did("s2", "python -m pytest -q")], 0, 0),  # not followed
        ([did("s3", "python -m pytest -q")], 0, 0),  # a session that did not have the rule
    ],
)
def test_what_followed_is_credited(ctx: Context, rule: str, seen: list[dict[str, Any]], helped: int, hurt: int) -> None:
    before = counts(ctx, rule)
    speaking.persona(ctx, "default", workspace="api", agent="", user="", session_id="s2")
    lived(ctx, seen)
    after = counts(ctx, rule)
    assert after[:2] == (helped, hurt)
    if helped:
        assert after[2] > before[2]
    if hurt:
        assert after[2] < before[2]


def test_once_a_rule_and_session_and_a_rule_that_hurts_says_why(ctx: Context, rule: str) -> None:
    for session in ("s2", "s2", "s3", "s4"):
        speaking.persona(ctx, "default", workspace="api", agent="", user="", session_id=session)
        lived(ctx, [did(session, "python -m pytest -q", 1, "1 failed")])
    helped, hurt, confidence = counts(ctx, rule)
    assert (helped, hurt) == (0, 2), "the fourth session did not have it before it any more"
    assert confidence < 0.6, "no longer sure enough to be said"
    assert rule not in [
        r["id"] for r in speaking.persona(ctx, "default", workspace="api", agent="", user="", session_id="s5")["rules"]
    ]
    shown = reading.show_belief(ctx, "default", rule)
    assert shown["state"] == "challenged"
    assert [
        "In 2 sessions an agent did what this rule says and it failed" in r["question"] for r in shown["reviews"]
    ] == [True]
    told = shown["history"]
    assert sum(h["act"] == "belief_credited" and h["cause"] == "hurt" for h in told) == 2


def test_a_guards_warning_is_a_rule_before_the_agent_too(ctx: Context, rule: str) -> None:
    asked = Check(tool="Bash", tool_input={"command": "pytest -q"}, workspace="api", session="s7")
    assert guarding.check(ctx, "default", asked, "agent")["verdict"] == "warn"
    lived(ctx, [did("s7", "python -m pytest -q", 0, "12 passed")])
    assert counts(ctx, rule)[:2] == (1, 0)
