"""Hosts that are connected through their own program, which knows where its settings lie and in what form: OpenClaw and
Hermes Agent. What is going to be run is shown first; each command is the host's own, as a person would type it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bio_agent_client.hosts
from bio_agent_client.hosts import hermes_install
from bio_agent_ops.connect.hosts import Wiring
from bio_agent_ops.home import Home
from bio_agent_ops.local import CommandError

PLUGIN = "bio-agent"
CHECKOUT = Path(bio_agent_client.hosts.__file__).parents[2]  # its `producers`, where it is one
RUN_S = 300.0  # of one command; OpenClaw loads its whole program for each


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is shown, and the act. runs_host: by the host's own program."""

    shown: str
    act: Callable[[], None]
    runs_host: bool = False


def plugin_source() -> Path:
    """OpenClaw's plugin: in the checkout this program runs from, else in the installed package. Raises CommandError."""
    for folder in (CHECKOUT, Path(__file__).parents[1]):
        if (folder / "openclaw" / "openclaw.plugin.json").exists():
            return folder / "openclaw"
    raise CommandError("the plugin for OpenClaw is not in this installation of bio-agent-os; install it again")


def plugin_folder(home: Home) -> Path:
    """What OpenClaw is given: the checkout's own folder, else a copy in the home. An installer may have made the package's
    files as hard links, which OpenClaw does not load, and the environment they are in may go."""
    source = plugin_source()
    return source if source.parent == CHECKOUT else home.root / "openclaw-plugin"


def same_plugin(folder: Path) -> bool:
    """Whether a plugin's folder holds what this installation has."""
    source = plugin_source()
    try:
        return all((folder / p.relative_to(source)).read_bytes() == p.read_bytes() for p in _files(source))
    except OSError:
        return False


def names_our_plugin(folder: Path) -> bool:
    """Whether a folder holds our plugin, of whatever version."""
    try:
        return bool(json.loads((folder / "openclaw.plugin.json").read_text(encoding="utf-8"))["id"] == PLUGIN)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def openclaws_plugins(program: str, file: Path) -> dict[str, Any]:
    """What OpenClaw's settings say of plugins, as its own program reads them. Raises CommandError."""
    command = [program, "config", "get", "plugins", "--json"]
    try:
        done = subprocess.run(
            command, env={**os.environ, "OPENCLAW_CONFIG_PATH": str(file)}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=RUN_S, check=False,
        )  # fmt: skip
        found = json.loads(done.stdout[done.stdout.index("{") :])
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise CommandError(
            f"`openclaw config get plugins --json` gives no answer ({type(error).__name__}); does it work for you?"
        ) from error
    return found if isinstance(found, dict) else {}


def _copy_plugin(home: Home) -> None:
    source, folder = plugin_source(), plugin_folder(home)
    home.create()
    draft = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    for file in _files(source):
        made = draft / file.relative_to(source)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(file.read_bytes())
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)


def _files(folder: Path) -> list[Path]:
    return [p for p in (*folder.glob("*.js"), *folder.glob("*.json"), *folder.glob("lib/*.js")) if p.is_file()]


def settings_of(host: str) -> Path:
    """Where the host keeps what is changed: OpenClaw's settings file, Hermes' home."""
    if host == "hermes":
        return Path(os.environ.get("HERMES_HOME") or "~/.hermes").expanduser().absolute()
    state = os.environ.get("OPENCLAW_STATE_DIR") or "~/.openclaw"
    return Path(os.environ.get("OPENCLAW_CONFIG_PATH") or Path(state) / "openclaw.json").expanduser().absolute()


def steps(host: str, wiring: Wiring, *, undo: bool) -> list[Step]:
    """What connects (or disconnects) the host, in order. Raises CommandError when its program is not here; undoing then
    does what needs none."""
    program = shutil.which(host)
    if program is None and not undo:
        raise CommandError(f"there is no `{host}` on the PATH; install it first, or see ops/hosts/{host}.md")
    made = {"openclaw": _openclaw, "hermes": _hermes}[host](program or host, wiring, undo)
    return made if program else [step for step in made if not step.runs_host]


def notes(host: str, *, undo: bool) -> list[str]:
    """What a person should know before the host's own program changes its settings."""
    if host != "openclaw" or undo:
        return []
    file = settings_of(host)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return [_PERMISSION]
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror or error}") from error
    except ValueError:  # JSON5
        return [
            f"OpenClaw will write {file} anew as plain JSON: comments in it are lost (a copy stays in {file.name}.bak)",
            _PERMISSION,
        ]
    return [] if _may_recall(found) else [_PERMISSION]


#: What only the operator may allow; everything else works without it.
_PERMISSION = (
    "Memories before a turn need your permission, which this does not give (rules, hints and the guard need none):\n"
    f"  openclaw config set plugins.entries.{PLUGIN}.hooks.allowConversationAccess true"
)


def _may_recall(settings: Any) -> bool:
    """Whether OpenClaw's settings let the plugin put memories before a turn."""
    for name in ("plugins", "entries", PLUGIN, "hooks"):
        settings = settings.get(name) if isinstance(settings, dict) else None
    return isinstance(settings, dict) and settings.get("allowConversationAccess") is True


def interpreter(script: Path) -> Path | None:
    """The Python of an installed command: what its first line names. None for anything else."""
    try:
        with script.open("rb") as file:
            first = file.readline(1024)
            second = file.readline(1024)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    named = first[2:].split()[0] if first[2:].split() else b""
    if named == b"/bin/sh" and second.startswith(b"'''exec' "):  # how installers write a path that is too long
        named = second[len(b"'''exec' ") :].split(b" ")[0].strip(b"\"'")
    path = Path(os.fsdecode(named))
    return path if "python" in path.name and path.exists() else None


def _openclaw(program: str, wiring: Wiring, undo: bool) -> list[Step]:
    folder = plugin_folder(wiring.home)
    copied = folder != plugin_source()
    if undo:
        out = [_run([program, "plugins", "uninstall", PLUGIN, "--keep-files", "--force"])]
        if copied and folder.exists():
            out.append(Step(f"remove {folder}", _refusing(lambda: shutil.rmtree(folder))))
        return out
    plugins = openclaws_plugins(program, settings_of("openclaw"))
    config = dict(((plugins.get("entries") or {}).get(PLUGIN) or {}).get("config") or {})
    values = {
        "home": str(wiring.home.root), "workspaceId": wiring.workspace, "agentName": wiring.agent, "apiBaseUrl": wiring.url,
        "warn": wiring.warn if wiring.warn != "tell" else "", "prompts": wiring.prompts if wiring.prompts != "owner" else "",
    }  # fmt: skip
    kept = {name: value for name, value in config.items() if name not in values}
    given = {**{name: value for name, value in values.items() if value}, **kept}
    commands = [
        [program, "plugins", "install", "--link", str(folder), "--force", "--accept-capabilities"],
        [program, "config", "set", f"plugins.entries.{PLUGIN}.config", json.dumps(given), "--strict-json"],
    ]
    # OpenClaw can neither install nor uninstall a plugin that two of its load paths hold.
    paths = [str(path) for path in (plugins.get("load") or {}).get("paths") or []]
    others = [path for path in paths if Path(path) == folder or not names_our_plugin(Path(path).expanduser())]
    if others != paths:
        commands.insert(0, [program, "config", "set", "plugins.load.paths", json.dumps(others), "--strict-json"])
    first = [Step(f"copy the plugin to {folder}", _refusing(lambda: _copy_plugin(wiring.home)))] if copied else []
    return [*first, *map(_run, commands)]


def _hermes(program: str, wiring: Wiring, undo: bool) -> list[Step]:
    home = settings_of("hermes")
    folder = home / hermes_install.FOLDER
    if undo:
        return [
            _run([program, "plugins", "disable", PLUGIN], may_fail=True),
            _run([program, "config", "set", "memory.provider", ""]),
            Step(f"remove {folder}", _refusing(lambda: hermes_install.remove(home))),
        ]
    settings = {"home": str(wiring.home.root)}
    for name in ("workspace", "agent", "url"):
        if value := getattr(wiring, name):
            settings[name] = value
    settings |= {"warn": wiring.warn} if wiring.warn != "tell" else {}
    settings |= {"prompts": wiring.prompts} if wiring.prompts != "owner" else {}
    return [
        Step(f"write {folder}", _refusing(lambda: hermes_install.write(home, settings))),
        _run([program, "config", "set", "memory.provider", PLUGIN]),
        _run([program, "plugins", "enable", PLUGIN]),
    ]


def _refusing(act: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            act()
        except OSError as error:
            raise CommandError(str(error)) from error

    return run


def _run(command: Sequence[str], *, may_fail: bool = False) -> Step:
    def act() -> None:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CommandError(f"`{shlex.join(command)}` did not run: {type(error).__name__}") from error
        if done.returncode and not may_fail:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
            raise CommandError(f"`{shlex.join(command)}` ended with {done.returncode}:\n  " + "\n  ".join(said))

    return Step(shlex.join(command), act, runs_host=True)
