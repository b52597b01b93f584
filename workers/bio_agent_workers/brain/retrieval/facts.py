"""Long text into single facts, each short enough to be embedded and found by itself."""

from __future__ import annotations

import re

FACT_CHARS = 320  # characters; beyond it one vector blurs what a text says. Chinese says the same in a third
HAN_WEIGHT = 3
CODE_CHARS = 1_200  # of a piece of code: its lines say little one by one
MAX_FACTS = 200
MARK_CHARS = 3

_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)]|#{1,6}\s|\|))")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^`\n]*\n.*?(?:^ {0,3}\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s[^\n]*|\*\*[^*\n]+\*\*:?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？；])|\n+")
_WORD = re.compile(r"[^\W_]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_TRIGGER = re.compile(
    r"^\s*(?:(?:please|hey|ok|and)[,\s]+)*(?:remember|note|keep in mind|don't forget|make a note)(?:\s+(?:that|this|:))?[\s:,]+"
    r"|^\s*(?:请|帮我)?(?:记住|记下|记一下|牢记|别忘了)[：:，,\s]*"
    r"|^\s*(?:hãy |xin |nhờ )?(?:nhớ|ghi nhớ|ghi lại|lưu ý)(?: (?:là|rằng|giúp|cho))*[\s:,]+",
    re.IGNORECASE,
)


def weight(text: str) -> int:
    """Length as a vector feels it: characters, a Chinese one counted three times."""
    return len(text) + (HAN_WEIGHT - 1) * len(_HAN.findall(text))


def split(text: str) -> list[str]:
    """The facts of a text in order: the text itself when it is short, else paragraphs and list items, long ones cut at
    sentences and packed up to FACT_CHARS; fenced code stays in whole lines, up to CODE_CHARS; a heading goes with what
    it heads. At most MAX_FACTS, the last one holds the rest, so no word is lost. Empty for a text without words."""
    text = text.strip()
    if not _WORD.search(text):
        return []
    if weight(text) <= FACT_CHARS:
        return [text]
    facts: list[str] = []
    at = 0
    for code in _FENCE.finditer(text):
        facts += [*_prose(text[at : code.start()]), *_code(code.group())]
        at = code.end()
    facts = _headed([*facts, *_prose(text[at:])])
    return facts if len(facts) <= MAX_FACTS else [*facts[: MAX_FACTS - 1], "\n".join(facts[MAX_FACTS - 1 :])]


def to_embed(fact: str) -> str:
    """What of a fact a vector is made of: all of it, of a long piece of code its beginning, which names what it is."""
    return fact[:FACT_CHARS] if len(fact) > FACT_CHARS and _FENCE.search(fact) else fact


def _prose(text: str) -> list[str]:
    return [
        fact
        for block in _BLOCK.split(text)
        for fact in _packed([s.strip() for s in _SENTENCE.split(block) if s and s.strip()])
    ]


def _code(block: str) -> list[str]:
    """A fenced block in pieces of whole lines; every piece keeps its fence, so that it is known for code."""
    lines = block.strip().split("\n")
    opening, closing = lines[0], lines[0].strip()[:3]
    body = lines[1:-1] if lines[-1].strip().startswith(closing) and len(lines) > 1 else lines[1:]
    pieces: list[list[str]] = []
    size = CODE_CHARS
    for line in body:
        if size + len(line) >= CODE_CHARS:
            pieces.append([])
            size = 0
        pieces[-1].append(line)
        size += len(line) + 1
    return ["\n".join([opening, *p, closing]) for p in pieces if _WORD.search("\n".join(p))]


def _headed(facts: list[str]) -> list[str]:
    out: list[str] = []
    heading = ""
    for fact in facts:
        if _HEADING.fullmatch(fact):
            heading = f"{heading}\n{fact}".strip()
            continue
        out.append(f"{heading}\n{fact}" if heading else fact)
        heading = ""
    return [*out, heading] if heading else out


def _packed(sentences: list[str]) -> list[str]:
    out: list[str] = []
    for sentence in sentences:
        if not _WORD.search(sentence):  # a stray mark belongs to what it follows, a run of them to nothing
            if out and len(sentence) <= MARK_CHARS:
                out[-1] += f" {sentence}"
            continue
        joined = f"{out[-1]} {sentence}" if out else sentence
        if out and weight(joined) <= FACT_CHARS:
            out[-1] = joined
        else:
            out.append(sentence)
    return out


def without_trigger(text: str) -> str:
    """What is to be kept of "remember that …", 「记住…」, "nhớ là …"; the text itself when it does not begin so."""
    kept = _TRIGGER.sub("", text, count=1).strip()
    return kept or text.strip()
