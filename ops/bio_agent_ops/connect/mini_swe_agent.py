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
_SET = re.compile(
    rf"^\s*(?:export\s+)?{NAMES_CONFIG}[ \t]*=[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|(.*?))(?:[ \t]+#.*)?\s*$", re.M
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_OUR_LINE = re.compile(rf"\s*(?:export\s+)?(?:{NAMES_CONFIG}|BIO_AGENT_(?:HOME|URL|WORKSPACE|AGENT|WARN|PROMPTS))\s*=")
#: The key `agent:` with a block of its own, its lines until the next one that is not indented, and the indentation of its keys.
_AGENT = re.compile(r"^agent:[ \t]*(?:#.*)?$(?P<block>(?:\n(?:[ \t#].*)?$)*)", re.M)
_INDENT = re.compile(r"^([ \t]+)[^\s#]", re.M)
_BEFORE_DOCUMENT = re.compile(r"(?:(?:[#%].*|[ \t]*)\n)*---[ \t]*\n")
#: mini's agents, and those of the memory in their place.
AGENTS = {
    "interactive": "MemoryInteractiveAgent", "minisweagent.agents.interactive.InteractiveAgent": "MemoryInteractiveAgent",
    "default": "MemoryAgent", "minisweagent.agents.default.DefaultAgent": "MemoryAgent",
    f"{MODULE}.MemoryInteractiveAgent": "MemoryInteractiveAgent", f"{MODULE}.MemoryAgent": "MemoryAgent",
}  # fmt: skip
_NAMES_OURS = re.compile(rf"^[^#\n]*\b{MODULE}\.Memory(?:Interactive)?Agent\b", re.M)

# What a file that is wholly ours begins with.
_CONFIG_HEAD = "# Written by `bio-agent connect swe-agent`"
_MODULE_HEAD = '"""bio-agent\'s memory for mini-swe-agent. Written by `bio-agent connect swe-agent`."""'
_MODULE = f"""{_MODULE_HEAD}

{BY_PLACE}
from bio_agent_client.hosts.swe_agent import MemoryAgent, MemoryInteractiveAgent  # noqa: E402, F401
"""
# Both are run wherever the person stands: a module that lies there is not what they import.
_WHERE = """
import sys
sys.path[:] = filter(None, sys.path)
import json, minisweagent
print("\\n" + json.dumps([str(minisweagent.global_config_file), str(minisweagent.package_dir)]))
"""
#: Whether `made` is `base` with the memory's agent in it and nothing else, as YAML says.
_SAME = """
import sys
sys.path[:] = filter(None, sys.path)
import json, yaml
given = json.load(sys.stdin)
try:
    base, made = yaml.safe_load(given["base"]) or {}, yaml.safe_load(given["made"])
    agent = base.get("agent") or {}
    ours = given["agents"].get(agent.get("agent_class", "interactive"))
    base["agent"] = {**agent, "agent_class": ours}
    same = ours is not None and made == base
except Exception:  # no YAML, or not of that form
    same = False
print("\\n" + json.dumps(same))
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
        done = _run(python, _WHERE)
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
    base = base_config(mini)
    if os.path.realpath(base) == os.path.realpath(mini.config):
        raise CommandError(
            f"{mini.settings} names {mini.config} in a line outside the memory's own; take that line out first, nothing was changed"
        )
    if undo:
        return [
            *_settings_change(mini, ""),
            _change(mini.config, None, _CONFIG_HEAD),
            _change(mini.module, None, _MODULE_HEAD),
        ]
    if environ.get(NAMES_CONFIG):
        raise CommandError(
            f"{NAMES_CONFIG} is set in your environment and goes before mini's own settings; unset it, or set"
            f" `agent_class: {MODULE}.MemoryInteractiveAgent` in {environ[NAMES_CONFIG]} yourself"
        )
    text = read(base)
    if text is None:
        raise CommandError(f"mini's configuration {base} is gone; put it right first, nothing was changed")
    made = with_memory(text, base)
    if not _same_but_for_agent(mini, text, made):
        raise CommandError(
            f"{base} is written in a way that the memory's agent cannot be put into; write"
            f" `agent_class: {MODULE}.MemoryInteractiveAgent` under `agent:` of {base} yourself, nothing was changed"
        )
    return [
        _change(mini.module, _MODULE.format(package=str(PACKAGE)), _MODULE_HEAD),
        _change(mini.config, made, _CONFIG_HEAD),
        *_settings_change(mini, _block(mini, wiring)),
    ]


def base_config(mini: Mini) -> Path:
    """The configuration that `mini` would use without us: the one its settings name, else its own."""
    found = _SET.findall(_without_block(read(mini.settings) or ""))
    named = "".join(found[-1]) if found else ""
    own = mini.package / "config"
    if not named:
        return own / "mini.yaml"
    file = Path(named if named.endswith(".yaml") else f"{named}.yaml")
    return next((at for at in (file, own / file, own / "extra" / file) if at.is_file()), file)


def with_memory(text: str, base: Path) -> str:
    """A configuration of mini-swe-agent with the memory's agent, made without a YAML parser: `changes` has the result
    checked by mini's own. Raises CommandError where another agent of the person's own runs."""
    head = f"{_CONFIG_HEAD}: a copy of {base} with the memory's agent.\n"
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    line = f"agent_class: {MODULE}.MemoryInteractiveAgent"
    under = _AGENT.search(text)
    if under is None:
        if _NAMES_OURS.search(text):
            return head + text  # set by the person, in a form of theirs
        first = _BEFORE_DOCUMENT.match(text)
        start = first.end() if first else 0
        return f"{head}{text[:start]}agent:\n  {line}\n{text[start:]}"
    indented = _INDENT.search(under["block"])
    indent = indented[1] if indented else "  "
    # Of the keys of `agent:` alone: text of a prompt or of a key below is indented further.
    chosen = re.compile(rf"^{indent}agent_class:[ \t]*(\S+).*$", re.M).search(text, under.start("block"), under.end())
    if chosen is None:
        at = under.start("block")
        return f"{head}{text[:at]}\n{indent}{line}{text[at:]}"
    mine = AGENTS.get(chosen[1].strip("'\""))
    if mine is None:
        raise CommandError(
            f"{base} runs an agent of its own, {chosen[1]}; derive it from {MODULE}.MemoryAgent yourself, nothing was changed"
        )
    return f"{head}{text[: chosen.start()]}{indent}agent_class: {MODULE}.{mine}{text[chosen.end() :]}"


def is_connected(mini: Mini) -> bool:
    """Whether `mini` runs the memory's agent: its settings hold our lines and the files they need are there."""
    text = read(mini.settings) or ""
    return _without_block(text) != text and mini.config.is_file() and mini.module.is_file()


def home_named(mini: Mini) -> str:
    """The home that mini's settings name, "" for none."""
    found = re.search(r"^BIO_AGENT_HOME='(.*)'\s*$", read(mini.settings) or "", re.M)
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
    """mini's settings without our lines. What a person wrote between or behind them keeps a line of its own."""
    lines = _LINE.findall(text)
    marks = [line.strip("\ufeff \t\r\n") for line in lines]
    if _BEGIN not in marks:
        return text
    begin = marks.index(_BEGIN)
    behind = begin + 1
    while behind < len(lines) and marks[behind] not in (_BEGIN, _END):
        behind += 1
    within = [line for line in lines[begin + 1 : behind] if not _OUR_LINE.match(line)]
    if behind < len(lines) and marks[behind] == _END:
        behind += 1
    else:  # its end is lost: only what stands right behind its beginning is ours
        behind = begin + 1
        while behind < len(lines) and _OUR_LINE.match(lines[behind]):
            behind += 1
        within = []
    rest = _without_block("".join((*within, *lines[behind:])))
    before = "".join(lines[:begin])
    bare = re.sub(r"\r?\n\Z", "", before)  # the line end that was put before it
    return (before if bare and rest and not bare.endswith("\n") else bare) + rest


def _settings_change(mini: Mini, block: str) -> list[Change]:
    before = read(mini.settings)
    rest = _without_block(before or "")
    if not block:
        return [Change(mini.settings, before, rest or None if rest != before else before)]
    # One line end before it, which goes with it: what was there comes back to the byte.
    return [Change(mini.settings, before, rest + ("\n" if rest else "") + block)]


def _same_but_for_agent(mini: Mini, base: str, made: str) -> bool:
    """Whether mini's own Python reads `made` as `base` with the memory's agent. Raises CommandError when it gives no answer."""
    agents = {name: f"{MODULE}.{mine}" for name, mine in AGENTS.items()}
    try:
        done = _run(mini.python, _SAME, json.dumps({"base": base, "made": made, "agents": agents}))
        return bool(json.loads(done.stdout.strip().splitlines()[-1]) is True)
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
        raise CommandError(
            f"{mini.python} cannot read mini's configuration ({type(error).__name__}); does `mini --help` work?"
        ) from error


def _run(python: Path, code: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-c", code], env={**os.environ, "MSWEA_SILENT_STARTUP": "1"}, input=given,
        capture_output=True, text=True, timeout=ASK_S, check=False,
    )  # fmt: skip


def _change(path: Path, after: str | None, head: str) -> Change:
    """Of a file that is wholly ours and begins with `head`. Raises CommandError where another one has its name."""
    before = read(path)
    if before is not None and not before.startswith(head):
        raise CommandError(
            f"{path} was not written by `bio-agent connect swe-agent`; move it away first, nothing was changed"
        )
    return Change(path, before, after)
