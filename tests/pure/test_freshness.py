"""When a newer fact takes an older one's place, and when a question is about what was so before."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.freshness import asks_for_history, replaces, shared


def even(term: str) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The report is now sent on Thursday at 9:00", "The report is sent on Monday at 8:00"),
        ("Session timeout raised to 45 minutes", "Session timeout is 20 minutes"),
        ("会议室预订改为提前三天", "会议室预订提前一天"),
        ("Hạn nộp báo cáo chuyển sang ngày 10", "Hạn nộp báo cáo là ngày 5"),
        ("Badges are valid for 6 months", "Badges are valid for 12 months"),
    ],
)
def test_a_change_of_the_same_matter_replaces(newer: str, older: str) -> None:
    assert replaces(newer, older, 0.7, even)


@pytest.mark.parametrize(
    ("newer", "older", "likeness"),
    [
        ("Session timeout raised to 45 minutes", "Session timeout is 20 minutes", 0.3),  # not alike at all
        ("The parking lot is now closed at night", "Badges are valid for 12 months", 0.6),  # another matter
        ("Badges are worn in the lab", "Badges are worn in the lab", 0.99),  # says nothing new
    ],
)
def test_what_is_no_change_replaces_nothing(newer: str, older: str, likeness: float) -> None:
    assert not replaces(newer, older, likeness, even)


def test_words_without_weight_do_not_make_two_texts_one_matter() -> None:
    def weight(term: str) -> float:
        return 0.0 if term == "webshop" else 1.0

    assert shared("webshop moved to port 80", "webshop uses tabs", weight) == 0.0


@pytest.mark.parametrize(
    "said",
    [
        "what was the limit originally",
        "which port did it use before the move",
        "原来的额度是多少",
        "trước đây dùng công cụ gì",
    ],
)
def test_questions_about_the_past(said: str) -> None:
    assert asks_for_history(said)


@pytest.mark.parametrize(
    "said", ["until when can I order", "几点之前可以下单", "run the tests before pushing", "hạn trước ngày 5"]
)
def test_a_deadline_is_no_history(said: str) -> None:
    assert not asks_for_history(said)
