"""mini-swe-agent's agents with the memory, over a stand-in for the package with its control flow."""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RULE = "Do not run `make report` here: it failed (ModuleNotFoundError). `make all` worked."


class InterruptAgentFlow(Exception):
    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = messages


class DefaultAgent:
    """The control flow of mini-swe-agent's DefaultAgent, with a list of commands for a model."""

    def __init__(self, env: Any, commands: list[str]) -> None:
        self.env, self.commands, self.messages = env, commands, []

    def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        self.messages.extend(messages)
        return list(messages)

    def run(self, task: str = "", **_: Any) -> dict[str, Any]:
        self.messages = []
        self.add_messages({"role": "system", "content": "You act."}, {"role": "user", "content": task})
        for command in self.commands:
            self.add_messages({"role": "assistant", "content": f"I run {command}."})
            try:
                self.add_messages({"role": "tool", **self.env.execute({"command": command})})
            except InterruptAgentFlow as flow:
                self.add_messages(*flow.messages)
                break
        return dict(self.messages[-1].get("extra", {}))


class Environment:
    config = types.SimpleNamespace(cwd="/work/shop")

    def __init__(self) -> None:
        self.ran: list[str] = []

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        command = action["command"]
        self.ran.append(command)
        if command == "submit":
            raise InterruptAgentFlow({"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}})
        code = 2 if "report" in command else 0
        return {"output": "ModuleNotFoundError\n" if code else "ok\n", "returncode": code, "exception_info": ""}

    def get_template_vars(self) -> dict[str, Any]:
        return {"system": "here"}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    for name in ("minisweagent", "minisweagent.agents", "minisweagent.agents.default", "minisweagent.agents.interactive",
                 "minisweagent.exceptions"):  # fmt: skip
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["minisweagent.agents.default"].DefaultAgent = DefaultAgent  # type: ignore[attr-defined]
    sys.modules["minisweagent.agents.interactive"].InteractiveAgent = DefaultAgent  # type: ignore[attr-defined]
    sys.modules["minisweagent.exceptions"].InterruptAgentFlow = InterruptAgentFlow  # type: ignore[attr-defined]
    for name in ("URL", "KEY", "WORKSPACE", "WARN", "PROMPTS"):
        monkeypatch.delenv(f"BIO_AGENT_{name}", raising=False)
    monkeypatch.setenv("BIO_AGENT_HOME", str(tmp_path / "bio"))
    yield importlib.import_module("bio_agent_client.hosts.swe_agent")
    sys.modules.pop("bio_agent_client.hosts.swe_agent", None)


def spooled(tmp_path: Path) -> list[dict[str, Any]]:
    files = sorted((tmp_path / "bio" / "spool").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def answering(monkeypatch: pytest.MonkeyPatch, module: Any, verdict: str) -> None:
    said = {"verdict": verdict, "reason": RULE, "rule_id": "b-1"}
    block = {"block": "<bio-memory-0>rules</bio-memory-0>", "rules": [{"id": "b-1", "text": RULE}]}
    monkeypatch.setattr(module.InProcess, "check", lambda *_, **__: said)
    monkeypatch.setattr(module.InProcess, "persona", lambda *_: block)


def test_a_run_is_observed_with_exit_codes_and_its_end(module: Any, tmp_path: Path) -> None:
    env = Environment()
    result = module.MemoryAgent(env, ["make report", "make all", "submit"]).run("Fix it. From now on never push.")
    assert result == {"exit_status": "Submitted"}
    assert env.ran == ["make report", "make all", "submit"]
    seen = spooled(tmp_path)
    tools = [(o["tool_input"]["command"], o["exit_code"]) for o in seen if o["kind"] == "tool"]
    assert tools == [("make report", 2), ("make all", 0), ("submit", 0)]
    (task,) = [o for o in seen if o["kind"] == "user"]
    assert task["provenance"] == "untrusted", "anybody may have written the issue"
    assert seen[-1]["content"] == "exit_status: Submitted"
    assert {o["workspace"] for o in seen} == {"shop"}
    assert len({o["session"] for o in seen}) == 1
    assert len({o["id"] for o in seen}) == len(seen)


def test_what_the_owner_says_is_his_word_only_when_told_so(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIO_AGENT_PROMPTS", "owner")
    module.MemoryInteractiveAgent(Environment(), ["submit"]).run("Never push.")
    assert [o.get("provenance", "owner") for o in spooled(tmp_path) if o["kind"] == "user"] == ["owner"]


def test_rules_stand_in_the_system_prompt_and_warnings_beside_the_result(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, module, "warn")
    agent = module.MemoryAgent(Environment(), ["make report", "submit"])
    agent.run("Go on.")
    assert agent.messages[0]["content"] == "You act.\n\n<bio-memory-0>rules</bio-memory-0>"
    told = next(m for m in agent.messages if m["role"] == "tool")
    assert told["output"].startswith("ModuleNotFoundError\n[bio-memory] Do not run")
    assert told["returncode"] == 2
    assert not any("bio-memory" in o.get("content", "") for o in spooled(tmp_path)), "what was injected is not observed"


@pytest.mark.parametrize(("verdict", "hold"), [("block", ""), ("needs_approval", ""), ("warn", "hold")])
def test_what_is_stopped_does_not_run_and_is_not_observed(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: str, hold: str
) -> None:
    monkeypatch.setenv("BIO_AGENT_WARN", hold)
    answering(monkeypatch, module, verdict)
    env = Environment()
    agent = module.MemoryAgent(env, ["make report"])
    agent.run("Go on.")
    assert env.ran == []
    assert agent.messages[-1]["returncode"] == 126
    assert not [o for o in spooled(tmp_path) if o["kind"] == "tool"]


def test_the_environment_stays_what_it_was_for_everybody_else(module: Any) -> None:
    agent = module.MemoryAgent(Environment(), [])
    agent.run("a")
    agent.run("b")
    assert agent.env.get_template_vars() == {"system": "here"}
    assert isinstance(agent.env._inner, Environment), "wrapped once"
