"""Calls over HTTP: the method and path of an act, and the ones that a rule names ("DELETE /orders/<id>")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bio_agent_schema.types import Act

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_NAMED = re.compile(r"\b(GET|HEAD|POST|PUT|PATCH|DELETE)\s+(/[^\s,;)`'\"，。；、）]*)")
_ANY = re.compile(r"<[^>]*>|\{[^}]*\}|:\w+|\*|\$\w+")
_SENDS = ("--data", "--form", "--json", "--post-data", "--post-file", "--body-data")
_ADDRESS = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?[^/?#]*(/[^?#]*)?", re.I)
_PLAIN = re.compile(r"[a-z]+(?:[-_][a-z]+)*")
_HTTPIE = frozenset({"http", "https", "xh", "xhs"})
#: What each method does to what it is sent to.
ACTIONS = {
    "DELETE": frozenset({"delete"}), "PUT": frozenset({"edit", "update", "write"}), "PATCH": frozenset({"edit", "update"}),
    "POST": frozenset({"create"}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Endpoint:
    """method: upper case; parts: of the path, "" for one that may be anything."""

    method: str
    parts: tuple[str, ...]

    @property
    def told(self) -> str:
        return f"{self.method} /{'/'.join(part or '*' for part in self.parts)}"

    def covers(self, call: Endpoint) -> bool:
        """Whether a call is one of these: the same method, and a path that ends like this one (an API may stand below
        any prefix)."""
        if self.method != call.method or len(self.parts) > len(call.parts):
            return False
        tail = call.parts[len(call.parts) - len(self.parts) :]
        return all(not part or part == given for part, given in zip(self.parts, tail, strict=True))


def _parts(path: str) -> tuple[str, ...]:
    return tuple("" if _ANY.fullmatch(part) else part.lower() for part in path.strip("/").split("/"))


def named_endpoints(text: str) -> Iterator[tuple[int, int, Endpoint]]:
    """(start, end, endpoint) of each that a text names."""
    for found in _NAMED.finditer(text):
        path = found[2].rstrip(".:")
        parts = _parts(path)
        if any(parts):
            yield found.start(), found.start(2) + len(path), Endpoint(found[1], parts)


def endpoint_of(act: Act) -> Endpoint | None:
    """The endpoint an act calls, None where it calls none."""
    given = {key.lower(): value for key, found, value in (o.partition("=") for o in act.operands) if found}
    flags = {name: value for name, _, value in (flag.partition("=") for flag in act.flags)}
    method = ""
    if act.tool in ("curl", "wget"):
        method = (flags.get("--request") or flags.get("--method") or "").upper()
        address = flags.get("--url") or next((o for o in act.operands if "." in o or "://" in o or ":" in o), "")
        if not method:
            sends = any(name.startswith(_SENDS) for name in flags) and "--get" not in flags and "-G" not in flags
            method = "POST" if sends else "PUT" if "--upload-file" in flags else "HEAD" if "--head" in flags else "GET"
    elif act.tool in _HTTPIE and act.operands:
        first = act.operands[0].upper()
        method = first if first in _METHODS else ""
        rest = act.operands[1:] if method else act.operands
        address = rest[0] if rest else ""
        method = method or ("POST" if any(re.search(r"\w:?=", o) for o in rest[1:]) else "GET")
    elif act.tool in ("gh", "glab") and act.verb.split(" ")[0] == "api":
        address = "/" + (act.verb.partition(" ")[2] or next(iter(act.operands), "")).lstrip("/")
        method = (flags.get("--method") or flags.get("-X") or "GET").upper()
    else:
        method = (act.verb if act.verb.upper() in _METHODS else given.get("method", "")).upper()
        address = next((given[key] for key in ("url", "uri", "endpoint", "path", "route") if given.get(key)), "")
        if method not in _METHODS:
            return None
    found = _ADDRESS.match(address)
    path = (found[1] or "") if found else ""
    return Endpoint(method, _parts(path)) if address else None


def last_word(endpoint: Endpoint) -> str:
    """What a POST asks for by the end of its path (`/orders/7/cancel`), "" where that is no word."""
    last = endpoint.parts[-1] if endpoint.parts else ""
    return last if endpoint.method == "POST" and _PLAIN.fullmatch(last) else ""
