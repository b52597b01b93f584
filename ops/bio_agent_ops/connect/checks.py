"""Whether the hosts that were connected still can work with the memory: what `bio-agent doctor` says of them."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from bio_agent_ops.connect.hosts import CODEX, HOOK_HOSTS, MCP_NAME, HookHost, our_commands
from bio_agent_ops.connect.settings_file import load
from bio_agent_ops.home import Home
from bio_agent_ops.local import CommandError

REGISTER = "hosts.json"  # in the home: which settings files were changed, so that doctor knows where to look


@dataclass(frozen=True, slots=True)
class Finding:
    """ok: None where it could not be looked at. fix: what to do, "" when nothing is to be done."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""


def connected(home: Home) -> list[tuple[str, Path]]:
    """(host, settings file) of every connection made from this home, oldest first."""
    try:
        kept = json.loads((home.root / REGISTER).read_text(encoding="utf-8"))
        return [(str(c["host"]), Path(str(c["file"]))) for c in kept]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def register(home: Home, host: str, file: Path, *, gone: bool = False) -> None:
    """Notes that a settings file was connected, or no longer is."""
    kept = [(h, f) for h, f in connected(home) if (h, f) != (host, file)]
    if not gone:
        kept.append((host, file))
    home.create()
    path = home.root / REGISTER
    draft = path.with_name(f".{REGISTER}.new")
    draft.write_text(json.dumps([{"host": h, "file": str(f)} for h, f in kept], indent=1) + "\n", encoding="utf-8")
    draft.chmod(0o600)
    draft.replace(path)


def check_hosts(home: Home) -> list[Finding]:
    """One finding for each connected host, and one for what the hooks noted last. Reads only."""
    found = [_mcp(file) if name == "mcp" else _hooks(home, HOOK_HOSTS[name], file)
             for name, file in connected(home) if name == "mcp" or name in HOOK_HOSTS]  # fmt: skip
    return found + _log(home) if found else []


def _hooks(home: Home, host: HookHost, file: Path) -> Finding:
    again = f"run `bio-agent connect {host.name}` again"
    try:
        settings = load(file)
    except CommandError as error:
        return Finding(host.name, False, str(error), again)
    if settings.get("disableAllHooks") is True:
        return Finding(host.name, False, f"{file} switches all hooks off", "take disableAllHooks out of it")
    commands = our_commands(settings)
    if missing := [event for event in host.events if event not in commands]:
        return Finding(host.name, False, f"{file} lacks the hook for {', '.join(missing)}", again)
    for command in {c for each in commands.values() for c in each}:
        words = shlex.split(command)
        for part in (words[0], words[3]):
            if not Path(part).exists():
                return Finding(host.name, False, f"the hook needs {part}, which is gone", again)
        at = words[words.index("--home") + 1] if "--home" in words else ""
        if at != str(home.root):
            return Finding(host.name, False, f"{file} is connected to another home, {at}", again)
    seen = "; whether you trusted them only Codex knows (/hooks)" if host is CODEX else ""
    return Finding(host.name, True, f"hooks in {file}{seen}")


def _mcp(file: Path) -> Finding:
    again = f"run `bio-agent connect mcp --file {shlex.quote(str(file))}` again"
    try:
        servers = load(file).get("mcpServers")
    except CommandError as error:
        return Finding("mcp", False, str(error), again)
    entry = servers.get(MCP_NAME) if isinstance(servers, dict) else None
    if not isinstance(entry, dict):
        return Finding("mcp", False, f"{file} has no server {MCP_NAME}", again)
    if not Path(str(entry.get("command", ""))).exists():
        return Finding("mcp", False, f"the server needs {entry.get('command')}, which is gone", again)
    return Finding("mcp", True, f"server in {file}")


def _log(home: Home) -> list[Finding]:
    path = home.logs / "hooks.log"
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    if not lines:
        return []
    return [Finding("hooks' log", None, f"{len(lines)} notes in {path}; the last: {lines[-1][:200]}")]
