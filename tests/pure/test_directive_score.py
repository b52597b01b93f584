"""The wording score of directives: what it reads, how it is bounded, how its weights are made, and how it and the grammar agree."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_ops.eval import directive_fit
from bio_agent_workers.brain.directives import reader as directives
from bio_agent_workers.brain.directives import score as directive_score
from bio_agent_workers.brain.directives.score import (
    CUE_TIMES,
    MAX_CHARS,
    SURE,
    UNLIKELY,
    features,
    ngrams,
    score,
    weights,
)

RULE, TASK = "Never feed the goats after dusk.", "Feed the goats now."
ROWS = [
    {"lang": "en", "text": f"{lead} {thing}.", "speaker": "owner", "is_directive": lead == "Always close"}
    for thing in ("the gate", "the barn", "the shed", "the coop", "the silo")
    for lead in ("Always close", "She closed")
]


@given(st.text(max_size=80))
def test_a_score_is_a_probability_the_same_at_every_call(text: str) -> None:
    assert 0.0 <= score(text) <= 1.0
    assert score(text) == score(text)
    assert score(text.upper().lower()) == score(text.upper().lower() + "   ")


def test_a_cue_counts_as_often_as_it_weighs() -> None:
    found = features("Never feed the goats today.")
    assert found.count("§ONE_OFF") == found.count("§PERMANENT") == CUE_TIMES
    assert max(found.count(gram) for gram in ngrams("Never feed the goats today.")) == 1


@pytest.mark.parametrize("lang", ["en", "zh", "vi"])
def test_the_rows_that_the_weights_come_from_are_read_back(lang: str) -> None:
    """Not how well unseen sentences are read, only that weights, features and rows belong together."""
    rows = [json.loads(line) for line in directive_fit.SHIPPED.read_text("utf-8").splitlines()]
    alone = [r for r in rows if r["lang"] == lang and not r.get("context") and r.get("speaker", "owner") == "owner"]
    found = Counter((r["is_directive"], bool(directives.find(r["text"]))) for r in alone)
    assert found[True, True] / (found[True, True] + found[True, False]) >= 0.85
    assert found[True, True] / (found[True, True] + found[False, True]) >= 0.85


def test_grams_are_of_characters_words_and_the_start() -> None:
    assert ngrams("Do it") == {
        " ", "d", "o", "i", "t", " d", "do", "o ", " i", "it", "t ", " do", "do ", "o i", " it", "it ",
        " do ", "do i", "o it", " it ", "^do", "^do it", "_do it",
    }  # fmt: skip
    assert ngrams(" \n\t") == set()
    assert score("") == 0.0


def test_a_long_text_costs_no_more_than_its_beginning() -> None:
    long = "never ( \u4ece\u4e0d " * 40_000
    assert ngrams(long) == ngrams(long[:MAX_CHARS])
    assert len(ngrams(long)) < 12 * MAX_CHARS
    weights()
    before = time.process_time()
    for _ in range(100):
        score(long)
    assert time.process_time() - before < 1.0


def test_the_sum_is_over_the_root_of_the_number_of_grams() -> None:
    assert score("aaaa", {}) == 0.5
    # " ", "a", " a", "a ", "aa", " aa", "aa ", " aa ", and "^aa": nine grams
    assert score("aa", {"aa": 3.0}) == pytest.approx(1 / (1 + 2.718281828459045**-1.0))


def test_the_fit_tells_the_two_kinds_apart_and_is_the_same_twice() -> None:
    by = directive_fit.fitted(ROWS)
    assert score("Always close the hatch.", by) > 0.5 > score("She closed the hatch.", by)
    assert directive_fit.written(by) == directive_fit.written(directive_fit.fitted(list(ROWS)))


def test_what_teaches_and_what_does_not() -> None:
    rows = [
        {"text": "Thanks! Always close the gate.", "speaker": "owner", "is_directive": True},
        {"text": "I was out. The gate is red.", "speaker": "owner", "is_directive": False},
        {"text": "Always close the barn.", "speaker": "other", "is_directive": False},
        {"text": "Yes.", "context": "Shall I always ask?", "speaker": "owner", "is_directive": True},
    ]
    found = directive_fit.examples(rows)
    assert found.said == ("I was out.", "The gate is red.")
    assert found.labels == (False, False)
    assert found.somewhere == (("Thanks!", "Always close the gate."),)


def test_the_shipped_weights_are_small_and_whole() -> None:
    by = weights()
    assert directive_score.BIAS in by
    assert len(by) > 5_000
    assert all(weight and float(weight * directive_score.SCALE).is_integer() for weight in by.values())
    text = directive_fit.written(by)
    assert len(text.encode()) < 300_000
    assert text.count("\n") == len(by)


def test_a_rule_the_score_finds_very_unlikely_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert directives.find(RULE)
    monkeypatch.setattr(directives, "score", lambda _: UNLIKELY)
    assert directives.find(RULE) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TASK, True),
        ("Please feed the goats now. Thanks!", True),
        ("Is the goat in the barn?", False),  # asks
        ("He said: \u201cFeed the goats now.\u201d", False),  # quoted
        ("If we had goats, feed them hay, we would say.", False),  # supposed
        ("Feed the goats this once.", False),  # one time only
        ("Feed the goats to the moon. Just kidding!", False),  # a jest
        ("Feed the goats. Then rest. Then go home. Then sleep.", False),  # a long tale
    ],
)
def test_a_sure_score_speaks_alone_unless_the_grammar_rules_it_out(
    text: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert directives.find(text) == []
    monkeypatch.setattr(directives, "score", lambda _: (1 + SURE) / 2)
    found = directives.find(text)
    assert bool(found) is told
    assert all(text[d.start : d.end] == d.text for d in found)
