"""Data shipped with the package: the recorded session that `bio-agent try` plays."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

__all__ = ["load", "load_expectations"]


def load(path: Path | None = None) -> list[dict[str, Any]]:
    """The observations of a recorded session in order; the one shipped here when `path` is None.

    One JSON object a line. `content_parts` (a list of texts, written so that no secret-shaped text stands in the file)
    is joined to `content`. Raises ValueError naming the line that is not an observation.
    """
    if path is None:
        text = resources.files(__name__).joinpath("try_session.jsonl").read_text(encoding="utf-8")
    else:
        text = path.read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = []
    # Not splitlines(): contents may hold U+2028 and the like, which JSON does not escape.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path or 'try_session.jsonl'}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{where}: not JSON ({error}); each line must hold one observation") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where}: expected a JSON object, found {type(row).__name__}")
        parts = row.pop("content_parts", None)
        if parts is not None:
            if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
                raise ValueError(f"{where}: content_parts must be a list of texts")
            row["content"] = "".join(parts)
        if not isinstance(row.get("content"), str):
            raise ValueError(f"{where}: content is missing; an observation needs content or content_parts")
        rows.append(row)
    return rows


def load_expectations() -> dict[str, Any]:
    """What a person would learn from the recorded session, and what must teach nothing. For reports only."""
    text = resources.files(__name__).joinpath("try_session.expect.json").read_text(encoding="utf-8")
    expectations: dict[str, Any] = json.loads(text)
    return expectations
