"""Whether the hosts that were connected work with the memory: what `bio-agent doctor` says of them.

Two looks: at what the host has written down (installed.py), and, while the service runs, a
trial in the host's own way (probes.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bio_agent_ops.connect import installed, probes
from bio_agent_ops.connect.hosts import HOOK_HOSTS
from bio_agent_ops.connect.installed import Trouble
from bio_agent_ops.home import Home
from bio_agent_ops.local import Api

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


def check_hosts(home: Home, api: Api | None = None) -> list[Finding]:
    """One finding for each connected host, and one for what the hooks noted last. api: the running service; without it
    nothing is tried, and nothing is written."""
    found = [_finding(home, name, file, api) for name, file in connected(home)]
    by_hand = installed.mini_swe_agent_by_hand()
    if by_hand is not None and not any(one.name == "swe-agent" for one in found):
        found.append(_mini(home, by_hand, api))
    return found + _log(home) if found else []


def _finding(home: Home, name: str, file: Path, api: Api | None) -> Finding:
    try:
        if name in HOOK_HOSTS:
            detail, commands = installed.hooks(home, HOOK_HOSTS[name], file)
            tried = [probes.hook(command, home, api) for command in commands] if api else []
        elif name == "mcp":
            detail, entry = installed.mcp(file)
            tried = [probes.mcp(entry, home)] if api else []
        elif name == "openclaw":
            detail, openclaw = installed.openclaw(home, file)
            tried = [probes.openclaw(openclaw, api)] if api else []
        elif name == "hermes":
            detail, python = installed.hermes(home, file)
            tried = [probes.hermes(python, file, api)] if api else []
        elif name == "swe-agent":
            detail, python = installed.mini_swe_agent(home)
            tried = [probes.mini_swe_agent(python, home, api)] if api else []
        else:
            return Finding(name, None, f"this version knows no host {name}")
    except Trouble as trouble:
        return Finding(name, False, str(trouble), trouble.fix)
    return Finding(name, True, "; ".join([detail, *(tried or ["not tried, for the service does not run"])]))


def _mini(home: Home, python: Path, api: Api | None) -> Finding:
    name = "mini-swe-agent"
    try:
        tried = probes.mini_swe_agent(python, home, api) if api else "not tried, for the service does not run"
    except Trouble as trouble:
        return Finding(name, False, str(trouble), trouble.fix)
    return Finding(name, True, f"the memory's agents are in {python.parent.parent}; {tried}")


def _log(home: Home) -> list[Finding]:
    path = home.logs / "hooks.log"
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    if not lines:
        return []
    return [Finding("hooks' log", None, f"{len(lines)} notes in {path}; the last: {lines[-1][:200]}")]
