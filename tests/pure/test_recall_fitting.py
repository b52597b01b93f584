"""What recall answers with: nothing where nothing fits, and no filling up with what fits far worse than the best."""

from __future__ import annotations

from typing import Any

import pytest

from bio_agent_ops.service.recalling import FITS, fitting
from bio_agent_schema.memory_search import Raw


def raw(vector: float, covered: float = 0.0, **more: Any) -> Raw:
    given: dict[str, Any] = {
        "graph": 0,
        "hit": True,
        "lang": "en",
        "thread": "",
        "position": 0,
        "superseded_by": None,
        **more,
    }
    return Raw(vector, covered, covered, **given)


def kept(found: dict[str, Raw], relevance: dict[str, float]) -> set[str]:
    return set(fitting(found, "en", relevance))


def test_what_fits_far_worse_than_the_best_is_not_told() -> None:
    found = {"best": raw(0.6, 0.6), "beside": raw(0.4), "tone": raw(0.26)}
    assert kept(found, {"best": 1.0, "beside": 0.5, "tone": FITS - 0.01}) == {"best", "beside"}
    assert kept(found, {"best": 1.0, "beside": 0.5, "tone": FITS}) == set(found)


def test_what_the_words_or_a_name_carry_needs_no_vector() -> None:
    found = {"best": raw(0.6, 0.6), "words": raw(0.0, 0.25), "name": raw(0.0, graph=1), "neither": raw(0.2, 0.2)}
    assert kept(found, {"best": 1.0, "words": 0.1, "name": 0.1, "neither": 0.1}) == {"best", "words", "name"}


def test_the_best_of_a_query_about_nothing_known_is_not_told() -> None:
    assert kept({"nearest": raw(0.41), "next": raw(0.4)}, {"nearest": 1.0, "next": 0.98}) == set()


@pytest.mark.parametrize(
    "weak",
    [
        {"thread": "s1", "position": 4},  # the turn after the best one
        {"against": ("best",)},
    ],
)
def test_what_goes_with_a_fitting_one_comes_along_however_it_fits(weak: dict[str, Any]) -> None:
    found = {"best": raw(0.6, 0.6, thread="s1", position=3), "weak": raw(0.05, **weak)}
    assert kept(found, {"best": 1.0, "weak": 0.0}) == {"best", "weak"}


def test_what_replaced_a_fitting_one_comes_along() -> None:
    found = {"old": raw(0.6, 0.6, superseded_by="new"), "new": raw(0.05, superseded_by="newest"), "newest": raw(0.01)}
    assert kept(found, {"old": 1.0, "new": 0.1, "newest": 0.0}) == set(found)
