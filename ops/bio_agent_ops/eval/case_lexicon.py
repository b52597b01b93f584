"""The words of names: a name is split into words, each brought to its stem and to one of those that mean the same.

Two names that come out as the same set of words with the same sign mean the same thing, whatever their order, number or tense:
`rules_learned`, `learned_rule` and `ruleLearned`; `unchanged_support` and `support_not_changed`. Only what is in the groups
below is taken for one thing: a word that is not stays itself, so that a name with it meets nothing by accident.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_ENDINGS = ("ing", "ied", "ies", "ed", "ion", "s")
_SHORTEST = 3  # letters of a stem


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Words that change nothing of what a name means.
FILLERS = _set(
    "the a an of is are was were be been being has have had do does did should must will to for any all each every final total"
    " after then it its end ends afterwards eventually still finally really actually get gets got by from with and on at as in"
)  # fmt: skip
NEGATIONS = _set("no not never without zero none nothing nobody non cannot cant isnt doesnt didnt wasnt dont free")
COUNTING = _set("count counts number num n total how many amount quantity qty entries records")
NUMBERS = {"zero": 0, "one": 1, "single": 1, "once": 1, "two": 2, "twice": 2, "both": 2, "three": 3, "thrice": 3, "four": 4, "five": 5}  # fmt: skip
_PHRASES = {
    ("dead", "letter"): "deadletter", ("dead", "letters"): "deadletter", ("dead", "lettered"): "deadletter", ("dlq",): "deadletter",
    ("dead", "lettering"): "deadletter", ("in", "force"): "inforce", ("status", "code"): "status", ("http", "code"): "status",
    ("http", "status"): "status", ("self", "approval"): "selfapproval", ("prompt", "block"): "prompt", ("rule", "block"): "prompt",
    ("tool", "call"): "toolcall", ("left", "alone"): "unchanged", ("taken", "in"): "accepted", ("let", "through"): "allowed",
    ("time", "out"): "timeout", ("times", "out"): "timeout", ("timed", "out"): "timeout", ("wall", "clock"): "duration",
    ("server", "error"): "5xx", ("server", "errors"): "5xx", ("5", "xx"): "5xx", ("ref", "used"): "refused",
}  # fmt: skip


def _stem(word: str) -> str:
    """A crude stem, the same for all forms of a word: rule rules, store stored storing, retry retried retries."""
    if len(word) <= _SHORTEST or word.endswith(("us", "ss")):
        return word
    for ending in _ENDINGS:
        if (
            word.endswith(ending)
            and len(word) - len(ending) >= _SHORTEST
            and re.search("[aeiouy]", word[: -len(ending)])
        ):
            stem = word[: -len(ending)]
            if ending in ("ied", "ies"):
                return f"{stem}y"
            if ending == "s":
                return _stem(stem[:-1] if stem.endswith(("sse", "xe", "che", "she")) else stem)
            if ending in ("ing", "ed") and stem[-1] == stem[-2] and stem[-1] not in "ls":
                stem = stem[:-1]
            return stem.removesuffix("e") if len(stem) > _SHORTEST else stem
    return word.removesuffix("e") if len(word) > _SHORTEST + 1 else word


#: canonical: the words that mean it; with "-" before the canonical word, those that mean its opposite.
_GROUPS = """
rule: rule belief directive instruction guideline
memory: memory fact note
event: event observation episode message turn
model: llm model provider
prompt: prompt persona context
layer: layer tier
language: language lang locale
deadletter: deadletter
reason: reason message cause why explanation detail
accept: accept ok success succeed succeeded allowed_in
-accept: reject refuse deny denied decline
keep: keep kept preserve retain remain survive
-keep: delete remove erase purge lose lost loss missing vanish drop forgotten
change: change alter modify differ mutate affect touch impact delta
-change: unchanged unaffected untouched intact stable identical constant unaltered
store: store save persist stored storage database write written
duplicate: duplicate dup dupe repeat duplication
find: find found result hit recall return retrieve match answer
text: text content wording body string
crash: crash throw raise die
retry: retry retries attempt try tries
call: call request
consolidate: consolidate consolidation distill process
recover: recover recovery heal resume
leak: leak leakage
foreign: foreign other wrong cross
overwrite: overwrite clobber overwritten
redact: redact mask scrub sanitise sanitize
quarantine: quarantine
learn: learn learned create made make new add remembered memorised memorized
empty: empty blank
effect: effect sideeffect
confidence: confidence
support: support evidence
second: second sec duration elapsed latency took runtime s
millisecond: millisecond ms
rank: rank position place
first: first top best
order: order ordering sequence
audit: audit audited logged recorded
skip: skip defer postpone
approve: approve approval
person: person human owner
length: length size
expire: expire expiry
"""


def _read_groups() -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for line in _GROUPS.strip().splitlines():
        canonical, _, words = line.partition(":")
        for word in words.split():
            found.setdefault(_stem(word), (canonical.removeprefix("-"), canonical.startswith("-")))
    return found


_MEANING = _read_groups()


def split(name: str) -> tuple[str, ...]:
    """The words of a name in order, as they are written: snake, camel, dashes and spaces."""
    said = [w.casefold() for w in _WORD.findall(name)]
    out: list[str] = []
    at = 0
    while at < len(said):
        for length in (2, 1):
            if joined := _PHRASES.get(tuple(said[at : at + length])):
                out.append(joined)
                at += length
                break
        else:
            out.append(said[at])
            at += 1
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name means: a set of words, and whether it is said that it is not so."""

    words: frozenset[str]
    denied: bool

    def less(self, *dropped: str) -> Meant:
        return Meant(self.words - set(dropped), self.denied)


@lru_cache(maxsize=4096)
def meant(words: Sequence[str]) -> Meant:
    """What words mean together; "unchanged" and "not changed" are one."""
    denied = False
    found: set[str] = set()
    for word in words:
        if word in NEGATIONS and not (word == "without" and found):  # "rules without evidence" are rules
            denied = not denied
        elif word not in FILLERS:
            canonical, opposite = _MEANING.get(_stem(word), (_stem(word), False))
            denied ^= opposite
            found.add(canonical)
    if "millisecond" in found:
        found.discard("second")
    return Meant(frozenset(found), denied)


def of_name(name: str) -> Meant:
    """What a name means as a whole, without the words that only count ("rule_count" is "rules")."""
    words = split(name)
    bare = tuple(w for w in words if w not in COUNTING)
    return meant(bare or words)
