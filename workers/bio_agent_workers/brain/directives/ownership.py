"""Whose words a turn's text is: what the owner says, and what the owner only shows, asks about or has written.

A text that announces material from elsewhere ("this is from the runbook", 「群里有人发的」, "log ở dưới") makes all that
follows foreign, since nothing in plain text tells where such material ends; delimited material (a fence, quotes, `>` lines)
ends with its mark. Mail headers, forwards, stack traces and letters announce themselves. Told by form, not by topic: a text
that names its source in no such way is read as the owner's.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives import ownership_marks as marks
from bio_agent_workers.brain.directives import ownership_words as words
from bio_agent_workers.brain.directives.parts import MASK

_DELIMITED = (
    re.compile(r"<([a-z][\w-]*)[^>\n]*>.*?</\1>", re.DOTALL | re.IGNORECASE),
    re.compile(r"\"[^\"\n]*\"|“[^”]*”|«[^»]*»|「[^」]*」|『[^』]*』|`[^`\n]*`"),
    re.compile(r"^[ \t]*(?:>|\|)[^\n]*(?:\n[ \t]*(?:>|\|)[^\n]*)*", re.MULTILINE),
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_PIECE = re.compile(r"[^.!?…。！？\n]*(?:[.!?…。！？]+(?=[\s\"”’)）]|$|(?<=[。！？]))[\"”’)）]*|\n|$)")
_MAX_PIECES = 200  # pieces of a turn that are looked at; a longer turn is material


def own_words(text: str) -> str:
    """The text with what is not the owner's own blanked, character by character; line breaks and positions stay.

    Quotes stay as they are: whether a short quoted term belongs to a sentence is told where sentences are read.
    """
    shown, unfenced = _without_delimited(text), _without_fences(text)
    chars = list(unfenced)
    for start, end in _foreign(shown, unfenced):
        for i in range(start, end):
            if chars[i] != "\n":
                chars[i] = MASK
    return "".join(chars)


def is_mention(sentence: str) -> bool:
    """Whether a sentence only speaks of a wish: as the text to be written somewhere, as what somebody might say, as words."""
    return any(pattern.search(sentence) for pattern in words.MENTION)


def _without_fences(text: str) -> str:
    """Fences blanked. Of more than one pair all from the first to the last is: material may hold fence marks of its own,
    and what it puts between them is not the owner's."""
    marks = list(_FENCE.finditer(text))
    if not marks:
        return text
    end = marks[-1].end() if len(marks) % 2 == 0 else len(text)
    return _blanked(text, marks[0].start(), end)


def _without_delimited(text: str) -> str:
    out = _without_fences(text)
    for pattern in _DELIMITED:
        for m in pattern.finditer(out):
            out = _blanked(out, m.start(), m.end())
    return out


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + "".join(c if c == "\n" else MASK for c in text[start:end]) + text[end:]


def _foreign(shown: str, text: str) -> list[tuple[int, int]]:
    """Stretches (start, end) that are foreign. text: with fences blanked; shown: with all delimited material blanked."""
    marked = marks.from_here(shown)
    shown, text = _without_own_heads(shown), _without_own_heads(text)
    starts = [m.start() for m in words.OPENS.finditer(shown)]
    if words.GREETING.search(shown) and words.VALEDICTION.search(shown):
        starts.append(0)
    starts += [] if marked is None else [marked]
    out: list[tuple[int, int]] = []
    if any(shown[: m.start()].strip(MASK + " \n") for m in marks.SIGNED.finditer(shown.rstrip())):
        starts.append(0)
    for m in sorted([*marks.NAMED.finditer(text), *marks.SHOWN.finditer(shown)], key=lambda m: m.start()):
        if not shown[m.end() :].strip(MASK + " \n"):
            out.append((0, m.end()))  # nothing stands below: it was on what stands above
        elif not _delimited_next(shown, m.end()):
            starts.append(m.start())
            break
    for m in words.LEAD_IN.finditer(shown):
        if not _delimited_next(shown, m.end()):
            starts.append(m.start())
            break
        out.append((m.start(), m.end()))  # the material is the block after it, and ends with it
    last = 0
    for n, piece in enumerate(_PIECE.finditer(shown)):
        said = piece.group().strip(f" \t\r\n-–—*#.。!！{MASK}")
        if not said or n > _MAX_PIECES or (not n and words.GREETS.match(said)):
            continue
        start, end = piece.start(), piece.end()
        if shown[:start].strip(MASK + " \n") and any(p.search(said) for p in words.BACKWARD):
            out.append((0, end))
        rest = shown[end:]
        alone = not re.sub(rf"[{MASK}\W]", "", rest)
        if any(p.search(said) for p in words.ASKS_OF_TEXT):
            # Of what follows when something does, else of what went before.
            out.append((start, end) if _delimited_next(shown, end) else (last, end) if alone else (start, len(shown)))
            last = end
            continue
        ends_line = piece.group().endswith("\n") or rest.startswith("\n")
        heads = ends_line and any(p.search(said.rstrip(":：")) for p in words.HEADS)
        announces = heads or any(p.search(said) for p in words.ANNOUNCES)
        if announces and not alone and not _delimited_next(shown, end):
            # "Write it as follows" may be the owner's wish; what only names a source is part of what is shown.
            starts.append(end if "follow" in said.lower() and not heads else start)
            break
    if starts:
        out.append((min(starts), len(shown)))
    return out


def _without_own_heads(shown: str) -> str:
    """Lines by which an owner heads a list of his own, replaced by a word that announces nothing."""
    return marks.OWN_HEAD.sub(lambda m: "x" * len(m.group()), shown)


def _delimited_next(shown: str, at: int) -> bool:
    """Whether the material that was announced is a delimited block."""
    return shown[at : at + 200].lstrip(" \t\r\n:：").startswith(MASK)
