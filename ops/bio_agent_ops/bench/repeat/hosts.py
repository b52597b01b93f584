"""Sessions of the scripted agent: in this process, or in a real agent host with a scripted provider on loopback.

The in-process host calls the code of the product's hooks with the payloads of Claude Code, in its order; it has no host
program, so its times say nothing.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bio_agent_client.hosts import hook
from bio_agent_ops.bench.repeat import exact, openclaw, sandbox
from bio_agent_ops.bench.repeat.agent import Agent
from bio_agent_ops.connect import hosts as connecting
from bio_agent_ops.connect.settings_file import Settings
from bio_agent_ops.home import Home
from bio_agent_ops.hosts_trial import drive
from bio_agent_ops.hosts_trial.fake_provider import Asked, Call, Policy, Turn, serving

PROMPT = "Work through the tasks of this project, one after the other."
SESSION_S = 1_800.0
MOST_ASKED = 3_000
ARMS = ("none", "exact", "bio", "bio-hold")
NOT_OFFERED = frozenset(
    {("openclaw", "exact")}
)  # that arm is wired by hooks of the form that Claude Code and Codex take
Payload = Mapping[str, Any]


@dataclass(frozen=True)
class Wiring:
    """What a session runs with. home: the user's; memory: the product's home, None for the arms without it."""

    arm: str
    home: Path
    memory: Path | None
    exact_file: Path

    @property
    def warn(self) -> str:
        return "hold" if self.arm == "bio-hold" else "tell"


class HostError(Exception):
    """A session did not end as it should; the message says how."""


# ------------------------------------------------------------------------------------------------------ in this process


def direct(agent: Agent, project: Path, wiring: Wiring) -> None:
    """One session without a host program."""
    session = str(uuid.uuid4())
    said: list[tuple[str, str]] = [("system", "")]

    def event(name: str, **more: Any) -> dict[str, Any]:
        payload = {"hook_event_name": name, "session_id": session, "cwd": str(project), "transcript_path": "",
                   "permission_mode": "default", **more}  # fmt: skip
        out = _hooked(wiring, project, payload)
        found: dict[str, Any] = out.get("hookSpecificOutput", {})
        return found

    def told(found: Mapping[str, Any]) -> None:
        if found.get("additionalContext"):
            said.append(("system", str(found["additionalContext"])))

    told(event("SessionStart", source="startup"))
    said.append(("user", PROMPT))
    told(event("UserPromptSubmit", prompt=PROMPT, prompt_id=session))
    while (line := agent.step(said)) is not None:
        said.append(("assistant", line))
        call = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": f"call_{uuid.uuid4().hex}"}
        found = event("PreToolUse", **call)
        if found.get("permissionDecision") in ("deny", "ask"):
            said.append(("tool", str(found.get("permissionDecisionReason"))))
            continue
        ran = sandbox.run(line, project, wiring.home)
        said.append(("tool", ran.output))
        told(found)
        if ran.ok:
            told(event("PostToolUse", tool_response={"stdout": ran.output, "stderr": ""}, **call))
        else:
            told(event("PostToolUseFailure", error=f"Exit code {ran.exit_code}\n{ran.output}", **call))
    event("SessionEnd", reason="other")


def _hooked(wiring: Wiring, project: Path, payload: Payload) -> dict[str, Any]:
    """What the arm's memory says of an event, captured as well."""
    if wiring.arm == "exact":
        return exact.answer(wiring.exact_file, "claude-code", payload)
    if wiring.memory is None:
        return {}
    options = hook.Options(["claude-code", "--home", str(wiring.memory), "--warn", wiring.warn])
    one = hook.Event(options, payload, {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CODE_SESSION_ATTENDED": "0"})
    out = one.answer()
    if one.is_captured:
        one.capture()
    return out


# ----------------------------------------------------------------------------------------------------------- real hosts


@dataclass(frozen=True)
class Real:
    """A real host. tool, argument: its shell tool and the argument that takes the command; more: its further arguments."""

    package: drive.Package
    tool: str
    argument: str
    more: Mapping[str, Any]
    installed: Callable[[Path], Path]


REAL = {
    "claude-code": Real(drive.CLAUDE_CODE, "Bash", "command", {}, lambda folder: drive.installed(drive.CLAUDE_CODE, folder)),
    "codex": Real(drive.CODEX, "exec_command", "cmd", {}, lambda folder: drive.installed(drive.CODEX, folder)),
    "openclaw": Real(
        openclaw.PACKAGE, "exec", "command", {"yieldMs": openclaw.YIELDS_AFTER_MS}, openclaw.installed,
    ),
}  # fmt: skip
HOSTS = ("direct", *REAL)
_SETTINGS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}


def real(name: str, program: Path, agent: Agent, project: Path, wiring: Wiring) -> None:
    """One session in a real host. Raises HostError."""
    host = REAL[name]
    trouble: list[Exception] = []
    with serving(_policy(agent, host, trouble), MOST_ASKED) as provider:
        try:
            ran = _run(name, program, provider.url, project, wiring)
        except subprocess.TimeoutExpired as error:
            raise HostError(f"{name} did not end its session within {SESSION_S:.0f} s") from error
    if trouble:
        raise HostError(f"the agent's script broke: {trouble[0]!r}") from trouble[0]
    if ran.exit_code or not agent.ended:
        raise HostError(f"{name} ended with {ran.exit_code} before the tasks did: {ran.output[-600:]}")


def _run(name: str, program: Path, url: str, project: Path, wiring: Wiring) -> drive.Ran:
    if name == "openclaw":
        settings = {"home": str(wiring.memory), "warn": wiring.warn} if wiring.memory is not None else None
        return openclaw.run(
            program, PROMPT, url=url, project=project, home=wiring.home, plugin_settings=settings, seconds=SESSION_S
        )
    _connect(name, wiring)
    run = drive.claude_code if name == "claude-code" else drive.codex
    return run(program, PROMPT, url=url, project=project, home=wiring.home, seconds=SESSION_S)


def _policy(agent: Agent, host: Real, trouble: list[Exception]) -> Policy:
    def policy(asked: Asked) -> Turn:
        if host.tool not in asked.tools or trouble:
            return Turn("Done.")
        try:
            line = agent.step(asked.said)
        except Exception as error:  # on a thread of the provider's: told after the session
            trouble.append(error)
            return Turn("Done.")
        return Turn("Done.") if line is None else Turn(calls=(Call(host.tool, {host.argument: line, **host.more}),))

    return policy


def _connect(name: str, wiring: Wiring) -> None:
    """Put the arm's hooks into the host's settings, the product's as `bio-agent connect` writes them."""
    host = connecting.HOOK_HOSTS[name]
    file = wiring.home / _SETTINGS[name]
    file.parent.mkdir(parents=True, exist_ok=True)
    settings: Settings = {}
    if wiring.arm == "exact":
        client = str(Path(hook.__file__).parents[1])
        words = [sys.executable, "-I", "-S", exact.__file__, str(wiring.exact_file), name, client]
        settings = connecting.with_hooks(settings, host, shlex.join(words))
    elif wiring.memory is not None:
        command = connecting.hook_command(host, connecting.Wiring(Home(wiring.memory), warn=wiring.warn))
        settings = connecting.with_hooks(settings, host, command)
    file.write_text(json.dumps(settings), encoding="utf-8")
