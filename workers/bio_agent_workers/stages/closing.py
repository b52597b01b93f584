"""Closing: what was told of a failure while nothing had fixed it gives way to what is told of it and its fix.

A failure may be consolidated before its fix comes. The memory that called it unresolved is then superseded by the lesson or
the account that cites both; where there is neither, one that says so is written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlmodel import Session

from bio_agent_schema import graph, memories
from bio_agent_schema.graph import Edge
from bio_agent_schema.types import Episode, Kind, MemoryKind
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.models.offline_items import generic_text

CONFIDENCE = 0.5
_RESOLVED = {
    "en": "Resolved: {failure} failed{error}; later {fix} worked",
    "zh": "已解决：{failure} 曾失败{error}；之后 {fix} 成功",
    "vi": "Đã xử lý: {failure} từng lỗi{error}; sau đó {fix} chạy được",
}

_ANSWERED = {
    "en": "Answered: {failure} failed{error}; the owner said {fix}",
    "zh": "已答复：{failure} 曾失败{error}；用户说 {fix}",
    "vi": "Đã trả lời: {failure} từng lỗi{error}; người dùng nói {fix}",
}


def candidates(
    shown: Sequence[Episode], given: Sequence[Mapping[str, Any]], open_before: Collection[str]
) -> list[dict[str, Any]]:
    """A memory for each failure that is told as open, is resolved by one of these episodes, and of which nothing in `given`
    tells with its fix. open_before: ids of the failures that a memory tells as open."""
    by_id = {e.id: e for e in shown}
    out: list[dict[str, Any]] = []
    for failure in shown:
        fix = by_id.get(failure.resolved_by or "")
        if failure.id not in open_before or fix is None or any({failure.id, fix.id} <= set(c["cites"]) for c in given):
            continue
        lang = detect_lang(failure.content)
        token = failure.error_token if failure.error_token not in failure.command else ""
        frames = _ANSWERED if fix.kind is Kind.USER else _RESOLVED
        text = frames.get(lang, frames["en"]).format(
            failure=_act(failure), fix=_act(fix), error=f" ({token})" if token else ""
        )
        out.append({
            "kind": MemoryKind.EPISODIC.value, "confidence": CONFIDENCE, "cites": [failure.id, fix.id], "text": text,
            "is_rule": False, "directive": False, "pair": False, "rendering": "", "model_text": "", "acts": {},
            "needs_person": False, "importance": 5, "entities": [], "lang": lang,
        })  # fmt: skip
    return out


def _act(e: Episode) -> str:
    return f"`{generic_text(e.command)}`" if e.command else f"“{generic_text(e.content)}”"


def close(session: Session, tenant: str, memory_id: str, shown: Sequence[Episode]) -> None:
    """Let the memory, which cites these episodes, take the place of those that tell of a failure among them as open."""
    ids = {e.id for e in shown}
    fixed = [e.id for e in shown if e.resolved_by in ids]
    for older in memories.open_accounts(session, tenant, fixed, closed=True) if fixed else ():
        if older != memory_id:
            memories.supersede(session, tenant, older, memory_id, cause="the failure was resolved")
            graph.add(session, tenant, [Edge(f"memory:{older}", "superseded_by", f"memory:{memory_id}")])
