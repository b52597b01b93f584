"""The wire contract: what a producer sends, its limits, and what is refused. Standard library only.

`parse` takes what a host or a person wrote (full or plain form), `to_wire` / `from_wire` are the one field of a stream
entry. The client and the server run this same module, so a limit is written down once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from bio_agent_client.clean import clean_json, clean_text, compact, cut
from bio_agent_client.unknown import unknown_names

__all__ = [
    "CONTENT_MAX_BYTES",
    "ID_MAX_CHARS",
    "KINDS",
    "METADATA_MAX_BYTES",
    "MODES",
    "PROVENANCES",
    "SCHEMA_VERSION",
    "Observation",
    "Refused",
    "clean_json",
    "clean_text",
    "cut",
    "derive_id",
    "from_wire",
    "parse",
    "to_wire",
    "uuid7",
]

SCHEMA_VERSION: Final = 1
ID_MAX_CHARS: Final = 128
LABEL_MAX_CHARS: Final = 256  # workspace, session, tool, …: names that join things, so a longer one is refused, not cut
TEXT_MAX_CHARS: Final = 4096  # origin, cwd, task, goal: longer ones are cut
CONTENT_MAX_BYTES: Final = 1024 * 1024
TOOL_INPUT_MAX_BYTES: Final = 1024 * 1024
METADATA_MAX_BYTES: Final = 32 * 1024
ENTITIES_MAX: Final = 64

KINDS: Final = ("user", "assistant", "tool", "event", "state", "outcome")
MODES: Final = ("normal", "debug", "plan", "deploy")
PROVENANCES: Final = ("owner", "system", "agent", "untrusted")  # highest trust first
_RANK: Final = {name: rank for rank, name in enumerate(PROVENANCES)}
_DEFAULT_PROVENANCE: Final = {"user": "owner", "event": "system"}  # what a kind is when nothing is claimed; else agent

_PLAIN_KINDS: Final = {
    "run_command": "tool",
    "terminal_output": "tool",
    "tool_result": "tool",
    "user_message": "user",
    "assistant_message": "assistant",
    "erp_event": "event",
}
_LIFTABLE: Final[dict[str, tuple[type, ...]]] = {  # metadata that is a field, and the types in which it is one
    **dict.fromkeys(
        ("tool", "workspace", "session", "cwd", "task", "goal", "mode", "agent", "user", "turn", "origin", "speaker",
         "host", "call_id", "project_version"),
        (str, int),
    ),
    "exit_code": (int,),
    "is_error": (bool,),
    "duration_ms": (int, float),
}  # fmt: skip
_LABELS: Final = (
    "workspace", "agent", "user", "session", "turn", "source", "speaker", "host", "call_id", "tool", "project_version",
)  # fmt: skip
_TEXTS: Final = ("origin", "cwd", "task", "goal")


class Refused(ValueError):
    """An observation that cannot be taken. `reason` says what is wrong and what to do, `field` where."""

    def __init__(self, reason: str, field: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.reason = reason
        self.field = field


@dataclass(frozen=True, slots=True)
class Observation:
    """One observation, cleaned and within limits. `occurred_at` is UTC; `lowered_from` is a provenance that was claimed
    and not granted; `tenant` comes from the credential and is never on the wire."""

    id: str
    kind: str
    content: str = ""
    tenant: str = ""
    workspace: str = ""
    agent: str = ""
    user: str = ""
    session: str = ""
    turn: str = ""
    source: str = ""
    origin: str = ""
    speaker: str = ""
    host: str = ""
    call_id: str = ""
    tool: str = ""
    tool_input: Any = None
    exit_code: int | None = None
    is_error: bool | None = None
    duration_ms: int | None = None
    cwd: str = ""
    task: str = ""
    goal: str = ""
    project_version: str = ""
    mode: str = "normal"
    provenance: str = "agent"
    entities: tuple[str, ...] = ()
    occurred_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    metadata: Mapping[str, Any] = field(default_factory=dict)
    lowered_from: str | None = None


_FIELDS: Final = frozenset(Observation.__slots__)
_KNOWN: Final = _FIELDS | {"v", "type", "unknown_fields"}
_INTERNAL: Final = frozenset({"tenant", "lowered_from", "v", "unknown_fields"})  # nobody means one of these


# ----------------------------------------------------------------------------------------------------------------- ids


def uuid7() -> str:
    """A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then 74 random bits. Sorts by time."""
    raw = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10), "big")
    digits = f"{raw & ~(0xF << 76) & ~(0x3 << 62) | (0x7 << 76) | (0x2 << 62):032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


_PLAIN_PART = re.compile(r"[A-Za-z0-9_.\-]+")


def derive_id(*parts: object) -> str:
    """The id of an act that its host has named: the same parts give the same id in live capture and in replay.

    Readable (`claude-code:toolu_01`) where every part is a plain name and the whole fits, else a SHA-256 of the parts.
    """
    if not parts:
        raise ValueError("derive_id needs at least one part")
    texts = [clean_text(str(part)) for part in parts]
    readable = ":".join(texts)
    if len(readable) <= ID_MAX_CHARS and all(_PLAIN_PART.fullmatch(text) for text in texts):
        return readable
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode()
        digest.update(len(data).to_bytes(8, "big") + data)  # length-prefixed: ("ab", "c") is not ("a", "bc")
    return "h-" + digest.hexdigest()[:48]


# ------------------------------------------------------------------------------------------------------------- parsing


def _text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return clean_text(value)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused(f"must be text, not {type(value).__name__}", name)
    return str(value)


def _label(value: Any, name: str) -> str:
    text = _text(value, name)
    if len(text) > LABEL_MAX_CHARS:
        raise Refused(f"has {len(text)} characters, at most {LABEL_MAX_CHARS} are taken; send a shorter name", name)
    return text


def _integer(value: Any, name: str) -> int | None:
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        raise Refused(f"must be a whole number, not {str(value)[:40]!r}", name) from None
    if abs(number) >= 2**31:  # what the database keeps
        raise Refused("is too large", name)
    return number


def _flag(value: Any, name: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise Refused(f"must be true, false or absent, not {str(value)[:40]!r}", name)


def parse_time(value: Any, name: str = "occurred_at") -> datetime:
    """An RFC 3339 time with an offset, or an aware datetime, as UTC. Raises Refused."""
    hint = "must be an RFC 3339 time with an offset, such as 2026-11-30T09:15:00+07:00"
    if isinstance(value, str):
        text = value.strip().replace("z", "Z").replace(":60", ":59")  # a leap second has no datetime
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            raise Refused(f"{hint}, not {value[:40]!r}", name) from None
    if not isinstance(value, datetime):
        raise Refused(f"{hint}, not {type(value).__name__}", name)
    if value.tzinfo is None:
        raise Refused(f"has no offset; it {hint}", name)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise Refused("is outside the years 1 to 9999", name) from None


def _content(value: Any, kind: str, oversize_cut: bool) -> str:
    if isinstance(value, str):
        text = value
    elif value is None:
        if kind in ("user", "assistant"):
            raise Refused("is missing; send the text that was said", "content")
        return ""
    else:
        text = compact(clean_json(value))
    if len(text) * 4 > CONTENT_MAX_BYTES:
        size = len(text.encode("utf-8", "replace"))
        if size > CONTENT_MAX_BYTES:
            if not oversize_cut:
                raise Refused(
                    f"has {size} bytes, at most {CONTENT_MAX_BYTES} are taken; cut it (the client does)", "content"
                )
            text = cut(text, CONTENT_MAX_BYTES)
    return clean_text(text)


def _is_small(value: Any) -> bool:
    """A flat object of a few short values: within any limit, so that its size need not be measured."""
    if type(value) is not dict or len(value) > 16:
        return False
    for item in value.values():
        if type(item) is str:
            if len(item) > 200:
                return False
        elif isinstance(item, (dict, list)):
            return False
    return True


def _object(value: Any, name: str, limit: int) -> Any:
    """Cleaned JSON within `limit` bytes."""
    cleaned = clean_json(value)
    if _is_small(cleaned):
        return cleaned
    size = len(compact(cleaned))
    if size * 4 > limit:
        size = len(compact(cleaned).encode())
        if size > limit:
            raise Refused(f"has {size} bytes as JSON, at most {limit} are taken", name)
    return cleaned


def _kind(obj: Mapping[str, Any]) -> tuple[str, str]:
    """(kind, plain type). The plain type is "" for the full form."""
    kind = obj.get("kind")
    if kind is not None:
        if kind in KINDS:
            return str(kind), ""
        raise Refused(f"must be one of {', '.join(KINDS)}, not {str(kind)[:40]!r}", "kind")
    plain = obj.get("type")
    if plain is None:
        raise Refused(f"is missing; send kind ({', '.join(KINDS)}) or the plain form's type", "kind")
    if isinstance(plain, str):
        if plain in _PLAIN_KINDS:
            return _PLAIN_KINDS[plain], plain
        if plain in KINDS:
            return plain, ""
    raise Refused(f"must be one of {', '.join(_PLAIN_KINDS)}, not {str(plain)[:40]!r}", "type")


def _granted(claim: Any, kind: str, ceiling: str | None, loopback_defaults: bool) -> tuple[str, str | None]:
    """(provenance, what was claimed and not granted)."""
    if ceiling is None and loopback_defaults:
        ceiling = "owner" if kind == "user" else "agent"
    claimed = _DEFAULT_PROVENANCE.get(kind, "agent") if claim in (None, "") else claim
    if not isinstance(claimed, str) or claimed not in _RANK:
        raise Refused(f"must be one of {', '.join(PROVENANCES)}, not {str(claim)[:40]!r}", "provenance")
    if ceiling is not None and _RANK[claimed] < _RANK[ceiling]:
        return ceiling, str(claimed) if claim else None
    return str(claimed), None


def parse(
    obj: Mapping[str, Any],
    *,
    ceiling: str | None = None,
    loopback_defaults: bool = True,
    tenant: str = "",
    oversize: str = "refuse",
    unknown: str = "refuse",
) -> Observation:
    """The observation that `obj` describes, in full or in plain form, cleaned and within limits.

    ceiling: the highest provenance the credential may claim; None with `loopback_defaults` means owner for `user` and
    agent for the rest, None without means no cap (a stream entry that was capped before). oversize: "refuse" or "cut"
    for content above 1 MiB. unknown: "refuse" or "keep" (under `metadata.unknown_fields`) for fields of other names, which
    are kept too where `v` says that a client took the observation before: a newer one may know more. Secrets are not
    looked for here: `prepare` in redact.py does that. Raises Refused.
    """
    if not isinstance(obj, Mapping):
        raise Refused(f"must be a JSON object, not {type(obj).__name__}", "observation")
    if ceiling is not None and ceiling not in _RANK:
        raise ValueError(f"ceiling must be one of {', '.join(PROVENANCES)}, not {ceiling!r}")
    others = obj.keys() - _KNOWN
    if others and unknown != "keep" and "v" not in obj:
        raise Refused(unknown_names(sorted(map(str, others)), _KNOWN - _INTERNAL), "observation")
    kind, plain = _kind(obj)
    metadata = obj.get("metadata")
    if metadata is None:
        metadata = {}
    elif isinstance(metadata, Mapping):
        metadata = _object(metadata, "metadata", METADATA_MAX_BYTES) if metadata else {}
    else:
        raise Refused(f"must be a JSON object, not {type(metadata).__name__}", "metadata")
    fields: dict[str, Any] = {"kind": kind, "metadata": metadata}
    source: Mapping[str, Any] = obj
    if metadata:
        lifted = {
            name: value
            for name, value in metadata.items()
            if name in _LIFTABLE and isinstance(value, _LIFTABLE[name]) and obj.get(name) is None
        }
        if lifted:
            source = {**obj, **lifted}
            for key in lifted:
                del metadata[key]
    for name in _LABELS:
        value = source.get(name)
        if value is not None:
            if type(value) is str and len(value) <= LABEL_MAX_CHARS and value.isascii() and value.isprintable():
                fields[name] = value
            else:
                fields[name] = _label(value, name)
    for name in _TEXTS:
        value = source.get(name)
        if value is not None:
            fields[name] = _text(value, name)[:TEXT_MAX_CHARS]
    fields["content"] = _content(obj.get("content"), kind, oversize == "cut")
    if (value := obj.get("tool_input")) is not None:
        fields["tool_input"] = _object(value, "tool_input", TOOL_INPUT_MAX_BYTES)
    if (value := source.get("exit_code")) is not None:
        fields["exit_code"] = _integer(value, "exit_code")
    if (value := source.get("is_error")) is not None:
        fields["is_error"] = _flag(value, "is_error")
    if (value := source.get("duration_ms")) is not None:
        fields["duration_ms"] = _duration(value)
    if (value := source.get("mode")) is not None and value != "normal":
        if value in MODES:
            fields["mode"] = value
        else:  # a host's own mode is kept for people to see, and means nothing to the pipeline
            metadata["host_mode"] = _label(value, "mode")
    if plain:
        _plain_form(plain, fields, metadata)
    if (value := obj.get("entities")) is not None:
        fields["entities"] = _entities(value)
    value = obj.get("occurred_at")
    fields["occurred_at"] = datetime.now(UTC) if value is None else parse_time(value)
    fields["provenance"], lowered = _granted(obj.get("provenance"), kind, ceiling, loopback_defaults)
    earlier = obj.get("lowered_from")  # set by whoever capped it before; anything but a provenance is no such word
    fields["lowered_from"] = lowered or (earlier if isinstance(earlier, str) and earlier in _RANK else None)
    value = obj.get("id")
    fields["id"] = uuid7() if value is None or value == "" else _id(value)
    if others or "unknown_fields" in obj:
        metadata["unknown_fields"] = _object(
            {**{name: obj[name] for name in others}, **_mapping(obj.get("unknown_fields"))},
            "metadata",
            METADATA_MAX_BYTES,
        )
    return Observation(tenant=tenant, **fields)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else ({} if value is None else {"unknown_fields": value})


def _id(value: Any) -> str:
    text = _text(value, "id")
    if not text.strip():
        raise Refused("is blank; leave it out to have one made", "id")
    if len(text) > ID_MAX_CHARS:
        raise Refused(f"has {len(text)} characters, at most {ID_MAX_CHARS} are taken; use derive_id(…)", "id")
    return text


def _duration(value: Any) -> int | None:
    number = _integer(value, "duration_ms")
    if number is not None and number < 0:
        raise Refused("must not be negative", "duration_ms")
    return number


def _entities(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        raise Refused("must be a list of names", "entities")
    return tuple(_text(item, "entities")[:LABEL_MAX_CHARS] for item in value[:ENTITIES_MAX])


def _plain_form(plain: str, fields: dict[str, Any], metadata: dict[str, Any]) -> None:
    """What the plain form's type says: the command of a run_command, and the type itself, so that the server can join
    a terminal_output to its command."""
    metadata["plain_type"] = plain
    command = metadata.pop("command", None)
    if plain == "run_command" and not command:
        lines = fields["content"].lstrip("\n").splitlines()
        command = lines[0].strip() if lines else ""
        if command.startswith("$ "):
            command = command[2:]
    if command and "tool_input" not in fields:
        fields["tool_input"] = {"command": command}
    if fields["kind"] == "tool" and "tool" not in fields and plain != "tool_result":
        fields["tool"] = "Bash"


# ---------------------------------------------------------------------------------------------------------------- wire


def to_wire(obs: Observation) -> bytes:
    """Compact JSON of what is not at its default, for the one field `o` of a stream entry. Without the tenant."""
    out: dict[str, Any] = {"v": SCHEMA_VERSION, "id": obs.id, "kind": obs.kind}
    if obs.provenance != _DEFAULT_PROVENANCE.get(obs.kind, "agent"):  # what nobody claimed is not sent as a claim
        out["provenance"] = obs.provenance
    for name in _OPTIONAL:
        value = getattr(obs, name)
        if value:
            out[name] = value
    if obs.mode != "normal":
        out["mode"] = obs.mode
    if obs.exit_code is not None:
        out["exit_code"] = obs.exit_code
    if obs.is_error is not None:
        out["is_error"] = obs.is_error
    if obs.duration_ms is not None:
        out["duration_ms"] = obs.duration_ms
    if obs.tool_input is not None:
        out["tool_input"] = obs.tool_input
    out["occurred_at"] = obs.occurred_at.isoformat()
    return compact(out).encode()


_OPTIONAL: Final = (
    "content", "workspace", "agent", "user", "session", "turn", "source", "origin", "speaker", "host", "call_id",
    "tool", "cwd", "task", "goal", "project_version", "entities", "metadata", "lowered_from",
)  # fmt: skip


def from_wire(data: bytes | str, *, tenant: str = "", ceiling: str | None = None) -> Observation:
    """The observation in a stream entry's field. `ceiling` caps what the stream's credential may claim.

    Fields of other names stay under `metadata.unknown_fields`: who wrote them is not there any more to write them again.
    Raises Refused on anything that is not one.
    """
    try:
        obj = json.loads(data)
    except (ValueError, RecursionError):
        raise Refused("is not JSON", "o") from None
    return parse(obj, ceiling=ceiling, loopback_defaults=False, tenant=tenant, unknown="keep")
