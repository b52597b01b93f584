"""A trial of each connected host's way: one session begins as the host would tell it, arrives, and is answered.

What a trial observes is a session's start and end in a workspace of its own, which teaches nothing and is forgotten as
noise. No model is asked and no host's own session is touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bio_agent_ops.connect.installed import OpenClaw, Trouble
from bio_agent_ops.home import Home
from bio_agent_ops.local import Api, CommandError

WORKSPACE = "bio-agent-doctor"
RUN_S = 60.0  # of one trial; a second or less of processor time each
SEEN_S = 20.0  # until what was sent has been read from the stream
_LOOK_AT_SERVICE = "is the service busy? see `bio-agent status`, and run this again"


def hook(command: str, home: Home, api: Api) -> str:
    """The hook of Claude Code or Codex, run as the host runs it. Raises Trouble."""
    session = _session()
    words = shlex.split(command)
    words = words[: words.index("||")] if "||" in words else words
    began = {"hook_event_name": "SessionStart", "source": "startup", "session_id": session, "cwd": f"/{WORKSPACE}"}
    log = home.logs / "hooks.log"
    before = log.stat().st_size if log.exists() else 0
    try:
        code, out, error = _run([*words, "--workspace", WORKSPACE], json.dumps(began))
        if code:
            raise Trouble(f"the hook ends with {code}: {error[-200:]}", f"run it by hand: {shlex.join(words)}")
        if out.strip():
            json.loads(out)
        if log.exists() and log.stat().st_size > before:
            raise Trouble(f"the hook failed: {log.read_text(encoding='utf-8').splitlines()[-1][:200]}", f"see {log}")
        if not _kept(home, session, "block"):
            raise Trouble(
                "the hook got no answer within its time",
                f"is the service slow or at another port? `bio-agent status`; remove {home.run / 'hooks' / 'away'} to ask at once",
            )
    except ValueError as error:
        raise Trouble("the hook's answer is not JSON", f"run it by hand: {shlex.join(words)}") from error
    finally:
        for name in ("block", "turn"):
            with contextlib.suppress(OSError):
                (home.run / "hooks" / f"{session}.{name}").unlink()
    if "--url" in words and words[words.index("--url") + 1] != f"http://127.0.0.1:{api.port}":
        return "tried: it is answered"
    return _arrived(api, session)


def _kept(home: Home, session: str, name: str) -> bool:
    return (home.run / "hooks" / f"{session}.{name}").exists()


def mcp(entry: Mapping[str, Any], home: Home) -> str:
    """The MCP server, started as a client starts it and asked for the rules. Raises Trouble."""
    command = [str(entry["command"]), *map(str, entry.get("args") or [])]
    by_hand = f"run it by hand: {shlex.join(command)}"
    given = entry.get("env")
    environment = {**os.environ, **({str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {})}
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}}
    says = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "rules", "arguments": {"workspace": WORKSPACE}}},
    ]  # fmt: skip
    try:
        server = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise Trouble(f"the server does not start: {error.strerror}", by_hand) from error
    with server:
        limit = threading.Timer(RUN_S, server.kill)
        limit.start()
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            with contextlib.suppress(OSError):
                server.stdin.write("".join(json.dumps(one) + "\n" for one in says))
                server.stdin.flush()
            answer: dict[str, Any] = {}
            for line in server.stdout:
                with contextlib.suppress(ValueError):
                    answer = json.loads(line)
                if answer.get("id") == 2:
                    break
        finally:
            limit.cancel()
            server.kill()
        if answer.get("id") != 2:
            last = (server.stderr.read().strip().splitlines() or ["it says nothing"])[-1]
            raise Trouble(f"the server gives no answer: {last[:200]}", by_hand)
    result = answer.get("result") or {}
    if "error" in answer or result.get("isError"):
        said = str((answer.get("error") or {}).get("message") or (result.get("content") or [{}])[0].get("text"))
        raise Trouble(f"the server answers: {said[:200]}", "put right what it says, and run this again")
    return "tried: it is answered"


def openclaw(found: OpenClaw, api: Api) -> str:
    """OpenClaw's plugin, registered by its own Node with the settings OpenClaw gives it. Raises Trouble."""
    session = _session()
    config = {**found.config, "workspaceId": WORKSPACE}
    program = found.folder / "doctor.js"
    said = _json([found.node, str(program)], json.dumps({"config": config, "session": session}), "the plugin")
    if said.get("error"):
        raise Trouble(f"the plugin gets no answer ({said['error']})", "do apiBaseUrl and apiKey in its settings fit?")
    if said["counts"]["refused"] or said["counts"]["lost"]:
        raise Trouble(f"what the plugin observes is not taken: {'; '.join(said['notes'])[:300]}", _LOOK_AT_SERVICE)
    if found.config.get("capture") is False:
        return "tried: it is answered; `capture` is off, so nothing is observed"
    if found.config.get("apiBaseUrl") not in (None, "", f"http://127.0.0.1:{api.port}") or found.config.get("apiKey"):
        return "tried: it is answered"
    return _arrived(api, session)


_HERMES = """
import importlib.util, json, pathlib, sys
import yaml
place, session, workspace = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
config = yaml.safe_load((place / "config.yaml").read_text(encoding="utf-8")) or {}
out = {"provider": (config.get("memory") or {}).get("provider"),
       "hooks": "bio-agent" in ((config.get("plugins") or {}).get("enabled") or [])}
spec = importlib.util.spec_from_file_location("bio_agent_trial", place / "plugins" / "bio-agent" / "__init__.py")
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
memory = plugin.BioAgent({**plugin.SETTINGS, "workspace": workspace})
memory.initialize(session, platform="cli", agent_context="primary")
out["error"] = json.loads(memory.handle_tool_call("bio_rules", {})).get("error", "")
memory.on_session_end([])
memory.shutdown()
print(json.dumps(out))
"""


def hermes(python: Path, hermes_home: Path, api: Api) -> str:
    """Hermes' plugin, loaded by Hermes' Python as its memory provider. Raises Trouble."""
    session = _session()
    said = _json([str(python), "-c", _HERMES, str(hermes_home), session, WORKSPACE], "", "the plugin")
    if said["provider"] != "bio-agent":
        raise Trouble(
            f"Hermes' memory.provider is {said['provider'] or 'not set'}", "hermes config set memory.provider bio-agent"
        )
    if not said["hooks"]:
        raise Trouble("Hermes does not run the plugin's hooks: nothing is guarded", "hermes plugins enable bio-agent")
    if said["error"]:
        raise Trouble(f"the plugin gets no answer: {said['error']}", _LOOK_AT_SERVICE)
    return _arrived(api, session)


_MINI = """
import contextlib, json, os, sys
with contextlib.suppress(ModuleNotFoundError):
    import bio_agent_memory
from bio_agent_client.hosts.link import Away
from bio_agent_client.hosts.swe_agent import memory_of
memory, error = memory_of(os.environ, os.getcwd()), ""
memory.observe(sys.argv[1], {"kind": "event", "content": "session started", "source": "mini-swe-agent",
                             "metadata": {"event": "session_start", "severity": "debug"}})
try:
    memory.ask("GET", "/api/persona?workspace=" + sys.argv[2])
except Away as away:
    error = str(away)
memory.close()
print(json.dumps({"error": error}))
"""


def mini_swe_agent(python: Path, home: Home, api: Api) -> str:
    """The memory inside mini-swe-agent's environment. Raises Trouble."""
    session = _session()
    environment = {"BIO_AGENT_HOME": str(home.root), "BIO_AGENT_WORKSPACE": WORKSPACE}
    said = _json([str(python), "-c", _MINI, session, WORKSPACE], "", "the memory's agent", environment)
    if said["error"]:
        raise Trouble(f"the memory's agent gets no answer: {said['error']}", _LOOK_AT_SERVICE)
    if "BIO_AGENT_URL" in os.environ or "BIO_AGENT_KEY" in os.environ:
        return "tried: it is answered"
    return _arrived(api, session)


# ----------------------------------------------------------------------------------------------------------------------


def _session() -> str:
    return f"doctor-{secrets.token_hex(8)}"


def _run(command: Sequence[str], given: str, more: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """(exit code, output, error output). Raises Trouble."""
    environment = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"} | dict(more or {})
    try:
        done = subprocess.run(
            command, input=given, env=environment, capture_output=True, text=True, timeout=RUN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Trouble(
            f"`{Path(command[0]).name}` does not run: {type(error).__name__}", "connect the host again"
        ) from error
    return done.returncode, done.stdout, done.stderr.strip()


def _json(command: Sequence[str], given: str, what: str, more: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object a trial prints last. Raises Trouble with what went wrong instead."""
    code, out, error = _run(command, given, more)
    try:
        found = json.loads(out.strip().splitlines()[-1])
        if code == 0 and isinstance(found, dict):
            return found
    except (ValueError, IndexError):
        pass
    last = [line for line in error.splitlines() if line.strip()][-1:] or [f"it ends with {code} and says nothing"]
    raise Trouble(f"{what} does not load: {last[0].strip()[:200]}", "connect the host again, or update it")


def _arrived(api: Api, session: str) -> str:
    """Waits until what was observed in the session is read from the stream. Raises Trouble."""
    if os.environ.get("BIO_AGENT_KEY"):
        return "tried: it is answered; what it observes goes to the tenant of BIO_AGENT_KEY"
    began = time.monotonic()
    while time.monotonic() - began < SEEN_S:
        try:
            if api.call("GET", "/api/episodes", session=session, limit=1, timeout_s=5):
                return "tried: what it observes arrives, and it is answered"
        except CommandError:
            pass
        time.sleep(0.1)
    raise Trouble("it is answered, but what it observes did not arrive", _LOOK_AT_SERVICE)
