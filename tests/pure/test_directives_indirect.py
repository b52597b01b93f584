"""Standing directives that are not said as orders, and what only sounds like them; what a polarity is read from."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.directives.grammar import read
from bio_agent_workers.brain.directives.reader import find

STANDING = {
    "en": [
        "Try to get into the habit of closing tickets yourself.",
        "It would be great if you always listed the open risks.",
        "I'd be grateful if every estimate came with a range.",
        "Enough of the disclaimers.",
        "Spare me the greetings.",
        "Our convention here is one topic per commit.",
        "I read on a small screen, so keep all answers narrow.",
        "You're supposed to check with Lea before ordering any parts.",
        "Nothing goes to print without a second pair of eyes.",
        "Every crate gets a label.",
        "Whatever you buy, file the receipt.",
        "Never share drafts unless I say so.",
    ],
    "zh": [
        "希望你养成随手关单的习惯。",
        "要是每份报告都能附上风险清单就好了。",
        "少来那些开场白。",
        "客套话就免了吧。",
        "我们这里的规矩是一单一议。",
        "我屏幕小，所有表格都排窄一点。",
        "订购零件超过五百的，先找莉娅。",
        "你怎么又改了标题，别改。",
        "除非我同意，草稿不外发。",
        "涉及退货的，先拍照。",
    ],
    "vi": [
        "Em tập thói quen tự đóng phiếu nhé.",
        "Giá mà báo cáo nào cũng có phần rủi ro thì tốt.",
        "Bớt mấy câu chào hỏi lại.",
        "Dẹp cái kiểu mở đầu dài dòng đi.",
        "Quy ước ở đây là mỗi commit một việc.",
        "Anh xem trên màn hình nhỏ nên câu trả lời nào cũng viết gọn thôi.",
        "Mua gì trên năm trăm thì hỏi chị Lê trước.",
        "Sao cứ đổi tiêu đề hoài vậy, thôi kiểu đó đi.",
        "Không có chữ ký thì không in.",
        "Đừng gửi bản nháp ra ngoài, trừ khi anh bảo.",
    ],
}
NONE = {
    "en": [
        "Enough with the rain, I want summer.",
        "Line 7 never runs at night.",
        "error: lock file is stale. Always run the updater first.",
        "ValueError: never pass a negative width.",
        "It would be lovely if the vendor always answered.",
        "That's how they do it in Lyon.",
        "Don't give up, you are nearly there.",
        "Kids can be so loud.",
        "I need help with the parser, can you explain how every rule works?",
        "When you're done with the draft, send it over.",
        "Guests must sign in, says the poster.",
        "Apparently one should never wake a sleepwalker.",
    ],
    "zh": [
        "七号线晚上从来不开。",
        "报错：锁文件过期，必须先运行更新。",
        "到底应该一律加锁，还是看情况？",
        "阿芳每次都用缩写。",
        "要是当初养成备份的习惯就好了。",
        "我跟司机说了，来之前都要打电话。",
        "在页脚加一句“七天内必须退货”。",
        "真是个不平凡的夜晚。",
    ],
    "vi": [
        "Chuyền 7 không bao giờ chạy ban đêm.",
        "Lỗi: phải cập nhật tệp khóa trước khi chạy.",
        "Em gái anh không bao giờ ăn cá.",
        "Nếu đây là ngân hàng thì dòng nào cũng phải ký.",
        "Viết xong bản nháp thì gửi cho anh.",
        "Năm tài chính bắt đầu từ tháng tư.",
        "Không thấy đơn thì trả 404.",
        "Không có lý do gì phải vội.",
        "Mong là mai trời nắng.",
    ],
}


def test_most_of_what_is_said_indirectly_is_heard_and_little_that_only_sounds_like_it() -> None:
    """Rows that no weights were fitted on: rates, since a score that is learned hears most, never all."""
    standing, none = ([text for texts in rows.values() for text in texts] for rows in (STANDING, NONE))
    heard, false = [text for text in standing if find(text)], [text for text in none if find(text)]
    assert len(heard) / len(standing) >= 0.8, [text for text in standing if text not in heard]
    assert len(false) / len(none) <= 0.2, false


@pytest.mark.parametrize(
    "text",
    [
        "You keep translating the headings. Stop doing that.",
        "Labels go on the left, dates on the right. That's how we do it here.",
        "段落之间空一行。以后都这样。",
        "Nhãn để bên trái, ngày để bên phải. Bên mình vẫn làm vậy.",
    ],
)
def test_a_sentence_that_confirms_the_one_before_takes_it_along(text: str) -> None:
    (found,) = find(text)
    assert found.text == text


def test_stopping_what_nobody_keeps_doing_is_no_rule() -> None:
    assert find("The pump is leaking. Stop it.") == []
    assert find("They label crates twice. That's how they do it there.") == []


@pytest.mark.parametrize(
    "text, polarity",
    [
        ("Enough of the disclaimers.", "negative"),
        ("I'd rather you didn't merge on Sundays.", "negative"),
        ("少来那些开场白。", "negative"),
        ("以后周报都用表格，不要大段文字。", "positive"),
        ("遇到拿不准的税率，就去问会计。", "positive"),
        ("Bớt mấy câu chào hỏi lại.", "negative"),
        ("Em nhớ hỏi lại khi không chắc, đừng đoán.", "positive"),
        ("Em tập thói quen tự đóng phiếu được không?", "positive"),
    ],
)
def test_the_first_clause_that_asks_or_forbids_tells(text: str, polarity: str) -> None:
    grammar, said = read(text)
    assert ("negative" if grammar.negative(said) else "positive") == polarity


def test_a_long_sentence_takes_no_time() -> None:
    for piece in ("every file, ", "you should when ", "不要都每", "em cứ gì thì "):
        find(piece * (5900 // len(piece)))
