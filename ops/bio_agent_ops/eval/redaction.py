"""What redaction takes out and what it must leave: the producer's pass and the server's second one, as an observation
goes through both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bio_agent_client.observation import Refused, from_wire, to_wire
from bio_agent_client.redact import prepare, redact_observation
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row


def _spans(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(s, str) or form.texts(s) for s in value)


FORM = Form(
    "redaction",
    {"id": form.ID, "content_parts": (lambda v: form.texts(v) and bool("".join(v).strip()), "a list of texts")},
    {
        "spans_parts": (_spans, "a list of secrets, each a list of texts to join"), "keep": (form.texts, "a list of texts"),
        "secret": (form.flag, "true or false"),
    },
)  # fmt: skip


def redacted(content: str) -> str:
    """What is stored of the content. Raises Refused."""
    sent = prepare({"kind": "tool", "content": content})
    return redact_observation(from_wire(to_wire(sent))).content


def run(rows: Sequence[Row], result: Result) -> None:
    for row in rows:
        content = "".join(row["content_parts"])
        try:
            left = redacted(content)
        except Refused as refusal:
            left = ""
            result.score.miss(str(row.get("kind", "")), f"refused: {refusal.reason}"[:120])
        answered = "spans_parts" in row and "keep" in row
        spans = ["".join(s) for s in row.get("spans_parts", ())]
        spans_left = sum(s in left for s in spans)
        keep_lost = sum(k not in left for k in row.get("keep", ()))
        result.items.append({
            "id": row["id"], "spans_left": spans_left if answered else None, "keep_lost": keep_lost if answered else None,
            "redacted": left,
        })  # fmt: skip
        if not answered:
            continue
        kind = str(row.get("kind", ""))
        result.score.add("rows right", not spans_left and not keep_lost, kind=kind)
        for span in spans:
            result.score.add("secrets gone", span not in left)
        for kept in row["keep"]:
            result.score.add("kept what must stay", kept in left)
        if not spans:
            result.score.add("look-alikes touched", left.strip() != content.strip())
        if spans_left:
            result.score.miss(kind, "secret left")
        if keep_lost:
            result.score.miss(kind, "look-alike taken" if not spans else "more than the secret taken")
