"""What an ad-hoc run of ansible has its hosts do, as the acts of the commands that do the same."""

from __future__ import annotations

import shlex

from bio_agent_schema.types import Act
from bio_agent_workers import shell
from bio_agent_workers.brain.guarding.act_forms import make_act
from bio_agent_workers.brain.guarding.structured import STATES

_SCRIPTS = frozenset({"command", "shell", "raw", "script"})
_SERVICES = frozenset({"service", "systemd", "systemd_service", "sysvinit"})
_PACKAGES = frozenset({"apt", "yum", "dnf", "package", "pip", "apk", "npm", "gem", "snap", "homebrew"})


def ansible_acts(act: Act) -> list[Act]:
    """`ansible HOSTS -m MODULE -a ARGS`: the command of a module that runs one, else the module as a program whose verb is
    the state that it brings about. [] where the module only looks."""
    flags = dict(flag.partition("=")[::2] for flag in act.flags)
    if "--check" in flags:
        return []
    module, given = flags.get("--module-name", "command").rsplit(".", 1)[-1], flags.get("--args", "")
    if module in _SCRIPTS:
        return list(shell.parse_command(given))
    if module == "reboot":
        return list(shell.parse_command(module))
    try:
        words = shlex.split(given)
    except ValueError:
        words = given.split()
    options = dict(word.partition("=")[::2] for word in words if "=" in word)
    state = options.pop("state", "")
    verb = STATES.get(state, state)
    if not verb or module in ("ping", "setup", "stat", "debug"):
        return []
    tool = "systemctl" if module in _SERVICES else module
    if module in _PACKAGES:
        verb = {"delete": "uninstall", "create": "install"}.get(verb, verb)
    operands = tuple(value for value in options.values() if value)
    return [make_act(tool, verb, (), operands, " ".join((tool, verb, *operands)))]
