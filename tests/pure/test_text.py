"""Words, languages and quantities of text in three languages."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.quantities import spans
from bio_agent_workers.brain.text import content_tokens, detect_lang, fold, tokens, values


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Never push to main.", "en"),
        ("提交前跑测试", "zh"),
        ("用 PostgreSQL 16 存 JSON 数据", "zh"),
        ("Chạy thử trước khi gửi", "vi"),
        ("khong duoc xoa nhanh nay nhe", "vi"),
        ("café résumé naïve", "en"),
        ("", "en"),
        ("12:30 -- 404", "en"),
    ],
)
def test_language(text: str, lang: str) -> None:
    assert detect_lang(text) == lang


def test_composed_and_decomposed_text_have_the_same_tokens() -> None:
    text = "Hóa đơn chưa được phê duyệt"
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(text)
    assert tokens(text, "vi", marks=False) == ("hoa_don", "chua", "duoc", "phe_duyet")


def test_vietnamese_compounds_are_one_token() -> None:
    assert "hóa_đơn" in tokens("Ghi hóa đơn mới", "vi")


def test_chinese_is_read_without_spaces() -> None:
    assert {"代码", "审查"} <= set(tokens("请做代码审查", "zh"))
    assert "的" not in tokens("我的代码", "zh")


def test_identifiers_stay_whole() -> None:
    assert tokens("commit .env.example with --no-verify, never a/b.py") == (
        "commit", ".env.example", "with", "--no-verify", "never", "a/b.py",
    )  # fmt: skip


def test_stop_words_are_left_out() -> None:
    assert content_tokens("The tests are in the folder") == ("tests", "folder")


def test_fold_makes_wide_digits_plain_and_keeps_marks_unless_asked() -> None:
    assert fold("ＡＢ１２　Đã") == "ab12 đã"
    assert fold("Đã", marks=False) == "da"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1,000,000 VND", "1.000.000 đồng", "1.000.000 VNĐ"], ("1000000", "vnd")),
        (["17:00", "5pm", "5 p.m.", "下午五点", "下午 5 点", "5 giờ chiều", "17h", "１７：００"], ("17:00", "clock")),
        (["07:30", "七点半", "7h30"], ("07:30", "clock")),
        (["10%", "10 percent", "10 ％"], ("10", "%")),
        (["Friday", "周五", "星期五", "thứ Sáu", "thứ 6"], ("fri", "weekday")),
        (["2027年1月", "January 2027", "tháng 1/2027"], ("2027-01", "date")),
        (["2026-12-31", "31/12/2026", "31 Dec 2026", "2026年12月31日"], ("2026-12-31", "date")),
        (["three newtons", "3 N"], ("3", "n")),
        (["五万元", "50,000 元"], ("50000", "cny")),
        (["two spaces", "2 spaces", "两个空格"], ("2", "space")),
        (["90 days", "90 天", "90 ngày"], ("90", "day")),
        (["v1.2.3", "1.2.3"], ("1.2.3", "version")),
        (["port 8081", "port: 8081"], ("8081", "port")),
    ],
)
def test_one_quantity_in_many_spellings(texts: list[str], expected: tuple[str, str]) -> None:
    for text in texts:
        assert values(text) == (expected,), text


@pytest.mark.parametrize(
    "text", ["一旦失败", "统一处理", "万一", "十分重要", "one more thing", "argon2id", "no numbers"]
)
def test_what_is_no_quantity(text: str) -> None:
    assert values(text) == ()


def test_units_and_signs_tell_apart() -> None:
    assert values("5 GB") != values("5 MB")
    assert values("−5 °C") != values("5 °C")
    assert values("零下 18 度") == (("-18", "c"),)


@given(st.text(max_size=80))
def test_any_text_is_read_without_error_and_in_order(text: str) -> None:
    found = spans(text)
    assert all(a[1] <= b[0] for a, b in pairwise(found))
    assert detect_lang(text) in {"en", "zh", "vi"}
    assert all(tokens(text))


@given(st.integers(min_value=1000, max_value=10**12))
def test_grouped_digits_are_one_number(number: int) -> None:
    assert values(f"total {number:,} VND") == values(f"total {number} VND")
    assert values(f"total {number} VND") != values(f"total {number + 1} VND")
