"""What takes a call out of a person's rule: who asked for it, a state that is not the rule's, a smaller amount, another slot."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given as any_given
from hypothesis import strategies as st

from bio_agent_ops.service.guard_calls import call_of, prose_matches
from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.guarding.hours import in_hours
from bio_agent_workers.brain.guarding.units import converted, unit_behind

_NOON = datetime(2027, 3, 3, 12, tzinfo=UTC)


def _speaks(rule: str, given: dict[str, Any] | str) -> bool:
    tool, told = ("Bash", {"command": given}) if isinstance(given, str) else ("house", given)
    return bool(prose_matches(rule, Polarity.NEGATIVE, call_of(tool, told), _NOON))


def _post(**more: str) -> dict[str, Any]:
    return {"action": "post_journal_entry", "entry": 7, **more}


_OMAR = "Only Omar may post journal entries."
_DUC = "Chỉ anh Đức mới được xoá hoá đơn."
_SHED = "Don't unlock the shed unless I ask for it."
_PARTNER = "Never cancel an order unless the customer is a partner."
_NURSERY = "Do not vacuum the nursery while the baby is asleep."
_OFFICE = "Keep out of Mai's office while she is awake."
_STOCK = "Ask me before you adjust stock by more than 5 units."
_WHERE = "On the ledger database, a DELETE without a WHERE clause needs my okay."


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        (_OMAR, _post(requested_by="person:omar"), False),
        (_OMAR, _post(requested_by="person:lea"), True),
        (_OMAR, _post(requested_by="person:omar", approved_by="person:lea"), True),
        (_OMAR, _post(note="omar wants it"), True),
        (_OMAR, _post(created_by="omar"), True),
        ("Only the treasurer may approve payments.",
         {"action": "approve_payment", "approved_by": "role:treasurer", "requested_by": "lea"}, False),
        ("Only the treasurer may approve payments.",
         {"action": "approve_payment", "requested_by": "treasurer", "approved_by": "lea"}, True),
        (_DUC, {"action": "delete_invoice", "id": 1, "requested_by": "person:duc"}, False),
        (_DUC, {"action": "delete_invoice", "id": 1, "requested_by": "person:dung"}, True),
        (_SHED, {"action": "unlock", "device": "shed", "requested_by": "owner"}, False),
        (_SHED, {"action": "unlock", "device": "shed", "requested_by": "guest"}, True),
        (_PARTNER, {"action": "cancel_order", "order": 1, "customer_type": "partner"}, False),
        (_PARTNER, {"action": "cancel_order", "order": 1, "customer_type": "private"}, True),
        (_PARTNER[:-1] + " and I agree.", {"action": "cancel_order", "order": 1, "customer_type": "partner"}, True),
        ("Never cancel an order unless the customer is not a partner.",
         {"action": "cancel_order", "order": 1, "customer_type": "partner"}, True),
        ("Never cancel an order unless it is urgent.", {"action": "cancel_order", "order": 1, "urgent": True}, False),
        ("Never cancel an order unless it is urgent.", {"action": "cancel_order", "order": 1, "urgent": False}, True),
    ],
)  # fmt: skip
def test_who_asked_and_what_is_excepted(rule: str, given: dict[str, Any], expected: bool) -> None:
    assert _speaks(rule, given) is expected


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        (_NURSERY, {"action": "vacuum", "room": "nursery", "baby_state": "awake"}, False),
        (_NURSERY, {"action": "vacuum", "room": "nursery", "baby_state": "asleep"}, True),
        (_NURSERY, {"action": "vacuum", "room": "hall", "baby_state": "asleep"}, False),
        (_OFFICE, {"action": "navigate", "target": "mai_office", "mai_state": "awake"}, True),
        (_OFFICE, {"action": "navigate", "target": "back_office", "mai_state": "awake"}, False),
        ("Never run the mill while nobody is in the hall.", {"action": "run", "device": "mill", "people_in_hall": 3}, False),
        ("Never run the mill while nobody is in the hall.", {"action": "run", "device": "mill", "people_in_hall": 0}, True),
        ("厨房没人的时候不要开烤箱。", {"action": "turn_on", "device": "oven", "people_in_kitchen": 2}, False),
        ("厨房没人的时候不要开烤箱。", {"action": "turn_on", "device": "oven", "people_in_kitchen": 0}, True),
        ("Không bật lò nướng nếu trong bếp không có ai.",
         {"action": "turn_on", "device": "oven", "people_in_kitchen": 1}, False),
        ("Không bật lò nướng nếu trong bếp không có ai.",
         {"action": "turn_on", "device": "oven", "people_in_kitchen": 0}, True),
    ],
)  # fmt: skip
def test_a_state_that_is_not_the_rules(rule: str, given: dict[str, Any], expected: bool) -> None:
    assert _speaks(rule, given) is expected


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("Never lift more than 30 kg.", {"action": "lift", "weight_g": 29000}, False),
        ("Never lift more than 30 kg.", {"action": "lift", "weight_g": 31000}, True),
        ("Never drive faster than 2 m/s.", {"action": "drive", "speed_kmh": 7}, False),
        ("Never drive faster than 2 m/s.", {"action": "drive", "speed_kmh": 8}, True),
        (_STOCK, {"action": "adjust_stock", "sku": "A", "qty_before": 90, "qty_after": 94}, False),
        (_STOCK, {"action": "adjust_stock", "sku": "A", "qty_before": 90, "qty_after": 80}, True),
        (_STOCK, {"action": "adjust_stock", "sku": "A", "qty": 9}, True),
        ("Ask me before you raise a price by more than 5%.",
         {"action": "raise_price", "sku": "A", "old_price": 100, "new_price": 104}, False),
        ("Ask me before you raise a price by more than 5%.",
         {"action": "raise_price", "sku": "A", "old_price": 100, "new_price": 106}, True),
    ],
)  # fmt: skip
def test_an_amount_in_another_unit_or_a_difference(rule: str, given: dict[str, Any], expected: bool) -> None:
    assert _speaks(rule, given) is expected


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        (_WHERE, "mysql ledger -e 'DELETE FROM drafts\n WHERE id = 3'", False),
        (_WHERE, "mysql ledger -e 'DELETE FROM drafts'", True),
        ("不带 WHERE 条件的 DELETE 要先问我。", "psql ledger -c 'delete from drafts where id = 3'", False),
        ("不带 WHERE 条件的 DELETE 要先问我。", "psql ledger -c 'delete from drafts'", True),
        ("Never restore a dump over wiki_live.", "pg_restore -d wiki_dev dumps/wiki_live.dump", False),
        ("Never restore a dump over wiki_live.", "pg_restore -d wiki_live dumps/wiki_dev.dump", True),
        ("Ask me before you delete a branch on the remote.", "git branch -D spike", False),
        ("Ask me before you delete a branch on the remote.", "git push origin --delete spike", True),
        ("Never delete a branch, on the remote or locally.", "git branch -D spike", True),
        ("Never drop the role postgres.", "psql -c 'DROP ROLE reporter'", False),
        ("Never drop the role postgres.", "psql -c 'DROP ROLE postgres'", True),
        ("Never delete a repository.", "gh repo delete acme/shop --yes", True),
        ("Never delete a repository.", "gh release delete v1", False),
        ("Never delete a Kubernetes cluster.", "kubectl delete pod web-1", False),
        ("Never delete a Kubernetes cluster.", "eksctl delete cluster prod-1", True),
        ("Bật nồi chiên không dầu lúc 7 giờ tối.", {"action": "turn_on", "device": "air_fryer"}, False),
    ],
)
def test_another_slot_or_thing(rule: str, given: dict[str, Any] | str, expected: bool) -> None:
    assert _speaks(rule, given) is expected


_WEEKEND = "No releases from Friday 16:00 to Monday 07:00."
_TEXTS = "Text messages go out only between 9:00 and 20:00; ask me at other times."


@pytest.mark.parametrize(
    ("rule", "at", "expected"),
    [
        (_WEEKEND, "2026-12-04T15:59:00Z", False),
        (_WEEKEND, "2026-12-04T16:00:00Z", True),
        (_WEEKEND, "2026-12-05T11:00:00Z", True),
        (_WEEKEND, "2026-12-06T23:00:00Z", True),
        (_WEEKEND, "2026-12-07T07:00:00Z", False),
        (_WEEKEND, "2026-12-02T18:00:00Z", False),
        ("Không phát hành từ 16h thứ sáu đến 7h thứ hai.", "2026-12-05T11:00:00Z", True),
        ("周五下午四点到周一早上七点不要发布。", "2026-12-06T11:00:00Z", True),
        ("No restarts from Monday to Friday between 9:00 and 17:00.", "2026-12-02T10:00:00Z", True),
        ("No restarts from Monday to Friday between 9:00 and 17:00.", "2026-12-05T10:00:00Z", False),
        (_TEXTS, "2026-12-01T21:00:00Z", True),
        (_TEXTS, "2026-12-01T10:00:00Z", False),
        ("Don't call between 21:00 and 8:00; at other times it is fine.", "2026-12-01T22:00:00Z", True),
        ("Don't call between 21:00 and 8:00; at other times it is fine.", "2026-12-01T12:00:00Z", False),
        ("短信只在早上九点到晚上八点之间发出，其他时间要先问我。", "2026-12-01T21:00:00Z", True),
        ("Chỉ gửi tin nhắn từ 9h đến 20h, giờ khác phải hỏi tôi.", "2026-12-01T10:00:00Z", False),
    ],
)
def test_spans_of_the_week_and_hours_that_are_let_alone(rule: str, at: str, expected: bool) -> None:
    assert in_hours(rule, datetime.fromisoformat(at)) is expected


@pytest.mark.parametrize(
    ("send_at", "expected"),
    [("2027-03-04T09:30:00Z", False), ("2027-03-03T22:30:00Z", True), ("2027-03-01T09:30:00Z", True), ("soon", True)],
)
def test_a_call_that_is_to_be_done_later_is_judged_by_then(send_at: str, expected: bool) -> None:
    late = datetime(2027, 3, 3, 21, 10, tzinfo=UTC)
    call = call_of("send_email", {"to": ["a@b.example"], "body": "Shipped.", "send_at": send_at})
    rule = "Don't send emails between 20:00 and 8:00."
    assert bool(prose_matches(rule, Polarity.NEGATIVE, call, late)) is expected


@any_given(st.integers(0, 10**9).map(Decimal))
def test_a_unit_and_back(value: Decimal) -> None:
    grams = converted(value, "kg", "g")
    assert grams == value * 1000
    assert converted(grams, "g", "kg") == value
    assert converted(value, "kg", "m") is None


def test_units_are_read_behind_a_number() -> None:
    assert [unit_behind(text, 2) for text in ("25 kg of rice", "25公斤的箱子", "25 km/h", "25 guests")] == [
        "kg",
        "公斤",
        "km/h",
        "",
    ]
