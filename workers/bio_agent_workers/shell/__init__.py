"""Reading commands: what a tool call did, as canonical acts.

`parse_command` reads a shell line with a real grammar; `act_of` reads any tool call; `parse_pattern` reads a command
quoted in a rule, in which `<name>` stands for any value. None of them raises on any text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import make_act
from bio_agent_workers.shell.canonical import acts_in
from bio_agent_workers.shell.grammar import MAX_COMMANDS
from bio_agent_workers.shell.lines import folder_of, is_shell_tool, line_of
from bio_agent_workers.shell.words import MAX_BYTES, MAX_MADE, Names, beginning, ending

__all__ = ["act_of", "folder_of", "is_shell_tool", "line_of", "parse_command", "parse_pattern", "written_by"]

_VERB_FIELDS = ("action", "verb", "operation", "op", "method", "command", "skill", "intent", "function", "event")
#: Scalars of one call that become operands, and characters of each value that are kept.
_MAX_OPERANDS = 64
_MAX_VALUE = 300
#: Characters of a shell line that are still looked at.
MAX_CHARS = 200_000
#: Characters from which a line is long; lines of a heredoc in it that are read; pieces at its end that are
#: read all the same, and those of them whose expansions are.
_LONG, _BODY_LINES, _LAST, _FEW = 8_000, 40, 100, 3
_ENDS = re.compile(r"[\n;]|&&|\|\|?")
_HEREDOC = re.compile(r"(?<!<)<<-?\s*['\"\\]?([A-Za-z_]\w*)")
#: Stand-ins for the angle brackets of a placeholder, which the shell would read as redirections (private use area).
_OPEN, _CLOSE = "\ue000", "\ue001"


def parse_command(command: str) -> tuple[Act, ...]:
    """All simple commands that a shell line would run, in order, as canonical acts. Never raises.

    Of a long heredoc only the beginning is read; of a line with more characters, marks of the grammar or commands than the limits,
    its beginning and its end: the grammar's time grows with its length.
    """
    return _read(command)[0]


def written_by(command: str) -> tuple[str, ...]:
    """The files that the redirections of a shell line write to (`>`, `>>`, `&>`, `>|`), those of its scripts included;
    descriptors and what keeps nothing left out."""
    return _read(command)[1]


@lru_cache(maxsize=2048)
def _read(command: str) -> tuple[tuple[Act, ...], tuple[str, ...]]:
    """The acts of a line and the files that its redirections write to."""
    line = command[:MAX_CHARS] if len(command) < _LONG else _without_bodies(command[:MAX_CHARS])
    begun = beginning(line)
    names = Names()
    try:
        acts = tuple(acts_in(begun, names=names))
        cut = len(command) > MAX_CHARS or begun != line or len(line.encode("utf-8", "replace")) > MAX_BYTES
        if cut or names.full or names.made >= MAX_MADE or len(acts) >= MAX_COMMANDS:
            names.made = 0
            end = ending(command[-_LONG:])
            # The first piece may be half a command.
            pieces = _ENDS.split(end)[len(command) > len(end) :]
            last = tuple(acts_in("\n".join(pieces[-_LAST:]), names=names))
            if names.made >= MAX_MADE:  # the expansions at the very end were left as written
                names.made = 0
                last += tuple(acts_in("\n".join(pieces[-_FEW:]), names=names))
            last = last[-_LAST:]
            acts = (*acts[: MAX_COMMANDS - len(last)], *last)
        return acts, tuple(names.written)
    except RecursionError:
        return (), ()


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


def act_of(tool: str, tool_input: Any, command: str) -> tuple[Act, ...]:
    """The acts of one tool call.

    A command line (see `lines`; or `command` where there is no structured input) is parsed; any other call is one act: its
    name, the field that says what to do as verb, and every other scalar as a sorted `key=value` operand. () for nothing at
    all.
    """
    line = line_of(tool, tool_input)
    if not line and command and (is_shell_tool(tool) or not isinstance(tool_input, Mapping) or not tool_input):
        line = command
    if line is not None:
        return parse_command(line)
    if not tool:
        return ()
    fields = dict(_scalars(tool_input))
    verb_key = next((key for key in _VERB_FIELDS if isinstance(fields.get(key), str)), "")
    verb = fields.pop(verb_key, "")[:_MAX_VALUE]
    operands = sorted(f"{key}={value[:_MAX_VALUE]}" for key, value in fields.items())[:_MAX_OPERANDS]
    text = " ".join(" ".join((tool, verb, *operands)).split())
    return (make_act(tool, verb, (), operands, text),)


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
