"""Skills: what several successes of one procedure have in common, in general terms.

A success is a task or goal that ended well and the acts that succeeded on the way. Three or more, in distinct sessions, whose
goals share their words and whose acts share a sequence, make one skill: the goal's common words and the common
subsequence of the acts. What differed between them, and every literal of one place or moment, is a placeholder.

Pure: acts are parsed elsewhere.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import (
    is_edit,
    is_read,
    names_the_act,
    operand_kind,
    placeholders,
    spelling,
)
from bio_agent_workers.brain.remedies.unsafe import lowers_safety
from bio_agent_workers.brain.text import HAN, STOP_WORDS, content_tokens, detect_lang, fold

T = TypeVar("T")

MIN_SUCCESSES = 3  # twice is a coincidence of two days; three sessions are a habit
SAME_GOAL = 0.5  # share of the shorter goal's words that both have, from which two goals may be one
SAME_STEPS = 0.5  # share of the shorter run's acts in the common subsequence, from which two runs are one procedure
MAX_STEPS = 12  # acts of one skill that are told; a longer procedure is several
MAX_ACTS = 200  # acts of one run that are compared
GOAL_CHARS = 160
VALUE_CHARS = 60

_TEST_WORDS = frozenset({"test", "tests", "check", "lint", "verify", "pytest", "jest", "vitest", "mypy", "ruff", "tox"})
_UNIT = re.compile(rf"<[a-z_]+>|[{HAN}]|[^\s{HAN}]+")
_HOLDS_PLACE = re.compile(r"[/\\@]")
_HOLDS_NUMBER = re.compile(r"\d{2,}")
_PLACEHOLDER = re.compile(r"<[a-z_]+>")
_SIGNS = re.compile(r"[\s'\"\\$&|;()<>{}]|^#")  # a shell reads them as more than themselves; globs are meant as such
_FRAME = {
    "en": ("To {goal}: {steps}", "; then "),
    "zh": ("要{goal}：{steps}", "，再"),
    "vi": ("Để {goal}: {steps}", "; sau đó "),
}
_ONCE = {
    "en": ("“{goal}” was reached by {steps}", "; then "),
    "zh": ("“{goal}”这样做成了：{steps}", "，再"),
    "vi": ("“{goal}” đã xong nhờ {steps}", "; sau đó "),
}


@dataclass(frozen=True, slots=True)
class Success:
    """One task or goal that ended well. id: of the observation that said so. goal: its words. acts: what succeeded on the
    way, in order."""

    id: str
    session: str
    goal: str
    acts: tuple[Act, ...]
    at: datetime


class Role(StrEnum):
    SET = "set"  # an assignment in front of the command
    VERB = "verb"
    OPTION = "option"
    END = "end"  # the word `--`
    OPERAND = "operand"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command after its program. text: an option with its value as name=value. kind: of an operand."""

    role: Role
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One act of a procedure, without what is of one place or moment. words: in the order in which they were written.
    spelled: the program as it was written, "" where that is `tool`."""

    tool: str
    words: tuple[Word, ...]
    spelled: str = ""

    @property
    def verb(self) -> str:
        return " ".join(self._of(Role.VERB))

    @property
    def key(self) -> Hashable:
        """Under which two acts of two runs are one step: what is done, with which options, not to what."""
        options = {t.partition("=")[0] for t in (*self._of(Role.SET), *self._of(Role.OPTION))}
        return self.tool, self.verb, tuple(sorted(options))

    @property
    def text(self) -> str:
        """As it is told, and as a shell would read it: assignments first, what holds blanks or signs in quotes."""
        rest = [_as_typed(w) for w in self.words if w.role is not Role.SET]
        return " ".join(p for p in (*(_assigned(t) for t in self._of(Role.SET)), self.spelled or self.tool, *rest) if p)

    def _of(self, role: Role) -> list[str]:
        return [w.text for w in self.words if w.role is role]


@dataclass(frozen=True, slots=True)
class Skill:
    """successes: ids, the oldest first. sessions: how many distinct ones."""

    goal: str
    steps: tuple[str, ...]
    text: str
    lang: str
    tools: tuple[str, ...]
    successes: tuple[str, ...]
    sessions: int


def lcs(a: Sequence[T], b: Sequence[T], key: Callable[[T], Hashable]) -> list[tuple[T, T]]:
    """A longest common subsequence as pairs (of a, of b), compared by key; of several the one that comes first in `a`."""
    left, right = [key(x) for x in a], [key(y) for y in b]
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            best[i][j] = best[i + 1][j + 1] + 1 if left[i] == right[j] else max(best[i + 1][j], best[i][j + 1])
    out: list[tuple[T, T]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            out.append((a[i], b[j]))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return out


def procedure(acts: Sequence[Act]) -> tuple[Part, ...]:
    """What of a run belongs to the way it was done: acts that change something, and tests; looks and hand edits do not.
    The same act twice in a row is one."""
    out: list[Part] = []
    for act in filter(_belongs, acts[:MAX_ACTS]):
        part = _part(act)
        if not out or out[-1] != part:
            out.append(part)
    return tuple(out)


def advisable(acts: Sequence[Act]) -> bool:
    """Whether no act of a run that would be told lowers a protection or destroys."""
    return not any(lowers_safety(act) for act in filter(_belongs, acts[:MAX_ACTS]))


def _belongs(act: Act) -> bool:
    return not is_edit(act) and (not is_read(act) or _tests(act))


def _tests(act: Act) -> bool:
    return bool({act.tool.casefold(), *act.verb.casefold().split()} & _TEST_WORDS)


def _part(act: Act) -> Part:
    given: list[tuple[Word, str]] = []  # with what it was before
    for flag in act.flags:
        if not flag.startswith("@"):
            given.append((Word(Role.OPTION if flag.startswith("-") else Role.SET, _flag(flag)), flag))
    for i, operand in enumerate(act.operands):
        kind = operand_kind(act, i)
        general = _named(operand) if names_the_act(act, i) else _value(operand, kind)
        given.append((Word(Role.OPERAND, general, kind), operand))
    typed = _typed(act.text)
    if "--" in typed:
        given.append((Word(Role.END, "--"), "--"))
    verb = [(Word(Role.VERB, v), v) for v in _plain(act.verb, "value").split()]
    together = [v for _, v in verb] != [w for w in typed if w in {v for _, v in verb}]
    placed = [(0 if together else _place(typed, v, at), w) for at, (w, v) in enumerate(verb, 1)]
    after = 0 if together else max((at for at, _ in placed), default=0)
    taken: set[int] = set()
    for word, before in given:
        at = _place(typed, before, after, taken)
        taken.add(at)
        placed.append((at, word))
    spelled = spelling(act)
    words = tuple(word for _, word in sorted(placed, key=lambda p: p[0]))
    return Part(_named(act.tool), words, "" if "/" in spelled else spelled)


def _typed(text: str) -> list[str]:
    """The words of a command as a shell reads them."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _place(typed: Sequence[str], word: str, otherwise: int, taken: Collection[int] = ()) -> int:
    """Where a word was written, an option by its name or its value: its number among `typed`, `otherwise` when it is not
    found there in that spelling."""
    name, equals, value = word.partition("=")
    for wanted in (word, *((name, value) if equals and word.startswith("-") and value else ())):
        for at, found in enumerate(typed):
            if found == wanted and at not in taken:
                return at
    return otherwise


def _named(word: str) -> str:
    """A program or script: its name without the place it lies in."""
    name = word.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    return _plain(name if name == word else f"<path>/{name}", "path", keep_path=True)


def _value(operand: str, kind: str) -> str:
    if kind in ("package", "file", "path", "url", "host", "container", "pid", "process", "name"):
        return f"<{kind}>"
    name, equals, value = operand.partition("=")
    if equals and name and re.fullmatch(r"[\w.-]+", name):
        return f"{name}={_plain(value, 'value')}"
    return _plain(operand, kind or "value")


def _flag(flag: str) -> str:
    name, equals, value = flag.partition("=")
    return f"{name}={_plain(value, 'value')}" if equals else _plain(flag, "value")


def _plain(value: str, kind: str, *, keep_path: bool = False) -> str:
    """The value where it says nothing of one place or moment, else what it is. A single digit is a switch."""
    if len(value) == 1:
        return value
    general = " ".join(placeholders(value).split())
    bare = _PLACEHOLDER.sub("", general)
    if len(general) > VALUE_CHARS or (_HOLDS_PLACE.search(bare.removeprefix("/") if keep_path else bare)):
        return f"<{kind}>"
    return general


def merged(a: Part, b: Part) -> Part:
    """What two runs did at one step: where they differ, a placeholder stands. Their keys are equal."""
    options = {w.text.partition("=")[0]: w.text for w in b.words if w.role in (Role.SET, Role.OPTION)}
    operands = [w for w in b.words if w.role is Role.OPERAND]
    ours = sum(w.role is Role.OPERAND for w in a.words)
    words: list[Word] = []
    at = 0
    for mine in a.words:
        word = mine
        if mine.role in (Role.SET, Role.OPTION):
            name = mine.text.partition("=")[0]
            word = mine if options.get(name) == mine.text else Word(mine.role, f"{name}=<value>")
        elif mine.role is Role.OPERAND:
            if at >= len(operands):
                continue
            word, at = _common_operand(mine, operands[at]), at + 1
        if word not in words:
            words.append(word)
    if ours != len(operands):
        words.append(Word(Role.OPERAND, "…"))
    return Part(a.tool, tuple(words), a.spelled if a.spelled == b.spelled else "")


def _common_operand(mine: Word, theirs: Word) -> Word:
    if mine.text == theirs.text:
        return mine
    name, equals, _ = mine.text.partition("=")
    if equals and theirs.text.startswith(f"{name}="):
        return Word(Role.OPERAND, f"{name}=<value>", mine.kind)
    return Word(Role.OPERAND, f"<{mine.kind or 'value'}>", mine.kind)


def _as_typed(word: Word) -> str:
    """A word as one types it: a short option and its value are two words."""
    name, equals, value = word.text.partition("=")
    if not equals or word.role not in (Role.OPTION, Role.OPERAND):
        return _quoted(word.text)
    short = word.role is Role.OPTION and not name.startswith("--")
    return f"{name} {_quoted(value)}" if short else _assigned(word.text)


def _assigned(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name}={_quoted(value)}" if equals and re.fullmatch(r"[\w.-]+", name) else _quoted(text)


def _quoted(word: str) -> str:
    """In quotes where a shell would take it apart; a placeholder alone is nothing a shell should see."""
    if "`" in word:  # the step itself stands between such signs
        return "<text>"
    return shlex.quote(word) if _SIGNS.search(_PLACEHOLDER.sub("", word)) else word


def goal_words(goal: str) -> frozenset[str]:
    """The words of a goal that say what it is about: no numbers, no literals."""
    general = placeholders(fold(goal[: 4 * GOAL_CHARS]))
    words = content_tokens(_PLACEHOLDER.sub(" ", general), detect_lang(goal))
    return frozenset(w for w in words if not any(c.isdigit() for c in w) and not _HOLDS_PLACE.search(w))


@dataclass(slots=True)
class _Cluster:
    words: frozenset[str]
    parts: list[Part]
    members: list[Success]


def abstract(successes: Sequence[Success]) -> list[Skill]:
    """The skills in these successes of one place. The same successes in any order give the same skills; one success
    belongs to one procedure, and one session counts once. A run with a step that needs a person's word makes none."""
    clusters: list[_Cluster] = []
    for success in sorted(successes, key=lambda s: (s.at, s.id)):
        words, parts = goal_words(success.goal), list(procedure(success.acts))
        if not words or not parts or not advisable(success.acts):
            continue
        home = next((c for c in clusters if _fits(c, words, parts)), None)
        if home is None:
            clusters.append(_Cluster(words, parts, [success]))
            continue
        home.words &= words
        home.parts = _common(home.parts, parts)
        home.members.append(success)
    return [_skill(c) for c in clusters if len({m.session for m in c.members}) >= MIN_SUCCESSES]


def _fits(cluster: _Cluster, words: frozenset[str], parts: list[Part]) -> bool:
    shared = cluster.words & words
    if len(shared) < SAME_GOAL * min(len(cluster.words), len(words)) or not shared:
        return False
    return len(lcs(cluster.parts, parts, lambda p: p.key)) >= max(1.0, SAME_STEPS * min(len(cluster.parts), len(parts)))


def _common(a: list[Part], b: list[Part]) -> list[Part]:
    return [merged(x, y) for x, y in lcs(a, b, lambda p: p.key)]


def _skill(cluster: _Cluster) -> Skill:
    lang = detect_lang(cluster.members[0].goal)
    goal = general_goal([m.goal for m in cluster.members]) or " ".join(sorted(cluster.words))
    steps = tuple(p.text for p in cluster.parts[:MAX_STEPS])
    return Skill(
        goal=goal, steps=steps, text=told(goal, steps, lang), lang=lang,
        tools=tuple(dict.fromkeys(p.tool for p in cluster.parts[:MAX_STEPS])),
        successes=tuple(m.id for m in cluster.members), sessions=len({m.session for m in cluster.members}),
    )  # fmt: skip


def told(goal: str, steps: Sequence[str], lang: str, *, once: bool = False) -> str:
    """A procedure in one sentence, in the language of its goal. once: as the account of one success, not as a skill."""
    frames = _ONCE if once else _FRAME
    frame, joint = frames.get(lang, frames["en"])
    return frame.format(goal=goal, steps=joint.join(f"`{s}`" for s in steps))


def general_goal(goals: Sequence[str]) -> str:
    """The words that all goals have, in their order; numbers, literals and what differs left out. "" when nothing is."""
    common = _units(goals[0]) if goals else []
    for goal in goals[1:]:
        common = [a for a, _ in lcs(common, _units(goal), fold)]
    stop = STOP_WORDS[detect_lang(goals[0])] if goals else frozenset()
    while common and (fold(common[-1]) in stop or not any(c.isalnum() for c in common[-1])):
        common.pop()
    while common and not any(c.isalnum() for c in common[0]):
        common.pop(0)
    text = ""
    for unit in common:
        joined = re.match(f"[{HAN}]", unit) and re.search(f"[{HAN}]$", text)
        text += unit if not text or joined else f" {unit}"
    return text[:GOAL_CHARS].rstrip(" .,;:，。；：")


def _units(goal: str) -> list[str]:
    general = placeholders(" ".join(goal[: 4 * GOAL_CHARS].split()))
    return [
        u
        for u in _UNIT.findall(general)
        if not (_PLACEHOLDER.search(u) or _HOLDS_PLACE.search(u) or _HOLDS_NUMBER.search(u) or u.isdigit())
    ]
