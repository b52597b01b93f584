"""The journal of a dream as a person reads it: what changed and why, by step, in the words that are kept now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session

from bio_agent_schema import beliefs, memories
from bio_agent_schema.tables import DreamRunRow

TEXT_CHARS = 200


def journal(session: Session, run: DreamRunRow) -> list[dict[str, Any]]:
    """Lines {step, did, why, subject, text, into, into_text, count, …}; text is "" for what was erased meanwhile."""
    lines = [{"step": part["step"], **line} for part in run.journal for line in part["did"]]
    texts = _texts(session, run.tenant, [line.get(name, "") for line in lines for name in ("subject", "into")])
    for line in lines:
        line["subject"] = line.get("subject", "")
        line["text"] = texts.get(line["subject"], "")
        if line.get("into"):
            line["into_text"] = texts.get(line["into"], "")
        line |= line.pop("more", {}) | {"count": line["count"]}
    return lines


def _texts(session: Session, tenant: str, nodes: Sequence[str]) -> dict[str, str]:
    by_kind: dict[str, set[str]] = {}
    for node in nodes:
        kind, _, key = node.partition(":")
        by_kind.setdefault(kind, set()).add(key)
    told = {f"belief:{b.id}": b.content for b in beliefs.by_ids(session, tenant, by_kind.get("belief", ()))}
    told |= {f"memory:{m.id}": m.content for m in memories.by_ids(session, tenant, sorted(by_kind.get("memory", ())))}
    return {node: content[:TEXT_CHARS] for node, content in told.items()}


def view(session: Session, run: DreamRunRow) -> dict[str, Any]:
    """A dream as every face shows it."""
    return {
        "slot": run.slot, "night": run.night, "state": run.state, "started_at": run.started_at, "finished_at": run.finished_at,
        "changes": run.changed, "calls": run.calls, "tokens": run.tokens, "steps": list(run.finished_steps),
        "stats": run.stats, "journal": journal(session, run),
    }  # fmt: skip
