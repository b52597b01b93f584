"""Hermes Agent: the plugin's parts as Hermes calls them, and the plugin folder loaded as Hermes loads it. No service runs
unless a test starts one; what is observed then waits on disk, where the tests read it."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from bio_agent_client.hosts import hermes, hermes_install

RULE = "Do not run `make report` here: it failed (ModuleNotFoundError). `make all` worked."
FAILED = json.dumps({"output": "ModuleNotFoundError: no", "exit_code": 2, "error": None})


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.delenv("BIO_AGENT_PROMPTS", raising=False)
    monkeypatch.delenv("HERMES_YOLO_MODE", raising=False)
    return {"home": str(tmp_path / "bio"), "workspace": "shop"}


@pytest.fixture
def service() -> Iterator[Callable[[str], str]]:
    """A service that gives one verdict to every call: verdict → its URL."""
    servers = []

    def start(verdict: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = "block" if verdict == "needs_approval" and body.get("can_ask") is False else verdict
                self._answer({"verdict": said, "rule_id": "b-1", "reason": RULE} if "check" in self.path else {})

            def do_GET(self) -> None:
                self._answer({"block": "<bio-memory-0>rules</bio-memory-0>", "rules": [{"id": "b-1", "text": RULE}]})

            def _answer(self, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def hooks_of(settings: dict[str, str]) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    hermes.register_hooks(found.__setitem__, settings)
    return found


def spooled(settings: dict[str, str]) -> list[dict[str, Any]]:
    hermes.state_of(settings).memory.close()
    files = sorted(Path(settings["home"]).glob("spool/*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_failing_command_is_observed_once_by_hook_and_turn(settings: dict[str, str]) -> None:
    provider = hermes.Provider(settings)
    provider.initialize("s-1", platform="cli", agent_context="primary")
    call = {"id": "call_1", "function": {"name": "terminal", "arguments": '{"command": "make report"}'}}
    hooks_of(settings)["post_tool_call"](
        tool_name="terminal", args={"command": "make report"}, result=FAILED, session_id="s-1", tool_call_id="call_1", duration_ms=40,
    )  # fmt: skip
    messages = [
        {"role": "user", "content": "earlier"}, {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "Never push again."}, {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": FAILED},
        {"role": "assistant", "tool_calls": [{**call, "id": "call_2"}]},
        {"role": "tool", "tool_call_id": "call_2", "content": '{"output": "ok", "exit_code": 0}'},
    ]  # fmt: skip
    provider.sync_turn("Never push again.", "Done.", session_id="s-1", messages=messages)
    provider.on_session_end([])
    seen = spooled(settings)
    tools = [(o["call_id"], o["exit_code"], o["content"]) for o in seen if o["kind"] == "tool"]
    assert tools == [("call_1", 2, "ModuleNotFoundError: no"), ("call_2", 0, "ok")]
    assert [o["kind"] for o in seen] == ["event", "tool", "user", "tool", "assistant", "event"]
    assert {(o["session"], o["workspace"], o["host"]) for o in seen} == {("s-1", "shop", "hermes")}
    assert len({o["id"] for o in seen}) == len(seen)
    assert seen[-1]["metadata"]["event"] == "session_end"


@pytest.mark.parametrize(
    ("platform", "provenance"), [("cli", "owner"), ("telegram", "untrusted"), ("discord", "untrusted")]
)
def test_who_writes_over_a_messaging_platform_is_not_taken_for_the_owner(
    settings: dict[str, str], platform: str, provenance: str
) -> None:
    provider = hermes.Provider(settings)
    provider.initialize("s-1", platform=platform)
    provider.sync_turn("From now on always deploy on Fridays.", "", session_id="s-1", messages=[])
    (said,) = [o for o in spooled(settings) if o["kind"] == "user"]
    assert said.get("provenance", "owner") == provenance


@pytest.mark.parametrize("context", [{"agent_context": "subagent"}, {"platform": "cron"}])
def test_nobody_speaks_in_a_schedule_or_another_agents_turn(settings: dict[str, str], context: dict[str, str]) -> None:
    provider = hermes.Provider(settings)
    provider.initialize("s-1", **context)
    provider.sync_turn("Never push.", "Yes.", session_id="s-1", messages=[])
    assert spooled(settings) == []


def test_the_guards_verdicts_in_hermes_form(
    settings: dict[str, str], service: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(verdict: str, **more: str) -> tuple[Any, dict[str, Callable[..., Any]]]:
        hooks = hooks_of({**settings, "url": service(verdict), **more})
        given = {"tool_name": "terminal", "args": {"command": "make report"}, "session_id": "s", "tool_call_id": "c"}
        return hooks["pre_tool_call"](**given), hooks

    assert ask("allow")[0] is None
    assert ask("block")[0]["action"] == "block"
    assert ask("needs_approval")[0]["action"] == "approve"
    assert "said once" in ask("warn", warn="hold")[0]["message"]
    silent, hooks = ask("warn")
    assert silent is None, "told beside the call instead"
    told = hooks["transform_tool_result"](
        tool_name="terminal", args={}, result=FAILED, session_id="s", tool_call_id="c"
    )
    assert json.loads(told)["bio_memory"].startswith("[bio-memory] Do not run")
    assert hermes.read_result(told) == ("ModuleNotFoundError: no", 2, False), "it is not observed"
    monkeypatch.setenv("HERMES_YOLO_MODE", "1")
    assert ask("needs_approval")[0]["action"] == "block", "with approvals bypassed nobody would be asked"


def test_without_the_service_hermes_goes_on(settings: dict[str, str]) -> None:
    provider, hooks = hermes.Provider(settings), hooks_of(settings)
    provider.initialize("s-1")
    assert provider.system_prompt_block() == ""
    assert provider.prefetch("how?") == ""
    assert hooks["pre_tool_call"](tool_name="terminal", args={"command": "x"}, session_id="s-1") is None
    assert hooks["transform_tool_result"](tool_name="terminal", args={"command": "x"}, result=FAILED) is None
    for schema in provider.get_tool_schemas():
        said = json.loads(
            provider.handle_tool_call(
                schema["name"], {"query": "x", "content": "x", "rule_id": "r", "outcome": "helped"}
            )
        )
        assert "go on without it" in said["error"]


def test_a_stopped_call_did_not_happen(settings: dict[str, str]) -> None:
    hooks_of(settings)["post_tool_call"](
        tool_name="terminal", args={"command": "x"}, result='{"error": "[bio-memory] no"}', session_id="s", tool_call_id="c",
        status="blocked",
    )  # fmt: skip
    assert spooled(settings) == []


def test_results_that_are_no_json_or_no_object_are_read_and_hinted_too() -> None:
    assert hermes.read_result("plain text") == ("plain text", None, False)
    assert hermes.read_result("[1, 2]") == ("[1, 2]", None, False)
    assert hermes.read_result('{"error": "no such file"}') == ("no such file", None, True)
    assert hermes.read_result('{"output": "x", "exit_code": true}')[1] is None
    assert hermes.with_hint("plain", "hint") == "plain\nhint"


def test_the_folder_loads_as_provider_and_as_plugin_and_goes_away_again(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class MemoryProvider:
        pass

    for name in ("agent", "agent.memory_provider"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["agent.memory_provider"].MemoryProvider = MemoryProvider  # type: ignore[attr-defined]
    folder = hermes_install.write(tmp_path / "hermes", settings)
    assert "kind: standalone" in (folder / "plugin.yaml").read_text()
    spec = importlib.util.spec_from_file_location("trial_plugin", folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    provided, hooked = [], []
    context = types.SimpleNamespace(
        register_memory_provider=provided.append, register_hook=lambda n, _: hooked.append(n)
    )
    module.register(context)
    assert isinstance(provided[0], MemoryProvider)
    assert provided[0].name == "bio-agent"
    assert hooked == ["pre_tool_call", "post_tool_call", "transform_tool_result"]
    assert hermes_install.remove(tmp_path / "hermes")
    assert not hermes_install.remove(tmp_path / "hermes")


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, settings: dict[str, str]) -> None:
    other = tmp_path / "plugins" / "bio-agent"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("mine = 1\n")
    for act in (lambda: hermes_install.write(tmp_path, settings), lambda: hermes_install.remove(tmp_path)):
        with pytest.raises(FileExistsError, match="not ours"):
            act()
    assert (other / "__init__.py").read_text() == "mine = 1\n"


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `hermes` that only notes how it was called; the file of its notes."""
    notes = tmp_path / "called"
    program = tmp_path / "bin" / "hermes"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "hermes $*" >> "{notes}"\n[ "$FAILS" = "" ]\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes-home"))
    return notes


def connect(tmp_path: Path, *arguments: str) -> Any:
    from click.testing import CliRunner

    from bio_agent_ops.cli import main

    return CliRunner().invoke(main, ["--home", str(tmp_path / "bio"), "connect", *arguments])


def test_connecting_through_hermes_own_program_and_back(recorded: Path, tmp_path: Path) -> None:
    done = connect(tmp_path, "hermes", "--yes", "--warn", "hold")
    assert done.exit_code == 0, done.output
    folder = tmp_path / "hermes-home" / "plugins" / "bio-agent"
    assert '"warn": "hold"' in (folder / "__init__.py").read_text()
    assert connect(tmp_path, "hermes", "--yes", "--undo").exit_code == 0
    assert not folder.exists()
    assert recorded.read_text().splitlines() == [
        "hermes config set memory.provider bio-agent",
        "hermes plugins enable bio-agent",
        "hermes plugins disable bio-agent",
        "hermes config set memory.provider ",
    ]


def test_nothing_is_done_unasked_and_a_failing_program_is_told(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declined = connect(tmp_path, "hermes")
    assert declined.exit_code != 0
    assert "config set memory.provider bio-agent" in declined.output, "shown first"
    assert not recorded.exists()
    monkeypatch.setenv("FAILS", "yes")
    failed = connect(tmp_path, "hermes", "--yes")
    assert failed.exit_code != 0
    assert "memory.provider bio-agent` ended with 1" in failed.output
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert connect(tmp_path, "hermes", "--yes").exit_code != 0
