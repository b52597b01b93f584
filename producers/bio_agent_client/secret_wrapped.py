"""Secrets in a wrapping: a token that a line break cuts in two, and an assignment in base64. Standard library only."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from bio_agent_client.secret_budget import Span
from bio_agent_client.secret_vendors import prefixed_at, vendor_at

_BROKEN = re.compile(
    r"(?<![A-Za-z0-9_\-])([A-Za-z0-9_\-]{8,200})\r?\n[ \t]{0,8}([A-Za-z0-9_\-]{4,200})(?![A-Za-z0-9_\-])"
)
_MAX_BREAKS: Final = 2_000  # line breaks between long words looked at in one text
_MAX_ENCODED: Final = 200  # base64 words decoded in one text
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/]{16,4096}={0,2}(?![A-Za-z0-9+/=])")
_NAMES: Final = (
    "password", "Password", "PASSWORD", "passwd", "secret", "Secret", "SECRET", "token", "Token", "TOKEN", "api_key", "apikey",
    "API_KEY", "PRIVATE KEY", "ACCESS_KEY", "Bearer ", "Authorization",
)  # fmt: skip


def _encodings(word: str) -> set[str]:
    """The characters that `word` leaves in base64 whatever stands around it, for each of the three places it may begin."""
    out = set()
    for lead in range(3):
        text = base64.b64encode(b"\0" * lead + word.encode()).decode().rstrip("=")
        # The first characters mix with what stands before, the last one with what follows.
        start = (lead * 8 + 5) // 6
        out.add(text[start : (lead + len(word)) * 8 // 6])
    return out


_GATE = re.compile("|".join(sorted(re.escape(form) for name in _NAMES for form in _encodings(name))))


def broken(text: str) -> Iterator[Span]:
    """Credentials known by their form whose two halves stand at the end of one line and the begin of the next."""
    if "\n" not in text:
        return
    at = 0
    for _ in range(_MAX_BREAKS):
        found = _BROKEN.search(text, at)
        if found is None:
            return
        at = found.start(2)  # the second half may be the first one of the next break
        joined = found[1] + found[2]
        hit = vendor_at(joined, 0)
        end = hit[0] if hit else prefixed_at(joined, 0)
        if end and end > len(found[1]) and not vendor_at(found[1], 0):
            yield found.start(1), found.start(2) + end - len(found[1]), hit[1] if hit else "token"


def encoded(text: str, spans: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Words of base64 whose content is text that holds a secret. spans: how secrets are found in a plain text."""
    if not _GATE.search(text):
        return
    for found in islice(_ENCODED.finditer(text), _MAX_ENCODED):
        word = found.group().rstrip("=")
        try:
            plain = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if plain.isprintable() or plain.replace("\n", "").replace("\r", "").isprintable():
            if spans(plain):
                yield found.start(), found.end(), "encoded"
