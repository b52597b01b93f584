"""Hosts that are connected through their own program, which knows where its settings lie and in what form: OpenClaw and
Hermes Agent. What is going to be run is shown first; each command is the host's own, as a person would type it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bio_agent_client.hosts
from bio_agent_client.hosts import hermes_install
from bio_agent_ops.connect.hosts import Wiring
from bio_agent_ops.local import CommandError

PLUGIN = "bio-agent"
RUN_S = 300.0  # of one command; OpenClaw loads its whole program for each
_ENTRY = f"plugins.entries.{PLUGIN}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is shown, and the act. A step that may fail does not stop the others (undoing what is gone)."""

    shown: str
    act: Callable[[], None]
    may_fail: bool = False


def plugin_folder() -> Path:
    """OpenClaw's plugin in the checkout this program runs from. Raises CommandError when it is not there."""
    folder = Path(bio_agent_client.hosts.__file__).parents[2] / "openclaw"
    if not (folder / "openclaw.plugin.json").exists():
        raise CommandError(
            "the plugin for OpenClaw is in producers/openclaw of the repository and not in the installed package; "
            "clone the repository and see ops/hosts/openclaw.md"
        )
    return folder


def steps(host: str, wiring: Wiring, *, undo: bool) -> list[Step]:
    """What connects (or disconnects) the host, in order. Raises CommandError when its program is not here."""
    program = shutil.which(host)
    if program is None:
        raise CommandError(f"there is no `{host}` on the PATH; install it first, or see ops/hosts/{host}.md")
    return {"openclaw": _openclaw, "hermes": _hermes}[host](program, wiring, undo)


def _openclaw(program: str, wiring: Wiring, undo: bool) -> list[Step]:
    if undo:
        return [_run([program, "plugins", "uninstall", PLUGIN, "--keep-files", "--force"])]
    values = {
        "home": str(wiring.home.root), "workspaceId": wiring.workspace, "agentName": wiring.agent, "apiBaseUrl": wiring.url,
        "warn": wiring.warn if wiring.warn != "tell" else "", "prompts": wiring.prompts if wiring.prompts != "owner" else "",
    }  # fmt: skip
    link = [program, "plugins", "install", "--link", str(plugin_folder()), "--force", "--accept-capabilities"]
    sets = [[program, "config", "set", f"{_ENTRY}.config.{name}", value] for name, value in values.items() if value]
    return [_run(command) for command in (link, *sets)]


def _hermes(program: str, wiring: Wiring, undo: bool) -> list[Step]:
    home = Path(os.environ.get("HERMES_HOME") or "~/.hermes").expanduser()
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

    return Step(shlex.join(command), act, may_fail)
