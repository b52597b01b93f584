"""The relation of two rules by words alone: precise where it decides, open where it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import Relation
from bio_agent_workers.brain.contradiction import relate

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
        ("", "Never push."),
        ("Tomatoes ripen in August", "Vector search uses an index"),
    ],
)
def test_no_false_alarm(a: str, b: str) -> None:
    assert relate(a, b).relation is Relation.NEUTRAL


def test_equivalents() -> None:
    assert relate("Run tests before push.", "run tests, before push").relation is Relation.EQUIVALENT
    assert relate("Merge dev into main", "Merge main into dev").relation is not Relation.EQUIVALENT


def test_what_the_words_do_not_settle_is_left_open() -> None:
    reading = relate("Answer in flowing prose.", "The user wants bullet points.")
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
