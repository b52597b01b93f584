"""When a newer fact takes an older one's place, and when a question is about what was so before."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.retrieval.freshness import (
    asks_for_history,
    asks_how_it_stands,
    asks_how_it_stood,
    may_update,
    named_as_next,
    replaces,
    restates,
    shared,
)
from bio_agent_workers.brain.retrieval.search_terms import terms


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


@pytest.mark.parametrize(
    ("said", "now", "before"),
    [
        ("How many chairs are in the hall?", True, False),
        ("What is the price of the yearly pass?", True, False),
        ("大厅里有多少把椅子？", True, False),
        ("Hội trường có bao nhiêu ghế?", True, False),
        ("How many chairs were in the hall before the renovation?", False, True),
        ("What was the original price of the yearly pass?", False, True),
        ("大厅以前有多少把椅子？", False, True),
        ("Which song did the choir sing?", False, False),  # the tense alone asks for no replaced value
        ("Can you set up the hall?", False, False),
        ("How many days lie between the rehearsal and the concert?", False, False),
        ("排练和音乐会之间有几天？", False, False),
        ("Giữa buổi tập và buổi diễn là bao nhiêu ngày?", False, False),
    ],
)
def test_how_it_stands_and_how_it_stood(said: str, now: bool, before: bool) -> None:
    assert asks_how_it_stands(said) is now
    assert asks_how_it_stood(said) is before


@pytest.mark.parametrize(
    ("newer", "older", "asked", "updates"),
    [
        ("The membership has now grown to 61, so we need a bigger room", "We have 48 in the membership", "membership size", True),
        ("I packed 9 lanterns for the trip", "I packed 6 lanterns for the trip", "how many lanterns", True),
        ("I packed 9 lanterns for the trip", "I packed 9 lanterns already", "how many lanterns", False),
        ("The bus has now 3 doors", "We have 48 in the membership", "membership size", False),
        ("The membership is a pleasure", "We have 48 in the membership", "membership size", False),
    ],
)  # fmt: skip
def test_another_number_of_what_is_asked_about(newer: str, older: str, asked: str, updates: bool) -> None:
    assert may_update(newer, older, frozenset(terms(asked))) is updates


def test_the_same_beginning_with_another_end_is_another_value() -> None:
    assert restates("The keeper of the lighthouse is Orla.", "The keeper of the lighthouse is Bram.")
    assert not restates("The keeper of the lighthouse is Orla.", "The keeper of the lighthouse is Orla.")
    assert not restates("Orla keeps the lighthouse at night.", "Bram keeps the lighthouse at night.")
    assert not restates("word " * 30 + "a", "word " * 30 + "b")


@pytest.mark.parametrize(
    ("question", "following"),
    [
        ("who was the treasurer before Ilse", {"ils"}),
        ("which wiki did we have before Confluence", {"confluenc"}),
        ("在 Gitea 之前我们用什么", {"gitea"}),
        ("ai là thủ quỹ trước Hạnh", {"hạnh", "hanh"}),
        ("what was the old cache port", set()),
        ("who did Omar take over from?", set()),
        ("以前的仓库在哪", set()),
        ("之前谁负责发布", set()),
        ("mã cổng cũ là gì", set()),
        ("kho hàng hồi đó ở đâu", set()),
    ],
)
def test_a_question_about_the_past_is_known_by_its_form(question: str, following: set[str]) -> None:
    assert asks_for_history(question)
    assert named_as_next(question) == following


@pytest.mark.parametrize(
    "question",
    [
        "what did you run before pushing",
        "what did he say before the meeting",
        "is there a backup before 5 pm",
        "部署之前要做什么",
        "trước khi phát hành phải làm gì",
        "lỗi tuần trước là gì",
        "what is the old town called",
    ],
)
def test_the_order_of_events_is_no_earlier_state(question: str) -> None:
    assert not asks_for_history(question)
