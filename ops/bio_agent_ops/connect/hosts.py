"""The hosts that can be connected: where their settings lie, what goes in, how it is known again.

Claude Code and Codex take the same hook, under the same names of events, in the same JSON form.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bio_agent_client.hosts
from bio_agent_ops.connect.settings_file import Settings
from bio_agent_ops.home import Home

HOOK_FILE = Path(bio_agent_client.hosts.__file__).with_name("hook.py")
HOOK_MARK = "bio_agent_client/hosts/hook.py"  # by this an entry of ours is known, whatever Python or home it names
MCP_NAME = "bio-agent"
TIMEOUT_S = 10  # after which the host gives a hook up; it ends itself long before
SESSION_END_TIMEOUT_S = 3  # Codex allows no more

TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


@dataclass(frozen=True, slots=True)
class HookHost:
    """A host with hooks. folder: its settings' folder below the user's home; variable: overrides it; file: in it."""

    name: str
    title: str
    program: str
    folder: str
    variable: str
    file: str
    project_file: str
    events: tuple[str, ...]
    afterwards: str

    def settings(self, project: Path | None) -> Path:
        """The settings file: the user's own, or that of a project."""
        if project is not None:
            return project / self.project_file
        return self.config_folder() / self.file

    def config_folder(self) -> Path:
        chosen = os.environ.get(self.variable)
        return Path(chosen).expanduser() if chosen else Path.home() / self.folder

    def found(self) -> str:
        """Where the host was found, "" when it is not on this machine."""
        program = shutil.which(self.program)
        if program:
            return program
        return str(self.config_folder()) if self.config_folder().is_dir() else ""


CLAUDE_CODE = HookHost(
    name="claude-code", title="Claude Code", program="claude", folder=".claude", variable="CLAUDE_CONFIG_DIR",
    file="settings.json", project_file=".claude/settings.local.json",
    events=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
            "SubagentStop", "SessionEnd"),
    afterwards="It takes effect in the next session of Claude Code; look at it there with /hooks.",
)  # fmt: skip

CODEX = HookHost(
    name="codex", title="Codex", program="codex", folder=".codex", variable="CODEX_HOME", file="hooks.json",
    project_file=".codex/hooks.json",
    events=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"),
    afterwards=(
        "Codex runs a hook only once you have trusted it: start `codex` and choose to trust the hooks it shows (or /hooks"
        " later). Until then it skips them silently; the same after every change to them."
    ),
)  # fmt: skip

HOOK_HOSTS = {host.name: host for host in (CLAUDE_CODE, CODEX)}


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the hook is told. workspace, agent: "" lets it derive them. warn: tell | hold. prompts: owner | untrusted."""

    home: Home
    workspace: str = ""
    agent: str = ""
    url: str = ""
    warn: str = "tell"
    prompts: str = "owner"


def hook_command(host: HookHost, wiring: Wiring) -> str:
    """The shell command of the hook. `|| true`: a Python or package that is gone must never stop a tool (a missing
    script ends with 2, which Claude Code takes as "block")."""
    words = [sys.executable, "-I", "-S", str(HOOK_FILE), host.name, "--home", str(wiring.home.root)]
    for option in ("workspace", "agent", "url"):
        if value := getattr(wiring, option):
            words += [f"--{option}", value]
    if wiring.warn != "tell":
        words += ["--warn", wiring.warn]
    if wiring.prompts != "owner":
        words += ["--prompts", wiring.prompts]
    return shlex.join(words) + " || true"


def is_ours(entry: Any) -> bool:
    """Whether a hook's entry was put there by us."""
    return isinstance(entry, dict) and HOOK_MARK in str(entry.get("command", "")).replace("\\", "/")


def with_hooks(settings: Settings, host: HookHost, command: str) -> Settings:
    """`settings` with our hook under each event of the host, once; everything else as it was."""
    settings = without_hooks(settings) if not _same(settings, host, command) else settings
    if _same(settings, host, command):
        return settings
    hooks = settings.get("hooks")
    hooks = hooks if isinstance(hooks, dict) else {}
    for event in host.events:
        entry = {"type": "command", "command": command, "timeout": _timeout_s(event)}
        group: dict[str, Any] = {"matcher": "*", "hooks": [entry]} if event in TOOL_EVENTS else {"hooks": [entry]}
        groups = hooks.get(event)
        hooks[event] = [*(groups if isinstance(groups, list) else []), group]
    settings["hooks"] = hooks
    return settings


def _timeout_s(event: str) -> int:
    return SESSION_END_TIMEOUT_S if event == "SessionEnd" else TIMEOUT_S


def our_commands(settings: Settings) -> dict[str, list[str]]:
    """event → the commands of our entries under it."""
    found: dict[str, list[str]] = {}
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            for entry in (group.get("hooks") if isinstance(group, dict) else None) or ():
                if is_ours(entry):
                    found.setdefault(event, []).append(str(entry["command"]))
    return found


def _same(settings: Settings, host: HookHost, command: str) -> bool:
    return our_commands(settings) == {event: [command] for event in host.events}


def without_hooks(settings: Settings) -> Settings:
    """`settings` without our entries, and without what is empty only because of that."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, dict) or not our_commands(settings):
        return settings
    for event in list(hooks):
        groups = hooks[event]
        if not isinstance(groups, list):
            continue
        kept = []
        for group in groups:
            entries = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(entries, list) or not any(is_ours(entry) for entry in entries):
                kept.append(group)
            elif others := [entry for entry in entries if not is_ours(entry)]:
                kept.append({**group, "hooks": others})
        if kept:
            hooks[event] = kept
        elif groups:
            del hooks[event]
    if not hooks:
        del settings["hooks"]
    return settings


def has_mcp() -> bool:
    """Whether the package the server needs is installed for the Python that runs this."""
    return importlib.util.find_spec("mcp") is not None


def mcp_entry(wiring: Wiring) -> dict[str, Any]:
    """The server as MCP clients write it down: started by the client, speaking on standard input and output."""
    arguments = ["-m", "bio_agent_ops.cli", "--home", str(wiring.home.root)]
    if wiring.url:
        arguments += ["--port", wiring.url.rpartition(":")[2]]
    arguments.append("mcp")
    for option in ("workspace", "agent"):
        if value := getattr(wiring, option):
            arguments += [f"--{option}", value]
    return {"command": sys.executable, "args": arguments}


def with_mcp(settings: Settings, wiring: Wiring) -> Settings:
    servers = settings.get("mcpServers")
    servers = servers if isinstance(servers, dict) else {}
    servers[MCP_NAME] = mcp_entry(wiring)
    settings["mcpServers"] = servers
    return settings


def without_mcp(settings: Settings) -> Settings:
    servers = settings.get("mcpServers")
    if isinstance(servers, dict) and MCP_NAME in servers:
        del servers[MCP_NAME]
        if not servers:
            del settings["mcpServers"]
    return settings
