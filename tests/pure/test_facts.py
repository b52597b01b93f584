"""Splitting text into facts, and the phrases that ask to keep one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.retrieval.facts import CODE_CHARS, FACT_CHARS, split, to_embed, weight, without_trigger


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


def test_a_heading_goes_with_what_it_heads() -> None:
    text = (
        "## Opening hours\n\nThe hall opens at nine.\n\n**Prices**\n\nA day costs four.\n\n"
        + "More is told at the desk. " * 12
    )
    assert split(text)[:2] == ["## Opening hours\nThe hall opens at nine.", "**Prices**\nA day costs four."]


def test_code_stays_in_whole_lines_under_its_fence() -> None:
    lines = [f"    total_{n} = price_{n} * quantity_{n}" for n in range(80)]
    facts = split("Here is how it is counted:\n\n```python\n" + "\n".join(lines) + "\n```\nThat is all there is to it.")
    code = facts[1:-1]
    assert facts[0] == "Here is how it is counted:"
    assert facts[-1] == "That is all there is to it."
    assert [line for f in code for line in f.split("\n")[1:-1]] == lines
    assert all(f.startswith("```python\n") and f.endswith("\n```") and len(f) < CODE_CHARS + 100 for f in code)
    assert len(to_embed(code[0])) == FACT_CHARS
    assert to_embed("x" * 900) == "x" * 900


def test_a_fence_that_never_ends_loses_nothing() -> None:
    text = "```\n" + "\n".join(f"value number {n} of the list" for n in range(60))
    assert re.findall(r"\d+", "".join(split(text))) == [str(n) for n in range(60)]


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
