"""Labels by rule: topic, importance, junk, kind of failure, tags, entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bio_agent_schema.types import Kind
from bio_agent_workers.brain.lessons.junk import classify
from bio_agent_workers.models.offline_items import (
    Item,
    directives_of,
    entities_of,
    family,
    is_failed,
    remedies,
    remember_of,
    suspicious,
    text_of,
)

INSTRUCTION_TOPIC = "owner instructions"
_DOCUMENT = re.compile(
    r"\b(?:invoice|sales order|purchase order|order|payment|journal|delivery|shipment|receipt|quotation"
    r"|contract|batch|lot|ticket|job|pipeline|payroll|credit note)s?\b"
    r"|发票|采购订单|销售订单|订单|付款|凭证|交货|收货|报价|合同|批次|工单|流水线|工资"
    r"|hóa đơn|đơn (?:mua|bán|đặt) hàng|đơn hàng|thanh toán|chứng từ|phiếu (?:chi|thu|nhập|xuất)|giao hàng"
    r"|báo giá|hợp đồng|lô hàng|bảng lương",
    re.I,
)
_EXCEPTION_CLASS = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Warning|Failure))\b")
_ERROR_CODE = re.compile(r"\b(E[A-Z]{3,}|[A-Z]{2,}_[A-Z_]+|(?:exit|error|code)[ :=]+\w*\d+)\b")


def _topic(item: Item) -> str:
    if item.get("command"):
        return family(item)
    if item.get("kind") in {"event", "outcome", "state"}:
        found = _DOCUMENT.search(text_of(item))
        if found:
            return found.group().lower()
    if item.get("kind") in {"user", "assistant"}:
        return "conversation"
    return str(item.get("workspace") or item.get("source") or item.get("kind") or "other")


def _failure_kind(item: Item) -> str:
    if not is_failed(item):
        return ""
    token = str(item.get("error_token") or "")
    if token:
        return token[:40]
    text = text_of(item)
    match = _EXCEPTION_CLASS.search(text) or _ERROR_CODE.search(text)
    return match.group(1)[:40] if match else str(item.get("event") or "failure")[:40]


def _junk(item: Item) -> bool:
    if is_failed(item) or item.get("fixes") or item.get("resolved_by") is not None:
        return False
    try:
        kind = Kind(str(item.get("kind")))
    except ValueError:
        return False
    return classify(
        kind=kind,
        source=str(item.get("source") or ""),
        content=text_of(item),
        command=str(item.get("command") or ""),
        severity=float(item.get("severity") or 0.0),
        folded=int(item.get("folded") or 1),
    )[0]


def label_items(items: Sequence[Item]) -> list[dict[str, Any]]:
    """One label an item, in order. Items of one remedy share the topic of its failure, an owner's instructions and what
    they answer share one topic, so that each reaches compile together."""
    shared: dict[int, str] = {}
    by_n = {int(i["n"]): i for i in items}
    for remedy in remedies(items):
        topic = _topic(by_n[remedy.failures[0]])
        for n in (*remedy.failures, *remedy.between, remedy.success):
            shared[n] = topic
    for item in items:
        for failed in item.get("fixes") or ():
            if failed in by_n:
                shared.setdefault(int(item["n"]), shared.get(failed) or _topic(by_n[failed]))
    labels: list[dict[str, Any]] = []
    previous: Item | None = None
    ordered = False  # whether the item before it gave an order
    for item in items:
        n = int(item["n"])
        asked = text_of(previous) if previous is not None and previous.get("kind") == "assistant" else ""
        instructs = bool(directives_of(item, asked)) or remember_of(item) is not None
        heard = item.get("kind") == "assistant" and previous is not None and ordered
        junk = not instructs and not heard and _junk(item)
        injected = suspicious(item)
        if instructs:
            shared[n] = INSTRUCTION_TOPIC
            if asked and previous is not None and labels:
                labels[-1]["topic"] = INSTRUCTION_TOPIC
        tags = [
            tag
            for tag, on in (
                ("directive", instructs),
                ("failure", is_failed(item)),
                ("fix", bool(item.get("fixes"))),
                ("suspected_injection", injected),
                ("recalled", bool(item.get("recalled"))),
            )
            if on
        ]
        importance = (
            1 if junk
            else 8 if instructs
            else 7 if is_failed(item)
            else 6 if item.get("fixes")
            else 5 if item.get("kind") in {"user", "outcome"}
            else 4 if item.get("kind") == "event"
            else 3 if item.get("kind") != "assistant"
            else 2
        )  # fmt: skip
        labels.append(
            {
                "n": n,
                "topic": (shared.get(n) or _topic(item) or "other")[:60],
                "importance": 2 if injected and importance < 7 else importance,
                "junk": junk,
                "transient": junk,
                "failure_kind": _failure_kind(item),
                "tags": tags[:6],
                "entities": entities_of(text_of(item)),
            }
        )
        previous, ordered = item, instructs
    return labels
