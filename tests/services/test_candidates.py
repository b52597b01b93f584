"""Candidates of a rule come from indexes; verdicts on pairs are asked for once and can be erased; a tie asks a person."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from bio_agent_client.observation import uuid7
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs
from bio_agent_schema.tables import BeliefRow, CycleRow
from bio_agent_schema.types import BeliefState, Relation
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.text import content_tokens, detect_lang
from bio_agent_workers.stages import candidates, reconcile, verdicts
from bio_agent_workers.stages.judging import judge

pytestmark = pytest.mark.services


def belief(content: str, scope: str = "workspace:shop") -> BeliefRow:
    lang = detect_lang(content)
    form = canonicalize(content, lang)
    return BeliefRow(
        tenant="default", id=uuid7(), content=content, lang=lang, search=" ".join(content_tokens(content, lang)),
        canonical_key=form.key, canonical=asdict(form), scope_path=scope, state=BeliefState.REINFORCED.value,
        alpha=3.0, beta=1.0, confidence=0.75, rank="agent",
    )  # fmt: skip


def stored(ctx: Context, *rows: BeliefRow) -> None:
    with ctx.db.tenant("default") as session:
        for row in rows:
            session.add(row)


def nominated(ctx: Context, row: BeliefRow) -> set[str]:
    with ctx.db.tenant("default") as session:
        return {b.content for b in candidates.nominate(session, row)}


def test_the_same_rule_in_another_mood_is_found_by_its_key(ctx: Context) -> None:
    stored(ctx, belief("You may push to main."), belief("Salt the soup."))
    assert nominated(ctx, belief("Never push to main.")) == {"You may push to main."}


def test_terms_find_a_rule_in_another_language_without_a_vector(ctx: Context) -> None:
    stored(
        ctx,
        belief("禁止把备份发送给供应商。"),
        belief("Giao hàng cho khách trước chín giờ."),
        belief("Paint the door."),
    )
    assert nominated(ctx, belief("Backups may be sent to the supplier.")) == {"禁止把备份发送给供应商。"}


def test_a_sibling_scope_is_no_candidate(ctx: Context) -> None:
    stored(ctx, belief("You may push to main.", scope="workspace:other"))
    assert nominated(ctx, belief("Never push to main.")) == set()


def test_quotes_and_operators_in_a_text_do_not_break_the_query(ctx: Context) -> None:
    stored(ctx, belief("Never push to main."))
    assert nominated(ctx, belief("Don't 'push | to & main': \\ !(drop) <-> *")) <= {"Never push to main."}


class Counting:
    """An NLI model that notes how often it is asked."""

    model_id = "test/nli"

    def __init__(self, relation: Relation) -> None:
        self.relation, self.asked = relation, 0

    def relate(self, a: str, b: str) -> tuple[Relation, float]:
        self.asked += 1
        return self.relation, 0.9


def test_a_pair_is_judged_once_whatever_its_order_and_again_after_erasure(ctx: Context) -> None:
    nli = Counting(Relation.GOVERNED_EXCEPTION)
    rt = replace(ctx.runtime, models=replace(ctx.runtime.models, nli=nli))
    cycle = CycleRow(tenant="default", id=uuid7())
    general, special = belief("Deeds stay in the safe."), belief("When the court asks, a partner carries a deed there.")
    first = judge(rt, cycle, general, special)
    again = [judge(rt, cycle, *pair) for pair in ((general, special), (special, general), (general, special))]
    assert nli.asked == 1
    assert {a[1] for a in again} == {first[1]}, "the general rule is the same one in either order"
    assert {a[2] for a in again} == {"cache"}
    with ctx.db.tenant("default") as session:
        assert verdicts.erase_pairs(session, "default", special.content, [general.content, "nothing"]) == 1
    judge(rt, cycle, special, general)
    assert nli.asked == 2
    with ctx.db.tenant("default") as session:
        assert verdicts.erase(session, "default", model_id="another") == 0
        assert verdicts.erase(session, "default") == 1


def test_a_question_shows_both_texts_what_they_rest_on_and_the_answers(ctx: Context) -> None:
    a, b = belief("Use tabs."), belief("Use spaces.")
    stored(ctx, a, b)
    with ctx.db.tenant("default") as session:
        rows = {r.content: r for r in beliefs.by_ids(session, "default", [a.id, b.id])}
        asked = reconcile.question(session, rows["Use tabs."], rows["Use spaces."], tie=True)
    assert "“Use tabs.”" in asked
    assert "“Use spaces.”" in asked
    assert asked.count("best evidence: agent") == 2
    assert asked.endswith("?")
