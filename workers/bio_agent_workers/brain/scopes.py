"""Scopes: where a belief applies. A path is typed segments from wide to narrow, `company:VN01/branch:HCM`.

A scope encloses every scope whose path begins with its own. Two scopes of which neither encloses the other are
siblings: no caller is in both, so what is said in them never conflicts. `/`, `:`, `%` in a name are percent-encoded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from bio_agent_schema.types import Scope

Path = tuple[tuple[str, str], ...]

MAX_SEGMENTS = 8  # deeper than any organisation chart seen; bounds keys in the index
MAX_NAME_CHARS = 128  # characters of one segment's name
_TYPE_RE = re.compile(r"[a-z][a-z0-9_]{0,31}")
_BAD_ESCAPE_RE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_EXAMPLE = "for example 'workspace:web' or 'company:VN01/branch:HCM'"


class ScopeError(ValueError):
    """A scope that cannot be read; the message says what is wrong and how a right one looks."""


def parse(text: str, *, agent: str | None = None, user: str | None = None) -> Scope:
    """The scope of a path such as `workspace:web`; the empty text is the whole tenant. Raises ScopeError."""
    stripped = text.strip()
    segments = stripped.split("/") if stripped else []
    if len(segments) > MAX_SEGMENTS:
        raise ScopeError(f"scope {text!r} has {len(segments)} segments; at most {MAX_SEGMENTS} are allowed")
    path = tuple(_segment(part, text) for part in segments)
    types = [kind for kind, _ in path]
    twice = next((kind for kind in types if types.count(kind) > 1), None)
    if twice is not None:
        raise ScopeError(f"scope {text!r} names two segments of type {twice!r}; each type may stand once")
    return Scope(path=path, agent=agent or None, user=user or None)


def of_workspace(name: str, *, agent: str | None = None, user: str | None = None) -> Scope:
    """The caller's scope from the workspace a host sends: a typed path as it stands, else `workspace:<name>`.

    "" is the whole tenant. A name that is no typed path (a folder, `C:\\work`) is taken literally.
    """
    if not name.strip():
        return Scope(agent=agent or None, user=user or None)
    try:
        return parse(name, agent=agent, user=user)
    except ScopeError:
        return Scope(path=(("workspace", _name(name.strip(), name)),), agent=agent or None, user=user or None)


def format_path(path: Path) -> str:
    """The text of a path; parse() gives the same path back."""
    return "/".join(f"{kind}:{_escape(name)}" for kind, name in path)


def format_scope(scope: Scope) -> str:
    """One line for people: the path (or "tenant"), then the limits."""
    limits = [f"agent={scope.agent}" if scope.agent else "", f"user={scope.user}" if scope.user else ""]
    return " ".join([format_path(scope.path) or "tenant", *filter(None, limits)])


def encloses(outer: Scope, inner: Scope) -> bool:
    """Whether `outer` applies wherever `inner` does."""
    return (
        _is_prefix(outer.path, inner.path)
        and (outer.agent is None or outer.agent == inner.agent)
        and (outer.user is None or outer.user == inner.user)
    )


def applies(scope: Scope, caller: Scope) -> bool:
    """Whether a belief of `scope` applies to `caller`: its path encloses the caller's, each limit equals the caller's.

    The same relation as encloses(): a limit the caller does not name is not met.
    """
    return encloses(scope, caller)


def siblings(a: Scope, b: Scope) -> bool:
    """Whether no caller can be in both scopes: paths of which neither begins with the other, or unequal limits."""
    apart = not (_is_prefix(a.path, b.path) or _is_prefix(b.path, a.path))
    return apart or _unequal(a.agent, b.agent) or _unequal(a.user, b.user)


def narrowest_common(paths: Iterable[Path]) -> Path:
    """The longest path that all of `paths` begin with; () when they share nothing. Raises ScopeError for none."""
    given = list(paths)
    if not given:
        raise ScopeError("no path was given: a belief needs evidence from at least one place")
    low, high = min(given), max(given)  # all paths lie between the two, so they share what the two share
    shared = 0
    while shared < min(len(low), len(high)) and low[shared] == high[shared]:
        shared += 1
    return low[:shared]


def widened(scope: Scope) -> Scope:
    """One step wider: the last segment dropped, limits kept. The whole tenant stays what it is."""
    return Scope(path=scope.path[:-1], agent=scope.agent, user=scope.user)


def _segment(part: str, whole: str) -> tuple[str, str]:
    kind, colon, name = part.partition(":")
    if not colon or not kind or not name:
        raise ScopeError(f"segment {part!r} of scope {whole!r} is not of the form type:name, {_EXAMPLE}")
    if not _TYPE_RE.fullmatch(kind):
        raise ScopeError(f"type {kind!r} in scope {whole!r} must be lower-case letters, digits and _, {_EXAMPLE}")
    if kind == "tenant":
        raise ScopeError(f"scope {whole!r} names a tenant; the tenant comes from the credential, leave it out")
    if ":" in name:
        raise ScopeError(f"name {name!r} in scope {whole!r} holds ':'; write it as %3A")
    if _BAD_ESCAPE_RE.search(name):
        raise ScopeError(f"name {name!r} in scope {whole!r} holds a lone '%'; write it as %25")
    return kind, _name(unquote(name), whole)


def _name(name: str, whole: str) -> str:
    name = unicodedata.normalize("NFC", name)
    if name != name.strip() or not name:
        raise ScopeError(f"name {name!r} in scope {whole!r} is empty or begins or ends with a blank")
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in name):
        raise ScopeError(f"name {name!r} in scope {whole!r} holds control or invisible characters")
    if len(name) > MAX_NAME_CHARS:
        raise ScopeError(f"a name in scope {whole[:60]!r}… has {len(name)} characters; at most {MAX_NAME_CHARS}")
    return name


def _escape(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F").replace(":", "%3A")


def _is_prefix(short: Path, long: Path) -> bool:
    return long[: len(short)] == short


def _unequal(a: str | None, b: str | None) -> bool:
    return a is not None and b is not None and a != b
