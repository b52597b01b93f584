"""The scores of two rules' relation: probabilities, symmetry, the direction of an exception, and how weights are made."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_ops.eval import contradictions, relation_fit
from bio_agent_ops.eval.exact import fisher
from bio_agent_ops.eval.report import Result
from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations.contradiction import CONTRADICTION_AT, general_side, least_probability, relate
from bio_agent_workers.brain.relations.relation_features import of_order, of_pair
from bio_agent_workers.brain.relations.relation_scores import Weights, probabilities, reasons, weights
from bio_agent_workers.brain.relations.rule_pairs import apart, read_pair, replaced

VALUES = st.dictionaries(st.sampled_from(["x", "y", "z"]), st.floats(-3, 3), max_size=3)
PAIR = ("Never lend the master key.", "With the warden's approval you may lend the master key.")


@given(VALUES, VALUES, VALUES, VALUES)
def test_probabilities_add_up_and_turn_with_the_sides(
    pair: dict[str, float], a: dict[str, float], b: dict[str, float], w: dict[str, float]
) -> None:
    by = Weights(w, {"bias": 0.5}, w, w)
    n, c, q, b_general, a_general = probabilities(pair, a, b, by)
    assert n + c + q + b_general + a_general == pytest.approx(1.0)
    assert min(n, c, q, b_general, a_general) >= 0.0
    assert probabilities(pair, b, a, by) == pytest.approx((n, c, q, a_general, b_general))


def test_each_weight_is_of_a_feature() -> None:
    pair = read_pair(*PAIR)
    by = weights()
    for found in (by.contradiction, by.equivalent, by.exception):
        assert set(found) - {"bias"} <= set(of_pair(pair))
    assert set(by.order) <= set(of_order(pair, "a"))
    assert reasons({"x": 1.0, "y": 2.0, "z": -1.0}, {"x": 1.0, "y": 1.0, "z": 1.0}) == "y, x"


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_likeness_is_symmetric_and_bounded(a: list[str], b: list[str]) -> None:
    one, two = replaced(a, b)[0], replaced(b, a)[0]
    assert one == two
    assert 0.0 <= one <= 1.0
    assert replaced(a, a)[0] == (1.0 if a else 0.0)


def test_the_general_side_is_named_whatever_the_scores_say() -> None:
    assert general_side(*PAIR) == "a"
    assert general_side(*reversed(PAIR)) == "b"
    assert general_side("", "") == "a"


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("Tomatoes ripen in August.", "Vector search uses an index.", "nothing in common"),
        ("Service runs on node-11 only.", "Service never runs on node-17.", "different names"),
        ("Visitors wear a red badge.", "Employees wear a blue badge.", "different people"),
        ("Interns get 5 days of leave.", "Permanent staff get 28 days of leave.", "different scopes"),
    ],
)
def test_what_cannot_meet_is_not_weighed(a: str, b: str, why: str) -> None:
    assert apart(read_pair(a, b)) == why
    assert relate(a, b).relation is Relation.NEUTRAL


def test_a_confidence_is_a_probability_over_the_operating_point() -> None:
    found = relate("Parcels go out by courier.", "Parcels never go out by courier.")
    assert (found.relation, found.contradiction) == (Relation.CONTRADICTION, found.confidence)
    assert CONTRADICTION_AT <= found.confidence <= 1.0
    open_ = relate("Buyers negotiate prices.", "Buyers note each price.")
    assert not open_.decided
    assert 0.0 <= open_.contradiction < CONTRADICTION_AT


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_asks_for_more(low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    assert 0.0 < least_probability(low) <= least_probability(high) < 1.0
    assert least_probability(None) == CONTRADICTION_AT
    assert least_probability(0.6) == pytest.approx(CONTRADICTION_AT)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Peel the carrots before washing them.", "Wash the carrots before peeling them."),
        ("Clean the machine daily.", "Clean the machine once a week."),
        ("Set the read timeout.", "Set the connect timeout."),
        ("Open the valve first.", "Open the valve last."),
    ],
)
def test_one_step_or_one_value_apart_is_never_equivalent(a: str, b: str) -> None:
    assert relate(a, b).relation is not Relation.EQUIVALENT


def test_weights_are_made_from_labelled_pairs() -> None:
    rows = [
        {
            "a": f"Always clean the {thing}.",
            "b": f"{start} clean the {thing}.",
            "relation": relation,
            "exception_of": None,
        }
        for thing in ("oven", "desk", "truck", "floor")
        for start, relation in (("Never", "contradiction"), ("You must", "equivalent"))
    ]
    data = relation_fit.data(rows)
    found = relation_fit.fit(data)
    got = relation_fit.softmax(relation_fit.scores(found, data.pair, data.a_special, data.b_special)).argmax(axis=1)
    assert got.tolist() == data.labels.tolist()
    assert set(relation_fit.named(found, data)) == {"contradiction", "equivalent", "exception", "order"}
    assert all(r["relation"] == "neutral" for r in relation_fit.unrelated(rows))


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_fishers_test(n: int, m: int, data: st.DataObject) -> None:
    k, j = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    p = fisher(k, n, j, m)
    assert 0.0 < p <= 1.0
    assert p == pytest.approx(fisher(j, m, k, n))
    assert p >= comb(n, k) * comb(m, j) / comb(n + m, k + j) - 1e-12


def test_fishers_test_of_a_known_table() -> None:
    assert fisher(3, 4, 1, 4) == pytest.approx(0.4857, abs=1e-4)  # the lady tasting tea
    assert fisher(0, 0, 3, 4) == 1.0
    with pytest.raises(ValueError, match="no proportions"):
        fisher(5, 4, 0, 1)


def test_the_evaluation_shows_the_curve_the_languages_and_what_was_missed() -> None:
    rows = [
        {"id": "1", "lang": "en", "a": "Lock the shed.", "b": "Never lock the shed.", "relation": "contradiction"},
        {"id": "2", "lang": "en", "a": "Lock the shed.", "b": "Roses need sun.", "relation": "neutral"},
        {"id": "3", "lang": "vi", "a": "Hoa hồng cần nắng.", "b": "Khóa nhà kho.", "relation": "equivalent"},
    ]
    result = Result("contradictions")
    contradictions.run(rows, result, None)
    here = [point for point in result.extra["curve"] if "operating point" in point["at"]]
    assert [(p["k"], p["false"], p["precision"]) for p in here] == [(1, 0, 1.0)]
    recalls = [point["recall"] for point in result.extra["curve"]]
    assert recalls == sorted(recalls, reverse=True)
    assert {row["language"]: (row["right"], row["of"]) for row in result.extra["languages"]} == {
        "en": (2, 2),
        "vi": (0, 1),
    }
    assert not any(row["worse beyond chance"] for row in result.extra["languages"])
    assert result.extra["missed pairs"] == [{"id": "3", "is": "equivalent", "called": "neutral", "by": "undecided"}]
    assert {"id", "relation", "exception_of", "decided_by", "confidence"} <= set(result.items[0])
