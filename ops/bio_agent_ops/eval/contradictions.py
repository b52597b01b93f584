"""How two rules relate: by words first, by the configured NLI model for what the words leave open, as reconcile does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bio_agent_client.observation import uuid7
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.exact import fisher
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row
from bio_agent_schema.tables import BeliefRow, CycleRow
from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations import contradiction
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.models.protocol import NLI, ModelError
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages.judging import judge

_NUMBER = re.compile(r"[\d.]+")  # a reason names its figures; causes are counted without them
PROBABILITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
WORSE_AT = 0.05  # of Fisher's test, over the number of languages (Bonferroni)

FORM = Form(
    "contradictions",
    {"id": form.ID, "a": form.TEXT, "b": form.TEXT},
    {"relation": form.one_of([r.value for r in Relation]), "exception_of": form.one_of(["a", "b", None])},
)


@dataclass(slots=True)
class _Judge:
    """The configured judge, which notes how sure it was."""

    nli: NLI
    confidence: float | None = None
    asked: int = 0

    @property
    def model_id(self) -> str:
        return self.nli.model_id

    def relate(self, a: str, b: str) -> tuple[Relation, float]:
        self.asked += 1
        relation, self.confidence = self.nli.relate(a, b)
        return relation, self.confidence


def run(rows: Sequence[Row], result: Result, house: House | None) -> None:
    """house: needed only when an NLI model is configured, for the cache of its verdicts."""
    judged = _judging(house) if house is not None and house.ctx.runtime.models.nli is not None else None
    confidences: dict[str, float] = {}
    words: dict[str, float] = {}
    for row in rows:
        reading = contradiction.relate(row["a"], row["b"])
        relation = reading.relation
        general: str = reading.exception_of or ""
        by, why, confidence = ("heuristic" if reading.decided else "undecided"), reading.why, reading.confidence
        if reading.decided and relation is not Relation.CONTRADICTION:
            words[row["id"]] = 0.0  # settled as something else at any threshold
        else:
            words[row["id"]] = reading.contradiction
        if not reading.decided and judged is not None:
            relation, general, by, sure = judged.relate(row["a"], row["b"])
            if sure is not None:
                confidences[row["id"]] = confidence = sure
        item = {
            "id": row["id"], "relation": relation.value, "exception_of": general or None, "decided_by": by, "why": why,
            "confidence": round(confidence, 4),
        }  # fmt: skip
        result.items.append(item)
        _score(row, item, result)
    answered = [r for r in rows if "relation" in r]
    if answered:
        result.extra["curve"] = _curve(answered, result.items, words, confidences)
        result.extra["languages"] = _languages(result)
        result.extra["missed pairs"] = _missed(answered, result.items)
    if judged is not None:
        result.extra["calls of the judge"] = judged.judge.asked


class _Pairs:
    def __init__(self, house: House, judge_: _Judge) -> None:
        self.judge = judge_
        self._rt: Runtime = house.with_models(replace(house.ctx.runtime.models, nli=judge_))
        self._cycle = CycleRow(tenant=house.tenant(), id=uuid7())

    def relate(self, a: str, b: str) -> tuple[Relation, str, str, float | None]:
        self.judge.confidence = None
        left, right = (self._belief(t) for t in (a, b))
        try:
            relation, general, by = judge(self._rt, self._cycle, left, right)
        except ModelError as error:
            return Relation.NEUTRAL, "", f"undecided ({error})"[:200], None
        return relation, {left.id: "a", right.id: "b"}.get(general, ""), by, self.judge.confidence

    def _belief(self, text: str) -> BeliefRow:
        form_ = canonicalize(text, detect_lang(text))
        return BeliefRow(tenant=self._cycle.tenant, id=uuid7(), content=text, canonical=asdict(form_))


def _judging(house: House) -> _Pairs:
    nli = house.ctx.runtime.models.nli
    assert nli is not None
    return _Pairs(house, _Judge(nli))


def _score(row: Row, item: dict[str, Any], result: Result) -> None:
    if "relation" not in row:
        return
    expected, got = row["relation"], item["relation"]
    lang = str(row.get("lang", ""))
    right = got == expected
    if right and expected == "governed_exception" and row.get("exception_of"):
        right = item["exception_of"] == row["exception_of"]
    result.score.add("relation right", right, lang=lang, kind=expected)
    if expected == "contradiction":
        result.score.add("contradictions found (recall)", got == "contradiction", lang=lang)
    else:
        result.score.add("false alarms (other pairs called so)", got == "contradiction", lang=lang)
    if got == "contradiction":
        result.score.add("contradictions called that are (precision)", expected == got, lang=lang)
    if expected == "governed_exception":
        result.score.add("exceptions found", right, lang=lang)
        if got == expected:
            result.score.add("exceptions with the right side general", right, lang=lang)
    if got != "neutral":
        result.score.add("named relations that are right (precision)", right, lang=lang)
    result.score.add("pairs decided", not item["decided_by"].startswith("undecided"), lang=lang)
    if not right:
        which = "the wrong side is general" if got == expected else f"called {got}"
        result.score.miss(expected, f"{which}, {item['decided_by']}: {_NUMBER.sub('', item['why']).strip()}")


def _curve(
    rows: Sequence[Row],
    items: Sequence[Mapping[str, Any]],
    words: Mapping[str, float],
    confidences: Mapping[str, float],
) -> list[dict[str, Any]]:
    """Recall of contradictions against false alarms: over the probability by words, then over the judge's confidence."""
    points = []
    here = contradiction.CONTRADICTION_AT
    for least in sorted({*PROBABILITIES, here}):
        alarms = {r["id"] for r in rows if words[r["id"]] >= least}
        mark = " ← operating point" if least == here else ""
        points.append(_point(f"words, p ≥ {least:.2f}{mark}", rows, alarms))
    called = {i["id"] for i in items if i["relation"] == "contradiction"}
    for least in CONFIDENCES if confidences else ():
        alarms = {i for i in called if confidences.get(i, 1.0) >= least}
        points.append(_point(f"with the judge, confidence ≥ {least:.2f}", rows, alarms))
    return points


def _languages(result: Result) -> list[dict[str, Any]]:
    """Each language against all others by Fisher's exact test: whether one is worse beyond chance."""
    shares = {lang: found["relation right"] for lang, found in result.score.by.get("lang", {}).items()}
    k, n = sum(s.k for s in shares.values()), sum(s.n for s in shares.values())
    out = []
    for lang, s in sorted(shares.items()):
        p = fisher(s.k, s.n, k - s.k, n - s.n)
        worse = n > s.n and s.k * (n - s.n) < (k - s.k) * s.n and p < WORSE_AT / len(shares)
        out.append({"language": lang, "right": s.k, "of": s.n, "p": round(p, 4), "worse beyond chance": worse})
    return out


def _missed(rows: Sequence[Row], items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    out = []
    for row, item in zip(rows, (i for i in items if i["id"] in {r["id"] for r in rows}), strict=True):
        side = row["relation"] == "governed_exception" and row.get("exception_of") not in (None, item["exception_of"])
        if item["relation"] != row["relation"] or side:
            out.append({"id": row["id"], "is": row["relation"], "called": item["relation"], "by": item["decided_by"]})
    return out


def _point(at: str, rows: Sequence[Row], alarms: set[str]) -> dict[str, Any]:
    real = {r["id"] for r in rows if r["relation"] == "contradiction"}
    other = {r["id"] for r in rows} - real
    hits, false = len(alarms & real), len(alarms & other)
    called = hits + false
    return {
        "at": at, "recall": round(hits / len(real), 4) if real else None,
        "false_alarms": round(false / len(other), 4) if other else None, "k": hits, "false": false,
        "precision": round(hits / called, 4) if called else None,
    }  # fmt: skip
