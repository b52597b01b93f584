"""What a connected host has written down of the memory, and whether its parts are still there. Reads only."""

from __future__ import annotations

import contextlib
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bio_agent_client.hosts import hermes_install
from bio_agent_ops.connect import programs
from bio_agent_ops.connect.hosts import CODEX, MCP_NAME, HookHost, our_commands
from bio_agent_ops.connect.mini_swe_agent import Mini, base_config, find, home_named, is_connected, with_memory
from bio_agent_ops.connect.programs import PLUGIN
from bio_agent_ops.connect.settings_file import load, read
from bio_agent_ops.home import Home
from bio_agent_ops.local import CommandError
from bio_agent_workers.brain.counting import counted


class Trouble(Exception):
    """Something is wrong with a connection. fix: what to do."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.fix = fix


def hooks(home: Home, host: HookHost, file: Path) -> tuple[str, list[str]]:
    """(what was found, the hook's commands) of a host with hooks. Raises Trouble."""
    again = f"run `bio-agent connect {host.name}` again"
    settings = _settings(file, again)
    if settings.get("disableAllHooks") is True:
        raise Trouble(f"{file} switches all hooks off", "take disableAllHooks out of it")
    commands = our_commands(settings)
    if missing := [event for event in host.events if event not in commands]:
        raise Trouble(f"{file} lacks the hook for {', '.join(missing)}", again)
    distinct = sorted({c for each in commands.values() for c in each})
    for command in distinct:
        words = shlex.split(command)
        for part in (words[0], words[3]):
            if not Path(part).exists():
                raise Trouble(f"the hook needs {part}, which is gone", again)
        at = words[words.index("--home") + 1] if "--home" in words else ""
        if at != str(home.root):
            raise Trouble(f"{file} is connected to another home, {at}", again)
    trust = "; whether you trusted them only Codex knows (/hooks)" if host is CODEX else ""
    there = "" if shutil.which(host.program) else f"; `{host.program}` is not on this PATH"
    return f"hooks in {file}{trust}{there}", distinct


def mcp(file: Path) -> tuple[str, dict[str, Any]]:
    """(what was found, the server's entry) of an MCP client. Raises Trouble."""
    again = f"run `bio-agent connect mcp --file {shlex.quote(str(file))}` again"
    servers = _settings(file, again).get("mcpServers")
    entry = servers.get(MCP_NAME) if isinstance(servers, dict) else None
    if not isinstance(entry, dict):
        raise Trouble(f"{file} has no server {MCP_NAME}", again)
    if entry.get("disabled") is True:
        raise Trouble(f"{file} switches the server {MCP_NAME} off", "take its `disabled` out")
    if shutil.which(str(entry.get("command", ""))) is None:
        raise Trouble(f"the server needs {entry.get('command')}, which is gone", again)
    return f"server in {file}", entry


@dataclass(frozen=True, slots=True)
class OpenClaw:
    """The plugin as OpenClaw has it: its folder, the settings given to it, and the Node that runs both."""

    folder: Path
    config: dict[str, Any]
    node: str


def openclaw(home: Home, file: Path) -> tuple[str, OpenClaw]:
    """(what was found, the plugin) as OpenClaw's own program says it. Raises Trouble."""
    again = "run `bio-agent connect openclaw` again"
    program = _program("openclaw")
    try:
        plugins = programs.openclaws_plugins(program, file)
    except CommandError as error:
        raise Trouble(str(error), "try it by hand") from error
    entry = (plugins.get("entries") or {}).get(PLUGIN) or {}
    if plugins.get("enabled") is False or entry.get("enabled") is False:
        raise Trouble(
            "OpenClaw has the plugin switched off", f"openclaw config set plugins.entries.{PLUGIN}.enabled true"
        )
    if PLUGIN in (plugins.get("deny") or []) or ("allow" in plugins and PLUGIN not in plugins["allow"]):
        raise Trouble("OpenClaw's plugins.allow or plugins.deny keeps the plugin out", f"let {PLUGIN} in, in {file}")
    if (taken := (plugins.get("slots") or {}).get("memory")) != PLUGIN:
        raise Trouble(f"OpenClaw's memory slot belongs to {taken or 'its own memory'}", again)
    at = str((entry.get("config") or {}).get("home", ""))
    if at != str(home.root):
        raise Trouble(f"the plugin is connected to another home, {at or '~/.bio-agent'}", again)
    for path in (plugins.get("load") or {}).get("paths") or []:
        folder = Path(str(path)).expanduser()
        if programs.names_our_plugin(folder):
            if not programs.same_plugin(folder):
                raise Trouble(f"the plugin in {folder} is not of this version", again)
            return f"plugin in {folder}{_waiting(home, entry)}", OpenClaw(
                folder, dict(entry["config"]), _program("node")
            )
    raise Trouble("the plugin's folder is gone", again)


def _waiting(home: Home, entry: dict[str, Any]) -> str:
    """What waits in the plugin's own spool, which its gateway delivers: it is not the home's."""
    spool = Path(str(entry["config"].get("spoolDir") or home.root / "openclaw-spool")).expanduser()
    count = 0
    for segment in spool.glob("*.jsonl"):
        with contextlib.suppress(OSError):
            count += segment.read_bytes().count(b"\n")
    return f"; {counted(count, 'observation')} waiting in {spool} until OpenClaw runs" if count else ""


def hermes(home: Home, hermes_home: Path) -> tuple[str, Path]:
    """(what was found, Hermes' Python). Whether Hermes uses the plugin its Python is asked by the trial. Raises Trouble."""
    again = "run `bio-agent connect hermes` again"
    folder = hermes_home / hermes_install.FOLDER
    if not hermes_install.is_ours(folder):
        raise Trouble(f"there is no plugin of ours in {folder}", again)
    python = programs.interpreter(Path(_program("hermes")))
    if python is None:
        raise Trouble("cannot tell which Python runs `hermes`", "is it a broken link on the PATH? install Hermes again")
    if (at := str(hermes_install.settings_in(folder).get("home", ""))) != str(home.root):
        raise Trouble(f"{folder} is connected to another home, {at}", again)
    return f"plugin in {folder}", python


def mini_swe_agent(home: Home) -> tuple[str, Path]:
    """(what was found, mini's Python) where `mini` was connected. Raises Trouble."""
    again = "run `bio-agent connect swe-agent` again"
    try:
        mini = mini_swe_agent_found()
        if not is_connected(mini):
            raise Trouble(f"{mini.settings} does not name the memory's agent, or its files are gone", again)
        if (at := home_named(mini)) != str(home.root):
            raise Trouble(f"{mini.settings} is connected to another home, {at}", again)
        base = base_config(mini)
        if with_memory(read(base) or "", base) != read(mini.config):
            raise Trouble(f"{base} has changed since {mini.config.name} was made from it", again)
    except CommandError as error:
        raise Trouble(str(error), again) from error
    return f"`mini` runs the memory's agent by {mini.config}", mini.python


def mini_swe_agent_found() -> Mini:
    """Raises CommandError where there is none."""
    mini = find()
    if mini is None:
        raise CommandError(
            "there is no mini-swe-agent's `mini` on the PATH; install it first (pip install mini-swe-agent)"
        )
    return mini


def mini_swe_agent_by_hand() -> Path | None:
    """The Python of mini-swe-agent where `mini` is on the PATH and the memory's agents were installed beside it by hand."""
    program = shutil.which("mini")
    python = programs.interpreter(Path(program)) if program else None
    if python is None:
        return None
    beside = python.parent.parent
    places = [*beside.glob("lib/python*/site-packages"), *beside.glob("Lib/site-packages")]
    if not any((p / "minisweagent").is_dir() for p in places):
        return None  # another program of that name
    found = [
        *(f for p in places for f in p.glob("bio_agent_client*")),
        *(f for p in places for f in p.glob("bio_agent_os*")),
    ]
    return python if found else None


def _settings(file: Path, again: str) -> dict[str, Any]:
    try:
        return load(file)
    except CommandError as error:
        raise Trouble(str(error), again) from error


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Trouble(f"there is no `{name}` on the PATH any more", "install it, or put it on the PATH of this command")
    return found
