"""A person's rule as a language model read it once: forms of calls, each of which is what the rule speaks against.

The guard reads people's sentences by their words, in three languages, and knows what some thousand commands do; which other
ways lead to the same end, and how else a thing may be called, takes knowledge of the world. Where a model is configured it is
asked once, when the rule is new, and only for such forms; a call is compared with them here, in microseconds, without it.
"""

from __future__ import annotations

import fnmatch
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_words import ACTION_OF
from bio_agent_workers.brain.guarding.call_view import Call
from bio_agent_workers.brain.guarding.matching import PLACEHOLDER, condemns

MOST_FORMS = 24  # of one rule
MOST_WORDS = 40  # of one group, and groups of one form
MOST_CHARS = 200  # of one word or command
LEAST = 3  # letters and figures of a word with a `*` in it
READ = 20_000  # characters of a call in which words are looked for
_HAN = re.compile("[\u4e00-\u9fff]")
_BREAKS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_APART = re.compile(r"[^\w*?%@#.+=]+|_+|(?<=\w)\.(?=\W|$)")


@dataclass(frozen=True, slots=True)
class Limit:
    """Of a number that the call gives under one of these names: above or below the bound, which itself is neither."""

    of: tuple[str, ...]
    above: bool
    bound: Decimal


@dataclass(frozen=True, slots=True)
class Form:
    """One form of what a rule speaks against: everything in it holds of one act. command: a command with `<name>` for any
    value, "" for a call of another kind. words: of each group one is shown; unless: of these none is."""

    command: str
    words: tuple[tuple[str, ...], ...]
    unless: tuple[str, ...]
    limit: Limit | None = None

    def __str__(self) -> str:
        said = [f"`{self.command}`"] if self.command else []
        said += [" or ".join(group[:3]) + (" …" if len(group) > 3 else "") for group in self.words]
        if self.limit is not None:
            said.append(f"{self.limit.of[0]} {'above' if self.limit.above else 'below'} {self.limit.bound}")
        return " with ".join(said) + (f", unless {', '.join(self.unless[:3])}" if self.unless else "")


def read(data: Any) -> list[Form]:
    """The forms of a model's reply that can be held against a call; what says too little to tell calls apart is left out."""
    out: list[Form] = []
    for one in data if isinstance(data, list) else ():
        if not isinstance(one, Mapping):
            continue
        given = one.get("command")
        command = given.strip()[:MOST_CHARS] if isinstance(given, str) else ""
        words = tuple(group for said in _list(one.get("words")) if (group := _words(said)))
        limit = _limit(one.get("number"))
        form = Form(command, words[:MOST_WORDS], _words(one.get("unless")), limit)
        program = command.split(" ", 1)[0]
        if (command and not PLACEHOLDER.search(program)) or len(words) + (limit is not None) >= 2:
            out.append(form)
    return out[:MOST_FORMS]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _words(value: Any) -> tuple[str, ...]:
    given = (w.strip()[:MOST_CHARS] for w in _list(value) if isinstance(w, str) and _apart(w))
    return tuple(w for w in given if "*" not in w or _says_enough(w))[:MOST_WORDS]


def _says_enough(pattern: str) -> bool:
    """Whether a pattern tells one thing from another: `*` or `*e*` does not."""
    plain = pattern.replace("*", "")
    return len(_HAN.findall(plain)) >= 1 or sum(c.isalnum() for c in plain) >= LEAST or "@" in plain


def _limit(value: Any) -> Limit | None:
    if not isinstance(value, Mapping):
        return None
    names, bound = _words(value.get("of")), _number(value.get("bound"))
    if not names or bound is None or value.get("side") not in ("above", "below"):
        return None
    return Limit(names, above=value["side"] == "above", bound=bound)


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    except InvalidOperation:
        return None


# ---------------------------------------------------------------------------------------------------------- a call's words


@lru_cache(maxsize=8192)
def _apart(said: str) -> tuple[str, ...]:
    """A text as words, folded: case, marks and the joints of identifiers do not count."""
    plain = unicodedata.normalize("NFD", _BREAKS.sub(" ", said)).replace("đ", "d").replace("Đ", "d")
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    return tuple(part for part in _APART.split(plain) if part.strip(".="))


#: Values by which a field says that there is nothing of its name.
_NOTHING = frozenset({"false", "0", "no", "none", "off", ""})


@dataclass(frozen=True, slots=True)
class Shown:
    """What a call shows in all. text: its words in order between blanks; words: each; pairs: `name=value` of its fields."""

    text: str
    words: frozenset[str]
    pairs: frozenset[str]

    def has(self, word: str) -> bool:
        """Whether a word is shown: `name=value`, a beginning (`prod-*`), or words that follow each other."""
        if "=" in word:
            pattern = word.casefold().replace(" ", "")
            if pattern in self.pairs or ("*" in word and any(fnmatch.fnmatchcase(one, pattern) for one in self.pairs)):
                return True
            if self.pairs:
                return False  # of a structured call it names a field; in a command line it is a word
        if "*" in word:
            pattern = word.casefold()
            return any(fnmatch.fnmatchcase(one, pattern) for one in self.words)
        if _HAN.search(word):
            return word in self.text
        parts = _apart(word)
        return bool(parts) and (f" {' '.join(parts)} " in self.text or (len(parts) == 1 and _one(parts[0], self.words)))


def _one(word: str, words: frozenset[str]) -> bool:
    return word in words or word + "s" in words or (word.endswith("s") and word[:-1] in words)


def shown_by(said: Iterable[str], tool_input: Any = None) -> Shown:
    """said: texts of an act. tool_input: the fields of a call that is no command line."""
    pairs: set[str] = set()
    texts = list(said)
    for name, value in _leaves(tool_input, ""):
        texts += [value] if value in _NOTHING else [name, value]  # "people_inside: 0" shows nobody inside
        pairs.add(f"{name}={value}".casefold().replace(" ", ""))
    texts = list(_within(texts))
    parts = [part for one in texts for part in (*_apart(one), "|")]
    whole = {one.casefold() for text in texts for one in text.split()}
    return Shown(f" {' '.join(parts)} ", frozenset(whole | set(parts) - {"|"}), frozenset(pairs))


def _within(texts: Iterable[str]) -> Iterator[str]:
    """Texts up to READ characters in all; of one that is too long its beginning and its end."""
    left = READ
    for text in texts:
        if left <= 0:
            return
        yield text if len(text) <= left else f"{text[: left // 2]} {text[-left // 2 :]}"
        left -= len(text)


def _leaves(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and depth < 6:
        for key, inner in list(value.items())[:200]:
            yield from _leaves(inner, str(key), depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 6:
        for inner in value[:200]:
            yield from _leaves(inner, name, depth + 1)
    elif value is not None:
        said = str(value).lower() if isinstance(value, bool) else str(value)
        yield name, said[:2000]


# ------------------------------------------------------------------------------------------------------------- the matching


@dataclass(frozen=True, slots=True)
class Seen:
    """A call as forms are compared with it. line: whether it is a command line."""

    acts: Sequence[Act]
    views: Sequence[Call]
    shown: Mapping[int, Shown]
    line: bool


#: A line in which what one command is told stands beside it: in a pipe, a heredoc, a here-string.
_FED = re.compile(r"(?<!\|)\|(?!\|)|<<")


def seen(acts: Sequence[Act], views: Sequence[Call], tool: str, tool_input: Any, *, line: str | None) -> Seen:
    """line: the command line of a call that is one."""
    shown = {}
    fed = [line] if line is not None and _FED.search(line) else []
    for view in views:
        act = acts[view.index] if line is not None and view.index < len(acts) else None
        said = [act.tool, act.verb, *act.flags, *act.operands, act.text] if act is not None else [tool]
        shown[view.index] = shown_by([*said, *view.words, *fed], tool_input if line is None else None)
    return Seen(acts, views, shown, line is not None)


def matches(forms: Sequence[Form], call: Seen, parse: Callable[[str], Sequence[Act]]) -> tuple[int, ...]:
    """Numbers of the acts that one of the forms is of. parse: reads a command with placeholders."""
    return tuple(
        view.index for view in call.views if not view.dry and any(_is(form, call, view, parse) for form in forms)
    )


def _is(form: Form, call: Seen, view: Call, parse: Callable[[str], Sequence[Act]]) -> bool:
    if form.command:
        wrong = parse(form.command)
        if not call.line or not wrong or view.index >= len(call.acts):
            return False
        if not condemns(wrong[-1], call.acts[view.index]) or not _same_end(wrong[-1], call.acts[view.index]):
            return False
    elif view.looks and call.line:
        return False
    shown = call.shown[view.index]
    if any(shown.has(word) for word in form.unless):
        return False
    if not all(any(shown.has(word) or _does(word, view) for word in group) for group in form.words):
        return False
    return form.limit is None or _beyond(form.limit, view)


#: Programs whose last operand is what they write.
_COPIES = frozenset({"cp", "mv", "rsync", "scp", "install", "ln"})


def _same_end(wrong: Act, now: Act) -> bool:
    """Whether a copy goes where the form says, if it says where: its objects have their places."""
    if wrong.tool not in _COPIES or len(wrong.operands) < 2 or PLACEHOLDER.search(wrong.operands[-1]):
        return True
    return bool(now.operands) and now.operands[-1].rstrip("/").startswith(wrong.operands[-1].rstrip("/"))


def _does(word: str, view: Call) -> bool:
    """Whether a word names the act that the call does, by whatever verb its tool has for it."""
    concept = ACTION_OF.get(word.casefold().replace("_", " "))
    return concept is not None and concept in view.actions


def _beyond(limit: Limit, view: Call) -> bool:
    given = [
        number for name, number in view.numbers.items()
        if any(_apart(word) == _apart(name) for word in limit.of)
    ]  # fmt: skip
    return any(number > limit.bound if limit.above else number < limit.bound for number in given)


def telling(form: Form) -> Iterator[str]:
    """Words of which a call that the form is of shows at least one; none where every call has to be looked at."""
    plain = [group for group in form.words if all(_key(word) and word.casefold() not in ACTION_OF for word in group)]
    if plain:
        yield from (_key(word) for word in min(plain, key=len))


def _key(word: str) -> str:
    """The longest part of a word as a call's words hold it; "" where there is none to look it up by."""
    if "*" in word or "=" in word or _HAN.search(word):
        return ""
    return max(_apart(word), key=len, default="").removesuffix("s")


def keys_of(shown: Shown) -> Iterator[str]:
    """The words of a call under which `telling` finds the forms."""
    return (word.removesuffix("s") for word in shown.words)


def example(text: str) -> tuple[str, Any]:
    """A call that a model wrote down: (tool, input) of `{"tool": …, "input": …}` or of any object, else a command line."""
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        return "Bash", {"command": text}
    if isinstance(given.get("tool"), str) and isinstance(given.get("input"), Mapping):
        return given["tool"], given["input"]
    return "call", given
