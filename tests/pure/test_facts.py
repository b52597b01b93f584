"""Splitting text into facts, and the phrases that ask to keep one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.facts import FACT_CHARS, split, weight, without_trigger


def test_short_text_is_one_fact() -> None:
    assert split("  The pool holds 20 connections. It was 10 before.  ") == [
        "The pool holds 20 connections. It was 10 before."
    ]
    assert split(" \n ") == []


def test_lists_and_paragraphs_come_apart() -> None:
    text = "Deployment notes\n\n" + "\n".join(
        f"- service {n} listens on port {8000 + n} behind the proxy" for n in range(12)
    )
    facts = split(text)
    assert facts[0] == "Deployment notes"
    assert len(facts) == 13
    assert all("port" in f for f in facts[1:])


def test_chinese_sentences_are_cut_at_their_own_stops() -> None:
    facts = split("发票必须由主管批准，金额超过限额时还要总监签字。" * 12)
    assert len(facts) > 1
    assert all(weight(f) <= FACT_CHARS for f in facts)


@given(st.text(alphabet="ab .\n-。发1", max_size=2_000))
def test_no_character_of_a_word_is_lost(text: str) -> None:
    words = re.findall(r"[^\W_]", text)
    assert re.findall(r"[^\W_]", "".join(split(text))) == words


def test_a_long_run_of_marks_is_no_fact() -> None:
    assert split(". " * 50_000) == []
    assert len(split("The pool holds 20 connections. " + ". " * 50_000)) == 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that I take tea without sugar", "I take tea without sugar"),
        ("please remember: the VPN is down on Sundays", "the VPN is down on Sundays"),
        ("记住，我不吃香菜", "我不吃香菜"),
        ("Nhớ là khách A chỉ nhận hàng buổi sáng", "khách A chỉ nhận hàng buổi sáng"),
        ("The cache lives for an hour", "The cache lives for an hour"),
        ("remember", "remember"),
    ],
)
def test_trigger_phrases(said: str, kept: str) -> None:
    assert without_trigger(said) == kept
