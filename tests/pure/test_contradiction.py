"""The relation of two rules by words alone: precise where it decides, open where it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations.contradiction import relate

SWAP = {"a": "b", "b": "a", None: None}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Never delete a sent invoice.", "You may delete a sent invoice."),
        ("Use Node 18.", "Use Node 20."),
        ("Use single quotes.", "Use double quotes."),
        ("Indent with tabs.", "Indent with spaces."),
        ("Backups run at 10:00.", "Backups run at 22:00."),
        ("The tax field is optional.", "The tax field is mandatory."),
        ("禁止在正式库直接删数据", "可以在正式库直接删数据"),
        ("Không được xóa nhánh chính", "Được phép xóa nhánh chính"),
        ("Never rebase main, no matter how small the change.", "With approval you may rebase main."),
        ("Parcels are labelled on the left side.", "The parcel label goes on the right side."),
        ("Stack pallets at most two layers high.", "Stack pallets three layers high."),
        ("Visitors must leave the ward by 20:00.", "Visitors may leave the ward at 22:00."),
        ("Only team leads close tickets.", "Anyone may close tickets."),
        ("Send court letters by post.", "Court letters are sent electronically, not by post."),
        ("写闪存时保持中断开启。", "写闪存期间要关闭中断。"),
        ("托盘最多码两层。", "托盘码三层以节省场地。"),
        ("只有组长可以关闭事故单。", "任何工程师都可以关闭事故单。"),
        ("Thay túi dịch truyền mỗi 24 giờ.", "Cứ 12 tiếng phải đổi túi dịch truyền một lần."),
        ("Drivers may smoke in the cab.", "Cấm tài xế hút thuốc trong cabin."),
        ("Giữ ngắt bật khi ghi bộ nhớ flash.", "Tắt ngắt trong lúc ghi bộ nhớ flash."),
        ("Store vaccines between 2 and 8 degrees.", "疫苗放在零下 20 度保存。"),
    ],
)
def test_contradictions(a: str, b: str) -> None:
    reading = relate(a, b)
    assert (reading.relation, reading.decided) == (Relation.CONTRADICTION, True)


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ("Never force-push to main.", "During a hotfix you may force-push to main."),
        ("Do not refund cash.", "With the lead's approval you may refund cash."),
        ("不得删除日志", "经主管批准可以删除日志"),
        ("Không được xóa chứng từ", "Khi có phê duyệt thì được phép xóa chứng từ"),
        ("Expense claims need an original receipt.", "Claims under 15 euros are reimbursed without a receipt."),
        ("Trucks may not leave the yard overloaded.", "With a permit a truck can leave the yard overloaded."),
        ("报销必须附发票原件。", "50 元以下的报销可以不附发票。"),
        ("晚上十点后不得进入实验室。", "持门禁卡的博士生晚上十点后可以进入实验室。"),
        ("Không vào phòng thí nghiệm sau 22 giờ.", "Nghiên cứu sinh có thẻ từ được vào phòng thí nghiệm sau 22 giờ."),
        ("Never discharge a patient at night.", "Trưởng khoa đồng ý thì có thể cho bệnh nhân xuất viện ban đêm."),
    ],
)
def test_a_condition_against_a_general_rule_is_an_exception(general: str, special: str) -> None:
    reading = relate(general, special)
    assert (reading.relation, reading.exception_of) == (Relation.GOVERNED_EXCEPTION, "a")
    assert relate(special, general).exception_of == "b"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("私钥必须放在保险箱里。", "公钥不必放在保险箱里。"),
        ("Invoices need two approvals.", "Laptops must not be shared."),
        ("Never push to main.", "Push your own feature branch after a rebase."),
        ("Until December 2026 the rate is 8 %.", "From January 2027 the rate is 10 %."),
        ("Payments above 1,000 need the manager.", "Payments above 10,000 need the director."),
        ("Reserve stock for orders.", "Don't reserve stock for quotations."),
        ("Adults get 500 mg.", "Children get 120 mg."),
        ("Lock the front door at 18:00.", "Unlock the front door at 08:00."),
        ("Sunday shifts start at 9:00.", "Saturday shifts start at 7:00."),
        ("Set the read timeout to 30 seconds.", "Set the connect timeout to 5 seconds."),
        ("Guests may keep pets in the garden rooms.", "Guests must register their pets at reception."),
        ("Tests for the parser live in tests/parser.", "Tests for the lexer live in tests/lexer."),
        ("Deploy the API before the web client.", "Deploy the docs after the web client."),
        ("导入后删除临时文件。", "不要删除源文件。"),
        ("酸类放在最下层。", "溶剂放在最上层。"),
        ("周日早班九点开始。", "周六早班七点开始。"),
        ("Dây đỏ ghi là dây nóng.", "Dây xanh ghi là dây nguội."),
        ("Câu hỏi hoàn tiền trả lời qua email.", "Câu hỏi bảo hành trả lời qua điện thoại."),
        ("Không đặt lịch họp trước 9 giờ.", "Không đặt lịch họp sau 17 giờ."),
        ("", "Never push."),
        ("Tomatoes ripen in August", "Vector search uses an index"),
    ],
)
def test_no_false_alarm(a: str, b: str) -> None:
    assert relate(a, b).relation is Relation.NEUTRAL


def test_equivalents() -> None:
    assert relate("Run tests before push.", "run tests, before push").relation is Relation.EQUIVALENT
    assert relate("Merge dev into main", "Merge main into dev").relation is not Relation.EQUIVALENT


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Safety goggles are mandatory in the lab.", "Nobody works in the lab without safety goggles."),
        ("Exams last ninety minutes.", "Exams last 1.5 hours."),
        ("When the pipeline fails, do not deploy.", "Deploy only when the pipeline passes."),
        ("接触病人前要洗手。", "凡接触病人，必须事先洗手。"),
        ("Không chia sẻ mật khẩu.", "Cấm dùng chung mật khẩu."),
        ("Payslips are sent by e-mail.", "工资单通过电子邮件发送。"),
    ],
)
def test_paraphrases_in_slots(a: str, b: str) -> None:
    assert relate(a, b).relation is Relation.EQUIVALENT


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Back up the database every day.", "Back up the customer database every day."),
        ("The manager approves the director's orders.", "The director approves the manager's orders."),
        ("Use git, not svn.", "Use svn, not git."),
        ("Wash hands before touching food.", "Touch food before washing hands."),
        ("Archive invoices older than 5 years.", "Archive invoices older than 7 years."),
        ("Hỏi chị Lan trước khi trả tiền.", "Hỏi chị Mai trước khi trả tiền."),
        ("Release on 2026-03-01.", "Release on 2026-04-01."),
        ("Use the first row.", "Use the last row."),
        ("Copy the files to the server.", "Copy the files from the server."),
        ("Use plan A.", "Use plan B."),
        ("Retry at least 5 times.", "Retry at most 5 times."),
        ("Answer within 30 min.", "Answer after more than 30 min."),
        ("每周一备份数据库。", "每周二备份数据库。"),
        ("把箱子放在架子上。", "把箱子放在架子下。"),
        ("A dog is running and is barking.", "A dog is not running and is not barking."),
    ],
)
def test_what_looks_alike_is_not_merged(a: str, b: str) -> None:
    assert relate(a, b).relation is not Relation.EQUIVALENT


def test_the_threshold_is_the_least_overlap() -> None:
    pair = ("Never crush red tablets.", "Crush round tablets before use.")
    assert relate(*pair, threshold=1.0).relation is Relation.NEUTRAL
    same = ("Never crush tablets.", "Crush tablets.")
    assert relate(*same, threshold=1.0).relation is Relation.CONTRADICTION


def test_a_text_too_long_to_be_a_rule_is_left_open() -> None:
    long = "Never delete a sent invoice. " * 500
    assert not relate(long, "You may delete a sent invoice.").decided
    assert relate(long, long).relation is Relation.EQUIVALENT


def test_what_the_words_do_not_settle_is_left_open() -> None:
    for pair in (
        ("Answer in flowing prose.", "The user wants bullet points."),
        ("Salaries are paid on the 25th.", "Payday is the last day of the month."),
    ):
        reading = relate(*pair)
        assert (reading.relation, reading.decided) == (Relation.NEUTRAL, False)


WORDS = st.lists(
    st.sampled_from(
        [
            "never",
            "always",
            "use",
            "delete",
            "push",
            "main",
            "18",
            "20",
            "unless",
            "approved",
            "不得",
            "可以",
            "删除",
            "xóa",
        ]
    ),
    max_size=8,
).map(" ".join)


@given(WORDS, WORDS)
def test_the_relation_is_symmetric(a: str, b: str) -> None:
    one, two = relate(a, b), relate(b, a)
    assert (one.relation, one.decided, one.why) == (two.relation, two.decided, two.why)
    assert one.exception_of == SWAP[two.exception_of]
