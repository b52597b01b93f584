"""The words of a command, and what each of them is to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import spelling
from bio_agent_workers.brain.lessons.word_pairs import words_of

ASSIGNED = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a command. role: var, program, verb, option, value (of the option before it) or operand. at: number of
    an operand."""

    word: str
    role: str
    at: int = -1

    @property
    def plain(self) -> str:
        return self.word.replace("'", "").replace('"', "")


def text_of(tokens: Sequence[Token]) -> str:
    return " ".join(t.word for t in tokens)


def tokens_of(act: Act) -> list[Token]:
    words = words_of(act.text)
    out: list[Token] = []
    said = spelling(act).split()
    at = 0
    while at < len(words) and ASSIGNED.match(words[at]):
        out.append(Token(words[at], "var"))
        at += 1
    for _ in said or (act.tool,):
        if at < len(words):
            out.append(Token(words[at], "program"))
            at += 1
    verbs, number = act.verb.split(), 0
    asked = False
    values = {f.partition("=")[2] for f in act.flags if "=" in f and f[:1] == "-"}
    for word in words[at:]:
        plain = Token(word, "").plain
        if verbs and word == verbs[0]:
            out.append(Token(word, "verb"))
            verbs, asked = verbs[1:], True
        elif verbs and not asked and out[-1].role == "program" and word[:1] != "-" and plain not in act.operands:
            out.append(Token(word, "verb"))  # the short for it: `npm test` is `npm run test`, `npm i` is `npm install`
            verbs = []
        elif word.startswith("-") and len(word) > 1:
            out.append(Token(word, "option"))
        elif out[-1].role == "option" and plain in values and plain not in act.operands[number : number + 1]:
            out.append(Token(word, "value"))
        else:
            out.append(Token(word, "operand", number))
            number += 1
    return out
