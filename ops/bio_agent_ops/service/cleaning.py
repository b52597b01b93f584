"""Secrets out of the fields of a request that no other step reads: names keep their distinctness, texts are redacted."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from bio_agent_client.names import clean_name, machine_key
from bio_agent_client.redact import redact, redact_json
from bio_agent_ops.service.context import BadRequest
from bio_agent_workers.brain.guarding.act_forms import word_set

Body = TypeVar("Body", bound=BaseModel)

#: Fields that key things, or are compared for equality: two of them must stay two.
_NAMES = word_set("workspace agent user session thread type source tags rule_id belief_id tool mode")
#: The body's main text: its own step reads it before it is redacted, to refuse a text that hands over a secret.
_READ_ELSEWHERE = frozenset({"content"})


def cleaned(ask: Body) -> Body:
    """The request without secrets in its text, list and free-form fields; the same object when it holds none."""
    changed: dict[str, Any] = {}
    for field in type(ask).model_fields:
        value = getattr(ask, field)
        if field in _READ_ELSEWHERE or value is None:
            continue
        new = _value(value, name=field in _NAMES)
        if new != value:
            changed[field] = new
    return ask.model_copy(update=changed) if changed else ask


def cleaned_name(name: str) -> str:
    """A name out of a query: without its secrets and with a mark that keeps it apart from others."""
    return clean_name(name, machine_key()) if name else name


def refuse_secret(value: Any, field: str) -> None:
    """Raises BadRequest where `value` (plain JSON) holds a secret that cannot be taken out without changing what it means."""
    if _holds_secret(value):
        raise BadRequest(f"{field}: holds what looks like a secret; say it without, secrets are not kept")


def _value(value: Any, *, name: bool) -> Any:
    if isinstance(value, str):
        return cleaned_name(value) if name else redact(value)
    if isinstance(value, list) and name:
        return [cleaned_name(v) if isinstance(v, str) else v for v in value]
    return redact_json(value) if isinstance(value, (dict, list)) else value


def _holds_secret(value: Any) -> bool:
    if isinstance(value, str):
        return cleaned_name(value) != value
    if isinstance(value, dict):
        return redact_json(value) != value or any(_holds_secret(x) for pair in value.items() for x in pair)
    return isinstance(value, list) and any(_holds_secret(x) for x in value)
