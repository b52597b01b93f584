"""Rules on robots and devices: which one, in which state; and harmless neighbours."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
THINGS: list[Told] = [
    (
        "Không được gửi tin cho nhóm tat-ca@sen.example.",
        [("send_message", {"to": "tat-ca@sen.example", "text": "alo"})],
        [("send_message", {"to": "hoa@sen.example", "text": "hỏi tat-ca@sen.example"})],
    ),
    (
        "Đừng mở van nước khu B khi chưa hỏi anh.",
        [("farm", {"action": "open_valve", "valve": "water", "zone": "B"})],
        [
            ("farm", {"action": "open_valve", "valve": "water", "zone": "C"}),
            ("farm", {"action": "read_valve", "zone": "B"}),
        ],
    ),
    (
        "不要关闭冰箱的电源。",
        [("home", {"action": "turn_off", "device": "fridge"})],
        [("home", {"action": "turn_off", "device": "lamp"}), ("home", {"action": "get_state", "device": "fridge"})],
    ),
    (
        "Cấm tắt máy bơm số 2.",
        [("plant", {"action": "stop_pump", "pump": "2"})],
        [("plant", {"action": "stop_pump", "pump": "3"}), ("plant", {"action": "start_pump", "pump": "2"})],
    ),
    (
        "Never open the oven while it is hot.",
        [("kitchen", {"action": "open", "object": "oven", "hot": True})],
        [
            ("kitchen", {"action": "open", "object": "oven", "hot": False}),
            ("kitchen", {"action": "open", "object": "drawer", "hot": True}),
        ],
    ),
    (
        "Never tilt the tray when it is not empty.",
        [("robot", {"action": "tilt", "object": "tray", "contents": "soup"})],
        [
            ("robot", {"action": "tilt", "object": "tray", "contents": None}),
            ("robot", {"action": "tilt", "object": "tray", "empty": True}),
        ],
    ),
    (
        "仓库门打开时不要启动叉车。",
        [("wh", {"action": "start", "vehicle": "forklift", "door": "open"})],
        [("wh", {"action": "start", "vehicle": "forklift", "door": "closed"})],
    ),
    (
        "Đừng khóa cửa kho khi còn người bên trong.",
        [("lock", {"action": "lock", "door": "warehouse", "occupants": 2})],
        [
            ("lock", {"action": "unlock", "door": "warehouse", "occupants": 2}),
            ("lock", {"action": "lock", "door": "warehouse", "occupants": 0}),
        ],
    ),
    (
        "Nobody may rotate the signing key without Dana's approval.",
        [("vault", {"action": "rotate_key", "key": "signing"})],
        [("vault", {"action": "read_key", "key": "signing"}), ("vault", {"action": "rotate_key", "key": "session"})],
    ),
    (
        "The robot must not pick up knives.",
        [("robot", {"action": "pick", "object": "bread_knife"})],
        [("robot", {"action": "pick", "object": "spoon"}), ("robot", {"action": "locate", "object": "bread_knife"})],
    ),
    (
        "Never pour water on the stove while it is hot.",
        [("robot", {"action": "pour", "liquid": "water", "target": "stove", "hot": True})],
        [("robot", {"action": "pour", "liquid": "water", "target": "sink"})],
    ),
    (
        "Do not unlock the front door after dark without asking.",
        [("home", {"action": "unlock", "door": "front"})],
        [("home", {"action": "lock", "door": "front"}), ("home", {"action": "unlock", "door": "garage"})],
    ),
    (
        "禁止打开 3 号阀门。",
        [("plant", {"action": "open_valve", "valve": "3"})],
        [("plant", {"action": "open_valve", "valve": "4"}), ("plant", {"action": "read_valve", "valve": "3"})],
    ),
    (
        "不得关闭温室 B 区的风扇。",
        [("farm", {"action": "turn_off", "device": "fan", "zone": "B", "house": "greenhouse"})],
        [("farm", {"action": "turn_off", "device": "fan", "zone": "C", "house": "greenhouse"})],
    ),
    (
        "Do not lift loads heavier than 20 kg.",
        [("crane", {"action": "lift", "load": "box", "weight_kg": 25})],
        [
            ("crane", {"action": "lift", "load": "box", "weight_kg": 5}),
            ("crane", {"action": "lower", "load": "box", "weight_kg": 25}),
        ],
    ),
    (
        "Never start the mixer while the lid is open.",
        [("kitchen", {"action": "start", "device": "mixer", "lid": "open"})],
        [
            ("kitchen", {"action": "start", "device": "mixer", "lid": "closed"}),
            ("kitchen", {"action": "stop", "device": "mixer", "lid": "open"}),
        ],
    ),
    (
        "Never heat aluminium foil in the microwave.",
        [("robot", {"action": "heat", "object": "aluminum_foil", "appliance": "microwave"})],
        [("robot", {"action": "heat", "object": "soup", "appliance": "microwave"})],
    ),
    (
        "Never move the arm while a person is in the cell.",
        [("arm", {"action": "move", "target": "A", "person_in_cell": True})],
        [
            ("arm", {"action": "move", "target": "A", "person_in_cell": False}),
            ("arm", {"action": "hold", "person_in_cell": True}),
        ],
    ),
    (
        "Đừng tắt camera ở tầng 2.",
        [("home", {"action": "turn_off", "device": "camera", "floor": 2})],
        [
            ("home", {"action": "turn_off", "device": "camera", "floor": 1}),
            ("home", {"action": "turn_off", "device": "light", "floor": 2}),
        ],
    ),
    (
        "不要给 A 区的阀门断电。",
        [("plant", {"action": "power_off", "device": "valve", "zone": "A"})],
        [("plant", {"action": "power_off", "device": "valve", "zone": "B"})],
    ),
    (
        "不许搬运易碎的玻璃瓶。",
        [("robot", {"action": "move", "object": "glass_bottle", "fragile": True})],
        [("robot", {"action": "move", "object": "book"})],
    ),
    (
        "未经批准不得关闭 2 号锅炉。",
        [("plant", {"action": "turn_off", "device": "boiler", "number": 2})],
        [
            ("plant", {"action": "turn_off", "device": "boiler", "number": 1}),
            ("plant", {"action": "status", "device": "boiler", "number": 2}),
        ],
    ),
    (
        "Never turn off the alarm.",
        [("home", {"action": "turn_off", "device": "alarm"})],
        [("home", {"action": "turn_off", "device": "tv"}), ("home", {"action": "turn_on", "device": "alarm"})],
    ),
    (
        "Do not flash firmware on the drill press controller.",
        [("fw", {"action": "flash_firmware", "device": "drill press controller"})],
        [
            ("fw", {"action": "get_firmware", "device": "drill press controller"}),
            ("fw", {"action": "flash_firmware", "device": "label printer"}),
        ],
    ),
    (
        "The wiki page Onboarding must not be edited without asking.",
        [("wiki", {"action": "edit_page", "page": "Onboarding"})],
        [
            ("wiki", {"action": "edit_page", "page": "Offboarding"}),
            ("wiki", {"action": "read_page", "page": "Onboarding"}),
        ],
    ),
    (
        "Never assign shifts longer than 12 hours.",
        [("roster", {"action": "assign_shift", "hours": 14})],
        [("roster", {"action": "assign_shift", "hours": 8})],
    ),
    (
        "Never place the kettle on the induction hob while it is empty.",
        [("robot", {"action": "place", "object": "kettle", "target": "induction hob", "empty": True})],
        [("robot", {"action": "place", "object": "kettle", "target": "shelf", "empty": True})],
    ),
    (
        "Never revoke the certificate of the host mail.quill.example.",
        [("ca", {"action": "revoke", "kind": "certificate", "host": "mail.quill.example"})],
        [
            ("ca", {"action": "revoke", "kind": "certificate", "host": "web.quill.example"}),
            ("ca", {"action": "show", "kind": "certificate", "host": "mail.quill.example"}),
        ],
    ),
    (
        "未经我同意，不得关闭 C 区空调。",
        [("bld", {"action": "turn_off", "device": "hvac", "zone": "C"})],
        [
            ("bld", {"action": "turn_off", "device": "hvac", "zone": "A"}),
            ("bld", {"action": "set_temperature", "device": "hvac", "zone": "C"}),
        ],
    ),
    (
        "Never delete pipeline runs of the project atlas.",
        [("ci", {"action": "delete_run", "project": "atlas", "run": 4})],
        [
            ("ci", {"action": "delete_run", "project": "borealis", "run": 4}),
            ("ci", {"action": "get_run", "project": "atlas", "run": 4}),
        ],
    ),
    (
        "The job nightly-sync must not be disabled.",
        [("scheduler", {"action": "disable_job", "job": "nightly-sync"})],
        [
            ("scheduler", {"action": "disable_job", "job": "hourly-sync"}),
            ("scheduler", {"action": "run_job", "job": "nightly-sync"}),
        ],
    ),
    (
        "Never open the valve V-12.",
        [("plant", {"action": "open", "valve": "V-12"})],
        [
            ("plant", {"action": "open", "valve": "V-13"}),
            ("plant", {"action": "close", "valve": "V-12"}),
            ("plant", {"action": "read", "valve": "V-12"}),
        ],
    ),
    (
        "Never turn the heating on when a window is open.",
        [("home", {"action": "turn_on", "device": "heating", "window": "open"})],
        [
            ("home", {"action": "turn_on", "device": "heating", "window": "closed"}),
            ("home", {"action": "turn_off", "device": "heating", "window": "open"}),
        ],
    ),
    (
        "Không được xóa người dùng khi chưa có phê duyệt.",
        [("admin", {"action": "delete_user", "user": "u1"})],
        [("admin", {"action": "list_users"}), ("admin", {"action": "create_user", "user": "u2"})],
    ),
    (
        "不要把 A3 打印机关掉。",
        [("office", {"action": "turn_off", "device": "printer", "name": "A3"})],
        [("office", {"action": "turn_off", "device": "printer", "name": "B1"})],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), [*THINGS], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_stops_its_act_in_all_spellings_and_nothing_else(
    rule: str, stopped: list[Given], passed: list[Given]
) -> None:
    assert held_against(rule, stopped, passed) == []
