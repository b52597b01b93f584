"""Which of many rules can speak of a call at all, found by key instead of by trying each.

A rule is filed under keys of which a call must show at least one before the rule can match: its command, or its act
together with one name, path or word that matching demands. Only what is found under a call's keys is then matched.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import ceil
from typing import Generic, TypeVar

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers.brain.guarding.act_forms import spelling
from bio_agent_workers.brain.guarding.call_view import Call
from bio_agent_workers.brain.guarding.call_words import disk_of, is_disk
from bio_agent_workers.brain.guarding.forbidden_acts import ANY_ACT
from bio_agent_workers.brain.guarding.http_calls import Endpoint, endpoint_of
from bio_agent_workers.brain.guarding.matching import PLACEHOLDER, read_rule, speaks_against, targets, with_alike
from bio_agent_workers.brain.guarding.meant_acts import acts_shown, concepts
from bio_agent_workers.brain.guarding.prose import needed_words
from bio_agent_workers.brain.guarding.rule_clause import asks_or_forbids
from bio_agent_workers.brain.guarding.sentence import Sentence
from bio_agent_workers.brain.guarding.sentences import read_sentence

T = TypeVar("T")
Key = Hashable
_GLOB = frozenset("*?[")


class RuleIndex(Generic[T]):
    """Rules by key; built once, read by many threads."""

    def __init__(self, rules: Iterable[tuple[T, Iterable[Key]]]) -> None:
        self._rules: list[T] = []
        self._by_key: dict[Key, list[int]] = defaultdict(list)
        for rule, keys in rules:
            number = len(self._rules)
            self._rules.append(rule)
            for key in set(keys):
                self._by_key[key].append(number)

    def candidates(self, keys: Iterable[Key]) -> list[T]:
        """The rules that share a key with the call, in the order in which they were given."""
        found: set[int] = set()
        for key in keys:
            found.update(self._by_key.get(key, ()))
        return [self._rules[number] for number in sorted(found)]


def keys_of_act(condemned: Act) -> list[Key]:
    """Keys of a rule against one canonical act."""
    if PLACEHOLDER.search(condemned.tool):
        return [("any tool",)]
    literals = [operand for operand in targets(condemned) if not PLACEHOLDER.search(operand)]
    if literals:
        return [("on", condemned.tool, condemned.verb, max(literals, key=len))]
    return [("act", condemned.tool, condemned.verb)]


def keys_of_text(text: str, polarity: Polarity, parse: Callable[[str], Sequence[Act]]) -> list[Key]:
    """Keys of a rule as its text stands. None: it speaks against nothing that can be matched."""
    reading = read_rule(text)
    out: list[Key] = []
    quoted = reading.quoted
    if quoted and reading.condemned and reading.spares:
        return out
    if polarity is Polarity.POSITIVE and not speaks_against(text):
        return out
    for command in reading.condemned:
        acts = parse(command)
        out += [key for act in with_alike(acts[-1], text) for key in keys_of_act(act)] if acts else []
    if asks_or_forbids(text):
        out += [("http", named.method, _longest(named)) for named in reading.endpoints]
        if reading.only_endpoints:
            return out
    if reading.condemned and (quoted or any(" -" in command for command in reading.condemned)):
        return out
    read = read_sentence(text, "")
    if read is None or (polarity is Polarity.POSITIVE and not asks_or_forbids(text)):
        return out
    each = (read, *read.others)
    for sentence in (*(read.others or (read,)), *(one.apart for one in each if one.apart is not None)):
        out += [("tool", tool) for tool in sentence.tools]
        if not sentence.tools:
            out += [key for action in concepts(sentence) for key in _keys_of_objects(action, sentence)]
    return out


def _longest(endpoint: Endpoint) -> str:
    return max(endpoint.parts, key=len)


def _keys_of_objects(action: str, sentence: Sentence) -> Iterator[Key]:
    """The most telling of what the sentence demands of a call that does `action`."""
    if sentence.paths:
        yield ("glob", action)
        for path in max(sentence.places, key=lambda group: min(map(len, group))):
            if sentence.alike and is_disk(path):
                yield ("disk", action)
            if sentence.inside:
                yield ("in", action, path)
            for above in _above(path):
                yield ("at", action, above)
    elif sentence.names:
        # Of a path, its last part: however the file is reached, that is shown.
        yield ("word", action, max(sentence.names, key=len).rstrip("/").rsplit("/", 1)[-1].lstrip("#@"))
    elif sentence.unread:
        yield ("does", action)
    elif sentence.open_words and needed_words(sentence) > len(sentence.states):
        # So many of them must be shown that at least one of the first few is.
        spared = len(sentence.open_words) - ceil(needed_words(sentence) - len(sentence.states))
        for word in sentence.open_words[: spared + 1]:
            yield ("word", action, word)
            if word.endswith("ly"):
                yield ("word", action, word.removesuffix("ly"))
    else:
        yield ("does", action)


def keys_of_call(views: Sequence[Call], acts: Sequence[Act]) -> Iterator[Key]:
    """The keys a call shows. acts: with the branch of a push written out."""
    yield ("any tool",)
    for act in acts:
        parts = act.verb.split(" ")
        for verb in {" ".join(parts[:n]) for n in range(len(parts) + 1)}:
            yield ("act", act.tool, verb)
            for operand in targets(act):
                yield ("on", act.tool, verb, operand)
        called = endpoint_of(act)
        if called is not None:
            for part in called.parts:
                yield ("http", called.method, part)
        if spelling(act):
            yield ("act", spelling(act).partition(" ")[0], "")
    for view in views:
        for tool in view.tools:
            yield ("tool", tool)
        # A word matches in singular and plural.
        shown = (
            view.words
            | {word.strip("`") for word in view.words}
            | view.said
            | {part for parts in view.joined for part in parts}
        )
        words = shown | {w.removesuffix("s") for w in shown} | {w + "s" for w in shown} | {w[:-1] for w in shown}
        for action in (*acts_shown(view), ANY_ACT):
            yield ("does", action)
            for word in words:
                yield ("word", action, word)
            for path in view.paths:
                plain = path.rstrip("/") or "/"
                yield ("at", action, plain)
                yield ("at", action, disk_of(plain))
                if is_disk(plain):
                    yield ("disk", action)
                yield ("at", action, plain.removesuffix("/*") or "/")
                if _GLOB.intersection(path):
                    yield ("glob", action)
                for above in _above(plain):
                    yield ("in", action, above)


def _above(path: str) -> Iterator[str]:
    """A path and every folder above it."""
    while True:
        yield path
        parent = posixpath.dirname(path)
        if parent == path or not parent:
            return
        path = parent
