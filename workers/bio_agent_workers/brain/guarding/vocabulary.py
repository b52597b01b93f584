"""Words and what they stand for: a table of concepts as one vocabulary that reads a text once, and the forms of English verbs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


def concept_words(table: dict[str, frozenset[str]]) -> list[tuple[str, str]]:
    """(word, concept) of a table, longest words first, so that "khởi động lại" is read before "khởi động"."""
    pairs = [(word, concept) for concept, words in table.items() for word in words]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


_HAN = re.compile("[\u4e00-\u9fff]")


def gerund(word: str) -> str:
    """restart → restarting, delete → deleting, stop → stopping."""
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1] + "ing"
    one = sum(letter in "aeiou" for letter in word) == 1  # edit → editing
    short = one and len(word) in (3, 4) and word[-1] in "tpgbnd" and word[-2] in "aeiou" and word[-3] not in "aeiou"
    return word + word[-1] + "ing" if short else word + "ing"


def past(word: str) -> str:
    """delete → deleted, push → pushed, stop → stopped; irregular forms stand in the table."""
    return gerund(word)[:-3] + "ed"


def third(word: str) -> str:
    """delete → deletes, push → pushes: also the plural of the noun ("no deploys")."""
    return word + ("es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s")


def is_stem(word: str) -> bool:
    """Whether a word is an English verb or noun in its plain form."""
    return word.isascii() and word.isalpha() and not word.endswith(("ed", "ing"))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of one or several syllables and the concept of each; `find` reads a text once instead of trying each word.
    longest: most blank-separated words of an entry; han: a pattern of the Chinese entries, longest first."""

    of: Mapping[str, str]
    longest: int
    han: re.Pattern[str]

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, concept) of each entry in a text, in order, the longest where several begin."""
        out: list[tuple[int, int, str]] = []
        tokens = list(_TOKEN.finditer(text))
        at = 0
        while at < len(tokens):
            taken = 0
            for count in range(min(self.longest, len(tokens) - at), 0, -1):
                start, end = tokens[at].start(), tokens[at + count - 1].end()
                concept = self.of.get(text[start:end].lower())
                if concept is not None:
                    out.append((start, end, concept))
                    taken = count
                    break
            at += taken or 1
        if not text.isascii() and _HAN.search(text):
            out += [(m.start(), m.end(), self.of[m.group()]) for m in self.han.finditer(text)]
            out.sort()
        return out


_TOKEN = re.compile("[^\\W\u4e00-\u9fff](?:[\\w-](?<![\u4e00-\u9fff]))*|-[\\w-]+")


def vocabulary(table: dict[str, frozenset[str]]) -> Vocabulary:
    """The vocabulary of a table of concepts."""
    pairs = concept_words(table)
    han = [re.escape(word) for word, _ in pairs if _HAN.search(word)]
    longest = max(word.count(" ") + 1 for word, _ in pairs)
    return Vocabulary(dict(reversed(pairs)), longest, re.compile("|".join(han)))
