"""What the sentence of a learned rule is about: its commands, its error and its names, without the words of the frame.

Every rule that is made of the same template shares the frame ("When … fails, first run …; then it worked"), so these words
tell nothing of one. The frames are those that the sentences are made with, read backwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from bio_agent_workers.brain.lessons.rendering import SENTENCES

_SLOT = re.compile(r"\{(\w+)\}")
_OPTIONAL = ("error", "with_error", "named")  # slots that hold a template of their own, or nothing
_KINDS = ("replace", "prepare", "flaky")
_MOST_CHARS = 2_000  # of a sentence made of a template; a longer text is none


def _pattern(template: str, words: Mapping[str, str]) -> str:
    parts = _SLOT.split(template)
    out = []
    for at, part in enumerate(parts):
        if at % 2 == 0:
            out.append(re.escape(part))
        elif part in _OPTIONAL:
            out.append(f"(?:{_pattern(words[part], words)})?")
        else:
            out.append("(.+?)")
    return "".join(out)


_FRAMES = tuple((re.compile(_pattern(w[kind], w)), f"`{w['then']}`") for w in SENTENCES.values() for kind in _KINDS)


@lru_cache(maxsize=1024)
def slots(text: str) -> str | None:
    """What fills the slots of the template that a text is made of, one a line; None for a text that is made of none."""
    said = text.strip()
    if "`" not in said or len(said) > _MOST_CHARS:
        return None
    for frame, then in _FRAMES:
        if found := frame.fullmatch(said):
            return "\n".join(slot.replace(then, "`\n`") for slot in found.groups() if slot)
    return None
