"""Connecting mini-swe-agent: its command line `mini` then runs the memory's agent by default.

Three files change. mini's own settings (`.env` in its configuration folder) name a configuration and tell the memory where
it is; that configuration is a copy of the one `mini` has used so far with the memory's agent in it; and one module beside
mini's package loads that agent from this installation by its place, so that nothing has to be installed there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import bio_agent_client
from bio_agent_client.hosts.by_place import BY_PLACE
from bio_agent_ops.connect.hosts import Wiring
from bio_agent_ops.connect.programs import interpreter
from bio_agent_ops.connect.settings_file import Change, read
from bio_agent_ops.local import CommandError

MODULE = "bio_agent_memory"
CONFIG = "bio-agent.yaml"  # in mini's configuration folder
NAMES_CONFIG = "MSWEA_MINI_CONFIG_PATH"
ASK_S = 60.0  # for mini's Python to say where its things are
PACKAGE = Path(bio_agent_client.__file__).parent

_BEGIN, _END = "# bio-agent: begin, written by `bio-agent connect swe-agent`", "# bio-agent: end"
_BLOCK = re.compile(rf"\n?^{re.escape(_BEGIN)}$.*?^{re.escape(_END)}$\n?", re.M | re.S)
_SET = re.compile(rf"^\s*(?:export\s+)?{NAMES_CONFIG}\s*=\s*(.*?)\s*$", re.M)
_AGENT = re.compile(r"^agent:[ \t]*(?:#.*)?$", re.M)
_CLASS = re.compile(r"^([ \t]+)agent_class:[ \t]*(\S+).*$", re.M)
#: mini's agents, and those of the memory in their place.
AGENTS = {
    "interactive": "MemoryInteractiveAgent", "minisweagent.agents.interactive.InteractiveAgent": "MemoryInteractiveAgent",
    "default": "MemoryAgent", "minisweagent.agents.default.DefaultAgent": "MemoryAgent",
}  # fmt: skip

_MODULE = f'''"""bio-agent's memory for mini-swe-agent. Written by `bio-agent connect swe-agent`."""

{BY_PLACE}
from bio_agent_client.hosts.swe_agent import MemoryAgent, MemoryInteractiveAgent  # noqa: E402, F401
'''
_WHERE = """
import json, minisweagent
print("\\n" + json.dumps([str(minisweagent.global_config_file), str(minisweagent.package_dir)]))
"""


@dataclass(frozen=True, slots=True)
class Mini:
    """An installed mini-swe-agent. settings: its .env; package: the folder of its own package."""

    python: Path
    settings: Path
    package: Path

    @property
    def module(self) -> Path:
        return self.package.parent / f"{MODULE}.py"

    @property
    def config(self) -> Path:
        return self.settings.with_name(CONFIG)


def find() -> Mini | None:
    """The mini-swe-agent whose `mini` is on the PATH, None where there is none. Raises CommandError when it gives no answer."""
    program = shutil.which("mini")
    python = interpreter(Path(program)) if program else None
    if python is None:
        return None
    try:
        done = subprocess.run(
            [str(python), "-c", _WHERE], env={**os.environ, "MSWEA_SILENT_STARTUP": "1"}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=ASK_S, check=False,
        )  # fmt: skip
        if "No module named 'minisweagent'" in done.stderr:
            return None  # another program of that name
        settings, package = map(Path, json.loads(done.stdout.strip().splitlines()[-1]))
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
        raise CommandError(
            f"{python} does not say where mini-swe-agent keeps its settings ({type(error).__name__}); does `mini --help` work?"
        ) from error
    return Mini(python, settings, package)


def changes(mini: Mini, wiring: Wiring, *, undo: bool, environ: Mapping[str, str] = os.environ) -> list[Change]:
    """What connecting or disconnecting changes, file by file, in an order that never leaves `mini` without a file it
    names. Raises CommandError where it cannot be done without losing what the person set."""
    if undo:
        return [*_settings_change(mini, ""), *(_change(path, None) for path in (mini.config, mini.module))]
    if environ.get(NAMES_CONFIG):
        raise CommandError(
            f"{NAMES_CONFIG} is set in your environment and goes before mini's own settings; unset it, or set"
            f" `agent_class: {MODULE}.MemoryInteractiveAgent` in {environ[NAMES_CONFIG]} yourself"
        )
    base = base_config(mini)
    text = read(base)
    if text is None:
        raise CommandError(f"mini's configuration {base} is gone; put it right first, nothing was changed")
    return [
        _change(mini.module, _MODULE.format(package=str(PACKAGE))),
        _change(mini.config, with_memory(text, base)),
        *_settings_change(mini, _block(mini, wiring)),
    ]


def base_config(mini: Mini) -> Path:
    """The configuration that `mini` would use without us: the one its settings name, else its own."""
    found = _SET.findall(_without_block(read(mini.settings) or ""))
    named = found[-1].strip("'\"") if found else ""
    own = mini.package / "config"
    if not named:
        return own / "mini.yaml"
    file = Path(named if named.endswith(".yaml") else f"{named}.yaml")
    return next((at for at in (file, own / file, own / "extra" / file) if at.is_file()), file)


def with_memory(text: str, base: Path) -> str:
    """A configuration of mini-swe-agent with the memory's agent. Raises CommandError where another agent of the person's
    own runs."""
    head = f"# Written by `bio-agent connect swe-agent`: a copy of {base} with the memory's agent.\n"
    chosen = _CLASS.search(text)
    if chosen is not None:
        mine = AGENTS.get(chosen[2].strip("'\""))
        if mine is None:
            raise CommandError(
                f"{base} runs an agent of its own, {chosen[2]}; derive it from {MODULE}.MemoryAgent yourself, nothing was changed"
            )
        return head + text[: chosen.start()] + f"{chosen[1]}agent_class: {MODULE}.{mine}" + text[chosen.end() :]
    line = f"agent_class: {MODULE}.MemoryInteractiveAgent\n"
    under = _AGENT.search(text)
    if under is None:
        return f"{head}agent:\n  {line}" + text
    indented = re.compile(r"\n([ \t]+)[^\s#]").match(text, under.end())
    return head + text[: under.end()] + "\n" + (indented[1] if indented else "  ") + line.rstrip() + text[under.end() :]


def is_connected(mini: Mini) -> bool:
    """Whether `mini` runs the memory's agent: its settings hold our lines and the files they need are there."""
    return _BLOCK.search(read(mini.settings) or "") is not None and mini.config.is_file() and mini.module.is_file()


def home_named(mini: Mini) -> str:
    """The home that mini's settings name, "" for none."""
    found = re.search(r"^BIO_AGENT_HOME='(.*)'$", read(mini.settings) or "", re.M)
    return found[1] if found else ""


def _block(mini: Mini, wiring: Wiring) -> str:
    given = {NAMES_CONFIG: str(mini.config), "BIO_AGENT_HOME": str(wiring.home.root), "BIO_AGENT_URL": wiring.url,
             "BIO_AGENT_WORKSPACE": wiring.workspace, "BIO_AGENT_AGENT": wiring.agent,
             "BIO_AGENT_WARN": wiring.warn if wiring.warn != "tell" else "",
             "BIO_AGENT_PROMPTS": wiring.prompts if wiring.prompts != "untrusted" else ""}  # fmt: skip
    for name, value in given.items():
        if "'" in value or "\n" in value:
            raise CommandError(f"{name} cannot hold {value!r}: mini's settings have no way to write a ' in it")
    lines = [_BEGIN, *(f"{name}='{value}'" for name, value in given.items() if value), _END]
    return "\n".join(lines) + "\n"


def _without_block(text: str) -> str:
    return _BLOCK.sub("", text)


def _settings_change(mini: Mini, block: str) -> list[Change]:
    before = read(mini.settings)
    rest = _without_block(before or "")
    if not block:
        return [Change(mini.settings, before, rest or None if rest != before else before)]
    # One line end before it, which goes with it: what was there comes back to the byte.
    return [Change(mini.settings, before, rest + ("\n" if rest else "") + block)]


def _change(path: Path, after: str | None) -> Change:
    return Change(path, read(path), after)
