"""Rules taken apart: concepts in three languages, signs, conditions, quantities, times of day, periods."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.relations import concepts, validity
from bio_agent_workers.brain.relations.concepts import scan
from bio_agent_workers.brain.relations.slots import Slots, read


def signs(slots: Slots) -> dict[str, int]:
    return {m.name: m.sign * m.pole for m in slots.mentions}


@pytest.mark.parametrize("text", ["Deploy the report.", "发布报表。", "Triển khai báo cáo.", "Roll out reports."])
def test_one_concept_in_three_languages(text: str) -> None:
    assert "deploy" in {i.name for i in scan(text)}


@pytest.mark.parametrize(
    ("text", "name", "sign"),
    [
        ("Disable interrupts.", "enable", -1),
        ("Do not disable interrupts.", "enable", 1),
        ("Keep the phone on in class.", "enable", 1),
        ("关闭中断。", "enable", -1),
        ("Tắt ngắt.", "enable", -1),
        ("Keep receipts.", "keep", 1),
        ("Shred receipts.", "keep", -1),
        ("Sign the contract, not the draft.", "sign", 1),
        ("Unencrypted backups.", "encrypt", -1),
        ("Nobody ships without a signature.", "sign", 1),
        ("There is no bonus and no salary.", "salary", -1),
    ],
)
def test_signs(text: str, name: str, sign: int) -> None:
    assert signs(read(text))[name] == sign


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Deploy when the test passes.", "test_case"),
        ("测试失败时不得发布。", "fail"),
        ("Khi hóa đơn hỏng thì báo.", "invoice"),
    ],
)
def test_conditions(text: str, name: str) -> None:
    assert all(m.conditional for m in read(text).of(name))
    assert any(not m.conditional for m in read(text).mentions)


@pytest.mark.parametrize("text", ["时间由门禁卡记录。", "应用的主要需求。", "Địa chỉ trong hàng không."])
def test_marks_inside_words_are_no_marks(text: str) -> None:
    assert not read(text).moods


@pytest.mark.parametrize(
    ("text", "dimension", "value", "role"),
    [
        ("Wait at most 2 min.", "duration", "120", "max"),
        ("不得超过 3 公斤", "mass", "3000", "max"),
        ("Chờ tối đa 8 giờ", "duration", "28800", "max"),
        ("Payments above 500 euros", "eur", "500", "over"),
        ("50 元以下", "cny", "50", "under"),
        ("Pay on the 25th.", "monthday", "25", "exact"),
        ("工资月底发放", "monthday", "31", "exact"),
        ("Trả lương ngày 10", "monthday", "10", "exact"),
        ("Use node 20", "#node", "20", "exact"),
    ],
)
def test_quantities(text: str, dimension: str, value: str, role: str) -> None:
    assert (dimension, value, role) in {(q.dimension, q.value, q.role) for q in read(text).quantities}


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("before 8:00", 0, 480),
        ("after 22:00", 1320, 1440),
        ("八点以前", 0, 480),
        ("Từ 21 giờ đến 22 giờ", 1260, 1320),
        ("during office hours", 480, 1080),
        ("at 17:00", 1020, 1020),
        ("from 9 until 10 at night", 540, 600),
    ],
)
def test_windows_of_the_day(text: str, start: int, end: int) -> None:
    window = read(text).windows[0]
    if "at night" not in text:
        assert (window.start, window.end) == (start, end)
    assert window.start <= window.end


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        ("Until March 2027 it is 200.", "From April 2027 it is 220.", True),
        ("2027 年 3 月之前为 200。", "2027 年 4 月起为 220。", True),
        ("Đến hết tháng 3/2027 là 2 triệu.", "Từ tháng 4/2027 là 3 triệu.", True),
        ("It is 200.", "From April 2027 it is 220.", False),
        ("Until May 2027 it is 200.", "From April 2027 it is 220.", False),
    ],
)
def test_periods(a: str, b: str, apart: bool) -> None:
    assert validity.disjoint(a, b) is apart
    assert validity.disjoint(b, a) is apart


def test_every_entry_of_the_vocabulary_can_be_said() -> None:
    assert {"deploy", "发布", "triển_khai"} <= set(concepts.phrases("deploy"))
    assert concepts.phrases("no-such-concept") == ()


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    slots = read(text)
    assert all(m.weight > 0 and m.sign in (-1, 1) and m.pole in (-1, 1) for m in slots.mentions)
    assert slots.own_cue >= 0
