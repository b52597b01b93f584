"""The act that a clause forbids: the first verb behind the cue with its alternatives, also in the passive and as a noun."""

from __future__ import annotations

import re

from bio_agent_workers.brain.guarding.act_words import (
    ACTION_WORDS,
    NOMINAL_ACTIONS,
    STOP,
    THING_WORDS_ABROAD,
    VAGUE_VERBS,
)
from bio_agent_workers.brain.guarding.cues import FORBID

#: Stands for any act that does more than look: the amount alone says what the sentence is about.
ANY_ACT = "*"
#: What stands between alternatives.
JOINED = re.compile(r"\s*(?:,|or|and|/|hoặc|hay|và|或|或者|和|、|，)\s*(?:or|and)?\s*")
#: The same with the prohibition said again: "不许移动，也不许删除", "do not move and never delete".
_AGAIN = re.compile(
    r"\s*[,，、]?\s*(?:and|or|nor|also|也|亦|更|并且?|cũng|và|hoặc)?\s*(?:never|do not|don't|must not|may not|not|不许|不准|不得|不能|不要|禁止|别|勿"
    r"|không(?: được)?|đừng|cấm)\s*", re.I
)  # fmt: skip
#: What stands behind the verb of a statement: "DROP TABLE or TRUNCATE".
_SQL_OBJECT = re.compile(r"^\s+(?:TABLE|DATABASE|SCHEMA|INDEX|VIEW|COLUMN|FROM|INTO)S?\b")
#: A verb that no table knows, joined to one before it: "removed or paused", "delete or pause the job".
_MORE_VERBS = re.compile(r"\s*(?:,|or|and|,\s*or)\s+([a-z]{3,}(?:ed\b|(?=\s+(?:the|an?|any|my|our|its)\b)))")
_PLAIN_VERB = re.compile(
    r"\s*(?:(?:to|ever|you|just|please|may|can|should|must|will|shall|else|any|every|all|each)\s+)*([A-Za-z]{3,20}(?:-[A-Za-z]{2,9})*)\b",
    re.ASCII,
)
#: A subject that there is to be none of, and the verb of what is not to be done to it.
_NO_SUBJECT = re.compile(r"\W*(?:no|none of|nothing|nobody|no one)\b", re.I)
_SUBJECT = re.compile(r"\s*(?:an?|the|any|some|each|every|my|our|one|another)\s", re.I)
_PASSIVE = re.compile(
    r"\b(?:be|is|are|gets?|being)\s+(?:ever\s+|to\s+be\s+)?"
    r"(?!allowed|permitted|accepted|tolerated|needed|required|supposed|meant|made|started|performed|executed|carried|triggered|initiated)([A-Za-z]{3,17}(?:ed|ent|ten|wn|old|id))\b"
)
_RUNS = re.compile(r"\bruns?\b")
#: Verbs that only carry the noun before them.
_TOUCHES = re.compile(r"\s*(?:touch|change|affect|alter|reach|involve|hit)(?:s|es)\b")
_CARRIED = frozenset({"applied", "done", "issued", "given", "launched"})
_VOWEL = re.compile("[aeiouy]")

Found = tuple[int, int, str]


def stem(verb: str) -> str:
    """draining, drained, drains → drain. Cut off rather than spelled: both sides of a comparison go through it."""
    for ending in ("ing", "ed", "es", "s"):
        base = verb[: -len(ending)]
        if verb.endswith(ending) and len(base) >= 3 and _VOWEL.search(base):
            doubled = ending in ("ing", "ed") and base[-1] == base[-2] and base[-1] not in "sl"
            return base[:-1] if doubled else base.removesuffix("e")
    return verb.removesuffix("e")


def blanked(text: str, found: list[Found]) -> str:
    """The text with blanks where something was read from it."""
    for start, end, _ in reversed(found):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def take_acts(rest: str, begin: int, *, amounts: bool, names: frozenset[str] = frozenset()) -> tuple[set[str], str]:
    """The first act behind the cue, with those joined to it by "or" or a comma, as concepts (a verb that no table knows by
    its stem), and the text without them; no act where it names none. amounts: the sentence bounds a number, so that a
    vague verb or none stands for any act. names: words that name a thing, whatever else they mean ("the service checkout").
    """
    begin = min(begin, len(rest))
    every = [act for act in _known_acts(rest) if rest[act[0] : act[1]].lower() not in names]
    vague = _PLAIN_VERB.match(rest, begin) if amounts and begin else None
    if vague is not None and vague[1].lower() in VAGUE_VERBS | {
        "spend",
        "go",
        "get",
    }:  # "set the heating above 22 degrees"
        return {ANY_ACT}, blanked(rest, [(*vague.span(1), "")])
    spoken_of = _NO_SUBJECT.match(rest) or _SUBJECT.match(rest[begin:])
    passive = _PASSIVE.search(rest) if spoken_of else None
    if passive is not None and passive[1] in _CARRIED and any(begin - 1 <= act[0] < passive.start() for act in every):
        rest = blanked(rest, [(*passive.span(1), "")])
        passive = None  # "no migration is applied": the noun says what is done
    if passive is not None:  # "no file … gets vacuumed": the verb stands behind the noun
        begin = passive.start(1)
    matches = [found for found in every if found[0] >= begin - 1]
    unknown = _unknown_first(rest, begin, passive, matches)
    if unknown:
        begin = unknown[-1][1]
        matches = [found for found in matches if found[0] >= begin]
        if not matches or JOINED.fullmatch(rest[begin : matches[0][0]]) is None:
            return {act for _, _, act in unknown}, blanked(rest, unknown)
    if not matches and not passive and spoken_of and (runs := _RUNS.search(rest)):
        return {"run"}, blanked(rest, [(*runs.span(), "run")])  # "no container of ours runs with …"
    if not matches:
        cue = FORBID.search(rest) if begin == 0 else None
        plain = passive or _PLAIN_VERB.match(rest, cue.end() if cue else begin)
        act = _plain_act(plain[1].lower(), amounts=amounts) if plain is not None else ""
        subject = not passive and begin in (0, len(rest.rstrip())) and act not in NOMINAL_ACTIONS.values()
        if amounts and not every and subject and act != ANY_ACT:
            return {ANY_ACT}, rest  # "discounts above 12 %": what the amount is of, and no verb
        if plain is not None and act:
            return _joined(rest, [(*plain.span(1), act)], [])
        matches = every
    return _joined(rest, matches, unknown) if matches or not amounts else ({ANY_ACT}, rest)


def _known_acts(rest: str) -> list[Found]:
    every = ACTION_WORDS.find(rest)
    if rest.isascii():
        return every
    held = THING_WORDS_ABROAD.find(rest)  # 打印 is no act in 打印机
    return [a for a in every if not any(s <= a[0] and a[1] <= e and e - s > a[1] - a[0] for s, e, _ in held)]


def _unknown_first(rest: str, begin: int, passive: re.Match[str] | None, matches: list[Found]) -> list[Found]:
    """Verbs that no table knows before those it does: "is vacuumed", "pause, resume or delete a job"."""
    if not matches or matches[0][0] <= begin:
        return []
    if passive is not None:
        return [(*passive.span(1), stem(passive[1].lower()))]
    out: list[Found] = []
    plain = _PLAIN_VERB.match(rest, begin)
    while plain is not None and plain[1].lower() not in STOP | VAGUE_VERBS and plain.start(1) < matches[0][0]:
        out.append((*plain.span(1), stem(plain[1].lower())))
        joined = JOINED.match(rest, plain.end())
        if joined is None or not joined.group().strip():
            return []  # the first verb is not joined to the known one: it is no alternative of it
        if joined.end() >= matches[0][0]:
            return out
        plain = _PLAIN_VERB.match(rest, joined.end())
    return []


def _plain_act(word: str, *, amounts: bool) -> str:
    """The act of a word that is in no table of acts, "" where it is none: a noun for one ("payments above 500 need
    approval"), a verb of a tool (`drain`)."""
    nominal = NOMINAL_ACTIONS.get(word.removesuffix("s"), "")
    if nominal or word not in STOP | VAGUE_VERBS:
        return nominal or stem(word)
    return ANY_ACT if amounts and word in VAGUE_VERBS else ""


def _joined(rest: str, matches: list[Found], unknown: list[Found]) -> tuple[set[str], str]:
    """The first of the acts found, with its alternatives. unknown: those before it."""
    taken = list(unknown)
    end = -1
    for match in matches:
        between = rest[end : match[0]]
        if end >= 0 and JOINED.fullmatch(_SQL_OBJECT.sub("", between)) is None and _AGAIN.fullmatch(between) is None:
            break
        taken.append(match)
        end = match[1]
    actions = {act for _, _, act in taken}
    touches = _TOUCHES.match(rest, end) if end >= 0 else None
    if touches is not None:  # "no migration touches …": what is done is the noun
        taken.append((*touches.span(), ""))
    more = _MORE_VERBS.match(rest, end) if end >= 0 else None
    if more is not None:
        actions.add(stem(more[1].lower()))
        taken.append((*more.span(1), ""))
    return actions, blanked(rest, taken)
