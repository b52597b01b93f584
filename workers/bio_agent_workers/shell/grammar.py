"""From a command line to the simple commands in it, with the tree-sitter grammar of bash.

Words come out with quotes removed, variables and aliases that the same line sets filled in, and redirections left out.
Nothing is ever executed. A line that does not parse gives the commands that could still be recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from bio_agent_workers.shell.words import (
    MAX_BYTES,
    MAX_WORD,
    Names,
    argument,
    raw,
    substitutions,
    tree_of,
    unescape_ansi,
    word_text,
)

#: Simple commands taken from one line, those of nested scripts included.
MAX_COMMANDS = 200
#: Files that a line writes whose text is kept.
_MAX_FILES = 8
#: Words of an alias, and those of a command that prints, that are taken.
_MAX_ALIAS, _MAX_PRINTED = 64, 500
#: Words of a command whose input is looked at: shells and database clients with a few options.
MAX_WORDS_FED = 12

_ARGUMENT_SKIP = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect", "comment"})


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command: `words` (the program first), assignments in front of it, and text fed to its input."""

    words: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    stdin: str = ""


def _body(node: Node, kind: str) -> str:
    """Text of the first heredoc body or here-string under a statement, "" when it has none."""
    for child in node.children:
        if child.type == "heredoc_redirect":
            for part in child.children:
                if part.type == "heredoc_body":
                    return (part.text or b"").decode("utf-8", "replace")
        if child.type == "herestring_redirect" and kind != "heredoc":
            return word_text(child.named_children[-1], Names()) if child.named_children else ""
    return ""


def _stdin(command: Node, names: Names) -> str:
    """Literal text that reaches a command's input: heredoc, here-string, or an echo, printf or cat piped into it."""
    found = _body(command, "any")
    node: Node | None = command
    for _ in range(4):
        parent = node.parent if node is not None else None
        if found or parent is None or node is None:
            return found
        if parent.type in ("redirected_statement", "heredoc_redirect"):
            found = _body(parent, "any") or _read(parent, names)
        elif parent.type == "pipeline":
            before = node.prev_named_sibling
            if before is not None:
                found = _printed(before, names)
        elif parent.type not in ("negated_command",):
            return found
        node = parent
    return found


def _read(node: Node, names: Names) -> str:
    """Text of the file that a statement takes its input from, where the line itself wrote it."""
    files = [c for c in node.children if c.type == "file_redirect" and c.named_children and c.children[0].type == "<"]
    return names.files.get(word_text(files[0].named_children[-1], names).removeprefix("./"), "") if files else ""


def _printed(node: Node, names: Names) -> str:
    if node.type == "redirected_statement":
        return _body(node, "any")
    if node.type != "command":
        return ""
    words = [word_text(c, names) for c in node.named_children[:_MAX_PRINTED] if c.type not in _ARGUMENT_SKIP]
    if words and words[0] in ("echo", "printf"):
        said = [unescape_ansi(w) if words[0] == "printf" else w for w in words[1:]]
        return "\n".join(w for w in said if not w.startswith("-") and w not in ("%s", "%s\n"))
    if words[:1] != ["cat"]:
        return ""
    return _body(node, "any") or "\n".join(
        names.files.get(word.removeprefix("./"), "") for word in words[1 : _MAX_FILES + 1]
    )


def _assignment(node: Node, names: Names) -> tuple[str, str] | None:
    parts = node.named_children
    if not parts or parts[0].type != "variable_name":
        return None
    if len(parts) > 1 and parts[1].type == "array":
        return raw(parts[0]), " ".join(word_text(part, names) for part in parts[1].named_children)[:MAX_WORD]
    return raw(parts[0]), word_text(parts[1], names) if len(parts) > 1 else ""


def _simple(node: Node, names: Names) -> Simple | None:
    env: list[tuple[str, str]] = []
    words: list[str] = []
    for child in node.named_children:
        if child.type == "variable_assignment":
            pair = _assignment(child, names)
            if pair is not None:
                env.append(pair)
        elif child.type not in _ARGUMENT_SKIP:
            words += argument(child, names)
    if not words or not words[0]:
        return None
    if words[0] in names.aliases:
        words[0:1] = names.aliases[words[0]]
    if words[0] == "alias":
        for word in words[1:]:
            name, found, value = word.partition("=")
            first = next(iter(commands(value)), None) if found else None
            if first is not None:
                names.aliases[name] = first.words[:_MAX_ALIAS]
        return None
    return Simple(tuple(words), tuple(env), _stdin(node, names) if len(words) <= MAX_WORDS_FED else "")


def _declared(node: Node, names: Names) -> Simple | None:
    """`export A=b`: remembered for later words, and an act of its own when exported."""
    words = [raw(node.children[0])] if node.children else []
    for child in node.named_children:
        pair = _assignment(child, names) if child.type == "variable_assignment" else None
        if pair is None:
            words.append(word_text(child, names))
        else:
            names.variables[pair[0]] = pair[1]
            words.append(f"{pair[0]}={pair[1]}")
    return Simple(tuple(words)) if words and words[0] == "export" and len(words) > 1 else None


def _note_written(node: Node, names: Names) -> None:
    """Note the text of a file that a statement writes where the line says it: it may run that file afterwards."""
    own = [*node.children, *(c for part in node.children if part.type == "heredoc_redirect" for c in part.children)]
    command = node.child_by_field_name("body")
    if command is None or command.type != "command" or len(names.files) >= _MAX_FILES:
        return
    words = [word_text(child, names) for child in command.named_children if child.type not in _ARGUMENT_SKIP]
    targets = words[1:] if words[:1] == ["tee"] else []
    targets += [word_text(c.named_children[-1], names) for c in own if c.type == "file_redirect" and c.named_children]
    text = _body(node, "any") if words[:1] in (["cat"], ["tee"]) else _printed(command, names)
    names.files |= {target.removeprefix("./"): text[:MAX_BYTES] for target in targets if text}


#: Devices that keep nothing of what is written to them.
_SINK = re.compile(r"/dev/(?:null|zero|full|std(?:in|out|err)|tty\w*|fd|pts|tcp|udp)(?:/|$)")
_WRITES = frozenset({">", ">>", "&>", "&>>", ">|"})


def _note_redirected(node: Node, names: Names) -> None:
    """Note the file that a redirection writes to."""
    if node.type != "file_redirect" or not node.named_children or len(names.written) >= MAX_COMMANDS:
        return
    target = word_text(node.named_children[-1], names)
    if target and not _SINK.match(target) and not _WRITES.isdisjoint(child.type for child in node.children):
        names.written.append(target)


#: Commands that print nothing, so that a file their output goes to is emptied.
_SILENT = frozenset({":", "true", "cat /dev/null", "echo -n", "echo -n ''", 'echo -n ""', "printf ''"})


def _emptied(node: Node, names: Names) -> str | None:
    """The file that a redirection empties (`: > f`, `cat /dev/null > f`, `> f`), None for any other statement."""
    redirects = [child for child in node.children if child.type == "file_redirect"]
    command = " ".join(raw(child) for child in node.children if child.type != "file_redirect")
    if len(redirects) != 1 or (command and command not in _SILENT):
        return None
    if not {">", ">|"} & {child.type for child in redirects[0].children} or not redirects[0].named_children:
        return None
    target = word_text(redirects[0].named_children[-1], names)
    return None if _SINK.match(target) else target


#: Turns of one loop that are followed, and of all loops and functions of one line.
_MAX_TURNS, _MOST_TURNS = 16, 64


def _turns(node: Node, names: Names) -> list[dict[str, str]]:
    """What each turn of a loop gives its variable; [] where the line does not say it."""
    body = node.child_by_field_name("body")
    name = node.child_by_field_name("variable")
    condition = node.child_by_field_name("condition")
    variable, told = "", list[str]()
    if name is not None:
        variable = raw(name)
        values = node.children_by_field_name("value")
        if not any("$(" in raw(value) or "`" in raw(value) for value in values):
            told = [word for value in values for word in argument(value, names)]
    elif condition is not None and condition.type == "command":
        reads = [word_text(child, names) for child in condition.named_children]
        if reads[0] == "read" and len(reads) > 1:
            variable = reads[-1]
            told = [line.strip() for line in _stdin(node, names).split("\n") if line.strip()]
    names.variables.pop(variable, None)
    if body is None or not told:
        return []
    # What does not depend on the variable is the same in each turn.
    used = re.search(rf"\$\{{?{re.escape(variable)}\b", (body.text or b"").decode("utf-8", "replace"))
    most = min(_MAX_TURNS if used else 1, _MOST_TURNS - names.turns)
    names.turns += len(told[:most])
    return [{variable: one} for one in told[:most]]


def _called(simple: Simple, names: Names) -> dict[str, str]:
    """The arguments that a call gives to a function of the line's own, by their numbers."""
    names.called.add(simple.words)
    given = simple.words[1:]
    every = " ".join(given)[:MAX_WORD]
    return {**{str(at): one for at, one in enumerate(given, 1)}, "@": every, "*": every}


def commands(source: str, names: Names | None = None) -> Iterator[Simple]:
    """Simple commands of a line in the order in which they would run; substitutions before what contains them.

    A loop over words of the line is taken turn by turn, a function of its own where it is called.
    """
    names = names if names is not None else Names()
    tree = tree_of(source)
    if tree is None:
        return
    # The stack holds (node, ready): a command is put back as ready behind the substitutions in its arguments. In place
    # of a node it may hold the values of variables from there on.
    stack: list[tuple[Node | dict[str, str], bool]] = [(tree.root_node, False)]
    uncalled: dict[str, Node] = {}
    count = 0
    while (stack or uncalled) and count < MAX_COMMANDS:
        if not stack:  # a function may be called by a later line
            stack.append((uncalled.pop(next(iter(uncalled))), False))
        node, ready = stack.pop()
        if isinstance(node, dict):
            names.variables |= node
            continue
        kind = node.type
        simple: Simple | None = None
        if kind in ("command", "declaration_command"):
            inner = [] if ready else substitutions(node)
            if inner:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(inner))
                continue
            simple = _simple(node, names) if kind == "command" else _declared(node, names)
            for child in node.children:
                _note_redirected(child, names)
        elif kind == "redirected_statement" and (emptied := _emptied(node, names)) is not None:
            simple = Simple(("truncate", "--size=0", emptied))
            names.written.append(emptied)
        elif kind in ("variable_assignment", "variable_assignments"):
            for item in [node] if kind == "variable_assignment" else node.named_children:
                pair = _assignment(item, names)
                if pair is not None and "$(" not in pair[1] and "`" not in pair[1]:
                    names.variables[pair[0]] = pair[1]
            stack.extend((child, False) for child in reversed(substitutions(node)))
        elif kind in ("for_statement", "while_statement") and (turns := _turns(node, names)):
            body = node.child_by_field_name("body")
            for turn in reversed(turns):
                stack += [*([(body, False)] if body is not None else ()), (turn, True)]
        elif kind == "function_definition" and len(node.named_children) > 1:
            names.functions[raw(node.named_children[0])] = uncalled[raw(node.named_children[0])] = node.named_children[
                -1
            ]
        else:
            if kind == "redirected_statement":
                _note_written(node, names)
            _note_redirected(node, names)
            stack.extend((child, False) for child in reversed(node.named_children))
        if simple is not None and simple.words[0] in names.functions:
            uncalled.pop(simple.words[0], None)
            if simple.words not in names.called and len(names.called) < _MOST_TURNS:
                stack += [(names.functions[simple.words[0]], False), (_called(simple, names), True)]
        elif simple is not None:
            count += 1
            yield simple
    names.full = names.full or bool(stack)
