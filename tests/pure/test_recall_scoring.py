"""Scoring of recall: fusion, weights, boosts, floor, supersession."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.memory_search import to_read
from bio_agent_schema.types import MemoryKind
from bio_agent_workers.brain.retrieval.recall import (
    AgentState,
    Encoded,
    Measured,
    above_floor,
    boosts,
    fuse_ranks,
    fuse_scores,
    moved_before,
    recency,
    relevance,
    replacements_first,
    score,
    sessions,
    spread,
    state_boost,
    together,
    voice,
    wish_score,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
UNIT = st.floats(0, 1)
EXCEPTION = Encoded(MemoryKind.EXCEPTION, severity=0.8, workspace="web", band="crisis")
IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_score_by_hand() -> None:
    got = score(relevance=0.8, importance=0.9, retention=0.5, at=NOW - timedelta(days=7), now=NOW, boost=1.15)
    assert got.total == pytest.approx(0.8 * (0.95 + 0.05 * (0.6 * 0.9 * 0.5 + 0.4 * 0.5)) * 1.15)
    assert (got.relevance, got.importance, got.recency, got.boost) == (0.8, 0.45, 0.5, 1.15)


def test_recency() -> None:
    assert recency(NOW - timedelta(days=14), NOW) == 0.25
    assert recency(NOW + timedelta(days=1), NOW) == 1.0


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (AgentState("normal", "api", "calm"), 1.0),
        (AgentState("debug", "api", "calm"), 1.3),
        (AgentState("normal", "api", "calm", failed_just_now=True), 1.25),
        (AgentState("normal", "web", "calm"), 1.15),
        (AgentState("normal", "api", "crisis"), 1.1),
        (AgentState("debug", "web", "crisis", failed_just_now=True), 1.3 * 1.25 * 1.15 * 1.1),
    ],
)
def test_state_boost(state: AgentState, expected: float) -> None:
    assert state_boost(EXCEPTION, state) == pytest.approx(expected)


def test_what_does_not_boost() -> None:
    mild = Encoded(MemoryKind.SEMANTIC, severity=0.69, workspace="", band="")
    assert boosts(mild, AgentState("debug", "", "", failed_just_now=True)) == {}
    assert state_boost(EXCEPTION, AgentState("debug", "web", "crisis", True), k=0.0) == 1.0


@given(UNIT, UNIT, UNIT, st.floats(0, 400), UNIT)
def test_score_is_bounded_and_rises_with_each_part(r: float, i: float, kept: float, days: float, more: float) -> None:
    at = NOW - timedelta(days=days)

    def total(relevance: float, importance: float, retention: float, when: datetime = at) -> float:
        return score(relevance=relevance, importance=importance, retention=retention, at=when, now=NOW).total

    base = total(r, i, kept)
    assert 0 <= base <= 1 + 1e-9
    assert total(max(r, more), i, kept) >= base
    assert total(r, max(i, more), kept) >= base
    assert total(r, i, max(kept, more)) >= base
    assert total(r, i, kept, NOW) >= base


def test_rank_fusion_by_hand() -> None:
    fused = fuse_ranks({"vector": ["a", "b"], "text": ["b", "c"], "graph": []})
    assert fused["a"] == pytest.approx(0.5)
    assert fused["b"] == pytest.approx(0.5 * 61 / 62 + 0.5)
    assert fused["c"] == pytest.approx(0.5 * 61 / 62)
    assert fuse_ranks({"vector": ["a", "a", "b"]})["b"] == pytest.approx(61 / 62)
    assert fuse_ranks({}) == {}


def test_rank_fusion_weights() -> None:
    routes = {"vector": ["a", "b"], "text": ["b", "a"]}
    fused = fuse_ranks(routes, {"vector": 3.0})
    assert fused["a"] > fused["b"]
    assert fuse_ranks(routes, {"vector": 0.0})["b"] == 1.0
    with pytest.raises(ValueError, match="vector"):
        fuse_ranks(routes, {"vector": -1.0})


def test_score_fusion_by_hand() -> None:
    fused = fuse_scores({"vector": {"a": 0.9, "b": 0.8, "c": 0.7}, "text": {"b": 12.0}})
    assert fused["a"] == pytest.approx(0.5)
    assert fused["b"] == pytest.approx(0.25 + 0.5)
    assert fused["c"] == 0.0
    assert fuse_scores({"vector": {"a": math.nan, "b": 0.3}}) == {"b": 1.0}


@given(st.dictionaries(st.sampled_from(["vector", "text", "graph"]), IDS))
def test_fused_ranks_are_in_the_unit_interval_and_keep_agreement(routes: dict[str, list[str]]) -> None:
    fused = fuse_ranks(routes)
    assert all(0 < v <= 1 + 1e-9 for v in fused.values())
    assert set(fused) == {i for ids in routes.values() for i in ids}
    for a in fused:
        for b in fused:
            if all(a in ids and (b not in ids or ids.index(a) < ids.index(b)) for ids in routes.values() if ids):
                assert a == b or fused[a] > fused[b]


@given(st.dictionaries(st.sampled_from(["v", "t"]), st.dictionaries(st.sampled_from("abcd"), st.floats(-5, 50))))
def test_fused_scores_are_in_the_unit_interval(routes: dict[str, dict[str, float]]) -> None:
    assert all(-1e-9 <= v <= 1 + 1e-9 for v in fuse_scores(routes).values())


def test_the_floor_is_on_raw_evidence() -> None:
    floors = {"vector": 0.8, "text": 0.3}
    assert above_floor({"vector": 0.80}, floors)
    assert above_floor({"vector": 0.1, "text": 0.5}, floors)
    assert not above_floor({"vector": 0.79, "text": 0.29}, floors)
    assert not above_floor({"fused": 1.0, "vector": math.nan}, floors)
    assert not above_floor({}, floors)


def test_what_replaced_a_memory_takes_its_place() -> None:
    assert replacements_first(["old", "x", "new"], {"old": "new"}) == ["new", "x", "old"]
    assert replacements_first(["new", "x", "old"], {"old": "new"}) == ["new", "x", "old"]
    assert replacements_first(["v1", "x", "v3", "v2"], {"v1": "v2", "v2": "v3"}) == ["v3", "x", "v2", "v1"]
    assert replacements_first(["v1", "v3"], {"v1": "v2", "v2": "v3"}) == ["v3", "v1"]
    assert replacements_first(["old", "x"], {"old": "gone"}) == ["old", "x"]
    assert replacements_first(["a", "b"], {"a": "b", "b": "a"}) == ["a", "b"]


@given(IDS, st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")))
def test_a_superseded_memory_never_outranks_its_successors(ranked: list[str], replaced: dict[str, str]) -> None:
    ordered = replacements_first(ranked, replaced)
    assert sorted(ordered) == sorted(ranked)
    for item in ordered:
        chain = [item]
        while (following := replaced.get(chain[-1])) is not None and following not in chain:
            chain.append(following)
        if replaced.get(chain[-1]) is not None:
            continue  # a circle has no order
        assert all(ordered.index(later) <= ordered.index(item) for later in chain if later in ordered)


def test_what_contradicts_stands_together() -> None:
    assert together(["a", "b", "c", "d"], {"a": ["d", "x"], "d": ["a"]}) == ["a", "d", "b", "c"]
    assert together(["a", "b"], {}) == ["a", "b"]
    assert together(["a", "b", "c", "d"], {"a": ["c", "d"]}) == ["a", "c", "b", "d"]  # the best one, not all


@given(ranked=IDS, against=st.dictionaries(st.sampled_from("abcdefgh"), IDS))
def test_together_keeps_every_memory_once_and_the_first_first(ranked: list[str], against: dict[str, list[str]]) -> None:
    got = together(ranked, against)
    assert sorted(got) == sorted(ranked)
    assert got[:1] == ranked[:1]


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 500)), st.integers(1, 600))
def test_what_is_read_of_a_querys_terms_is_bounded_and_begins_with_the_rarest(
    frequencies: dict[str, int], budget: int
) -> None:
    plan = to_read(frequencies, list(frequencies), budget)
    assert set(plan) == set(frequencies)
    assert sum(plan.values()) <= budget
    order = sorted(frequencies, key=lambda t: (frequencies[t], t))
    whole = [plan[t] == frequencies[t] for t in order]
    assert whole == sorted(whole, reverse=True)  # whole ones first, then none but, where nothing else is, a part
    if any(frequencies.values()):
        assert any(plan.values())


def turn(thread: str, position: int, words: float, **terms: int) -> Measured:
    found = {t: (n, 1.0) for t, n in terms.items()}
    return Measured(0.3, words, 0.0, "en", thread, position, 4.0 if thread == "trip" else 1.0, found, 8)


def test_a_turn_gains_by_what_is_said_around_it() -> None:
    held = {
        "alone": turn("other", 5, 2.0, ferry=1),
        "asked": turn("trip", 5, 2.0, ferry=1),
        "answered": turn("trip", 6, 1.0, ticket=1),
    }
    fit = relevance(held, "en")
    assert fit["asked"] == 1.0
    assert fit["asked"] > fit["alone"]
    assert (
        fit["answered"]
        > relevance({"alone": held["alone"], "answered": turn("third", 6, 1.0, ticket=1)}, "en")["answered"]
    )


def test_being_part_of_a_conversation_is_no_advantage_in_itself() -> None:
    single = Measured(0.6, 3.0, 0.0, "en")
    worse = Measured(0.3, 1.0, 0.0, "en", "trip", 0, 2.0, {"ferry": (1, 1.0)}, 5)
    fit = relevance({"single": single, "turn": worse}, "en")
    assert fit["single"] == 1.0
    assert relevance({"a": single, "b": Measured(0.3, 2.0, 0.0, "en")}, "en")["a"] == 1.0


def test_a_long_turn_pays_for_its_many_chances_to_fit() -> None:
    def told(thread: str, size: int) -> Measured:
        return Measured(0.5, 2.0, 0.0, "en", thread, 0, 1.0, {"ferry": (1, 1.0)}, size)

    short = relevance({"a": told("x", 20), "b": told("y", 20)}, "en")
    assert short["a"] == short["b"]
    parts = {f"part {n}": told("y", 40) for n in range(10)}
    assert relevance({"a": told("x", 20), **parts}, "en")["part 0"] < 0.9


def test_whose_words_are_asked_for() -> None:
    asked, other = voice(of_both=True, users=True, agents_asked=False), voice(True, users=False, agents_asked=False)
    assert asked == 1 > other
    assert (voice(True, users=False, agents_asked=True), voice(True, users=True, agents_asked=True)) == (asked, other)
    assert voice(of_both=False, users=False, agents_asked=False) == 1


@given(
    st.lists(st.tuples(st.sampled_from(["", "x", "y"]), st.integers(0, 4), UNIT, UNIT), max_size=12),
    st.sampled_from(["en", "zh"]),
)
def test_relevance_is_in_the_unit_interval_and_the_best_has_one(
    made: list[tuple[str, int, float, float]], lang: str
) -> None:
    held = {
        n: Measured(vector, words, 0.0, "en", thread, position, words, {"t": (1, words)} if words else {}, 3)
        for n, (thread, position, vector, words) in enumerate(made)
    }
    fit = relevance(held, lang)
    assert set(fit) == set(held)
    assert all(0 <= value <= 1 for value in fit.values())
    if any(m.vector or m.words for m in held.values()):
        assert max(fit.values()) == 1.0


def test_conversations_are_ranked_by_their_best_turn_and_their_words() -> None:
    held = {
        "a": turn("trip", 0, 1.0),
        "b": turn("other", 0, 1.0),
        "c": turn("trip", 9, 1.0),
        "d": Measured(0.5, 1.0, 0.0, "en"),
    }
    ranked = sessions({"a": 0.5, "b": 0.5, "c": 0.2, "d": 0.9}, held)
    assert [thread for thread, _ in ranked] == ["trip", "other"]
    assert ranked[0][1] == 1.0


def test_one_message_does_not_fill_the_list() -> None:
    scores = {"m1": 1.0, "m2": 0.95, "m3": 0.9, "x": 0.8, "y": 0.7}
    assert spread(scores, {"m1": "m", "m2": "m", "m3": "m"}) == ["m1", "x", "m2", "y", "m3"]
    assert spread(scores, {}) == ["m1", "m2", "m3", "x", "y"]


def test_what_is_newer_moves_before_what_it_brings_up_to_date() -> None:
    assert moved_before(["a", "b", "c", "d"], [("d", "b")]) == ["a", "d", "b", "c"]
    assert moved_before(["a", "b", "c"], [("c", "a"), ("b", "a")], most=1) == ["b", "a", "c"]
    assert moved_before(["a", "b"], [("a", "b"), ("x", "a"), ("b", "x")]) == ["a", "b"]


@given(ranked=IDS, pairs=st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=6))
def test_moving_keeps_every_memory_once(ranked: list[str], pairs: list[tuple[str, str]]) -> None:
    assert sorted(moved_before(ranked, pairs)) == sorted(ranked)


def test_a_wish_weighs_by_fit_and_importance() -> None:
    assert wish_score(1.0, 10) == 1.0
    assert wish_score(0.0, 1) == 0.0
    assert wish_score(0.5, 8) > wish_score(0.5, 6) > wish_score(0.4, 6)
