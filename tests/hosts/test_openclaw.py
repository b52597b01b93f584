"""OpenClaw for real, with a scripted model: captured with exit codes, rules before the model, calls told of, asked about
and held back; and while the service is down the host goes on and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from bio_agent_ops.home import Home
from bio_agent_ops.hosts_trial import openclaw
from bio_agent_ops.hosts_trial.drive import NotHere
from bio_agent_ops.hosts_trial.fake_provider import Call, Provider, serving
from bio_agent_ops.local import Api, free_port, service
from tests.hosts.conftest import FOLDER

pytestmark = pytest.mark.hosts

PLUGIN = Path(__file__).parents[2] / "producers" / "openclaw"
FAILS = "python3 tools/report.py"
WORKS = "PYTHONPATH=src python3 tools/report.py"
SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    (made / "tools").mkdir(parents=True)
    (made / "src" / "stockbook").mkdir(parents=True)
    (made / "tools" / "report.py").write_text("import stockbook\nprint(sum(stockbook.ENTRIES))\n")
    (made / "src" / "stockbook" / "__init__.py").write_text("ENTRIES = (12, 40, 7)\n")
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    return made


def session(host: openclaw.OpenClaw, provider: Provider, name: str, said: str, calls: Sequence[str | Call]) -> str:
    """One turn; what the model was shown at its end."""
    provider.policy = openclaw.policy(calls)
    provider.asked.clear()
    ran = host.turn(name, said)
    assert ran.exit_code == 0, ran.output
    turns = [a for a in provider.asked if "exec" in a.tools]
    assert len(turns) == len(calls) + 1, ran.output
    return turns[-1].text


@contextmanager
def gateway(host: openclaw.OpenClaw) -> Iterator[None]:
    """The gateway, started again where it gave up: it grants a part of its start five seconds, too few on a busy machine."""
    with ExitStack() as stack:
        for left in (2, 1, 0):
            try:
                stack.enter_context(host.gateway())
                break
            except NotHere:
                if not left:
                    raise
        yield


def wait(api: Api, enough: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    end = time.monotonic() + 40
    found: list[dict[str, Any]] = []
    while not enough(found) and time.monotonic() < end:
        time.sleep(0.2)
        found = [e for e in api.call("GET", "/api/episodes", limit=1000) if e["workspace"] == "shop"]
    assert enough(found), found
    return found


def commands_of(found: Sequence[dict[str, Any]]) -> list[tuple[str, bool]]:
    return [(e["command"], e["failed"]) for e in found if e["kind"] == "tool"]


def test_from_a_failure_to_a_rule_that_is_told_asked_for_and_held(tmp_path: Path, project: Path) -> None:
    try:
        program = openclaw.installed(FOLDER)
    except NotHere as why:
        pytest.skip(str(why))
    home = Home(tmp_path / "bio")
    with serving(openclaw.policy([])) as provider:
        host = openclaw.OpenClaw(program, tmp_path / "openclaw", openclaw.settings(provider.url, project, free_port()))
        linked = host.command("plugins", "install", "--link", str(PLUGIN), "--force", "--accept-capabilities")
        assert linked.exit_code == 0, linked.output
        given = json.loads(host.settings.read_text())
        assert given["plugins"]["slots"]["memory"] == "bio-agent", "the memory slot is ours"

        def configure(access: bool, **config: Any) -> None:
            given = json.loads(host.settings.read_text())
            entry = given["plugins"]["entries"]["bio-agent"]
            entry["hooks"] = {"allowConversationAccess": access}
            # A busy machine must not make the guard late: within its time is tried in the plugin's own tests.
            entry["config"] = {"home": str(home.root), "guardTimeoutMs": 8000, **config}
            host.settings.write_text(json.dumps(given))

        configure(False)  # no permission: capture, rules, guard and tools need none
        with service(home, free_port()) as api:
            with gateway(host):
                said = "Run the report. From now on never run touch in this repository."
                session(host, provider, "one", said, [FAILS, WORKS, f"echo {SECRET}"])
                found = wait(api, lambda seen: {"event", "assistant"} <= {e["kind"] for e in seen})
                assert commands_of(found)[:2] == [(FAILS, True), (WORKS, False)]
                assert SECRET not in json.dumps(found)
                assert any(e["text"] == "session started" for e in found)
                assert any(e["kind"] == "user" and said in e["text"] for e in found), "in the agent's workspace too"
                assert len({e["session"] for e in found}) == 1
                api.call("POST", "/api/sleep", {})
                rules = [b["content"] for b in api.call("GET", "/api/beliefs", limit=100) if b["state"] == "reinforced"]
                assert any("`PYTHONPATH=src python3 " in rule and "tools/report.py" in rule for rule in rules), rules

                told = session(
                    host, provider, "two", "Run it again.", [FAILS, "touch left-behind", Call("memory_rules", {})]
                )
                opening = next(a for a in provider.asked if "exec" in a.tools)
                assert "<bio-memory-" in opening.said[0][1], "in the system prompt"
                assert "`PYTHONPATH=src python3 " in opening.said[0][1]
                results = [text for role, text in provider.asked[-1].said if role == "tool"]
                assert "ModuleNotFoundError" in results[0], "it ran"
                assert results[0].count("[bio-memory] learned from earlier work") == 1, (
                    "and the warning stands beside it"
                )
                assert "pproval" in results[1], "nobody is there to approve"
                assert not (project / "left-behind").exists()
                assert "for memory_feedback" in results[2]
                assert "<bio-recall-" not in told, "recall needs the permission"
            ended = wait(api, lambda seen: sum("session ended" in e["text"] for e in seen) == 2)
            again = [e for e in ended if e["command"] == FAILS]
            assert len(again) == 2
            assert all("[bio-memory]" not in e["text"] for e in ended), "what was injected is not observed"
            assert not any(e["command"] == "touch left-behind" for e in ended), "it did not happen"

            configure(True, warn="hold")
            with gateway(host):
                held = session(host, provider, "three", "And the report once more.", [FAILS, FAILS])
                first, second = [text for role, text in provider.asked[-1].said if role == "tool"]
                assert "This is said once" in first
                assert "ModuleNotFoundError:" in second, "the second time it is the model's own decision"
                assert "<bio-recall-" in held

        configure(True)
        with gateway(host):
            session(host, provider, "four", "The service is down.", ["ls src"])
        waiting = [line for f in (home.root / "openclaw-spool").glob("*.jsonl") for line in f.read_text().splitlines()]
        assert any(json.loads(line).get("tool_input") == {"command": "ls src"} for line in waiting)
        with service(home, free_port()) as api, gateway(host):
            wait(api, lambda seen: ("ls src", False) in commands_of(seen))
            assert not list((home.root / "openclaw-spool").glob("*.jsonl"))
