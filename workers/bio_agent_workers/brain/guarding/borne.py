"""Whether a call bears what a sentence names, in the role that the sentence gives it.

Evidence for a rule is what a call does its act to: a word that stands elsewhere in the call, in a field for things of
another kind, or at the other end of a copy or transfer is none.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from functools import lru_cache

from bio_agent_workers.brain.guarding.act_things import SHOWN_BY, THINGS
from bio_agent_workers.brain.guarding.call_view import Call
from bio_agent_workers.brain.guarding.call_words import disk_of, is_disk, words_in
from bio_agent_workers.brain.guarding.commands import serves
from bio_agent_workers.brain.guarding.sentence import Sentence

_ADDRESSED = re.compile(r"(?i)channel|room|conversation|recipient|target|user|(?:^|[._])to\b")

#: Fields and options of those to whom something goes, also operands, which stand under their number.
_RECIPIENT = re.compile(
    r"(?i)^(?!reply|from|sender)(?:.*[._-])?(?:to|b?cc|recipients?|addressees?|receivers?|mailto|emails?|address(?:es)?|attendees|invitees|members?|users?"
    r"|channel|room|conversation|target|\d+)(?:[._-]|$)"
)

_PEOPLE = frozenset({"user", "role", "person", "account", "owner", "group"})


def shows_thing(thing: str, call: Call) -> bool:
    words = words_of_thing(thing)
    if not words.isdisjoint(call.words) or not words.isdisjoint(call.said):
        return True
    return any(parts <= call.words for parts in _parts_of_thing(thing))  # `update_price_list` shows a price list


@lru_cache(maxsize=1024)
def words_of_thing(thing: str) -> frozenset[str]:
    said = THINGS.get(thing, frozenset({thing})) | SHOWN_BY.get(thing, frozenset())
    return said | {word + "s" for word in said if word.isascii() and not word.endswith("s")}


@lru_cache(maxsize=1024)
def _parts_of_thing(thing: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(word.split(" ")) for word in words_of_thing(thing) if " " in word and word.isascii())


def shows_word(word: str, call: Call) -> bool:
    # `firewalld` is the service of the firewall.
    if word in call.words or word in call.said or (len(word) > 4 and word + "d" in call.words):
        return True
    stem = word.removesuffix("s") if word.endswith("s") else word + "s"
    return stem in call.words or (word.endswith("ly") and word.removesuffix("ly") in call.words)


def _path_hit(rule: str, target: str) -> bool:
    """Whether acting on `target` acts on `rule`: itself, a folder above it, a partition of it, or a pattern that covers one."""
    target = target.rstrip("/") or "/"
    if disk_of(target) == rule:
        return True
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


def acts_on_path(path: str, target: str, sentence: Sentence, call: Call) -> bool:
    """Whether acting on `target` acts on a path of the sentence, or on one of the kind that it gives an example of."""
    hit = _path_hit(path, target) or (sentence.inside and target.startswith(path + "/"))
    hit = hit or (sentence.alike and is_disk(path) and is_disk(target))
    return hit and not in_other_role(target, path, sentence, call)


def in_other_role(shown: str, said: str, sentence: Sentence, call: Call) -> bool:
    """Whether a call has something only as its source where the sentence means a target, or the other way round."""
    if said in sentence.toward:
        return shown in call.sources and shown not in call.goals
    return said in sentence.away and shown in call.goals and shown not in call.sources


def in_own_field(name: str, sentence: Sentence, call: Call) -> bool:
    """Whether a call with fields for things of the name's kind has it in one of them: "the role admin" is no user."""
    mailed = "@" in name and "send" in sentence.actions
    if mailed or (sentence.addressed and "." in name and name in sentence.toward):
        # An address: of all the fields for recipients, copies included.
        told = [value for key, value in call.texts.items() if _RECIPIENT.search(key)]
        return not told or any(name in words_in(value, labels=True) for value in told)
    kind = sentence.kind_of.get(name, "")
    if (
        kind == "branch" and "git" in call.tools
    ):  # `feature/develop` is no branch develop, and what is rebased is checked out
        on = call.texts.get("branch", "").lower()
        given_there = {value.lower() for key, value in call.texts.items() if key.isdigit()}
        return name in ({on} if on and "rebase" in call.tools else {on, *given_there})
    if kind in _PEOPLE and any(name in serves(tool) for tool in call.tools):
        # `psql` shows "postgres" by itself: the user of that name must be said.
        return any(name in words_in(value, labels=True) for value in call.texts.values())
    given = [value for key, value in call.texts.items() if kind and kind in re.split(r"[^a-z]+", key.lower())]
    return not given or any(
        name in words_in(value, labels=True) or f"/{value.lower().rstrip('/')}".endswith(f"/{name}") for value in given
    )


def is_beyond(place: str, address: str) -> bool:
    """Whether an address (a host or a path) is neither `place` nor within it."""
    if "/" in place:
        return address != place.rstrip("/") and not address.startswith(place.rstrip("/") + "/")
    return address != place and not address.endswith("." + place)


def shows_name(name: str, call: Call) -> bool:
    """A file is named by the end of its path, however it is reached; a channel with its mark or by a field of its own."""
    if name[:1] in ("#", "@"):
        return name in call.words or any(
            value.lower().lstrip("#@") == name[1:] and _ADDRESSED.search(key) for key, value in call.texts.items()
        )
    if name in call.words or f"`{name}`" in call.words:
        return True
    if name.endswith("/"):
        return any(f"/{name}" in f"/{path.lower()}/" for path in call.paths)
    if "/" not in name:
        return any(posixpath.basename(path).lower() == name for path in call.paths)
    return any(f"/{path.lower()}".endswith(f"/{name}") or f"/{name}/" in f"/{path.lower()}" for path in call.paths)
