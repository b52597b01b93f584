"""What keeps two texts apart that read alike, and which restatements are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.relations.sameness import differ, restates

ONE = [
    ("Run lint first.", "Before anything, run the linter."),
    ("First of all, check the stock.", "Check the stock first."),
    ("To begin with, back up the database.", "Back up the database first."),
    ("Lock the till before you leave.", "Before leaving, the till must be locked."),
    ("The delivery note must always be signed.", "Always sign the delivery note."),
    ("The password of the printer is on the sticker.", "The printer's password is on the sticker."),
    ("The invoice printer is on the second floor.", "On the second floor stands the invoice printer."),
    ("Do not merge without a review.", "Never merge without a review."),
    ("首先检查库存。", "在做任何事之前检查库存。"),
    ("Trước hết hãy sao lưu dữ liệu.", "Đầu tiên hãy sao lưu dữ liệu."),
]
APART = [
    ("Run lint first.", "Run lint last."),
    ("Run lint first.", "Run the tests first."),
    ("Run lint first.", "Run lint."),
    ("Keep 3 copies of the contract.", "Keep 5 copies of the contract."),
    ("The limit is 20 kg.", "The limit is 20 g."),
    ("Use Python 3.11.", "Use Python 3.12."),
    ("The meeting is on 3 May.", "The meeting is on 5 May."),
    ("Compress the logs every night.", "Compress the logs every week."),
    ("Lock the till before you leave.", "Lock the till after you leave."),
    ("Move the files from the archive to the desk.", "Move the files from the desk to the archive."),
    ("Minh reports to Lan.", "Lan reports to Minh."),
    ("Anna approves Ben's invoices.", "Ben approves Anna's invoices."),
    ("Merge with a review.", "Merge without a review."),
    ("Notify the manager when the stock is low.", "Notify the manager."),
    ("Never push to main.", "Push to main."),
    ("The gate is blue.", "The north gate is blue."),
    ("Use two spaces.", "Use two spaces for Python."),
    ("Ship parcels on Monday.", "Ship heavy parcels on Monday."),
    ("Restart the worker.", "Restart the worker and tell the operator."),
    ("把文件从上海寄到北京。", "把文件从北京寄到上海。"),
    ("发货前核对地址。", "发货后核对地址。"),
    ("Chuyển hàng từ Huế đến Vinh.", "Chuyển hàng từ Vinh đến Huế."),
    ("Kiểm kho trước khi giao hàng.", "Kiểm kho sau khi giao hàng."),
    ("Port A opens at eight.", "Port B opens at eight."),
    ("Kho A kiểm kê thứ tư.", "Kho B kiểm kê thứ tư."),
    ("班次A先检查。", "班次B先检查。"),
]


@pytest.mark.parametrize(("a", "b"), ONE)
def test_restatements_are_one(a: str, b: str) -> None:
    assert restates(a, b)
    assert restates(b, a)


@pytest.mark.parametrize(("a", "b"), APART)
def test_what_differs_stays_apart(a: str, b: str) -> None:
    assert not restates(a, b)
    assert not restates(b, a)


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_order_of_the_two_makes_no_difference(a: str, b: str) -> None:
    assert restates(a, b) == restates(b, a)
    assert differ(a, b) == differ(b, a)
    assert restates(a, a)


@pytest.mark.parametrize(("a", "b"), APART[-3:])
def test_things_named_by_a_letter_differ(a: str, b: str) -> None:
    assert differ(a, b)
    assert not differ(a, a)


def test_an_article_is_no_letter() -> None:
    assert not differ("A pallet stands in the hall.", "The pallet stands in the hall.")
