"""The words of a command line: its syntax tree by the tree-sitter grammar of bash, and what each argument becomes.

Quotes are taken off, braces and the variables that the same line sets filled in; unknown expansions stay as written.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from itertools import islice

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

#: Bytes of one command line that are read; what follows is ignored. Heredocs with data are the usual reason for length.
MAX_BYTES = 48 * 1024
#: Bytes of one word that are kept.
MAX_WORD = 2000
#: Characters of a substitution that are kept in the word it stands in: each one inside it repeats them.
_MAX_INNER = 800
#: Marks of the grammar in one line that are read: where they do not match, its time grows with the square of their number.
_MAX_MARKS = 1_000
_MARK = re.compile(r"[|;&<>()]|\$\{")
#: Words that the expansions of one line make (64 characters more count as one); further ones stay as written.
MAX_MADE = 2_000
#: Levels of nodes inside one word (a string in an expansion in a string …) that are read.
_MAX_WORD_DEPTH = 12

#: The grammar's scanner looks characters up in a table of the C library without a bound; far ones end the process.
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

_LANGUAGE = Language(tree_sitter_bash.language())
_LOCAL = threading.local()
#: What stands between a variable and the value it has where nothing else was said.
_DEFAULTS = frozenset({":-", "-", ":=", "="})
#: What says the folder that a command is run in.
_HERE = frozenset({"$(pwd)", "`pwd`"})
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "", "b": "", "e": "", "0": ""}
#: A character by its number, but for the backslash itself: `\x2d`, `\u002d`, `\055`.
_CODED = re.compile(
    r"\\(?:x([2-7][0-9a-fA-F])|u00([2-7][0-9a-fA-F])|0?([1-7][0-7]{1,2}|0[4-7][0-7]))(?<!5[cC])(?<!134)"
)


@dataclass(slots=True)
class Names:
    """What the line itself has defined so far, the text of files that it wrote, what its redirections wrote
    to, and the calls of its functions and number
    of turns of its loops that were followed. made: words that its expansions made; full: it has more commands than are read."""

    variables: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    called: set[tuple[str, ...]] = field(default_factory=set)
    turns: int = 0
    made: int = 0
    full: bool = False


def _parser() -> Parser:
    parser = getattr(_LOCAL, "parser", None)
    if parser is None:
        parser = _LOCAL.parser = Parser(_LANGUAGE)
    assert isinstance(parser, Parser)
    return parser


def beginning(source: str) -> str:
    """A line up to the last mark of the grammar in it that is read."""
    last = next(islice(_MARK.finditer(source), _MAX_MARKS, None), None)
    return source[: last.start()] if last is not None else source


def ending(source: str) -> str:
    """A line from the first mark on behind which no more stand than are read."""
    marks = [found.start() for found in _MARK.finditer(source)]
    return source[marks[-_MAX_MARKS] :] if len(marks) > _MAX_MARKS else source


def tree_of(source: str) -> Tree | None:
    """The syntax tree of a line, far characters replaced."""
    data = _ASTRAL.sub("\ufffd", beginning(source)).encode("utf-8", "replace")[:MAX_BYTES].replace(b"\0", b" ")
    return _parser().parse(data)


def raw(node: Node) -> str:
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


def unescape_ansi(text: str) -> str:
    out: list[str] = []
    chars = iter(_CODED.sub(lambda found: chr(int(found[1] or found[2] or "0", 16) or int(found[3] or "0", 8)), text))
    for char in chars:
        out.append(_ANSI.get(following, following) if char == "\\" and (following := next(chars, "")) else char)
    return "".join(out)


def _variable(node: Node, names: Names) -> str:
    parts = [*node.named_children, *(c for part in node.named_children for c in part.named_children)]
    name = next((raw(c) for c in parts if c.type in ("variable_name", "special_variable_name")), "")
    return names.variables[name][:MAX_WORD] if name in names.variables else raw(node)


def word_text(node: Node, names: Names, depth: int = 0) -> str:
    """The text of one argument as the program would get it; unknown expansions stay as written."""
    kind = node.type
    if kind in ("word", "number", "string_content", "heredoc_content", "extglob_pattern"):
        text = raw(node)
        return _unescape(text) if kind == "word" or "\\" in text else text
    if kind == "raw_string":
        return raw(node).strip("'") if node.child_count == 0 else raw(node)
    if kind == "ansi_c_string":
        return unescape_ansi(raw(node)[2:-1])
    if kind == "simple_expansion" or (kind == "expansion" and node.named_child_count == 1):
        return _variable(node, names)
    if kind == "expansion" and node.named_child_count == 2 and node.children[2].type in _DEFAULTS:
        known = _variable(node, names)
        return word_text(node.named_children[1], names, depth + 1) if known == raw(node) else known
    if kind in ("command_name", "string", "concatenation", "translated_string") and depth < _MAX_WORD_DEPTH:
        return _joined(node, names, depth)
    text = " ".join(raw(node).split())
    return text if kind != "command_substitution" else "$PWD" if text in _HERE else text[:_MAX_INNER]


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


_MAX_BRACES = 64  # words that one word with braces may become
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


#: A quoted expansion that becomes several words all the same.
_ALL_OF = re.compile(r'"\$(?:@|\{(?:@|\w+\[@\])\})"')


def argument(node: Node, names: Names) -> list[str]:
    """The words that one argument becomes: a known variable without quotes is split at blanks."""
    inner = node.named_children[0] if node.type == "command_name" and node.named_child_count == 1 else node
    written = raw(inner)
    if names.made >= MAX_MADE and ("$" in written or "{" in written):
        return [written]
    text = word_text(inner, names)
    words = _expanded(inner, text, written)
    names.made += len(words) - 1 + max(0, len(text) - len(written)) // 64
    return words


def _expanded(inner: Node, text: str, written: str) -> list[str]:
    if inner.type in ("simple_expansion", "expansion") or (inner.type == "string" and _ALL_OF.fullmatch(written)):
        return text.split() if text != written else [text]
    return _braces(text) if inner.type in ("word", "concatenation", "brace_expression") else [text]
