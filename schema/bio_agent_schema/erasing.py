"""Forgotten episodes are taken out of the stored model calls too: what was shown of them, and what was answered on them.

A call shows its episodes as numbered items, in the order of `episode_ids`; the items and answers of the others stay, so that
replay still shows them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import text
from sqlmodel import Session


def from_model_calls(session: Session, tenant: str, episode_ids: Sequence[str]) -> int:
    """Take these episodes out of every stored call. Returns how many calls were changed."""
    gone = set(episode_ids)
    calls = session.execute(
        text(
            "select digest, episode_ids, raw_input, raw_output, data from bio.model_calls"
            " where tenant = :t and episode_ids && cast(:ids as text[]) order by digest for update"
        ),
        {"t": tenant, "ids": sorted(gone)},
    ).all()
    changed = []
    for digest, shown, raw_input, raw_output, data in calls:
        numbers = {n for n, i in enumerate(shown, 1) if i in gone}
        left = without_answers(data, numbers)
        changed.append({
            "t": tenant, "d": digest, "i": without_items(raw_input, numbers), "j": json.dumps(left),
            "o": json.dumps(left, ensure_ascii=False) if raw_output else "",
        })  # fmt: skip
    if changed:
        session.execute(
            text(
                "update bio.model_calls set raw_input = :i, raw_output = :o, data = cast(:j as jsonb)"
                " where tenant = :t and digest = :d"
            ),
            changed,
        )
    return len(changed)


def without_items(raw_input: str, numbers: Collection[int]) -> str:
    """The input of a call with these items blanked: a request's JSON, or the chat messages that were made of it. Input that
    cannot be read is erased as a whole."""
    try:
        given = json.loads(raw_input)
    except (ValueError, RecursionError):
        return ""
    if isinstance(given, dict):
        return json.dumps(_blanked(given, numbers), ensure_ascii=False)
    if not isinstance(given, list) or not all(isinstance(m, dict) for m in given):
        return ""
    return json.dumps([m | {"content": _message(m, numbers)} for m in given], ensure_ascii=False)


def _message(message: Mapping[str, Any], numbers: Collection[int]) -> str:
    """What we said stays but for the items; what the model said in between may repeat any of them."""
    content = message.get("content")
    if message.get("role") == "assistant" or not isinstance(content, str):
        return ""
    return "\n".join(_line(line, numbers) for line in content.split("\n"))


def _line(line: str, numbers: Collection[int]) -> str:
    """A quoted item is one line of JSON."""
    if not line.startswith(("{", "[")):
        return line
    try:
        return (
            json.dumps(_blanked(json.loads(line), numbers), ensure_ascii=False)
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
        )
    except (ValueError, RecursionError):
        return ""


def _blanked(value: Any, numbers: Collection[int]) -> Any:
    if isinstance(value, dict):
        if value.get("n") in numbers:
            return {"n": value["n"], "forgotten": True}
        return {k: _blanked(v, numbers) for k, v in value.items()}
    return [_blanked(v, numbers) for v in value] if isinstance(value, list) else value


def without_answers(data: Mapping[str, Any], numbers: Collection[int]) -> dict[str, Any]:
    """The reply without what it says of these items: their labels, the memories that cite them, and any text over all."""

    def speaks(answer: Any) -> bool:
        if not isinstance(answer, dict):
            return True
        cited = answer.get("cites") or []
        return answer.get("n") in numbers or bool(set(cited if isinstance(cited, list) else []) & set(numbers))

    left: dict[str, Any] = {}
    for name, value in data.items():
        left[name] = (
            [a for a in value if not speaks(a)] if isinstance(value, list) else "" if isinstance(value, str) else value
        )
    return left
