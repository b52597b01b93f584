"""What grammar says of one sentence: the grammar of its language, and the cues that stand in it.

A cue is a name for a kind of marking (a word of permanence, one time only, the past, a third party, a ban, …). The grammars
share the names; what marks a cue in a language stands in that language's module. `directive` and `question` are cues too:
whether the grammar's own rules make the sentence a directive, and whether it asks.
"""

from __future__ import annotations

import re
from types import ModuleType

from bio_agent_workers.brain.directives import en, vi, zh
from bio_agent_workers.brain.text import detect_lang

GRAMMARS: dict[str, ModuleType] = {"en": en, "zh": zh, "vi": vi}
_MARKED = (
    "COMPLAINT", "CONDITION", "CONVENTION", "DEFINITE_OBJECT", "DENIAL", "DEONTIC", "EPISTEMIC", "FORBID", "HYPOTHETICAL",
    "JEST", "NEGATIVE_IMPERATIVE", "NO_RULE", "ONE_OFF", "PAST", "PERMANENT", "POLITE", "PREFER", "REMEMBER", "REPORTED",
    "REQUIRE", "SELF", "STRONG", "TASK", "THIRD",
)  # fmt: skip
_NARROW = re.compile(r"(?<=[\u4e00-\u9fff])[,;:?!] ?|[,;:?!](?=[\u4e00-\u9fff])")
_TITLE = re.compile(r"《[^》]*》")
_WIDE = str.maketrans({",": "，", ";": "；", ":": "：", "?": "？", "!": "！", " ": ""})
_ASKS = re.compile(r"[?？][\"”)]*$")


def read(sentence: str) -> tuple[ModuleType, str]:
    """The grammar of the sentence's language, and the sentence as its patterns read it."""
    lang = detect_lang(sentence)
    return GRAMMARS[lang], _wide(sentence) if lang == "zh" else sentence


def _wide(text: str) -> str:
    """The text with the narrow marks beside Chinese characters made wide, as the patterns have them."""
    wide = _NARROW.sub(lambda m: m[0].translate(_WIDE), text)
    return _TITLE.sub(lambda m: "《" + "*" * (len(m[0]) - 2) + "》", wide)  # a title says nothing


def cues(sentence: str) -> set[str]:
    """The names of the cues in a sentence (without what is quoted in it)."""
    grammar, said = read(sentence)
    found = {name for name in _MARKED if (mark := getattr(grammar, name, None)) is not None and mark.search(said)}
    question = _ASKS.search(said) is not None
    if question:
        found.add("question")
    if grammar.directive(said, question):
        found.add("directive")
    return found
