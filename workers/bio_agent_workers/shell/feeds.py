"""What chooses the objects of a command: the commands whose output it is given by a pipe into `xargs`, by a substitution
in its arguments, or by a loop."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from bio_agent_schema.types import Act
from bio_agent_workers.shell.canonical import acts_in
from bio_agent_workers.shell.words import substitutions, tree_of

#: Programs that run a command on what they are fed, and one that does so line by line.
_FEEDERS = ("xargs", "parallel")
#: Programs that only cut or count what runs through them: their words name nothing.
_FILTERS = frozenset({"awk", "sed", "cut", "tr", "head", "tail", "sort", "uniq", "wc", "tee", "column", "nl", "cat"})
#: Places of a line that are read, and commands that are kept as choosing for one: what goes beyond is no line of a person's.
MOST_PAIRS, MOST_CHOOSERS = 16, 8
_EXCLUDES = frozenset({"--invert-match", "-v"})


def feeds(line: str) -> dict[str, tuple[Act, ...]]:
    """Text of an act → the acts that choose what it is done to. Filters, and searches for what is left out, name nothing."""
    if not any(mark in line for mark in (*_FEEDERS, "$(", "`", "<(", " in ", "while ")):
        return {}
    tree = tree_of(line)
    out: dict[str, tuple[Act, ...]] = {}
    for source, consumer, whole in islice(_pairs(tree.root_node), MOST_PAIRS) if tree is not None else ():
        if source.count("$(") + source.count("`") > MOST_CHOOSERS:
            continue  # read once for each place it is nested in, it would take seconds
        chosen = [act for act in acts_in(source) if act.tool not in _FILTERS and not _EXCLUDES & set(act.flags)]
        done = list(acts_in(consumer)) if chosen else []
        for act in done if whole else done[-1:]:
            known = out.get(act.text, ())
            out[act.text] = (*known, *(one for one in chosen if one not in known))[:MOST_CHOOSERS]
    return out


def _pairs(root: Node) -> Iterator[tuple[str, str, bool]]:
    """(text of what chooses, text of what is done, whether all that is done there is meant), in a parsed line."""
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if node.type == "pipeline":
            parts = node.named_children
            for at, part in enumerate(parts):
                fed = part.type in ("while_statement", "for_statement") or any(
                    f in _text(part).split() for f in _FEEDERS
                )
                if at and fed:
                    inside = next((c for c in part.named_children if c.type == "do_group"), part)
                    yield " | ".join(map(_text, parts[:at])), _text(inside), True
        elif node.type == "command":
            yield from ((_inner(inner), _text(node), False) for inner in substitutions(node))
        elif node.type == "for_statement":
            body = next((c for c in node.named_children if c.type == "do_group"), None)
            if body is not None:
                heads = [c for c in node.named_children if c.end_byte <= body.start_byte]
                yield from ((_inner(inner), _text(body), True) for head in heads for inner in _within(head))
        stack.extend(node.named_children)


def _within(node: Node) -> list[Node]:
    return [node] if node.type == "command_substitution" else substitutions(node)


def _inner(node: Node) -> str:
    """What stands between the marks of a substitution."""
    text = _text(node)
    return text[1:-1] if text.startswith("`") else text[2:-1]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
