"""Two hundred untrusted statements against a rule, of every kind of rule: nothing leaves the prompt."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import BeliefState, Layer, Provenance, RuleLine, Scope
from bio_agent_workers.brain import evidence as weigh
from bio_agent_workers.brain.block import may_be_injected, parse_block, render_block
from bio_agent_workers.brain.evidence import EvidenceItem
from bio_agent_workers.brain.lifecycle import REINFORCE_CONFIDENCE, Flags, RivalScore, next_state, score
from bio_agent_workers.brain.relations.rivalry import Contender, decide

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)
OWNER, AGENT, UNTRUSTED = Provenance.OWNER, Provenance.AGENT, Provenance.UNTRUSTED
POISON = [
    EvidenceItem(f"p{i}", False, f"site{i}", f"https://site{i}.example", f"p{i}", UNTRUSTED, NOW) for i in range(200)
]


def told(trust: Provenance, session: str, *, pair: bool = False) -> EvidenceItem:
    return EvidenceItem(f"e-{session}", True, "someone", "", session, trust, NOW - 2 * DAY, pair)


# kind: (what it rests on, compiled confidence, state, flags that the kind has)
KINDS: dict[str, tuple[list[EvidenceItem], float, BeliefState, dict[str, object]]] = {
    "core": ([told(OWNER, "a")], 0.8, BeliefState.STABLE, {"core": True}),
    "owner's directive": ([told(OWNER, "a")], 0.8, BeliefState.REINFORCED, {"directive_at": NOW - 2 * DAY}),
    "failure and fix": ([told(AGENT, "a", pair=True), told(AGENT, "b", pair=True)], 0.5, BeliefState.REINFORCED, {"pair": True}),
    "two supports, just sure enough": ([told(AGENT, "a"), told(AGENT, "b")], 0.3, BeliefState.REINFORCED, {}),
    "sustained": ([told(AGENT, s) for s in "abcd"], 0.5, BeliefState.STABLE, {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_statements_remove_nothing_from_the_prompt(kind: str) -> None:
    rows, compiled, state, more = KINDS[kind]
    rank = weigh.best_trust(rows)
    flags = Flags(rank=rank, state_since=NOW - DAY, **more)  # type: ignore[arg-type]
    rivals = [RivalScore(BeliefState.REINFORCED, UNTRUSTED, score(0.99, 200)) for _ in range(200)]

    def shown(found: list[EvidenceItem]) -> tuple[str, ...]:
        change = next_state(state, weigh.numbers(found, compiled, now=NOW), flags, rivals, NOW)
        line = RuleLine(
            id="r", text="Label the crates.", layer=Layer.CORE if flags.core else Layer.PROJECT,
            state=change.after if change else state, confidence=weigh.spoken_confidence(found, compiled, floor=REINFORCE_CONFIDENCE),
            rank=rank, scope=Scope(), helped=0, hurt=0, injected=0, created_at=NOW,
        )  # fmt: skip
        assert may_be_injected(line)
        block = render_block([line], tenant_key=b"key", tenant="t", budget_tokens=700)
        return parse_block(block.text, tenant_key=b"key", tenant="t").rules

    assert shown(rows) == shown([*rows, *POISON]) != ()


@pytest.mark.parametrize("rank", [OWNER, Provenance.SYSTEM, AGENT])
def test_no_untrusted_rival_takes_its_place(rank: Provenance) -> None:
    own = Contender("own", BeliefState.REINFORCED, rank, 0.61, 2, 2, NOW - DAY)
    for state in BeliefState:
        outcome = decide(own, Contender("page", state, UNTRUSTED, 0.99, 200, 200, NOW, newest_wins=True), NOW)
        assert not [c for c in outcome.changes if c.belief_id == "own" and (c.move or c.superseded_by or c.valid_to)]


@given(
    st.lists(st.sampled_from([OWNER, AGENT, UNTRUSTED]), min_size=1, max_size=6),
    st.integers(0, 30),
    st.floats(0.3, 0.8),
)
def test_the_floor_only_ever_takes_back_what_untrusted_rows_took(
    trusts: list[Provenance], against: int, compiled: float
) -> None:
    rows = [told(t, f"s{n}") for n, t in enumerate(trusts)]
    both = [*rows, *POISON[:against]]
    n, without = (weigh.numbers(x, compiled) for x in (both, rows))
    plain, clean = (weigh.confidence(x.alpha, x.beta) for x in (n, without))
    spoken = weigh.spoken_confidence(both, compiled, floor=0.6)
    assert plain <= spoken <= clean + 1e-12
    if set(trusts) == {UNTRUSTED}:
        assert spoken == plain, "what rests on untrusted text alone has no floor"
