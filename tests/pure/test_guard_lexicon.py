"""The lexicon of things and acts: its form, how a text is read by it, and rules in three languages held against calls."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.guarding.act_things import THINGS
from bio_agent_workers.brain.guarding.act_words import ACTION_WORDS, ACTIONS, STOP, THING_WORDS, THING_WORDS_ABROAD
from bio_agent_workers.brain.guarding.vocabulary import lexicon, one_spelling, plural
from bio_agent_workers.brain.relations.vocabulary import lines
from tests.pure.guard_tables import Told, held_against

FILES = ("guard_things.txt", "guard_acts.txt")


def things(text: str) -> list[str]:
    return [concept for _, _, concept in (THING_WORDS if text.isascii() else THING_WORDS_ABROAD).find(text)]


def acts(text: str) -> list[str]:
    return [concept for _, _, concept in ACTION_WORDS.find(text)]


@pytest.mark.parametrize("file", FILES)
def test_each_line_has_its_columns(file: str) -> None:
    for line in lines(file):
        columns = line.split("|")
        assert len(columns) in (3, 4), line
        assert columns[0].strip(), line
        assert line == line.lower(), line


@pytest.mark.parametrize("file", FILES)
def test_a_word_of_another_language_says_one_thing(file: str) -> None:
    known: dict[str, str] = {}
    for line in lexicon(file):
        for word in line.abroad:
            assert known.setdefault(word, line.name) == line.name, word


@pytest.mark.parametrize("file", FILES)
def test_words_that_no_rule_is_about_are_no_concepts(file: str) -> None:
    said = {word for line in lexicon(file) for word in line.abroad}
    assert not {"bị", "các", "của", "không được", "nếu", "và", "的", "不要", "如果", "任何"} & said
    assert len(said & STOP) < 4


def test_it_covers_the_domains() -> None:
    assert len(THINGS) > 1_300
    assert len(ACTIONS) > 300


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("khoá cửa sổ", ["window"]),
        ("XÓA hoá đơn", ["invoice"]),
        ("把手机放好", ["phone"]),  # not 把手
        ("专门的水平", []),
        ("脚本里", ["script"]),
        ("采购订单", ["purchase order"]),
        ("hóa đơn nhà cung cấp", ["invoice", "supplier"]),
        ("phòng ngủ và phòng khách", ["bedroom", "living room"]),
        ("the vendor's bank details", ["supplier", "bank account"]),
    ],
)
def test_the_longest_word_is_read(text: str, concepts: list[str]) -> None:
    assert things(text) == concepts


def test_a_found_word_is_where_it_stands() -> None:
    text = "Không đưa CÁI KÉO trong bếp"
    assert [text[start:end] for start, end, _ in THING_WORDS_ABROAD.find(text)] == ["CÁI KÉO", "bếp"]
    assert THING_WORDS_ABROAD.find("İ" * 3 + " 刀") == [(4, 5, "knife")]


def test_english_reads_few_nouns_as_acts() -> None:
    assert acts("the water invoice order") == []
    assert acts("hand over") == ["hand over"]
    assert acts("开票 tưới") == ["water", "invoice"] or acts("开票 tưới") == ["invoice", "water"]


def test_forms() -> None:
    assert [one_spelling(word) for word in ("Khoá", "thuỷ", "quý", "hoàn", "box")] == [
        "khóa",
        "thủy",
        "quý",
        "hoàn",
        "box",
    ]
    assert [plural(word) for word in ("box", "battery", "key", "living room")] == [
        "boxes", "batteries", "keys", "living rooms",
    ]  # fmt: skip


def _robot(action: str, **fields: object) -> tuple[str, dict[str, object]]:
    return "robot_action", {"action": action, **fields}


def _erp(action: str, **fields: object) -> tuple[str, dict[str, object]]:
    return "erp_call", {"action": action, **fields}


TOLD: list[Told] = [
    (
        "不要打开阳台的窗户。",
        [_robot("open_window", room="balcony")],
        [_robot("open_window", room="kitchen"), _robot("open_door", door="balcony")],
    ),
    (
        "不许把剪刀递给小孩。",
        [_robot("hand_over", item="scissors", to="child")],
        [_robot("hand_over", item="scissors", to="adult"), _robot("hand_over", item="spoon", to="child")],
    ),
    (
        "Không rót nước sôi vào ly thuỷ tinh.",
        [_robot("pour", liquid="boiling_water", container="glass")],
        [
            _robot("pour", liquid="cold_water", container="glass"),
            _robot("pour", liquid="boiling_water", into="thermos"),
        ],
    ),
    (
        "别给仙人掌浇水。",
        [_robot("water_plant", plant="cactus")],
        [_robot("water_plant", plant="orchid"), _robot("move", item="cactus")],
    ),
    (
        "Đừng cho chó ăn sô-cô-la.",
        [_robot("feed_pet", pet="dog", food="chocolate")],
        [_robot("feed_pet", pet="dog", food="kibble"), _robot("feed_pet", pet="cat", food="chocolate")],
    ),
    (
        "Đừng bế em bé.",
        [_robot("lift", target="baby"), _robot("pick_up", target="infant")],
        [_robot("lift", target="parcel")],
    ),
    (
        "别把手机放进洗衣机。",
        [_robot("place", item="phone", target="washing_machine")],
        [_robot("place", item="shirt", target="washing_machine"), _robot("place", item="phone", target="drawer")],
    ),
    (
        "不要从冰箱里拿鸡蛋。",
        [_robot("take", item="egg", location="fridge")],
        [_robot("take", item="egg", location="freezer"), _robot("take", item="milk", location="fridge")],
    ),
    (
        "Không giặt áo len bằng nước nóng.",
        [_robot("wash", item="wool_sweater", water="hot")],
        [_robot("wash", item="towel", water="hot")],
    ),
    (
        "Do not turn off the refrigerator.",
        [_robot("turn_off", device="fridge")],
        [_robot("turn_off", device="freezer")],
    ),
    (
        "Don't put anything on the couch.",
        [_robot("place", item="box", target="sofa")],
        [_robot("place", item="box", target="table")],
    ),
    (
        "没有问过我，不要修改供应商的银行账户。",
        [_erp("update_supplier", supplier="acme", iban="DE89")],
        [_erp("update_supplier", supplier="acme", phone="123"), _erp("update_customer", customer="acme", iban="DE89")],
    ),
    (
        "Không huỷ đơn mua hàng của SupplyCo.",
        [_erp("cancel_purchase_order", supplier="SupplyCo")],
        [_erp("cancel_sales_order", supplier="SupplyCo"), _erp("cancel_purchase_order", supplier="Other")],
    ),
    (
        "不要修改员工的工资。",
        [_erp("update_employee", id="e1", salary=100)],
        [_erp("update_employee", id="e1", address="x")],
    ),
    (
        "Không giảm giá quá 20% cho khách lẻ.",
        [_erp("create_order", customer="retail", discount_percent=25)],
        [_erp("create_order", customer="retail", discount_percent=15)],
    ),
    (
        "采购超过 5 万元要先经我批准。",
        [_erp("create_purchase_order", amount=80_000)],
        [_erp("create_purchase_order", amount=20_000), _erp("create_sales_order", amount=80_000)],
    ),
    (
        "Đừng thu hồi mã truy cập của ci.",
        [("vault", {"action": "revoke_token", "name": "ci"})],
        [("vault", {"action": "create_token", "name": "ci"})],
    ),
    (
        "不要删除快照。",
        ["aws ec2 delete-snapshot --snapshot-id snap-1", ("cloud", {"action": "delete_snapshot", "id": "s1"})],
        [("cloud", {"action": "create_snapshot", "id": "s1"}), ("cloud", {"action": "delete_volume", "id": "s1"})],
    ),
]


@pytest.mark.parametrize(("rule", "stopped", "passed"), TOLD, ids=lambda value: value if isinstance(value, str) else "")
def test_a_rule_is_held_against_what_its_words_mean(rule: str, stopped: list[object], passed: list[object]) -> None:
    assert held_against(rule, stopped, passed) == []  # type: ignore[arg-type]
