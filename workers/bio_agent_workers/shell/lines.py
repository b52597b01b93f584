"""The command line in a tool call, whatever the host calls its tool.

A field holds a command line when its tool is a shell by its name, when it is given as a program and its arguments, or when
what it says reads as one: it begins with a program that is known, or with any name and an option. A known program whose
name is a word as well needs an option or a path beside it: `{"command": "open"}` of a robot is no command line.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import INTERPRETERS, SHELL_READS, word_set
from bio_agent_workers.shell.canonical import WRAPPERS, acts_in
from bio_agent_workers.shell.nested import SHELLS
from bio_agent_workers.shell.python_code import is_python
from bio_agent_workers.shell.tools import PROGRAMS, SPECS

#: Words of a shell's name: those that say it alone, those that do in pairs, and those that may stand beside them.
_SHELL_WORDS = SHELLS | word_set("shell terminal powershell pwsh exec")
_RUN_WORDS, _LINE_WORDS = word_set("run exec execute"), word_set("command commands cmd line cmdline")
_BESIDE = word_set("tool local remote ssh in on the container sandbox host background cli")
_ALONE = word_set("command cmd")
#: Fields that hold a command line, in any tool and in a shell alone.
_FIELDS = (
    "command", "cmd", "commandline", "cmdline", "shellcommand", "bashcommand", "terminalcommand", "commands", "argv", "script",
)  # fmt: skip
_OF_SHELLS = (*_FIELDS, "code", "input", "line")
#: Fields that hold a program and the words behind it, code and its language, and those that hold the fields themselves.
_PROGRAM, _ARGUMENTS = ("program", "executable", "binary", "command", "cmd"), ("args", "arguments", "argv")
_CODE, _LANGUAGE = ("code", "source", "script", "input"), ("language", "lang", "kernel", "runtime", "interpreter")
_INSIDE = ("input", "action", "params", "parameters", "arguments", "args", "kwargs", "options", "payload")
#: Languages by their names: the interpreter that runs them.
_LANGUAGES = {
    **dict.fromkeys(("python", "py", "ipython", "jupyter"), "python"),
    **dict.fromkeys(("node", "nodejs", "javascript", "js", "typescript", "ts"), "node"),
    **{name: name for name in ("ruby", "perl", "php", *SHELLS)},
    **dict.fromkeys(("shell", "powershell", "pwsh"), "bash"),
}  # fmt: skip
#: Words of the name of a tool that types into a running terminal, and the fields that hold what it types.
_TERMINALS = word_set("stdin terminal process pty tmux shell")
_TYPED = ("input", "chars", "keys", "keystrokes", "text", "data")
_CODE_WORDS = word_set("code interpreter repl cell snippet")
#: Known programs whose name is a word as well, which of itself says nothing.
_WORDS = word_set(
    "go make find touch head tail kill cat sort type file last more less who top watch time nice open install service join up",
    "split cut date mount sleep mail screen at look link move history host test stop start halt shutdown reboot poweroff snap",
    "env exec command builtin poetry bundle black helm fly hatch gem parallel then do route ip node free which column stat tree",
    "printf echo strip paste fold expand read set select alias export wait pulumi id nl tr vault consul salt restic just heroku",
)
_KNOWN = (
    {name.split()[0] for name in SPECS} | set(PROGRAMS) | SHELL_READS | INTERPRETERS | SHELLS | set(WRAPPERS)
    | word_set("cd dd wipefs shred rmmod modprobe iptables ip6tables nft ufw sysctl chgrp chattr mkswap useradd userdel usermod")
    | word_set("passwd killall pkill systemd-run dropdb createdb mongosh etcdctl nvm nginx journalctl launchctl diskutil liquibase mkfs")
)  # fmt: skip
_NAME = re.compile(r"[a-z_][\w.+-]*|(?:\.{0,2}|~)/[\w./+@-]+")
_FILE = re.compile(r"(?:\.{1,2}|~|/[\w.-]+)/[\w./+@-]+")
_PATH = re.compile(r"(?:\.{1,2}|~)?/\S|[\w-]+\.[a-z]{1,5}$")
#: Characters of a field that are looked at to tell a command line.
_LOOKED_AT = 4_000


@lru_cache(maxsize=512)
def is_shell_tool(tool: str) -> bool:
    """Whether a tool name, with or without a server prefix, is that of a shell and of nothing else."""
    return any(_names_shell(_words(name)) for name in _names(tool))


def _names_shell(words: frozenset[str]) -> bool:
    if not words or words - _SHELL_WORDS - _RUN_WORDS - _LINE_WORDS - _BESIDE:
        return False
    runs = bool(words & _RUN_WORDS and words & _LINE_WORDS)
    return bool(words & _SHELL_WORDS) or runs or (len(words) == 1 and words <= _ALONE)


def _names(tool: str) -> tuple[str, str]:
    """A tool's name without the prefix of its server, and its last part."""
    name = tool.strip().rsplit("__", 1)[-1]
    return name, name.rsplit(".", 1)[-1]


@lru_cache(maxsize=512)
def _words(name: str) -> frozenset[str]:
    return frozenset(word for word in re.split(r"[^a-z]+", _snake(name)) if word)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def _field(name: str) -> str:
    return re.sub(r"[_-]", "", name).lower()


def _levels(tool_input: Any) -> list[dict[str, Any]]:
    """The fields of an input, and those of the inputs inside it, by their names in lower case without `_`."""
    if isinstance(tool_input, str) and tool_input.lstrip().startswith("{"):
        try:
            tool_input = json.loads(tool_input)
        except (ValueError, RecursionError):
            return []
    if not isinstance(tool_input, Mapping):
        return []
    fields = {_field(str(key)): value for key, value in tool_input.items()}
    inner = [fields[name] for name in _INSIDE if isinstance(fields.get(name), Mapping)]
    return [fields, *({_field(str(key)): value for key, value in one.items()} for one in inner)]


def line_of(tool: str, tool_input: Any) -> str | None:
    """The command line that a call runs, "" where a shell is given none, None for a call of any other kind."""
    shell = is_shell_tool(tool)
    for fields in _levels(tool_input):
        line = _code_line(tool, fields) or _program_line(tool, fields, shell) or _own_line(tool, fields, shell)
        if line:
            typed = fields.get("stdin", fields.get("input"))
            return _fed(line, typed) if isinstance(typed, str) and typed not in line and "\n" not in line else line
    if shell and not isinstance(tool_input, Mapping):
        return _joined(tool_input)
    return "" if shell else None


def _own_line(tool: str, fields: Mapping[str, Any], shell: bool) -> str:
    """The line that a field holds as it is, "" where none does."""
    typed = _TYPED if not _TERMINALS.isdisjoint(_words(_names(tool)[0])) else ()
    for name in (*(_OF_SHELLS if shell else _FIELDS), *typed):
        said = _joined(fields[name]) if name in fields else ""
        if shell and said:
            return said
        if said and is_command_line(_prefixed(tool, said)):
            return _prefixed(tool, said)
    return ""


def _fed(line: str, text: str) -> str:
    """A line with a text for its input."""
    mark = "INPUT"
    while mark in text:
        mark += "_"
    return f"{line} <<'{mark}'\n{text}\n{mark}"


def folder_of(tool_input: Any) -> str:
    """The folder in which a call says that its command is run, "" where it says none."""
    named = ("cwd", "workdir", "workingdirectory", "workingdir", "currentdirectory")
    said = (fields.get(name) for fields in _levels(tool_input) for name in named)
    return next((one for one in said if isinstance(one, str)), "")


def _joined(value: Any) -> str:
    """A line that is given as text, as its words, or as several lines; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(part, str) for part in value):
        return "\n".join(value) if " " in value[0].strip() else shlex.join(value)
    return ""


@lru_cache(maxsize=512)
def _own_program(tool: str) -> str:
    """The program that a tool is called after, "" for any other name."""
    own = _names(tool)[1].lower()
    return own if own in _KNOWN and own not in _WORDS and own not in SHELLS else ""


def _prefixed(tool: str, line: str) -> str:
    """The line of a tool that is called after a program and given what stands behind that (`git {"command": "push -f"}`)."""
    own = _own_program(tool)
    sub = bool(own) and own in SPECS and SPECS[own].subs and " -" in line and not line.lstrip().startswith(own)
    return f"{own} {line}" if sub else line


def _program_line(tool: str, fields: Mapping[str, Any], shell: bool) -> str:
    """The line of a program and its arguments (`{"program": "git", "args": ["push"]}`), "" where none is given so."""
    given = next((fields[name] for name in _ARGUMENTS if isinstance(fields.get(name), (str, list))), "")
    if not given:
        return ""
    behind = given if isinstance(given, str) else " ".join(shlex.quote(part) for part in given if isinstance(part, str))
    named = next((fields[name].strip() for name in _PROGRAM if isinstance(fields.get(name), str)), "") or _own_program(
        tool
    )
    line = f"{named} {behind}"
    return line if named and (shell or is_command_line(line)) else ""


def _code_line(tool: str, fields: Mapping[str, Any]) -> str:
    """The line that runs the code that a call gives to an interpreter, "" for any other call."""
    code = next((fields[name] for name in _CODE if isinstance(fields.get(name), str)), "")
    if not code:
        return ""
    words = _words(_names(tool)[0])
    named = next(
        (name for word in sorted(words) if (name := _LANGUAGES.get(word, "")) not in ("", "bash", *SHELLS)), ""
    )
    alone = not words - set(_LANGUAGES) - _RUN_WORDS - _CODE_WORDS - _BESIDE - _LINE_WORDS
    if not (alone or words & _RUN_WORDS):
        return ""
    said = next((str(fields[name]) for name in _LANGUAGE if isinstance(fields.get(name), str)), "")
    language = _LANGUAGES.get(re.sub(r"[\d.]+$", "", said.strip().lower()), "") or (named if alone else "")
    if not language and alone and words & _CODE_WORDS and is_python(code[:_LOOKED_AT]):
        language = "python"
    if not language or language in SHELLS:
        return code if language else ""
    return _fed(f"{language} -", code)


def is_command_line(text: str) -> bool:
    """Whether a text begins as a command line does."""
    try:
        first = next(islice(acts_in(text[:_LOOKED_AT]), 1), None)
    except RecursionError:
        return False
    return first is not None and _is_command(first)


def _is_command(act: Act) -> bool:
    options = [flag for flag in act.flags if flag.startswith("-")]
    spelled = [flag for flag in act.flags if flag.startswith("@")]
    if act.tool in _KNOWN and act.tool not in _WORDS:
        return True
    if act.tool in _KNOWN or spelled:
        return bool(options or spelled or any(_PATH.match(operand) for operand in act.operands))
    return bool(options and _NAME.fullmatch(act.tool)) or _FILE.fullmatch(act.tool) is not None
