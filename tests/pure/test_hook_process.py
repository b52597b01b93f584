"""The hook as a process, as a host runs it: in order, without secrets, within its time, and never in the host's way."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bio_agent_client.hosts import link
from bio_agent_ops.connect.hosts import HOOK_FILE
from tests.pure.test_hooks import CLAUDE, CODEX, bash, event


class Service:
    """Stands in for the service on loopback: what it was sent, and what it answers."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, Any]] = []
        self.verdict = {"verdict": "allow", "reason": ""}
        self.version, self.block = "v1", "<bio-memory-x> rules </bio-memory-x>"
        self.delay_s, self.status = 0.0, 200
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"null")
                service.got.append((self.command, self.path, body))
                time.sleep(service.delay_s)
                if self.path.startswith("/api/persona"):
                    status = 304 if self.headers.get("If-None-Match") == f'"{service.version}"' else service.status
                    said: Any = {"version": service.version, "block": service.block, "rules": []}
                elif self.path == "/api/check":
                    status, said = service.status, service.verdict
                else:
                    status, said = service.status, {"accepted": len(body or [])}
                data = b"" if status == 304 else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("ETag", f'"{service.version}"')
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = handle_one

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def observed(self) -> list[dict[str, Any]]:
        return [one for _, path, body in list(self.got) if path == "/api/ingest" for one in body]

    def wait_for(self, number: int) -> list[dict[str, Any]]:
        end = time.monotonic() + 10
        while len(self.observed()) < number and time.monotonic() < end:
            time.sleep(0.02)
        return self.observed()


@pytest.fixture
def service() -> Iterator[Service]:
    one = Service()
    yield one
    one.server.shutdown()
    one.server.server_close()


@pytest.fixture
def home(tmp_path: Path, service: Service) -> Path:
    """A home on which the stand-in runs."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "up.json").write_text(json.dumps({"pid": os.getpid(), "port": service.port}))
    return tmp_path


def hook(home: Path, payload: Any, *options: str, host: str = CLAUDE, **environ: str) -> Any:
    """Runs the hook as a host does; its answer, None for silence. Fails when it does not end with 0."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    command = [sys.executable, "-I", "-S", str(HOOK_FILE), host, "--home", str(home), *options]
    done = subprocess.run(
        command, check=False, input=raw, capture_output=True, timeout=20, env={"PATH": os.environ["PATH"], **environ}
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return json.loads(done.stdout) if done.stdout else None


def spooled(home: Path) -> list[dict[str, Any]]:
    files = sorted((home / "spool").glob("*.jsonl")) if (home / "spool").is_dir() else []
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


def wait_spooled(home: Path, number: int) -> list[dict[str, Any]]:
    end = time.monotonic() + 10
    while len(spooled(home)) < number and time.monotonic() < end:
        time.sleep(0.02)
    return spooled(home)


def test_rules_come_once_and_again_only_when_they_changed(home: Path, service: Service) -> None:
    started = hook(home, event("SessionStart", source="startup"))
    assert started["hookSpecificOutput"] == {"hookEventName": "SessionStart", "additionalContext": service.block}
    assert hook(home, event("UserPromptSubmit", prompt="go", prompt_id="p1")) is None
    assert hook(home, event("SessionStart", source="resume")) is None
    service.version, service.block = "v2", "<bio-memory-y> other </bio-memory-y>"
    changed = hook(home, event("UserPromptSubmit", prompt="go on", prompt_id="p2"))
    assert "other" in changed["hookSpecificOutput"]["additionalContext"]
    assert "replace" in changed["hookSpecificOutput"]["additionalContext"]
    again = hook(home, event("SessionStart", source="compact"))
    assert "other" in again["hookSpecificOutput"]["additionalContext"], "a compacted context has lost its block"
    assert hook(home, event("SessionEnd", reason="other")) is None
    seen = service.wait_for(6)
    assert [one["content"] for one in seen if one["kind"] == "user"] == ["go", "go on"]
    assert seen[-1]["metadata"]["event"] == "session_end"
    assert hook(home, event("SessionStart", source="resume")) is None, "a session that ended may be resumed"
    os.utime(home / "run" / "hooks" / "s-1.block", (0, 0))
    hook(home, event("SessionEnd", reason="other"))
    assert not (home / "run" / "hooks" / "s-1.block").exists(), "what is old goes"


def test_a_failure_is_captured_without_its_secret_and_in_order(home: Path, service: Service) -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    service.verdict = {"verdict": "warn", "reason": "it failed here before"}
    said = hook(
        home, bash("PostToolUseFailure", f"curl -H 'Authorization: Bearer {token}' x", error=f"Exit code 22\n{token}")
    )
    assert "it failed here before" in said["hookSpecificOutput"]["additionalContext"]
    hook(home, bash("PostToolUse", "true", tool_response={"stdout": "", "stderr": ""}) | {"tool_use_id": "toolu_2"})
    seen = service.wait_for(2)
    assert [one["call_id"] for one in seen] == ["toolu_1", "toolu_2"]
    assert (seen[0]["exit_code"], seen[0]["workspace"], seen[0]["agent"]) == (22, "shop", "claude-code")
    assert token not in json.dumps(service.got), "neither in what was observed nor in what the guard was asked"
    asked = next(body for _, path, body in service.got if path == "/api/check")
    assert asked["session"] == "", "asking for a hint is no warning"


def test_prompts_that_are_nobodys_word_are_untrusted(home: Path, service: Service) -> None:
    hook(home, event("UserPromptSubmit", prompt="always push", prompt_id="p1"), "--prompts", "untrusted")
    hook(home, event("UserPromptSubmit", prompt="always push", prompt_id="p2"), BIO_AGENT_PROMPTS="untrusted")
    hook(home, event("UserPromptSubmit", prompt="always push", prompt_id="p3"))
    assert [one.get("provenance", "owner") for one in service.wait_for(3)] == ["untrusted", "untrusted", "owner"]


def test_the_guard_asks_where_somebody_is_and_stops_where_nobody_is(home: Path, service: Service) -> None:
    service.verdict = {"verdict": "needs_approval", "reason": "never force-push"}
    call = bash("PreToolUse", "git push --force", permission_mode="default")

    def decided(payload: dict[str, Any], **more: Any) -> str:
        return str(hook(home, payload, **more)["hookSpecificOutput"]["permissionDecision"])

    assert decided(call) == "ask"
    assert decided(call, CLAUDE_CODE_SESSION_ATTENDED="0") == "deny"
    assert decided({**call, "permission_mode": "bypassPermissions"}) == "deny"
    assert decided(call, host=CODEX) == "deny", "Codex does not know `ask`"
    assert [body["can_ask"] for _, _, body in service.got] == [True, False, False, False]
    service.verdict = {"verdict": "warn", "reason": "it failed"}
    told = hook(home, call)["hookSpecificOutput"]
    assert "permissionDecision" not in told
    held = hook(home, call, "--warn", "hold")["hookSpecificOutput"]
    assert held["permissionDecision"] == "deny"
    assert not service.observed(), "a call that has not run yet is nothing that happened"


def test_while_the_service_is_away_it_is_spooled_and_delivered_first_later(
    home: Path, service: Service, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    secret = "AKIA" + "QX7EZ3MN5PLK2RTV"
    hook(away, event("UserPromptSubmit", prompt=f"use {secret} and aws_secret_access_key = 'abc/DEF+123xyz456QRS789tuv'",
                     prompt_id="p1"))  # fmt: skip
    hook(away, bash("PostToolUse", "ls", tool_response={"stdout": "a", "stderr": ""}))
    kept = wait_spooled(away, 2)
    assert [one["kind"] for one in kept] == ["user", "tool"]
    assert secret not in json.dumps(kept)
    assert "tuv'" not in json.dumps(kept)
    assert all(file.stat().st_mode & 0o077 == 0 for file in (away / "spool").iterdir())
    (away / "run").mkdir(exist_ok=True)
    (away / "run" / "up.json").write_text(json.dumps({"pid": os.getpid(), "port": service.port}))
    hook(away, event("Stop", last_assistant_message="done"))
    assert [one["kind"] for one in service.wait_for(3)] == ["user", "tool", "assistant"]
    assert not spooled(away)


def test_a_service_that_hangs_costs_one_wait_and_then_none(home: Path, service: Service) -> None:
    service.delay_s = 2.5
    assert hook(home, bash("PreToolUse", "ls")) is None
    began = time.monotonic()
    for _ in range(3):
        assert hook(home, bash("PreToolUse", "ls")) is None
    assert time.monotonic() - began < 3 * link.READ_S
    assert len(service.got) == 1


def test_a_delivery_that_takes_long_does_not_silence_the_guard(home: Path, service: Service) -> None:
    service.delay_s, service.verdict = 2.5, {"verdict": "block", "reason": "core"}
    hook(home, bash("PostToolUse", "ls", tool_response={"stdout": "a", "stderr": ""}))
    assert wait_spooled(home, 1)
    service.delay_s = 0.0
    assert hook(home, bash("PreToolUse", "ls"))["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_port_that_a_dead_service_left_is_not_spoken_to(home: Path, service: Service) -> None:
    gone = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    gone.wait()
    (home / "run" / "up.json").write_text(json.dumps({"pid": gone.pid, "port": service.port}))
    assert hook(home, event("SessionStart", source="startup")) is None
    assert wait_spooled(home, 1)
    assert not service.got


@pytest.mark.parametrize("url", ["http://example.com:80", "https://127.0.0.1:1", "http://10.0.0.1:8055", "nonsense"])
def test_only_loopback_is_spoken_to(tmp_path: Path, url: str) -> None:
    with pytest.raises(link.Away):
        link.Link(str(tmp_path), url, "").ask("GET", "/api/health")


@pytest.mark.parametrize(
    "payload",
    [b"", b"{", b"[]", b"null", b'{"hook_event_name": 7, "session_id": [1]}', b"\xff\xfe", b'{"hook_event_name":"PreToolUse"}',
     b'{"hook_event_name":"PostToolUse","tool_input":' + b"[" * 500 + b"]" * 500 + b"}",
     b'{"hook_event_name":"UserPromptSubmit","prompt":"\\ud800\\u0000x","session_id":"../../etc/x","cwd":"/\\u0000"}'],
)  # fmt: skip
def test_whatever_the_host_sends_it_is_not_broken(home: Path, payload: bytes) -> None:
    hook(home, payload)
    assert sorted(p.name for p in home.iterdir()) in (["run"], ["logs", "run"])


def test_an_answer_that_is_none_is_silence(home: Path, service: Service) -> None:
    service.status = 503
    assert hook(home, bash("PreToolUse", "ls")) is None
    assert hook(home, event("SessionStart", source="startup")) is None
    assert wait_spooled(home, 1)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        (home / "run" / "up.json").write_text(json.dumps({"pid": os.getpid(), "port": nobody.getsockname()[1]}))
        assert hook(home, bash("PreToolUse", "ls")) is None


def test_trouble_is_noted_without_what_was_observed(home: Path) -> None:
    hook(home, b'{"hook_event_name":"PostToolUse","secret":"hunter2",')
    assert "hunter2" not in (home / "logs" / "hooks.log").read_text()
    assert "JSONDecodeError" in (home / "logs" / "hooks.log").read_text()


def test_it_loads_nothing_that_is_installed() -> None:
    """-I and -S: neither site-packages nor the user's environment can break or slow it."""
    code = f"""
import sys, runpy
runpy.run_path({str(HOOK_FILE)!r})['_find_package']()
import bio_agent_client.redact, bio_agent_client.spool, bio_agent_client.hosts.link
print([m for m in sys.modules if 'site-packages' in str(getattr(sys.modules[m], '__file__', ''))])
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
