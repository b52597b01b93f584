"""Where a command works: a tenant that exists, the service of its own home, and what a reached limit means there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bio_agent_ops import local, quota_words
from bio_agent_ops.commands import common, running
from tests.pure.test_commands import bare, call

__all__ = ["bare"]  # a fixture of each test here


@pytest.mark.parametrize(
    "words",
    [
        ("rules",),
        ("recall", "tea"),
        ("beliefs",),
        ("reviews", "list"),
        ("quotas",),
        ("sleep",),
        ("status",),
        ("doctor",),
    ],
)
def test_to_ask_about_a_tenant_that_does_not_exist_asks_the_service_nothing(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (common, running):
        monkeypatch.setattr(module, "running_api", lambda *_: local.Api(1, "never asked"))
    monkeypatch.setattr(common, "tenants", lambda _: ["default", "shop"])
    done = call("--tenant", "shpo", *words)
    assert done.exit_code == 1
    assert done.output.startswith("bio-agent: there is no tenant 'shpo'; there is default, shop.")


def test_the_service_of_another_home_is_called_that(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise local.Refused(401, {"title": "Not allowed", "detail": "this key is not known"})

    monkeypatch.setattr(local.Api, "call", refuse)
    for module in (common, running):
        monkeypatch.setattr(module, "running_api", lambda *_: local.Api(8055, "token"))
    home = tmp_path / "mine"
    shown = call("--home", home, "status")
    assert shown.exit_code == 0
    assert "the service that answers on port 8055 is another home's" in shown.output
    asked = call("--home", home, "rules")
    assert asked.exit_code == 1
    assert "is another home's" in asked.output
    assert not any("401" in one.output for one in (shown, asked))


def test_what_is_first_written_begins_a_tenant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(common, "running_api", lambda *_: local.Api(1, "no service"))
    monkeypatch.setattr(common, "tenants", lambda _: ["default"])
    trace = tmp_path / "trace.jsonl"
    trace.write_text('{"kind": "user", "content": "tea is at four"}\n')
    for words in (("remember", "tea is at four"), ("replay", trace), ("quotas", "--set", "rules=9")):
        assert "nothing useful answers" in call("--tenant", "new", *words).output


def test_a_reached_limit_says_what_happens_for_its_kind() -> None:
    def said(held_until: str | None = None, **used: int) -> str:
        limits = {n: {"limit": u, "used": u, "standing": "reached"} for n, u in used.items()}
        return quota_words.warning({"limits": limits, "held_until": held_until})

    rules = said(rules=9)
    assert "stays a memory and makes no new rule" in rules
    assert "consolidated" not in rules, "nothing waits"
    assert "no model is asked" in said(tokens_a_day=9)
    assert "consolidated when there is room again" in said("2026-12-01T00:00:00Z", observations_a_day=9)
    both = said("2026-12-01T00:00:00Z", rules=9)
    assert "what comes in is kept" in both
    assert "not before 2026-12-01 00:00 UTC" in both
    assert all("an owner's rules are taken all the same" in one for one in (rules, both, said(tokens_a_month=3)))
    assert said() == ""
