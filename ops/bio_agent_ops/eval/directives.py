"""Which turns hold an owner's standing directive: the reader of directives against what people say."""

from __future__ import annotations

from collections.abc import Sequence

from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row
from bio_agent_workers.brain.directives import reader as directives

SPEAKERS = ("owner", "other", "pasted", "quoted", "assistant", "")
TYPED_BY_OWNER = ("owner", "pasted", "quoted", "")  # what is pasted or quoted stands in a turn of the owner's

FORM = Form(
    "directives",
    {"id": form.ID, "text": form.TEXT},
    {
        "is_directive": (form.flag, "true or false"), "speaker": form.one_of(SPEAKERS),
        "context": (lambda v: v is None or form.any_text(v), "a text"),
    },
)  # fmt: skip


def run(rows: Sequence[Row], result: Result) -> None:
    for row in rows:
        speaker = row.get("speaker") or "owner"
        heard_as = directives.OWNER if speaker in TYPED_BY_OWNER else speaker
        found = directives.find(row["text"], context=row.get("context") or "", speaker=heard_as)
        got = bool(found)
        result.items.append({"id": row["id"], "is_directive": got, "texts": [d.text for d in found]})
        if "is_directive" not in row:
            continue
        expected = row["is_directive"]
        lang, kind = str(row.get("lang", "")), f"{speaker}, {'directive' if expected else 'none'}"
        result.score.add("right", got == expected, lang=lang, kind=kind)
        if expected:
            result.score.add("directives found (recall)", got, lang=lang)
        else:
            result.score.add("false alarms (of what is none)", got, lang=lang)
        if got:
            result.score.add("found ones that are directives (precision)", expected, lang=lang)
        if got and expected and row.get("polarity") in ("positive", "negative"):
            right = any(d.polarity.value == row["polarity"] for d in found)
            result.score.add("polarity right", right, lang=lang)
            if not right:
                result.score.miss(kind, f"{lang}: taken for the opposite of {row['polarity']}")
        if got != expected:
            result.score.miss(kind, f"{lang}: not found" if expected else f"{lang}: taken for a directive")
