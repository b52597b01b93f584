"""Secrets where nobody looks for them: in the names of workspaces, agents, sessions and tools, and in what a refusal echoes.

A name keys things, so it cannot just be blanked: two sessions must stay two. A name that holds a secret becomes its
redacted text and a short keyed mark, the same for the same name on one machine.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from bio_agent_client.observation import ID_MAX_CHARS, Observation
from bio_agent_client.redact import redact

#: Fields of an observation that are names.
NAME_FIELDS: Final = (
    "id",
    "workspace",
    "agent",
    "user",
    "session",
    "turn",
    "source",
    "speaker",
    "host",
    "call_id",
    "tool",
    "project_version",
)
_SHORTEST = 8  # characters; nothing shorter is taken for a secret
_MARK_CHARS = 12  # hex digits, 48 bit: names of one tenant do not collide
_GLUED = 20  # characters; shorter names have no room for a token behind another word
_GAP = re.compile(r"[-_:/.@~+|]+")
_DONE = re.compile(rf"(\[redacted:[^\]]*\](?:~[0-9a-f]{{{_MARK_CHARS}}}$)?)")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_KEY_BYTES = 32
_ECHO = re.compile(r"""(['"])((?:\\.|(?!\1).)*)\1|(?<=not )\S{16,}""")
_PLAIN_ECHO = re.compile(r"[A-Za-z][A-Za-z_]{0,23}|-?\d{1,9}|")


def _unglued(text: str) -> str:
    """`text` without a token glued to it (`deploy-ghp_…`): no blank stands before it, as a pattern expects."""
    if len(text) < _GLUED:
        return text
    for gap in _GAP.finditer(text):
        tail = redact(text[gap.end() :])
        if tail != text[gap.end() :]:
            return text[: gap.end()] + tail
    return text


@lru_cache(maxsize=4096)
def clean_name(name: str, key: bytes) -> str:
    """`name`, or without its secrets and with a mark made with `key`. Cleaning twice changes nothing more; at most
    ID_MAX_CHARS characters where it was changed."""
    if len(name) < _SHORTEST or _UUID.fullmatch(name):
        return name
    clean = "".join(part if _DONE.fullmatch(part) else _unglued(part) for part in _DONE.split(redact(name)))
    if clean == name:
        return name
    mark = hmac.new(key, name.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:_MARK_CHARS]
    return f"{clean[: ID_MAX_CHARS - _MARK_CHARS - 1]}~{mark}"


def clean_names(obs: Observation, key: bytes | None = None) -> Observation:
    """`obs` with every name in it cleaned; the same object if nothing changed. key: the machine's when left out."""
    changed: dict[str, Any] = {}
    for field in NAME_FIELDS:
        value = getattr(obs, field)
        if len(value) >= _SHORTEST:
            clean = clean_name(value, machine_key() if key is None else key)
            if clean is not value:
                changed[field] = clean
    entities = tuple(clean_name(entity, machine_key() if key is None else key) for entity in obs.entities)
    if entities != obs.entities:
        changed["entities"] = entities
    return replace(obs, **changed) if changed else obs


def safe_reason(reason: str) -> str:
    """What a refusal may say to whoever sent the observation, and to a log: a value it quotes stays only if it is a plain
    word or a small number; a cut secret is none that a pattern would still find."""
    return redact(_ECHO.sub(_echoed, reason))


def _echoed(found: re.Match[str]) -> str:
    said = found[2] if found[1] else found.group()
    return found.group() if _PLAIN_ECHO.fullmatch(said) else "(a value not repeated here)"


@cache
def machine_key() -> bytes:
    """The key of this machine's marks: a file only its user can read, made when first needed. Where it cannot be kept the
    key lives as long as the process, and the marks with it."""
    home = Path(os.environ.get("BIO_AGENT_HOME") or Path.home() / ".bio-agent")
    path = home / "names.key"
    with suppress(OSError):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = home / f"names.key.{os.getpid()}.{secrets.token_hex(4)}"
        if not path.exists():
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
            with suppress(FileExistsError):
                os.link(fresh, path)  # of two processes the first wins, and nobody reads half a key
            fresh.unlink()
        kept = path.read_bytes()
        if len(kept) == _KEY_BYTES:
            return kept
    return secrets.token_bytes(_KEY_BYTES)
