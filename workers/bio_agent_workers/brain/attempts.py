"""What an act came to under a goal, said of the thing the two share and not of that thing alone.

Goal "publish the red label", act "send red label to press": both name the red label, so what is learned is of
"publish <it>" and "send <it> to press", and holds for the next thing to publish. No table says which words are verbs,
tools or things: the longest run of words that goal and act have in common is the thing (least general generalisation of
one pair, after Plotkin 1970, with one variable); a word that both begin with says what is done, not what it is done to.
What is known of the very goal is kept beside it and outranks it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import placeholders
from bio_agent_workers.brain.remedies.taint import risky_words
from bio_agent_workers.brain.text import STOP_WORDS

IT = "<it>"  # stands for what goal and act share
MOST_WORDS = 14  # of a goal that is generalised; a longer one is a story and stands for itself
FORM_CHARS = 200  # of a stored form
MOST_LINES = 6  # of each verdict that are told
NOWHERE_AFTER = 2  # times that an act ended well without the goal having come nearer, before it is told
RESEMBLES = 0.6  # Jaccard index of two goals' words from which a failure of one is a warning for the other
_WORD = re.compile(r"[㐀-䶿一-鿿]|[^\W_]+", re.UNICODE)
# Arguments whose value says where something comes from or what is run: such an act is never offered to another session.
_LEADS_AWAY = re.compile(r"(?:^|_)(?:package|url|uri|host|image|registry|repo|repository|plugin|script|command|cmd)=")
_JOINING = frozenset().union(*STOP_WORDS.values())
_FILLERS = STOP_WORDS["en"] & frozenset(("a", "an", "the", "some", "of", "this", "that", "these", "those", "it", "its"))


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word of a text and where it stands in it."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How an act ended under a goal: brought it about, failed, or ended well while the goal stayed open."""

    worked: int = 0
    failed: int = 0
    nowhere: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """A stored row. goal_form: words of the goal, perhaps with IT; act_form: the act, perhaps with IT; "" for the goal's
    own outcomes. token: of the newest failure."""

    goal_form: str
    act_form: str
    counts: Counts
    token: str = ""
    risky: bool = False


@dataclass(frozen=True, slots=True)
class Advice:
    """What is known of the acts of one goal, filled in for that goal, best first. Each is (act, counts, token)."""

    worked: tuple[tuple[str, Counts, str], ...] = ()
    failed: tuple[tuple[str, Counts, str], ...] = ()
    nowhere: tuple[tuple[str, Counts, str], ...] = ()


def words(text: str) -> list[Word]:
    """The words of a text, case folded, articles left out; each Han character is a word."""
    plain = unicodedata.normalize("NFC", text)
    found = (Word(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(plain))
    return [w for w in found if w.text not in _FILLERS]


def act_line(acts: Sequence[Act], tool_input: object, command: str) -> str:
    """What was done, as one would say it: the shell line, the one text that a call was given, else the canonical act."""
    if command:
        return command
    if isinstance(tool_input, str):
        return tool_input
    if isinstance(tool_input, Mapping) and len(tool_input) == 1:
        (value,) = tool_input.values()
        if isinstance(value, str):
            return value
    return " ".join(a.text for a in acts)


def is_risky(acts: Sequence[Act], line: str) -> bool:
    """Whether the act could send an agent somewhere or install something: no other session is told that it worked."""
    return any(risky_words(a) or any(_LEADS_AWAY.search(o) for o in a.operands) for a in acts) or "://" in line


def goal_form(goal: str) -> str:
    return " ".join(w.text for w in words(goal))[:FORM_CHARS]


def forms(goal: str, act: str) -> list[tuple[str, str]]:
    """(goal form, act form) to count an outcome under: the pair as it is, and what it says of the thing they share."""
    act = unicodedata.normalize("NFC", act)
    of_goal, of_act = words(goal), words(act)
    out = [(goal_form(goal), placeholders(act)[:FORM_CHARS])]
    span = _shared(of_goal, of_act)
    if span is not None:
        at, start, length = span
        lifted = [w.text for w in of_goal[:at]] + [IT] + [w.text for w in of_goal[at + length :]]
        said = act[: of_act[start].start] + IT + act[of_act[start + length - 1].end :]
        out.append((" ".join(lifted)[:FORM_CHARS], placeholders(said)[:FORM_CHARS]))
    return out


def _shared(goal: Sequence[Word], act: Sequence[Word]) -> tuple[int, int, int] | None:
    """(place in the goal, place in the act, words) of the longest common run that leaves a word on each side; of equally
    long ones the last, for things come after what is done to them. A word that both begin with is what is done and no part
    of it, and words that only join others are no thing."""
    if not 1 < len(goal) <= MOST_WORDS or not 1 < len(act) <= 4 * MOST_WORDS:
        return None
    best: tuple[int, int, int] | None = None
    for i in range(len(goal)):
        for j in range(len(act)):
            if i == j == 0:
                continue
            n = 0
            while (
                i + n < len(goal)
                and j + n < len(act)
                and goal[i + n].text == act[j + n].text
                and n + 1 < len(goal)
                and n + 1 < len(act)
            ):
                n += 1
            if n and (best is None or n >= best[2]):
                best = (i, j, n)
    if best is None or all(
        w.text in _JOINING or (len(w.text) == 1 and w.text.isascii()) for w in goal[best[0] : best[0] + best[2]]
    ):
        return None
    return best


def keys(goal: str) -> dict[str, str]:
    """Every goal form under which something may be known of this goal → what IT stands for ("" in the goal as it is)."""
    plain = unicodedata.normalize("NFC", goal)
    found = words(plain)
    out = {goal_form(goal): ""}
    if 1 < len(found) <= MOST_WORDS:
        for start in range(len(found)):
            for end in range(start + 1, len(found) + 1):
                if end - start == len(found):
                    continue
                lifted = [w.text for w in found[:start]] + [IT] + [w.text for w in found[end:]]
                out[" ".join(lifted)[:FORM_CHARS]] = plain[found[start].start : found[end - 1].end]
    return out


_Ranked = tuple[
    tuple[bool, int, int], str, Counts, str
]  # (names a thing in sight, weight, surplus), act, counts, token


def advise(goal: str, known: Iterable[Known], in_sight: Iterable[str] = ()) -> Advice:
    """What the rows of `keys(goal)` say, filled in. Acts that name a thing in sight come first, for they can be done now;
    then the word of the goal itself outranks that of its kind, and among the kinds the one with more words of its own."""
    slots = keys(goal)
    by_act: dict[str, tuple[int, Known]] = {}
    for row in known:
        if not row.act_form or row.goal_form not in slots:
            continue
        thing = slots[row.goal_form]
        if (IT in row.act_form) != bool(thing):
            continue
        act = row.act_form.replace(IT, thing) if thing else row.act_form
        weight = len(row.goal_form.split()) if thing else MOST_WORDS + 1
        if act not in by_act or weight > by_act[act][0]:
            by_act[act] = (weight, row)
    present = [f" {said} " for name in in_sight if (said := goal_form(name))]
    worked, failed, nowhere = list[_Ranked](), list[_Ranked](), list[_Ranked]()
    for act, (weight, row) in by_act.items():
        counts = row.counts
        if counts.worked and counts.worked >= counts.failed and not row.risky:
            kind, sure = worked, counts.worked - counts.failed
        elif counts.failed > counts.worked:
            kind, sure = failed, counts.failed - counts.worked
        elif counts.nowhere >= NOWHERE_AFTER and not counts.worked:
            kind, sure = nowhere, counts.nowhere
        else:
            continue
        said = f" {goal_form(act)} "
        kind.append(((any(name in said for name in present), weight, sure), act, counts, row.token))
    return Advice(_best(worked), _best(failed), _best(nowhere))


def _best(rows: list[_Ranked]) -> tuple[tuple[str, Counts, str], ...]:
    rows.sort(key=lambda r: r[1])
    rows.sort(key=lambda r: r[0], reverse=True)
    return tuple((act, counts, token) for _, act, counts, token in rows[:MOST_LINES])


def resembling(goal: str, failed: Iterable[tuple[str, int, int]], most: int = 2) -> list[tuple[str, int, int]]:
    """Those of the goals (form, times failed, times worked) that this one resembles, nearest first."""
    own = frozenset(goal_form(goal).split())
    scored = []
    for form, bad, good in failed:
        other = frozenset(form.split())
        if own and other and bad > good:
            alike = len(own & other) / len(own | other)
            if alike >= RESEMBLES:
                scored.append((-alike, -bad, form, good))
    return [(form, -bad, good) for _, bad, form, good in sorted(scored)[:most]]
