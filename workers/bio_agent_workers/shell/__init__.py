"""Reading commands: what a tool call did, as canonical acts.

`parse_command` reads a shell line with a real grammar; `act_of` reads any tool call; `parse_pattern` reads a command
quoted in a rule, in which `<name>` stands for any value. None of them raises on any text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import make_act, word_set
from bio_agent_workers.shell.canonical import acts_in
from bio_agent_workers.shell.grammar import MAX_BYTES, MAX_COMMANDS

__all__ = ["act_of", "is_shell_tool", "parse_command", "parse_pattern"]

#: Names under which agent hosts offer a shell.
SHELL_TOOLS = word_set(
    "bash shell sh zsh terminal exec exec_command run_command run_shell run_shell_command "
    "run_terminal_cmd execute_command "
    "run_in_terminal local_shell container.exec powershell command run_bash bash_tool"
)
_COMMAND_FIELDS = ("command", "cmd", "script", "code", "input")
_VERB_FIELDS = ("action", "verb", "operation", "op", "method", "command", "skill", "intent", "function", "event")
#: Scalars of one call that become operands, and characters of each value that are kept.
_MAX_OPERANDS = 64
_MAX_VALUE = 300
#: Characters of a shell line, and operators in it, that are still read.
MAX_CHARS = 200_000
MAX_OPERATORS = 2_000
#: Characters from which a line is long; lines of a heredoc in it that are read; pieces at its end that are read all the same.
_LONG, _BODY_LINES, _LAST = 8_000, 40, 50
_HEREDOC = re.compile(r"(?<!<)<<-?\s*['\"\\]?([A-Za-z_]\w*)")
#: Stand-ins for the angle brackets of a placeholder, which the shell would read as redirections (private use area).
_OPEN, _CLOSE = "\ue000", "\ue001"


@lru_cache(maxsize=2048)
def parse_command(command: str) -> tuple[Act, ...]:
    """All simple commands that a shell line would run, in order, as canonical acts. Never raises.

    Of a long heredoc only the beginning is read, of a line with more than MAX_COMMANDS commands the first of them and the
    last. A line beyond the limits is read as nothing: it is data or an attack, and the grammar's time grows with its length.
    """
    if len(command) > MAX_CHARS:
        return ()
    line = command if len(command) < _LONG else _without_bodies(command)
    if sum(map(line.count, "|;&")) > MAX_OPERATORS:
        return ()
    try:
        acts = tuple(acts_in(line))
        if len(acts) >= MAX_COMMANDS or len(line.encode("utf-8", "replace")) > MAX_BYTES:
            pieces = re.split(r"[\n;]", line[-_LONG:])[1:]  # the first may be half a command
            acts = (*acts, *acts_in("\n".join(pieces[-_LAST:])))
        return acts
    except RecursionError:
        return ()


def _without_bodies(command: str) -> str:
    """The line with what a long heredoc holds cut to its beginning: a file that is written, mostly, and no commands."""
    out: list[str] = []
    end, kept = "", 0
    for line in command.split("\n"):
        if end:
            kept += 1
            if line.strip() == end:
                end = ""
            elif kept > _BODY_LINES:
                continue
        elif opened := _HEREDOC.search(line):
            end, kept = opened[1], 0
        out.append(line)
    return command if end else "\n".join(out)  # never closed: it was none


@lru_cache(maxsize=2048)
def parse_pattern(command: str) -> tuple[Act, ...]:
    """Like parse_command for a command out of a rule: `tar -xzf <archive>` keeps `<archive>` as a placeholder."""
    return tuple(_restored(act) for act in parse_command(_guarded(command)))


def _guarded(command: str) -> str:
    out: list[str] = []
    rest = command
    while True:
        before, found, after = rest.partition("<")
        name, closed, tail = after.partition(">")
        out.append(before)
        if not found:
            return "".join(out)
        if closed and name and all(c.isalnum() or c in "_- /|." for c in name) and name.strip() == name:
            out.append(f"{_OPEN}{name.replace(' ', '_')}{_CLOSE}")
            rest = tail
        else:
            out.append(found)
            rest = after


def _open(text: str) -> str:
    return text.replace(_OPEN, "<").replace(_CLOSE, ">")


def _restored(act: Act) -> Act:
    return make_act(
        _open(act.tool),
        _open(act.verb),
        tuple(_open(flag) for flag in act.flags),
        tuple(_open(operand) for operand in act.operands),
        _open(act.text),
    )


def is_shell_tool(tool: str) -> bool:
    """Whether a tool name, with or without a server prefix, is a shell."""
    name = tool.strip().lower()
    return name in SHELL_TOOLS or name.rsplit("__", 1)[-1].rsplit(".", 1)[-1] in SHELL_TOOLS


def act_of(tool: str, tool_input: Any, command: str) -> tuple[Act, ...]:
    """The acts of one tool call.

    A shell (or any call with `command` set and no structured input) is parsed; another tool is one act: its name, the
    field that says what to do as verb, and every other scalar as a sorted `key=value` operand. () for nothing at all.
    """
    if command and (is_shell_tool(tool) or not isinstance(tool_input, Mapping) or not tool_input):
        return parse_command(command)
    if is_shell_tool(tool):
        return parse_command(_shell_line(tool_input))
    if not tool:
        return ()
    fields = dict(_scalars(tool_input))
    verb_key = next((key for key in _VERB_FIELDS if isinstance(fields.get(key), str)), "")
    verb = fields.pop(verb_key, "")[:_MAX_VALUE]
    operands = sorted(f"{key}={value[:_MAX_VALUE]}" for key, value in fields.items())[:_MAX_OPERANDS]
    text = " ".join(" ".join((tool, verb, *operands)).split())
    return (make_act(tool, verb, (), operands, text),)


def _shell_line(tool_input: Any) -> str:
    if isinstance(tool_input, str):
        return tool_input
    if isinstance(tool_input, Mapping):
        for name in _COMMAND_FIELDS:
            value = tool_input.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
                return _joined(value)
    if isinstance(tool_input, list) and tool_input and all(isinstance(part, str) for part in tool_input):
        return _joined(tool_input)
    return ""


def _joined(argv: list[str]) -> str:
    return shlex.join(argv)


def _scalars(value: Any, prefix: str = "", depth: int = 0) -> list[tuple[str, str]]:
    """Scalars of nested input as dotted keys; text, numbers and flags only, three levels deep."""
    out: list[tuple[str, str]] = []
    if isinstance(value, Mapping) and depth < 3:
        for key, item in list(value.items())[:_MAX_OPERANDS]:
            out += _scalars(item, f"{prefix}.{key}" if prefix else str(key), depth + 1)
    elif isinstance(value, bool):
        out.append((prefix or "value", "true" if value else "false"))
    elif isinstance(value, (str, int, float)):
        out.append((prefix or "value", " ".join(str(value).split())))
    elif isinstance(value, (list, tuple)) and depth < 3:
        for index, item in enumerate(value[:8]):
            out += _scalars(item, f"{prefix}.{index}" if prefix else str(index), depth + 1)
    return out
