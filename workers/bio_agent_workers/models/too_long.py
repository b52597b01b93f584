"""A request beyond the model's context: how services say so, and what is asked instead.

Of several items each half is asked alone, under the numbers they have; of one item the head, the tail and the lines around
errors are shown. So nothing is given up because a model is small.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bio_agent_client.clean import cut
from bio_agent_workers.models.protocol import ModelError, ModelRequest

SHORTEST_BYTES = 256  # of an item's longest text; what does not fit at this length is no matter of length
LEAST_ROOM = 500  # tokens of a reply: three labels, or four memories
_LONG_FIELDS = ("text", "command", "input", "rule")
_SAID = re.compile(
    r"context.{0,20}(?:length|size|window)|too (?:long|large|many tokens)|exceed\w* .{0,40}tokens|reduce the length",
    re.IGNORECASE,
)
_OF_THE_REPLY = re.compile(r"max_(?:completion_|output_)?tokens\W+(?:is )?too large", re.IGNORECASE)


class RequestTooLong(ModelError):
    """The service refused the request for its length; the same request will be refused again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=False)


def says_too_long(status: int | None, code: str | None, message: str) -> bool:
    """Whether a refusal is one for length: by its status, its code, or its words. A limit of calls a minute speaks of many
    tokens too; only one that this request alone exceeds is for its length. So is not a limit of the reply."""
    if status == 429:
        return "request too large" in message.lower()
    if _OF_THE_REPLY.search(message):
        return False
    return status == 413 or "context_length" in (code or "") or bool(_SAID.search(message))


def parts(request: ModelRequest) -> list[ModelRequest]:
    """What to ask instead: two halves, or the one item shortened; [] when nothing is left to take away."""
    if len(request.items) > 1:
        at = _seam(request.items)
        return [_of(request, request.items[:at]), _of(request, request.items[at:])]
    short = _shortened(request.items[0]) if request.items else None
    return [replace(request, items=(short,), max_output_tokens=_room(request))] if short is not None else []


def together(replies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The replies to the parts as one: lists after each other, texts too; of anything else the first."""
    whole: dict[str, Any] = {}
    for reply in replies:
        for name, value in reply.items():
            known = whole.get(name)
            if isinstance(value, list) and isinstance(known, list):
                whole[name] = [*known, *value]
            elif isinstance(value, str) and isinstance(known, str):
                whole[name] = f"{known} {value}".strip()
            else:
                whole.setdefault(name, value)
    return whole


def _seam(items: Sequence[Mapping[str, Any]]) -> int:
    """Where to cut: near the middle, between a failure and what fixed it only where there is no other place."""
    count = len(items)
    place = {item.get("n"): at for at, item in enumerate(items)}
    links = [(at, place[item.get("resolved_by")]) for at, item in enumerate(items) if item.get("resolved_by") in place]

    def cost(at: int) -> tuple[int, int]:
        return sum(min(pair) < at <= max(pair) for pair in links), abs(2 * at - count)

    quarter = count // 4
    return min(range(max(1, quarter), min(count - 1, count - quarter) + 1), key=cost)


def _of(request: ModelRequest, items: Sequence[Mapping[str, Any]]) -> ModelRequest:
    """The request for some of its items, with the context that is about these alone."""
    numbers = {item.get("n") for item in items}
    context = {
        name: kept
        for name, value in request.context.items()
        if (kept := [x for x in value if _numbers(x) <= numbers] if isinstance(value, list) else value)
    }
    return replace(request, items=tuple(items), context=context, max_output_tokens=_room(request))


def _room(request: ModelRequest) -> int:
    """The room kept for the reply counts in the context too; a reply that is cut off asks for more by itself."""
    return max(request.max_output_tokens // 2, min(request.max_output_tokens, LEAST_ROOM))


def _numbers(told: Any) -> set[Any]:
    """The items that an entry of the context is about: in `n`, and in fields whose names end with `_n`."""
    if not isinstance(told, dict):
        return set()
    found: set[Any] = set()
    for name, value in told.items():
        if name == "n" or name.endswith("_n"):
            found |= set(value) if isinstance(value, list) else {value}
    return found - {None}


def _shortened(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """The item with its longest text cut to half; None when that is as short as it may be."""
    sizes = {name: len(str(item[name]).encode("utf-8", "replace")) for name in _LONG_FIELDS if item.get(name)}
    longest = max(sizes, key=lambda name: sizes[name], default=None)
    if longest is None or sizes[longest] <= SHORTEST_BYTES:
        return None
    limit = max(SHORTEST_BYTES, sizes[longest] // 2)
    short = cut(str(item[longest]), limit)
    if len(short.encode("utf-8", "replace")) >= sizes[longest]:
        return None
    return {**item, longest: short}
