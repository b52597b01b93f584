"""Files of examples: one JSON object a line. A line that cannot be used is refused with its place; the rest goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

MAX_LINE_BYTES = 4 * 1024 * 1024  # a longer line is no example

Row = Mapping[str, Any]
Check = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Form:
    """What a row must hold (`question`) and what its expected answer may hold (`answer`): name → (check, what it is)."""

    name: str
    question: Mapping[str, tuple[Check, str]]
    answer: Mapping[str, tuple[Check, str]] = field(default_factory=dict)

    def fault(self, row: Any) -> str:
        """Why the row is not of this form, "" when it is."""
        if not isinstance(row, dict):
            return f"is a JSON {type(row).__name__}, not an object"
        for name, (good, what) in self.question.items():
            if name not in row:
                return f"has no field {name!r}; a row of {self.name} needs {', '.join(self.question)}"
            if not good(row[name]):
                return f"field {name!r} must be {what}"
        for name, (good, what) in self.answer.items():
            if name in row and not good(row[name]):
                return f"field {name!r} must be {what}"
        return ""


@dataclass(frozen=True, slots=True)
class Refusal:
    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


def read(path: Path, form: Form) -> tuple[list[Row], list[Refusal]]:
    """The rows of the form, in order, and what was refused. Blank lines are nothing. Raises OSError."""
    rows: list[Row] = []
    refused: list[Refusal] = []
    seen: set[str] = set()
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.strip():
                continue
            row, why = _parse(raw)
            why = why or form.fault(row)
            if not why and row["id"] in seen:
                why = f"id {row['id'][:80]!r} stands in this file before; the first one counts"
            if why:
                refused.append(Refusal(path.name, number, why))
                continue
            seen.add(row["id"])
            rows.append(row)
    return rows, refused


def _parse(raw: bytes) -> tuple[Any, str]:
    if len(raw) > MAX_LINE_BYTES:
        return None, f"is longer than {MAX_LINE_BYTES} bytes"
    try:
        return json.loads(raw.decode("utf-8-sig")), ""
    except UnicodeDecodeError as error:
        return None, f"is not UTF-8 (byte {error.start})"
    except json.JSONDecodeError as error:
        return None, f"is not JSON: {error.msg} (column {error.colno})"
    except (RecursionError, ValueError) as error:
        return None, f"is not JSON that can be read: {type(error).__name__}"


# --------------------------------------------------------------------------------------------------------- the checks


def text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def any_text(value: Any) -> bool:
    return isinstance(value, str)


def name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, str) for x in value)


def objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


def moment(value: Any) -> bool:
    """A point in time with its offset."""
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def one_of(values: Sequence[Any]) -> tuple[Check, str]:
    return lambda value: value in values, "one of " + ", ".join(str(v) for v in values)


ID = (name, "a text of 1 to 200 characters")
TEXT = (text, "a text with words in it")
