"""Words and what they stand for: lexicons as vocabularies that read a text once, and the forms of English words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bio_agent_workers.brain.relations.vocabulary import lines

_HAN = re.compile("[\u4e00-\u9fff]")
_TOKEN = re.compile("[^\\W\u4e00-\u9fff](?:[\\w-](?<![\u4e00-\u9fff]))*|-[\\w-]+")
#: Vietnamese sets the tone mark of a last oa, oe or uy on either vowel (khóa, khoá).
_TONE_MARKS = {
    first + new: old + last
    for first, last, news, olds in (("o", "a", "àáảãạ", "òóỏõọ"), ("o", "e", "èéẻẽẹ", "òóỏõọ"), ("u", "y", "ỳýỷỹỵ", "ùúủũụ"))
    for new, old in zip(news, olds, strict=True)
}  # fmt: skip
_TONES = re.compile(rf"(?<!q)(?:{'|'.join(_TONE_MARKS)})(?!\w)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a lexicon. name: of the concept, "" for words that are none; english, abroad (Chinese and Vietnamese),
    shown (by calls alone): its words; read: a rule in English is read by its English words too."""

    name: str
    english: frozenset[str]
    abroad: frozenset[str]
    shown: frozenset[str]
    read: bool

    @property
    def words(self) -> frozenset[str]:
        """All words that say the concept."""
        return self.english | self.abroad


def lexicon(file: str) -> Iterator[Entry]:
    """The lines of a lexicon in `words/`; their form stands at the head of guard_things.txt."""
    for line in lines(file):
        mark = line[0] if line[0] in "=-" else ""
        columns = [[word.replace("_", " ") for word in column.split()] for column in line[len(mark) :].split("|")]
        english, chinese, vietnamese, *shown = columns
        name = english[0] if mark != "-" else ""
        abroad = frozenset(chinese + [one_spelling(word) for word in vietnamese])
        yield Entry(name, frozenset(english), abroad, frozenset(*shown), mark == "=")


def by_concept(words: Iterable[tuple[str, frozenset[str]]]) -> dict[str, frozenset[str]]:
    """Concept → its words; those of several lines are put together."""
    out: dict[str, frozenset[str]] = {}
    for name, said in words:
        out[name] = out.get(name, frozenset()) | said
    return out


def one_spelling(text: str) -> str:
    """A text in lower case and the older spelling of Vietnamese tone marks; it keeps its length."""
    lowered = text.lower()
    return lowered if lowered.isascii() else _TONES.sub(lambda found: _TONE_MARKS[found.group()], lowered)


def gerund(word: str) -> str:
    """restart → restarting, delete → deleting, stop → stopping."""
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1] + "ing"
    one = sum(letter in "aeiou" for letter in word) == 1  # edit → editing
    short = one and len(word) in (3, 4) and word[-1] in "tpgbnd" and word[-2] in "aeiou" and word[-3] not in "aeiou"
    return word + word[-1] + "ing" if short else word + "ing"


def past(word: str) -> str:
    """delete → deleted, push → pushed, stop → stopped; irregular forms stand in the lexicon."""
    return gerund(word)[:-3] + "ed"


def third(word: str) -> str:
    """delete → deletes, push → pushes: also the plural of the noun ("no deploys")."""
    return word + ("es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s")


def plural(noun: str) -> str:
    """box → boxes, battery → batteries, living room → living rooms."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return third(noun)


def is_stem(word: str) -> bool:
    """Whether a word is an English verb or noun in its plain form."""
    return word.isascii() and word.isalpha() and not word.endswith(("ed", "ing"))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of one or several syllables and the concept of each; `find` reads a text once instead of trying each word.
    longest: most blank-separated words of an entry; han: characters of the longest Chinese entry by its first one."""

    of: Mapping[str, str]
    longest: int
    han: Mapping[str, int]

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, concept) of each entry in a text, in order, the longest where several begin."""
        said = one_spelling(text)
        if len(said) != len(text):  # a capital that two small letters stand for
            said = text
        out = list(self._spelled(said))
        if not said.isascii():
            out += self._chinese(said)
            out.sort()
        return [found for found in out if found[2]]

    def _spelled(self, said: str) -> Iterator[tuple[int, int, str]]:
        tokens = [found.span() for found in _TOKEN.finditer(said)]
        at = 0
        while at < len(tokens):
            start = tokens[at][0]
            for count in range(min(self.longest, len(tokens) - at), 0, -1):
                end = tokens[at + count - 1][1]
                concept = self.of.get(said[start:end])
                if concept is not None:
                    yield start, end, concept
                    at += count - 1
                    break
            at += 1

    def _chinese(self, said: str) -> Iterator[tuple[int, int, str]]:
        at = 0
        while at < len(said):
            for size in range(min(self.han.get(said[at], 0), len(said) - at), 0, -1):
                concept = self.of.get(said[at : at + size])
                if concept is not None:
                    yield at, at + size, concept
                    at += size - 1
                    break
            at += 1


def vocabulary(table: Mapping[str, Iterable[str]]) -> Vocabulary:
    """The vocabulary of a table of concepts; of two that have a word in common, the first has it."""
    of: dict[str, str] = {}
    han: dict[str, int] = {}
    longest = 1
    for concept, words in table.items():
        for word in words:
            of.setdefault(word, concept)
            if _HAN.match(word):
                han[word[0]] = max(han.get(word[0], 0), len(word))
            else:
                longest = max(longest, word.count(" ") + 1)
    return Vocabulary(of, longest, han)
