"""Pairs that the heuristic left open: a verdict from the cache, else from the NLI model, else neutral and undecided."""

from __future__ import annotations

import hashlib
import logging

from sqlmodel import Session

from bio_agent_schema.tables import BeliefRow, CycleRow, VerdictRow
from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations.contradiction import general_side
from bio_agent_workers.brain.text import fold
from bio_agent_workers.runner import Runtime, is_away
from bio_agent_workers.stages.prompts import NLI_VERSION

log = logging.getLogger("bio.pipeline")

PROMPT_VERSION = NLI_VERSION


def pair_key(a: str, b: str) -> tuple[str, bool]:
    """Digest of the sorted normalised pair, and whether (a, b) is in that order."""
    x, y = fold(a), fold(b)
    swapped = x > y
    first, second = (y, x) if swapped else (x, y)
    return hashlib.sha256(f"{first}\x1f{second}".encode("utf-8", "replace")).hexdigest(), not swapped


def cached(session: Session, tenant: str, a: str, b: str, model_id: str) -> tuple[Relation, str] | None:
    """(relation, which of "a" and "b" is the general rule) of an earlier verdict on this pair."""
    key, in_order = pair_key(a, b)
    row = session.get(VerdictRow, (tenant, key, model_id, PROMPT_VERSION))
    if row is None:
        return None
    general = row.exception_of if in_order else {"a": "b", "b": "a"}.get(row.exception_of, "")
    return Relation(row.relation), general


def judge(rt: Runtime, cycle: CycleRow, a: BeliefRow, b: BeliefRow) -> tuple[Relation, str, str]:
    """(relation, id of the general rule or "", decided by). A judge that fails leaves the pair neutral for now. Raises what
    `is_away` calls away: the cycle rests and asks again."""
    nli = rt.models.nli
    if nli is None:
        return Relation.NEUTRAL, "", "undecided"
    if rt.settings.use_nli_cache:
        with rt.db.tenant(cycle.tenant) as session:
            known = cached(session, cycle.tenant, a.content, b.content, nli.model_id)
        if known is not None:
            return known[0], {"a": a.id, "b": b.id}.get(known[1], ""), "cache"
    try:
        relation, confidence = nli.relate(a.content, b.content)
    except Exception as error:
        if is_away(error):
            raise
        log.warning("the judge %s failed on a pair: %s: %s", nli.model_id, type(error).__name__, error)
        return Relation.NEUTRAL, "", "undecided"
    # A judge names the relation; which of the two is the general rule is read from the words.
    general = general_side(a.content, b.content) if relation is Relation.GOVERNED_EXCEPTION else ""
    key, in_order = pair_key(a.content, b.content)
    stored = general if in_order else {"a": "b", "b": "a"}.get(general, "")
    with rt.db.tenant(cycle.tenant) as session:
        if session.get(VerdictRow, (cycle.tenant, key, nli.model_id, PROMPT_VERSION)) is None:
            session.add(VerdictRow(
                tenant=cycle.tenant, pair=key, model_id=nli.model_id, prompt_version=PROMPT_VERSION,
                relation=relation.value, exception_of=stored, confidence=confidence,
            ))  # fmt: skip
    return relation, {"a": a.id, "b": b.id}.get(general, ""), "nli"
