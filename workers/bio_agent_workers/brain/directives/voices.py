"""Whether what is sent in as a user's words came from the user, as the fields beside the text tell: `source`, `origin`, `speaker`.

One reading for what is observed and for what is asked to be remembered.
"""

from __future__ import annotations

import re

# Where a person types. Any other source names where words came from.
DOORS = frozenset({"", "api", "chat", "cli", "owner", "remember", "user"})
AGENTS_OWN = "mcp"  # what comes from here is the agent's, whoever is named as its speaker
_PLAIN_NAME = re.compile(r"[^\W_][\w -]{0,63}")
#: Speakers that are no person; the first also as the end of a name ("peer-bot").
_NO_PERSON = re.compile(
    r"(?:.*[\W_])?(?:agent|assistant|bot|tool|chatgpt|subagent)"
    r"|ai|model|llm|tools|tool[_ -]?(?:result|output|call)|function|system|web|web ?page|web ?site|page|browser|document|doc|file|e-?mail"
    r"|mail|terminal|shell|script|hook|plugin|mcp|retrieval|search|memory|event|environment|external|untrusted|third[ _-]?party",
    re.IGNORECASE | re.DOTALL,
)


def from_elsewhere(source: str, origin: str, *, vouched: bool = False) -> bool:
    """Whether words came from a message, a document, a page or an agent. vouched: an owner's credential says that what came
    through a plainly named source is the owner's."""
    place = source.strip().casefold()
    if origin.strip() or place == AGENTS_OWN:
        return True
    return place not in DOORS and not (vouched and _PLAIN_NAME.fullmatch(place) is not None)


def is_person(speaker: str) -> bool:
    """Whether the named speaker may be a person; "" names nobody, and the user speaks."""
    return not _NO_PERSON.fullmatch(speaker.strip())
