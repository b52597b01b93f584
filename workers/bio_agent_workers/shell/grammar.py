"""From a command line to the simple commands in it, with the tree-sitter grammar of bash.

Words come out with quotes removed, variables and aliases that the same line sets filled in, and redirections left out.
Nothing is ever executed. A line that does not parse gives the commands that could still be recognised.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

#: Bytes of one command line that are read; what follows is ignored. Heredocs with data are the usual reason for length.
MAX_BYTES = 64 * 1024
#: Simple commands taken from one line, those of nested scripts included.
MAX_COMMANDS = 200
#: Bytes of one word that are kept.
MAX_WORD = 2000
#: Levels of nodes inside one word (a string in an expansion in a string …) that are read.
_MAX_WORD_DEPTH = 12

#: Words of a command whose input is looked at: shells and database clients with a few options.
MAX_WORDS_FED = 12

#: The grammar's scanner looks characters up in a table of the C library without a bound; far ones end the process.
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

_LANGUAGE = Language(tree_sitter_bash.language())
_LOCAL = threading.local()
_ARGUMENT_SKIP = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect", "comment"})
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "", "b": "", "e": "", "0": ""}


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command: `words` (the program first), assignments in front of it, and text fed to its input."""

    words: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    stdin: str = ""


@dataclass(slots=True)
class Names:
    """What the line itself has defined so far."""

    variables: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)


def _parser() -> Parser:
    parser = getattr(_LOCAL, "parser", None)
    if parser is None:
        parser = _LOCAL.parser = Parser(_LANGUAGE)
    assert isinstance(parser, Parser)
    return parser


def tree_of(source: str) -> Tree | None:
    """The syntax tree of a line, far characters replaced."""
    data = _ASTRAL.sub("\ufffd", source).encode("utf-8", "replace")[:MAX_BYTES].replace(b"\0", b" ")
    return _parser().parse(data)


def _raw(node: Node) -> str:
    return (node.text or b"")[:MAX_WORD].decode("utf-8", "replace")


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out: list[str] = []
    chars = iter(text)
    for char in chars:
        if char == "\\":
            following = next(chars, "")
            out.append("" if following == "\n" else following)
        else:
            out.append(char)
    return "".join(out)


def _unescape_ansi(text: str) -> str:
    out: list[str] = []
    chars = iter(text)
    for char in chars:
        out.append(_ANSI.get(following, following) if char == "\\" and (following := next(chars, "")) else char)
    return "".join(out)


def _variable(node: Node, names: Names) -> str:
    name = next((_raw(c) for c in node.named_children if c.type == "variable_name"), "")
    return names.variables.get(name, _raw(node))


def word_text(node: Node, names: Names, depth: int = 0) -> str:
    """The text of one argument as the program would get it; unknown expansions stay as written."""
    kind = node.type
    if kind in ("word", "number", "string_content", "heredoc_content", "extglob_pattern"):
        text = _raw(node)
        return _unescape(text) if kind == "word" or "\\" in text else text
    if kind == "raw_string":
        return _raw(node).strip("'") if node.child_count == 0 else _raw(node)
    if kind == "ansi_c_string":
        return _unescape_ansi(_raw(node)[2:-1])
    if kind == "simple_expansion" or (kind == "expansion" and node.named_child_count == 1):
        return _variable(node, names)
    if kind in ("command_name", "string", "concatenation", "translated_string") and depth < _MAX_WORD_DEPTH:
        return _joined(node, names, depth)
    return " ".join(_raw(node).split())


def _joined(node: Node, names: Names, depth: int) -> str:
    """Children of a composed word, with the characters between them that the grammar does not name (blanks, braces)."""
    source = node.text or b""
    base = node.start_byte
    quoted = node.type in ("string", "translated_string")
    at, end = node.start_byte, node.end_byte
    parts: list[str] = []
    for child in node.children:
        if child.start_byte > at:
            parts.append(source[at - base : child.start_byte - base].decode("utf-8", "replace"))
        if not (quoted and child.type in ('"', "$")):
            parts.append(word_text(child, names, depth + 1))
        at = child.end_byte
    if end > at:
        parts.append(source[at - base : end - base].decode("utf-8", "replace"))
    return "".join(parts)[:MAX_WORD]


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
            found = _body(parent, "any")
        elif parent.type == "pipeline":
            before = [c for c in parent.named_children if c.end_byte <= node.start_byte]
            if before:
                found = _printed(before[-1], names)
        elif parent.type not in ("negated_command",):
            return found
        node = parent
    return found


def _printed(node: Node, names: Names) -> str:
    if node.type == "redirected_statement":
        return _body(node, "any")
    if node.type != "command":
        return ""
    words = [word_text(c, names) for c in node.named_children if c.type not in _ARGUMENT_SKIP]
    if words and words[0] in ("echo", "printf"):
        return "\n".join(w for w in words[1:] if not w.startswith("-") and w not in ("%s", "%s\\n", "%s\n"))
    return _body(node, "any") if words and words[0] == "cat" else ""


def substitutions(node: Node) -> list[Node]:
    """The command and process substitutions inside a node, outermost only, in order."""
    out: list[Node] = []
    stack = list(reversed(node.children))
    while stack:
        current = stack.pop()
        if current.type in ("command_substitution", "process_substitution"):
            out.append(current)
        elif current.type != "heredoc_body" and current.child_count:
            stack.extend(reversed(current.children))
    return out


def _assignment(node: Node, names: Names) -> tuple[str, str] | None:
    parts = node.named_children
    if not parts or parts[0].type != "variable_name":
        return None
    return _raw(parts[0]), word_text(parts[1], names) if len(parts) > 1 else ""


#: Words that one word with braces may become.
_MAX_BRACES = 64
_BRACES = re.compile(r"(?<!\$)\{([^{}\s]*,[^{}\s]*|(-?\d+)\.\.(-?\d+))\}")


def _braces(word: str) -> list[str]:
    """The words that the shell makes of a word with braces: `a/{b,c}` → a/b a/c, `web{1..3}` → web1 web2 web3."""
    out = [word]
    while len(out) <= _MAX_BRACES and (found := _BRACES.search(out[0])) is not None:
        low, high = (int(found[2]), int(found[3])) if found[2] else (0, 0)
        if abs(high - low) >= _MAX_BRACES:
            break
        step = 1 if high >= low else -1
        parts = [str(n) for n in range(low, high + step, step)] if found[2] else found[1].split(",")
        spans = [(one, found) for one in out if (found := _BRACES.search(one)) is not None]
        out = [one[: at.start()] + part + one[at.end() :] for one, at in spans for part in parts]
    return out if len(out) <= _MAX_BRACES else [word]


def _simple(node: Node, names: Names) -> Simple | None:
    env: list[tuple[str, str]] = []
    words: list[str] = []
    for child in node.named_children:
        if child.type == "variable_assignment":
            pair = _assignment(child, names)
            if pair is not None:
                env.append(pair)
        elif child.type not in _ARGUMENT_SKIP:
            text = word_text(child, names)
            words += _braces(text) if child.type in ("word", "concatenation") else [text]
    if not words or not words[0]:
        return None
    if words[0] in names.aliases:
        words[0:1] = names.aliases[words[0]]
    if words[0] == "alias":
        for word in words[1:]:
            name, found, value = word.partition("=")
            first = next(iter(commands(value)), None) if found else None
            if first is not None:
                names.aliases[name] = first.words
        return None
    if words[0] in names.functions:
        return None
    return Simple(tuple(words), tuple(env), _stdin(node, names) if len(words) <= MAX_WORDS_FED else "")


def _declared(node: Node, names: Names) -> Simple | None:
    """`export A=b`: remembered for later words, and an act of its own when exported."""
    words = [_raw(node.children[0])] if node.children else []
    for child in node.named_children:
        pair = _assignment(child, names) if child.type == "variable_assignment" else None
        if pair is None:
            words.append(word_text(child, names))
        else:
            names.variables[pair[0]] = pair[1]
            words.append(f"{pair[0]}={pair[1]}")
    return Simple(tuple(words)) if words and words[0] == "export" and len(words) > 1 else None


#: Commands that print nothing, so that a file their output goes to is emptied.
_SILENT = frozenset({":", "true", "cat /dev/null", "echo -n", "echo -n ''", 'echo -n ""', "printf ''"})


def _emptied(node: Node, names: Names) -> str | None:
    """The file that a redirection empties (`: > f`, `cat /dev/null > f`, `> f`), None for any other statement."""
    redirects = [child for child in node.children if child.type == "file_redirect"]
    command = " ".join(_raw(child) for child in node.children if child.type != "file_redirect")
    if len(redirects) != 1 or (command and command not in _SILENT):
        return None
    if not {">", ">|"} & {child.type for child in redirects[0].children} or not redirects[0].named_children:
        return None
    target = word_text(redirects[0].named_children[-1], names)
    return None if _SINK.match(target) else target


def commands(source: str, names: Names | None = None) -> Iterator[Simple]:
    """Simple commands of a line in the order in which they would run; substitutions before what contains them."""
    names = names if names is not None else Names()
    tree = tree_of(source)
    if tree is None:
        return
    # The stack holds (node, ready): a command is put back as ready behind the substitutions in its arguments.
    stack: list[tuple[Node, bool]] = [(tree.root_node, False)]
    count = 0
    while stack and count < MAX_COMMANDS:
        node, ready = stack.pop()
        kind = node.type
        simple: Simple | None = None
        if kind in ("command", "declaration_command"):
            inner = [] if ready else substitutions(node)
            if inner:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(inner))
                continue
            simple = _simple(node, names) if kind == "command" else _declared(node, names)
        elif kind == "redirected_statement" and (emptied := _emptied(node, names)) is not None:
            simple = Simple(("truncate", "--size=0", emptied))
        elif kind in ("variable_assignment", "variable_assignments"):
            for item in [node] if kind == "variable_assignment" else node.named_children:
                pair = _assignment(item, names)
                if pair is not None and "$(" not in pair[1] and "`" not in pair[1]:
                    names.variables[pair[0]] = pair[1]
            stack.extend((child, False) for child in reversed(substitutions(node)))
        else:
            if kind == "function_definition" and node.named_children:
                names.functions.add(_raw(node.named_children[0]))
            stack.extend((child, False) for child in reversed(node.named_children))
        if simple is not None:
            count += 1
            yield simple


#: Devices that keep nothing of what is written to them.
_SINK = re.compile(r"/dev/(?:null|zero|full|std(?:in|out|err)|tty\w*|fd|pts|tcp|udp)(?:/|$)")


def written_to(source: str) -> list[str]:
    """The files that a line's redirections write to (`>`, `>>`, `&>`, `>|`), in order; descriptors and what keeps nothing left out."""
    if ">" not in source:
        return []
    tree = tree_of(source)
    out: list[str] = []
    stack = [tree.root_node] if tree is not None else []
    while stack and len(out) < MAX_COMMANDS:
        node = stack.pop()
        if node.type == "file_redirect":
            how = {c.type for c in node.children}
            target = word_text(node.named_children[-1], Names()) if node.named_children else ""
            if how & {">", ">>", "&>", "&>>", ">|"} and target and not _SINK.match(target):
                out.append(target)
        stack.extend(reversed(node.children))
    return out
