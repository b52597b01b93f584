"""Directives that take more than one sentence, or a question before them; and what takes one back."""

from __future__ import annotations

import pytest

from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.directives.reader import find


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("assistant: Shall I cc Ada on refunds from now on?", "Please do."),
        ("Should I always round up?", "Yes, go ahead."),
        ("Would you like me to send the digest every Monday?", "Sounds good, thanks."),
        ("助手：要不要以后都把报价抄送给会计？", "可以，就这么办吧。"),
        ("需要我每周一发简报吗？", "好的，麻烦你了。"),
        ("trợ lý: Em có nên luôn gửi bản sao cho chị không ạ?", "Ừ, cứ vậy đi em."),
        ("Từ nay em nhắc anh trước một tiếng nhé?", "Được, cảm ơn em."),
    ],
)
def test_a_bare_yes_to_a_standing_proposal_is_a_directive(context: str, answer: str) -> None:
    (found,) = find(answer, context=context)
    assert found.text.endswith(f" — {answer}")
    assert found.polarity is Polarity.POSITIVE


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Shall I send the refund now?", "Please do."),
        ("Shall I check every file?", "Yes."),
        ("Shall I cc Ada on refunds from now on?", "Let me think about it."),
        ("Shall I cc Ada on refunds from now on?", "Yes, but only this time."),
        ("I cc'd Ada on the refund.", "Please do."),
        ("要不要现在发给会计？", "可以，发吧。"),
        ("要不要以后都抄送会计？", "我想想。"),
        ("Em gửi luôn bây giờ nhé?", "Ừ, gửi đi em."),
        ("Từ nay em nhắc anh trước một tiếng nhé?", "Để anh xem đã."),
    ],
)
def test_a_yes_to_one_act_and_no_yes_are_none(context: str, answer: str) -> None:
    assert find(answer, context=context) == []


@pytest.mark.parametrize(
    "text",
    [
        "You tend to bury the totals. Put them first.",
        "Your last three reports had no dates in them. I want dates.",
        "你最近几份周报都没有日期。我要看日期。",
        "Hai bản báo cáo gần đây của em không có ngày. Chị cần ngày tháng.",
        "I meant the net price. Do that for all quotes.",
        "Anh cần giá gồm thuế. Báo giá nào cũng vậy.",
    ],
)
def test_a_fault_and_what_is_wanted_instead_are_one_rule(text: str) -> None:
    (found,) = find(text)
    assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        "You sent me the wrong file. Put it in the folder.",
        "The last three trains had no seats. I want a seat.",
        "你刚才发错了。发一下新的。",
        "Em gửi nhầm rồi. Gửi lại giúp anh.",
    ],
)
def test_a_slip_and_its_repair_are_none(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Always copy Ada... oh wait, never mind.",
        "From now on copy Ada on refunds. Actually, scratch that.",
        "以后都抄送会计……算了，当我没说。",
        "Từ nay gửi bản sao cho chị Hoa... mà thôi, bỏ đi.",
    ],
)
def test_a_turn_that_takes_itself_back_holds_none(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Never touch the legacy folder. Leave it alone.",
        "这些客套话以后都免了，算了吧这套。",
        "Từ nay đừng mở đầu dài dòng nữa, bỏ kiểu đó đi.",
    ],
)
def test_a_rule_that_tells_to_drop_something_stays(text: str) -> None:
    assert find(text)


@pytest.mark.parametrize(
    "text",
    [
        "Return 404 when an order is missing.",
        "Log warnings in the parser.",
        "Write a function that closes the socket.",
        "The endpoint must always return a list.",
        "找不到订单时返回 404。",
    ],
)
def test_what_a_program_is_to_do_is_no_rule_for_the_agent(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("When a parcel has no label, send it back.", Polarity.POSITIVE),
        ("If a date is not clear, never guess it.", Polarity.NEGATIVE),
        ("遇到金额对不上的情况，一律先转人工。", Polarity.POSITIVE),
        ("客户没回信的话，三天后再催。", Polarity.POSITIVE),
        ("Khách không trả lời thì ba ngày sau nhắc lại.", Polarity.POSITIVE),
    ],
)
def test_the_occasion_does_not_make_a_rule_negative(text: str, polarity: Polarity) -> None:
    assert [d.polarity for d in find(text)] == [polarity]


def test_a_sentence_may_follow_an_hour_and_narrow_marks_are_read_as_wide_ones() -> None:
    assert find("A supplier got a mail at 2 a.m. All outgoing mail waits for office hours, please.")
    narrow, wide = find("以后尺寸一律用厘米,重量用公斤。"), find("以后尺寸一律用厘米，重量用公斤。")
    assert [d.end for d in narrow] == [d.end for d in wide] == [len("以后尺寸一律用厘米，重量用公斤。")]
    assert find("Trains leave at 2 a.m. on Sundays.") == []


@pytest.mark.parametrize(
    ("turn", "rules"),
    [
        ("Rules for this repo:\n- Never push to main.\n- Always run make lint before committing.",
         ["Never push to main.", "Always run make lint before committing."]),
        ("Team rules:\n- Use tabs in Go files.\n- Ask me before you deploy.", ["Use tabs in Go files.", "Ask me before you deploy."]),
        ("请记住：\n- 不要直接推送到 main。\n- 提交前一律运行测试。", ["不要直接推送到 main。", "提交前一律运行测试。"]),
        ("Steps for today:\n- fix the parser\n- push it", []),
    ],
)  # fmt: skip
def test_each_item_of_an_owners_list_is_a_rule_and_its_heading_is_none(turn: str, rules: list[str]) -> None:
    assert [d.text for d in find(turn)] == rules
