"""Bring a model's reply into the asked shape, or say why it cannot be: fences, prose and reasoning around the object are
dropped, numbers given as text are read, unknown fields are left out, and a list item that does not fit is dropped alone.
Also the form of a schema that a service's strict mode takes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any


class ReplyUnusable(ValueError):
    """The reply cannot be brought into the asked shape; the message says what is wrong, in the model's terms."""


_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


def parse_object(raw: str) -> dict[str, Any]:
    """The first JSON object in the reply that parses."""
    text = _REASONING.sub("", raw)
    decoder = json.JSONDecoder(parse_constant=lambda name: None)
    start = text.find("{")
    tries = 0
    while start >= 0 and tries < 50:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            start, tries = text.find("{", start + 1), tries + 1
            continue
        if isinstance(value, dict):
            return value
        start, tries = text.find("{", start + 1), tries + 1
    raise ReplyUnusable("there is no complete JSON object in it" if text.strip() else "it is empty")


def salvage(raw: str, name: str) -> dict[str, Any]:
    """`{name: [...]}` with the elements that are complete in a reply that was cut off. Raises ReplyUnusable without any."""
    text = _REASONING.sub("", raw)
    opening = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text)
    decoder, elements = json.JSONDecoder(parse_constant=lambda name: None), []
    at = opening.end() if opening else len(text)
    while (at := _skip(text, at)) < len(text):
        try:
            element, at = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            break
        elements.append(element)
    if not elements:
        raise ReplyUnusable("it was cut off before anything in it was complete")
    return {name: elements}


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


_BOUNDS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


def strict_schema(schema: Mapping[str, Any], *, bounds: bool = True) -> dict[str, Any]:
    """The schema as strict modes want it: every property required, none besides. bounds: keep ranges and lengths, which
    local grammars use against endless replies and some services refuse; `fit` clamps either way."""
    out: dict[str, Any] = {k: v for k, v in schema.items() if bounds or k not in _BOUNDS}
    if "properties" in out:
        out["properties"] = {k: strict_schema(v, bounds=bounds) for k, v in out["properties"].items()}
        out["required"], out["additionalProperties"] = list(out["properties"]), False
    if "items" in out:
        out["items"] = strict_schema(out["items"], bounds=bounds)
    if "enum" in out:
        out.setdefault("type", "string")
    return out


def fit(value: Any, schema: Mapping[str, Any], where: str = "reply") -> Any:
    """`value` as the schema asks (the subset used here: object, array, string, number, integer, boolean, enum)."""
    if "enum" in schema:
        given = str(value).strip().lower() if isinstance(value, str) else value
        if given not in schema["enum"]:
            raise ReplyUnusable(f"{where} must be one of {', '.join(map(str, schema['enum']))}")
        return given
    kind = schema.get("type")
    if kind == "object":
        if not isinstance(value, Mapping):
            raise ReplyUnusable(f"{where} must be an object")
        out = {}
        for name, part in schema["properties"].items():
            if name in value and value[name] is not None:
                try:
                    out[name] = fit(value[name], part, f"{where}.{name}")
                except ReplyUnusable:
                    if name in schema.get("required", ()):
                        raise
            elif name in schema.get("required", ()):
                raise ReplyUnusable(f"{where} lacks {name}")
        return out
    if kind == "array":
        return _fit_array(value, schema, where)
    if kind == "string":
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            raise ReplyUnusable(f"{where} must be text")
        return str(value)[: schema.get("maxLength", 100_000)]
    if kind == "boolean":
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        raise ReplyUnusable(f"{where} must be true or false")
    return _fit_number(value, schema, where)


def _fit_array(value: Any, schema: Mapping[str, Any], where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ReplyUnusable(f"{where} must be a list")
    out, faults = [], []
    for i, item in enumerate(value[: schema.get("maxItems", 1000)]):
        try:
            out.append(fit(item, schema["items"], f"{where}[{i}]"))
        except ReplyUnusable as fault:
            faults.append(fault)
    if faults and not out:
        raise faults[0]
    if len(out) < schema.get("minItems", 0):
        raise ReplyUnusable(f"{where} is empty")
    return out


def _fit_number(value: Any, schema: Mapping[str, Any], where: str) -> int | float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError as error:
            raise ReplyUnusable(f"{where} must be a number") from error
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ReplyUnusable(f"{where} must be a number")
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    clamped = min(max(value, low), high)
    return round(clamped) if schema.get("type") == "integer" else float(clamped)
