"""Matching a person's sentence against a call: the act it forbids, and every name, path, date and amount in it."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers.brain.act_words import ALIKE, KINDS, PROGRAMS, THINGS
from bio_agent_workers.brain.amounts import all_met
from bio_agent_workers.brain.call_view import Call, calls
from bio_agent_workers.brain.sentences import ANY_ACT, Sentence, asks_or_forbids, read_sentence

#: Share of a sentence's open words (neither names nor kinds) that a call must show.
COVERAGE = 0.6


#: Things that only say which of a kind, and the kinds that an environment is the name of.
_QUALIFIERS = frozenset({"prod", "staging"})
_PLACES = frozenset({"environment", "namespace", "workspace", "cluster", "server", "branch", "service", "node", "pod"})
#: The careful way of forcing, said beside what is forbidden.
_LEASE = re.compile(r"(?<!or )(?<!and )(?<!with )--force-with-lease", re.I)
_SQL_KINDS = frozenset({"database", "table", "schema"})
#: The kind of thing right behind the act: "drop a database", "delete any tables".
_DIRECT = re.compile(
    r"\b(?:drop|delete|remove|truncate)\s+(?:an?\s+|the\s+|any\s+|whole\s+|entire\s+)*(database|table|schema)s?\b", re.I
)


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """matched; why: the words of the sentence that the call shows, for the answer; acts: numbers of the acts it is
    about."""

    matched: bool
    why: str
    acts: tuple[int, ...] = ()


def _word_in(thing: str, call: Call) -> bool:
    return any(word in call.words for word in _words_of(thing))


def _words_of(thing: str) -> frozenset[str]:
    return THINGS.get(thing, frozenset({thing}))


def _open_in(word: str, call: Call) -> bool:
    # `firewalld` is the service of the firewall.
    if word in call.words or (len(word) > 4 and word + "d" in call.words):
        return True
    stem = word.removesuffix("s") if word.endswith("s") else word + "s"
    return stem in call.words


def _only_qualified(sentence: Sentence) -> bool:
    """Whether a kind of thing is told from others by its environment alone ("the production database"): then the
    environment's name is not enough to know it by."""
    told = {thing for thing in sentence.things if thing not in KINDS}
    named = bool(sentence.names or sentence.open_words or sentence.patterns)
    return not named and bool(told) and told <= _QUALIFIERS and not KINDS.isdisjoint(set(sentence.things) - _PLACES)


def _part_of_name(word: str, call: Call) -> bool:
    """Whether a word is shown only as a part of file names: `data.txt` is not the folder "data"."""
    names = {name for path in call.paths for name in path.lower().split("/")}
    return word not in names and any(word in name.split(".") for name in names)


def _path_hit(rule: str, target: str) -> bool:
    """Whether acting on `target` acts on `rule`: itself, a folder above it, or a pattern that covers either."""
    target = target.rstrip("/") or "/"
    if target.endswith("/*") and target[:-2] == rule:
        return True
    parent = rule
    while True:
        if target == parent or (
            any(c in target for c in "*?[")
            and target.count("/") == parent.count("/")
            and fnmatch.fnmatchcase(parent, target)
        ):
            return True
        if parent in ("/", "", "~"):
            return False
        parent = posixpath.dirname(parent)


def _beyond(place: str, address: str) -> bool:
    """Whether an address (a host or a path) is neither `place` nor within it."""
    if "/" in place:
        return address != place.rstrip("/") and not address.startswith(place.rstrip("/") + "/")
    return address != place and not address.endswith("." + place)


def _in_bounds(bounds: Sequence[tuple[str, date, date]], dates: Sequence[date]) -> bool:
    for side, first, last in bounds:
        if not dates:
            return False
        for when in dates:
            ok = {"earlier": when <= last, "before": when < first, "later": when >= first}.get(
                side, first <= when <= last
            )
            if not ok:
                return False
    return True


def match_sentence(
    text: str,
    polarity: Polarity,
    acts: Sequence[Act],
    call_tool: str,
    call_input: Any,
    *,
    command: str,
    views: Sequence[Call] | None = None,
) -> SentenceMatch:
    """Whether a sentence speaks of a call. command: a command of the sentence that is known to match already; then only
    its objects count. views: `calls(acts, …)` where the caller has them already."""
    sentence = read_sentence(text, command)
    if sentence is None:
        return SentenceMatch(False, "the rule forbids no act that is known")
    if polarity is Polarity.POSITIVE and not asks_or_forbids(text):
        return SentenceMatch(False, "the rule forbids nothing")
    wanted = concepts(sentence)
    hits: list[int] = []
    said = ""
    for call in views if views is not None else calls(acts, call_tool, call_input):
        if call.dry or (not command and not _done(sentence, wanted, call)):
            continue
        why = _objects(sentence, call)
        if why is not None and not _other_object(text, sentence, call):
            shown = sorted(wanted & call.actions) or sorted(set(sentence.tools) & call.tools) or [command]
            said = said or " ".join([*shown, *why])
            hits.append(call.index)
    return SentenceMatch(bool(hits), said or "another act or other objects", tuple(hits))


def _other_object(text: str, sentence: Sentence, call: Call) -> bool:
    """Whether the call is of another kind than what is meant: a table where databases are, `order_drafts` where orders
    are, a push with a lease where the rule recommends that."""
    if call.kinds and not call.kinds.isdisjoint(_SQL_KINDS):
        meant = {found[1].lower() for found in _DIRECT.finditer(text)}
        if meant and meant.isdisjoint(call.kinds):
            return True
    if "--force-with-lease" in call.words and "force" in sentence.things and _LEASE.search(text):
        return True
    said = {word.removesuffix("s") for thing in sentence.things for word in _words_of(thing)}
    said |= {word.removesuffix("s") for word in sentence.open_words}
    return any(
        compound[-1].removesuffix("s") not in said and any(word.removesuffix("s") in said for word in compound[:-1])
        for compound in call.compounds
    )


def concepts(sentence: Sentence) -> set[str]:
    """The action concepts a sentence speaks against, with those that people do not tell apart."""
    return set().union(*(ALIKE.get(a, {a}) for a in sentence.actions)) if sentence.actions else set()


def _done(sentence: Sentence, wanted: set[str], call: Call) -> bool:
    if sentence.tools:
        return any(tool in call.tools for tool in sentence.tools)
    return bool(wanted & call.actions) or (ANY_ACT in wanted and not call.looks)


def spared(sentence: Sentence, call: Call) -> bool:
    """Whether a call has what the sentence forbids to go without: "without --atomic", "without a plan file"."""
    return any(any(_has(word, call) for word in words) for words in sentence.lacking)


def _has(word: str, call: Call) -> bool:
    if not word.startswith("-"):
        return _word_in(word, call) or _open_in(word, call)
    # `-s` may have been read as its long form.
    long = [shown for shown in call.words if shown.startswith("--")]
    return word in call.words or (len(word) == 2 and any(shown[2] == word[1] for shown in long if len(shown) > 2))


def _name_in(name: str, call: Call) -> bool:
    """A file is named by the end of its path, however it is reached."""
    if name in call.words:
        return True
    if "/" not in name:
        return any(posixpath.basename(path).lower() == name for path in call.paths)
    return any(f"/{path.lower()}".endswith(f"/{name}") or f"/{name}/" in f"/{path.lower()}" for path in call.paths)


def _objects(sentence: Sentence, call: Call) -> list[str] | None:
    """The names of a sentence that a call shows, None when one that counts is missing."""
    if spared(sentence, call):
        return None
    why: list[str] = []
    for path in sentence.paths:
        if not any(
            _path_hit(path, target) or (sentence.inside and target.startswith(path + "/")) for target in call.paths
        ):
            return None
        why.append(path)
    if not _in_bounds(sentence.bounds, call.dates) or not all_met(sentence.amounts, call.numbers, call.texts):
        return None
    for place in sentence.outside:
        if not any(_beyond(place, address) for address in call.addresses(place)):
            return None
        why.append(f"outside {place}")
    for name in sentence.names:
        if not _name_in(name, call):
            return None
        why.append(name)
    for pattern in sentence.patterns:
        if not any(fnmatch.fnmatchcase(word, pattern) for word in call.words):
            return None
        why.append(pattern)
    for thing in sentence.things:
        if _word_in(thing, call):
            why.append(thing)
        elif thing not in KINDS:
            return None
    if sentence.paths:
        return why
    if _only_qualified(sentence) and not any(_word_in(t, call) for t in sentence.things if t in KINDS - _PLACES):
        return None
    hits = [
        word
        for word in sentence.open_words
        if _open_in(word, call) and not ("folder" in sentence.things and _part_of_name(word, call))
    ]
    if sentence.open_words and len(hits) < COVERAGE * len(sentence.open_words):
        return None
    covered = len(why) + len(hits)
    if sentence.uncovered_han > 2 * max(1, covered) and sentence.uncovered_han > 2:
        return None
    if sentence.amounts or sentence.tools or sentence.bounds:
        return why + hits
    if not why and PROGRAMS.issuperset(hits) and (sentence.things or set(sentence.open_words) - PROGRAMS):
        # Only the kind of thing is named ("the environment"): the call must at least show that.
        return None
    return why + hits
