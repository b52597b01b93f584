"""Sentences of the tests' own, by grammatical kind: what is a standing directive and what only sounds like one."""

from __future__ import annotations

import unicodedata

import pytest

from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.directives.reader import asks_to_keep_secret, explicit_memory, find, revocation

STANDING = {
    "en": [
        "From next Monday on, every merge needs a linked ticket.",
        "Never store card numbers in the session table.",
        "Always round taxes per line, not per invoice.",
        "Please stop using abbreviations in column names.",
        "Don't put credentials into test fixtures.",
        "Going forward, quote prices without VAT.",
        "We don't deploy on the day before a holiday.",
        "In this repo we use pytest, not unittest.",
        "When a delivery is late, tell the customer the same day.",
        "If a migration drops a column, ask me first.",
        "All supplier mails go through the shared inbox.",
        "Every endpoint must have a rate limit.",
        "Nobody may restart the broker without telling operations.",
        "I prefer short answers with a code sample.",
        "I hate it when you reformat files you did not have to touch.",
        "I want you to run the type checker before each push.",
        "Could you please always mention the ticket number in the title?",
        "Keep in mind that the warehouse closes at 16:30.",
        "Note for next time: the plant code for Hue is VN07.",
        "Remember: the staging certificate is self-signed.",
        "House rule: no personal data in logs.",
        "Make it a habit to check the diff twice.",
        "Screenshots never go into the repository.",
        "No wildcard imports in this project.",
        "Feature flags are mandatory for anything customer-facing.",
        "You should never answer a complaint without the order history.",
        "Whenever you rename a table, update the data dictionary.",
        "Avoid nested ternaries in templates.",
        "Until further notice, payments above 5,000 wait for Linh.",
        "Docs first, then code. Always.",
        "Commits must not mix refactoring and features.",
        "Tests may not depend on the network.",
        "Use UTC for all timestamps in the API.",
        "Dates in reports are always written day first.",
    ],
    "zh": [
        "以后改接口之前先跟前端对一下。",
        "从下个月起报销单一律走线上。",
        "禁止在代码里写死密码。",
        "每次发版前必须打标签。",
        "所有日志都要带请求编号。",
        "我喜欢你先给结论再解释。",
        "我不想再看到没有单位的数字。",
        "我们这个项目只用 pnpm。",
        "库存低于安全线时，必须先通知采购。",
        "记住：客户编号是八位。",
        "没有我的同意，不得删除任何分支。",
        "新规定：超过两万的付款要双签。",
        "能不能以后每次都先跑一遍单元测试？",
        "回复客户不要用感叹号。",
        "凡是对外的邮件，都要抄送法务。",
        "合同金额统一保留两位小数。",
        "周末不许动生产环境。",
        "请一律用繁体写给台湾客户。",
        "今后不要再用临时表存结果。",
        "除非我说可以，否则别碰主数据。",
        "提交信息用英文写，没有例外。",
        "只有财务确认后才可以冲销。",
        "严禁把测试数据导入正式库。",
        "任何人都不得绕过审批。",
        "别忘了，报价有效期是十五天。",
        "写文档时请用主动语态。",
    ],
    "vi": [
        "Từ tuần sau mọi đơn đặt hàng phải có mã dự án.",
        "Đừng bao giờ gửi bảng lương qua email.",
        "Luôn ghi rõ đơn vị tính trong báo cáo nhé.",
        "Cấm sửa trực tiếp dữ liệu trên máy chủ chính.",
        "Mỗi lần đổi cấu hình thì báo anh trước.",
        "Nếu khách chưa thanh toán thì không được xuất hàng.",
        "Anh thích câu trả lời ngắn, có ví dụ.",
        "Anh không muốn thấy mật khẩu trong log nữa.",
        "Ghi nhớ: kho Bình Dương nghỉ thứ Bảy.",
        "Lưu ý là giá đã gồm phí vận chuyển.",
        "Bên mình chỉ dùng PostgreSQL.",
        "Quy định mới: hợp đồng trên 100 triệu phải có hai chữ ký.",
        "Không được xóa nhánh chính dù bất kỳ lý do gì.",
        "Em nhớ từ giờ đặt tên biến bằng tiếng Anh nhé.",
        "Tất cả phiếu chi phải có chứng từ gốc.",
        "Hễ lô hàng thiếu nhãn thì trả lại nhà cung cấp.",
        "Trước khi gộp nhánh luôn phải chạy kiểm thử.",
        "Tuyệt đối không đưa dữ liệu khách hàng vào môi trường thử.",
        "Về sau cứ hỏi anh trước khi đổi lịch.",
        "Sau này đừng tự ý nâng phiên bản nữa.",
        "Chỉ được giảm giá khi trưởng phòng đồng ý.",
        "Ai cũng phải khóa màn hình khi rời chỗ, em cũng thế nhé.",
        "Đừng dùng dấu phẩy trong tên file.",
        "Em có thể luôn gửi kèm bản PDF giúp anh được không?",
        "Cho đến khi anh nói khác, mọi khoản hoàn tiền đều qua anh.",
        "Nhân viên mới không được duyệt chi.",
    ],
}
NOT_STANDING = {
    "en": [
        "Rename the column amt to amount in invoices.sql.",
        "The nightly job always fails on the first of the month.",
        "You always find the nicest bugs.",
        "Why do you never use the cache?",
        "Should we always squash before merging?",
        "They never answer on Fridays.",
        "I always forget the flag for that.",
        "We never got a reply from the bank.",
        "Just this once, skip the review.",
        "Don't restart it yet.",
        "Don't touch that file, I am editing it.",
        "What if we never cached anything?",
        "Let's say every order needed two approvals, how slow would it get?",
        "Maybe we should always use UTC some day.",
        "I never said you must ask every time.",
        "The vendor's manual says to always reboot twice.",
        "My colleague insists that one should never use recursion.",
        "Never mind.",
        "Thanks, as always.",
        "For the demo, use the fake payment provider.",
        "At my last company we never wrote comments.",
        'She wrote "never call before noon" on the whiteboard.',
        "Run the tests again please.",
        "Show me all orders from last week.",
        "Delete the three temp tables.",
        "Use the old template for now.",
        "The tests must have passed yesterday.",
        "Is it always this slow?",
        "Sure, and we should always deploy on Friday night too, haha.",
        "Check every file in this folder for typos.",
        "Can you fix the login page?",
        "It never worked on my machine.",
        "From the README:\n> Always use sudo.\nIs that true?",
        "2026-03-01 10:00:00 WARN never call flush() twice\n2026-03-01 10:00:01 INFO ok",
        "He told me you must always sign the form.",
        "I'll always check the invoices myself.",
    ],
    "zh": [
        "把 amt 这一列改名叫 amount。",
        "这个任务每次月初都失败。",
        "你为什么总是不用缓存？",
        "他们从来不在周五回邮件。",
        "我总是忘记那个参数。",
        "这次就不用评审了。",
        "先别重启，等我一下。",
        "要是我们以后都不用缓存会怎么样？",
        "我没说过每次都要问我。",
        "供应商的手册上写着必须重启两次。",
        "以后再说吧。",
        "谢谢，每次都麻烦你。",
        "以前我们公司从来不写注释。",
        "她在白板上写了“中午之前不要打电话”。",
        "再跑一遍测试。",
        "把上周的订单都列出来。",
        "暂时用旧模板。",
        "是不是所有接口都要限流？",
        "今天别提交了，仓库在维护。",
        "隔壁组一律用空格。",
        "也许以后可以统一用 UTC。",
        "老板说年会必须穿西装。",
        "修一下登录页面。",
        "别担心，我来处理。",
        "那当然，以后全都周五半夜上线好了，哈哈。",
        "文档里说要一直用管理员身份运行，对吗？",
    ],
    "vi": [
        "Đổi tên cột amt thành amount giúp anh.",
        "Tác vụ này đầu tháng lúc nào cũng lỗi.",
        "Sao em không bao giờ dùng cache?",
        "Họ chẳng bao giờ trả lời vào thứ Sáu.",
        "Anh lúc nào cũng quên tham số đó.",
        "Lần này bỏ qua phần duyệt đi.",
        "Khoan, đừng khởi động lại vội, anh đang xem.",
        "Giả sử mình không bao giờ dùng cache thì sao?",
        "Anh có bảo là lần nào cũng phải hỏi đâu.",
        "Tài liệu của hãng ghi là luôn khởi động hai lần.",
        "Cảm ơn em, lúc nào cũng nhanh.",
        "Hồi trước công ty anh không bao giờ viết chú thích.",
        "Chị ấy viết lên bảng “đừng gọi trước buổi trưa”.",
        "Chạy lại kiểm thử đi.",
        "Liệt kê tất cả đơn hàng tuần trước.",
        "Tạm thời dùng mẫu cũ nhé.",
        "Có phải mọi API đều phải giới hạn tốc độ không?",
        "Hôm nay đừng commit, kho đang bảo trì.",
        "Nhóm bên kia luôn dùng tab.",
        "Chắc sau này mình sẽ dùng UTC hết.",
        "Sếp anh hay nói phải luôn đúng giờ.",
        "Sửa trang đăng nhập giúp anh.",
        "Dùng cổng 9000 cho bản demo này nhé.",
        "Từ nay cứ nửa đêm thứ Sáu mà triển khai, anh đùa đấy.",
        "Em có luôn chạy kiểm thử không?",
        "Tháng trước tất cả phiếu chi phải in ra giấy.",
    ],
}


def _rate(rows: dict[str, list[str]], lang: str) -> tuple[float, list[str]]:
    found = [text for text in rows[lang] if find(text)]
    return len(found) / len(rows[lang]), found


@pytest.mark.parametrize("lang", ["en", "zh", "vi"])
def test_standing_directives_are_found(lang: str) -> None:
    rate, found = _rate(STANDING, lang)
    assert rate >= 0.9, [t for t in STANDING[lang] if t not in found]


@pytest.mark.parametrize("lang", ["en", "zh", "vi"])
def test_what_only_sounds_like_one_is_not(lang: str) -> None:
    rate, found = _rate(NOT_STANDING, lang)
    assert rate <= 0.05, found


@pytest.mark.parametrize("lang", ["en", "zh", "vi"])
def test_only_the_owner_gives_directives(lang: str) -> None:
    assert not [t for t in STANDING[lang] if find(t, speaker="guest")]


def test_the_span_is_the_owners_own_words() -> None:
    text = "The build is green. From now on squash before merging. See you at lunch!"
    (one,) = find(text)
    assert one.text == text[one.start : one.end] == "From now on squash before merging."
    assert one.polarity is Polarity.POSITIVE
    assert one.lang == "en"


def test_decomposed_text_gives_positions_in_the_text_as_sent() -> None:
    composed = "Xong rồi. Đừng bao giờ xóa sổ cái. Cảm ơn."
    sent = unicodedata.normalize("NFD", composed)
    (one,) = find(sent)
    assert unicodedata.normalize("NFC", sent[one.start : one.end]) == "Đừng bao giờ xóa sổ cái."
    assert one.polarity is Polarity.NEGATIVE


@pytest.mark.parametrize(
    ("context", "answer", "polarity"),
    [
        ("Shall I attach the log to every report?", "Yes, always.", Polarity.POSITIVE),
        ("Should I keep old branches?", "No, never.", Polarity.NEGATIVE),
        ("要我每次都附上截图吗？", "要，每次都要。", Polarity.POSITIVE),
        ("Em có cần hỏi trước khi xóa không ạ?", "Có, lúc nào cũng hỏi.", Polarity.POSITIVE),
    ],
)
def test_an_answer_is_joined_with_its_question(context: str, answer: str, polarity: Polarity) -> None:
    (one,) = find(answer, context=context)
    assert context in one.text
    assert answer in one.text
    assert one.polarity is polarity


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Shall I attach the log?", "Yes."),
        ("Shall I attach the log every time?", "Yes, this time."),
        ("Is the job always slow?", "Is it?"),
        ("要我附上截图吗？", "好的。"),
    ],
)
def test_a_plain_yes_is_no_directive(context: str, answer: str) -> None:
    assert find(answer, context=context) == []


def test_remember_that_one_points_back() -> None:
    (one,) = find("Never mind the old port. The gateway listens on 7443. Remember that.")
    assert one.text == "The gateway listens on 7443. Remember that."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Remember that the fiscal year starts in April.", "the fiscal year starts in April."),
        ("记住，仓库周日不收货。", "仓库周日不收货。"),
        ("Nhớ là kho đóng cửa lúc 17h.", "kho đóng cửa lúc 17h."),
        ("Do you remember that bug?", None),
        ("I remember that bug.", None),
        ("Remember my password: hunter22", None),
        ("记住，我的密码是 abc12345", None),
        ("Nhớ là mật khẩu của anh là abc12345", None),
    ],
)
def test_remember_requests(text: str, kept: str | None) -> None:
    assert explicit_memory(text) == kept


def test_a_rule_about_secrets_gives_none_away() -> None:
    assert not asks_to_keep_secret("Never write passwords into logs.")
    assert asks_to_keep_secret("remember my api key is zzz-0000-1111")


@pytest.mark.parametrize(
    ("text", "taken_back"),
    [
        ("Scratch that.", True),
        ("Forget that rule about commas.", True),
        ("之前那条规定取消。", True),
        ("Bỏ quy định đó đi.", True),
        ("Forget the umbrella?", False),
        ("Never force-push.", False),
        ("请记住这个。", False),
    ],
)
def test_revocation(text: str, taken_back: bool) -> None:
    assert revocation(text) is taken_back


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\ue000", "a" * 10_000, '"""', "```", "“", "！？。"])
def test_odd_input_gives_nothing(text: str) -> None:
    assert find(text) == []
    assert explicit_memory(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't use yarn, use npm.", ["Don't use yarn, use npm."]),
        ("Stop using pip, use uv instead.", ["Stop using pip, use uv instead."]),
        ("不要用 yarn，改用 pnpm。", ["不要用 yarn，改用 pnpm。"]),
        ("Đừng dùng yarn nữa, dùng pnpm nhé.", ["Đừng dùng yarn nữa, dùng pnpm nhé."]),
        ("Don't use the old sheet, use the new one.", []),
        ("Don't use it, use the other.", []),
        ("Don't use yarn today, use npm.", []),
        ("Should we not use yarn, use npm?", []),
        ("From now on never run terraform destroy; ask me first.", ["From now on never run terraform destroy; ask me first."]),
        ("以后不要用 yarn；改用 pnpm。", ["以后不要用 yarn；改用 pnpm。"]),
        ("Never deploy on Fridays; now fix the login bug.", ["Never deploy on Fridays"]),
        ("Never deploy on Fridays; can you fix the bug?", ["Never deploy on Fridays"]),
        ("Never deploy on Fridays; always run every test.", ["Never deploy on Fridays", "always run every test."]),
    ],
)  # fmt: skip
def test_a_choice_of_tools_and_a_clause_behind_a_semicolon(text: str, found: list[str]) -> None:
    said = find(text)
    assert [d.text for d in said] == found
    assert all(text[d.start : d.end] == d.text for d in said)
