"""Prohibitions, ask-first rules and states as people put them in three languages, on calls of business tools and devices."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
THINGS: list[Told] = [
    (
        "调整员工工资之前必须先问我。",
        [("hr_call", {"action": "adjust_salary", "employee": "E-7", "amount": 9000})],
        [("hr_call", {"action": "get_salary", "employee": "E-7"})],
    ),
    (
        "没有我同意，不得取消任何订单。",
        [("shop_call", {"action": "cancel_order", "order": "SO-9"})],
        [
            ("shop_call", {"action": "print_order", "order": "SO-9"}),
            ("shop_call", {"action": "cancel_subscription", "id": "S-1"}),
        ],
    ),
    (
        "机器在运转的时候，不得打开防护门。",
        [("cell_call", {"action": "open_door", "door": "safety", "machine_running": True})],
        [
            ("cell_call", {"action": "open_door", "door": "safety", "machine_running": False}),
            ("cell_call", {"action": "close_door", "door": "safety", "machine_running": True}),
        ],
    ),
    (
        "Trước khi đổi giá bán nào thì phải hỏi anh.",
        [("shop_call", {"action": "update_price", "product": "P-1", "price": 12})],
        [("shop_call", {"action": "list_prices"})],
    ),
    (
        "Không được mở van số 2 khi bơm đang chạy.",
        [("plant_call", {"action": "open_valve", "valve": 2, "pump_running": True})],
        [
            ("plant_call", {"action": "open_valve", "valve": 2, "pump_running": False}),
            ("plant_call", {"action": "open_valve", "valve": 3, "pump_running": True}),
        ],
    ),
    (
        "The robot must not lift anything while the gate is open.",
        [("arm", {"action": "lift", "object": "crate", "gate_open": True})],
        [("arm", {"action": "lift", "object": "crate", "gate_open": False})],
    ),
    (
        "Don't start the mixer while the lid is off.",
        [("mixer", {"action": "start", "device": "mixer", "lid_on": False})],
        [("mixer", {"action": "start", "device": "mixer", "lid_on": True})],
    ),
    (
        "Never send contract-77.pdf to anyone outside acme.example.",
        [("send_email", {"to": ["x@rival.example"], "subject": "s", "body": "b", "attachments": ["contract-77.pdf"]})],
        [
            ("send_email", {"to": ["y@acme.example"], "subject": "s", "body": "b", "attachments": ["contract-77.pdf"]}),
            (
                "send_email",
                {"to": ["x@rival.example"], "subject": "contract", "body": "contract", "attachments": ["menu.pdf"]},
            ),
        ],
    ),
    (
        "Don't close any ticket without asking me first.",
        [("desk_call", {"action": "close_ticket", "id": 4})],
        [("desk_call", {"action": "comment_ticket", "id": 4})],
    ),
    (
        "No loan of an artwork is approved without my signature.",
        [("loans", {"action": "approve_loan", "artwork": "Heron", "to": "Lyon"})],
        [
            ("loans", {"action": "list_loans", "artwork": "Heron"}),
            ("loans", {"action": "draft_loan", "artwork": "Heron"}),
        ],
    ),
    (
        "No one may disable an alarm in the archive.",
        [("building", {"action": "disable_alarm", "zone": "archive", "alarm": "smoke"})],
        [
            ("building", {"action": "test_alarm", "zone": "archive", "alarm": "smoke"}),
            ("building", {"action": "disable_alarm", "zone": "lobby", "alarm": "smoke"}),
        ],
    ),
    (
        "None of the patient records gets exported before I have approved it.",
        [("clinic", {"action": "export_records", "type": "patient", "format": "csv"})],
        [("clinic", {"action": "read_record", "type": "patient"})],
    ),
    (
        "Do not stop the ventilation while the kiln is hot.",
        [("plant", {"action": "stop", "device": "ventilation", "kiln_hot": True})],
        [("plant", {"action": "stop", "device": "ventilation", "kiln_hot": False})],
    ),
    (
        "Never open the airlock while the outer door is open.",
        [("dome", {"action": "open_airlock", "outer_door": "open"})],
        [("dome", {"action": "open_airlock", "outer_door": "closed"})],
    ),
    (
        "Never close the barrier if a train is moving.",
        [("rail", {"action": "close_barrier", "train_moving": True})],
        [("rail", {"action": "close_barrier", "train_moving": False})],
    ),
    (
        "Don't adjust the dosage of any patient without checking with me.",
        [("clinic", {"action": "change_dosage", "patient": "P-4", "mg": 20})],
        [("clinic", {"action": "get_dosage", "patient": "P-4"})],
    ),
    (
        "没问过我之前，不许关闭任何闸门。",
        [("dam", {"action": "close_gate", "gate": "G2"})],
        [("dam", {"action": "inspect_gate", "gate": "G2"})],
    ),
    (
        "修改价格前请先问我。",
        [("shop", {"action": "set_price", "sku": "A1", "price": 3})],
        [("shop", {"action": "get_price", "sku": "A1"}), ("shop", {"action": "set_stock", "sku": "A1", "qty": 3})],
    ),
    (
        "已发货的订单不得取消。",
        [("shop", {"action": "cancel_order", "order": "1", "status": "shipped"})],
        [("shop", {"action": "cancel_order", "order": "1", "status": "pending"})],
    ),
    (
        "不要把 budget-q4.xlsx 发给 corvid.example 以外的人。",
        [("send_email", {"to": ["a@other.example"], "subject": "x", "body": "y", "attachments": ["budget-q4.xlsx"]})],
        [("send_email", {"to": ["a@corvid.example"], "subject": "x", "body": "y", "attachments": ["budget-q4.xlsx"]})],
    ),
    (
        "Hợp đồng đã ký thì không được sửa nếu chưa hỏi chị.",
        [("crm", {"action": "update_contract", "contract": "C-1", "status": "signed"})],
        [
            ("crm", {"action": "update_contract", "contract": "C-1", "status": "draft"}),
            ("crm", {"action": "read_contract", "contract": "C-1", "status": "signed"}),
        ],
    ),
    (
        "Trước khi gửi email cho khách hàng thì phải hỏi anh.",
        [("send_email", {"to": "customer@x.example", "subject": "s", "body": "b", "group": "customers"})],
        [("draft_email", {"to": "customer@x.example"})],
    ),
    (
        "Đừng thay đổi số lượng tồn kho ở vị trí B-12 khi chưa hỏi anh.",
        [("wms", {"action": "adjust_stock", "location": "B-12", "delta": 2})],
        [
            ("wms", {"action": "get_stock", "location": "B-12"}),
            ("wms", {"action": "adjust_stock", "location": "B-120", "delta": 2}),
        ],
    ),
    (
        "Nobody changes DNS records for harbor.example.",
        [("dns", {"action": "update_record", "zone": "harbor.example", "name": "www", "value": "1.2.3.4"})],
        [
            ("dns", {"action": "list_records", "zone": "harbor.example"}),
            ("dns", {"action": "update_record", "zone": "quay.example", "name": "www", "value": "1.2.3.4"}),
        ],
    ),
    (
        "Before you rotate any key, ask me.",
        [("vault", {"action": "rotate_key", "key": "k1"})],
        [("vault", {"action": "get_key", "key": "k1"})],
    ),
    (
        "Never share seating-plan.pdf.",
        [("send_message", {"to": "guest", "text": "here", "attachments": ["seating-plan.pdf"]})],
        [
            ("read_file", {"path": "seating-plan.pdf"}),
            ("send_message", {"to": "guest", "text": "here", "attachments": ["menu.pdf"]}),
        ],
    ),
    (
        "Never cancel a subscription without asking me.",
        [
            ("billing", {"action": "cancel_subscription", "id": "S1"}),
            ("billing", {"action": "delete_subscription", "id": "S1"}),
        ],
        [
            ("billing", {"action": "cancel_invoice", "id": "I1"}),
            ("billing", {"action": "pause_subscription", "id": "S1"}),
        ],
    ),
    (
        "Never set the humidity above 70 percent.",
        [("climate", {"action": "set_humidity", "humidity": 80})],
        [
            ("climate", {"action": "set_humidity", "humidity": 60}),
            ("climate", {"action": "set_temperature", "temperature": 80}),
        ],
    ),
    (
        "Don't rename any sensor without asking.",
        [("iot", {"action": "rename_sensor", "id": 3, "name": "x"})],
        [("iot", {"action": "read_sensor", "id": 3})],
    ),
    (
        "没有审批不得退款。",
        [("shop", {"action": "refund_order", "order": "1", "amount": 5})],
        [("shop", {"action": "get_refund", "order": "1"})],
    ),
    (
        "水泵运行的时候不要关闭阀门。",
        [("plant", {"action": "close_valve", "valve": 1, "pump_running": True})],
        [
            ("plant", {"action": "close_valve", "valve": 1, "pump_running": False}),
            ("plant", {"action": "open_valve", "valve": 1, "pump_running": True}),
        ],
    ),
    (
        "门没锁的时候，不要启动电机。",
        [("cell", {"action": "start_motor", "motor": 1, "door_locked": False})],
        [("cell", {"action": "start_motor", "motor": 1, "door_locked": True})],
    ),
    (
        "改密码之前先问我。",
        [("iam", {"action": "change_password", "user": "ann"})],
        [("iam", {"action": "get_user", "user": "ann"})],
    ),
    (
        "Không được chuyển tiền trên 5 triệu nếu anh chưa duyệt.",
        [("bank", {"action": "transfer", "to": "A", "amount": 9000000, "currency": "VND"})],
        [("bank", {"action": "transfer", "to": "A", "amount": 900000, "currency": "VND"})],
    ),
    (
        "Check with Lena before you send anything to the press list.",
        [("send_email", {"to": "press list", "subject": "a", "body": "b"})],
        [("send_email", {"to": "staff list", "subject": "a", "body": "press list"})],
    ),
    (
        "You need my okay before you delete a playlist.",
        [("radio", {"action": "delete_playlist", "id": 1})],
        [("radio", {"action": "list_playlists"})],
    ),
    (
        "Don't make the dashboard public.",
        [("grafana", {"action": "set_visibility", "dashboard": "main", "visibility": "public"})],
        [
            ("grafana", {"action": "set_visibility", "dashboard": "main", "visibility": "team"}),
            ("grafana", {"action": "get_dashboard", "dashboard": "main", "visibility": "public"}),
        ],
    ),
    (
        "Don't rename or move any lecture video.",
        [("media", {"action": "rename_video", "kind": "lecture", "id": 3, "to": "x"})],
        [("media", {"action": "play_video", "kind": "lecture", "id": 3})],
    ),
    (
        "Never refuel the generator while it is running.",
        [("site", {"action": "refuel", "device": "generator", "running": True})],
        [("site", {"action": "refuel", "device": "generator", "running": False})],
    ),
    (
        "Don't edit the wiki page Onboarding.",
        [("wiki", {"action": "update_page", "title": "Onboarding", "body": "x"})],
        [("wiki", {"action": "update_page", "title": "Parking", "body": "see Onboarding"})],
    ),
    (
        "删除任何快照之前都要先经过我同意。",
        [("cloud", {"action": "delete_snapshot", "id": "s1"})],
        [("cloud", {"action": "list_snapshots"})],
    ),
    (
        "合同签署之前先问我。",
        [("legal", {"action": "sign_contract", "id": "K1"})],
        [("legal", {"action": "read_contract", "id": "K1"})],
    ),
    (
        "Báo anh trước khi đổi mật khẩu của bất kỳ ai.",
        [("iam", {"action": "change_password", "user": "lan"})],
        [("iam", {"action": "get_user", "user": "lan"})],
    ),
    (
        "Muốn ký hợp đồng thì phải hỏi anh trước.",
        [("legal", {"action": "sign_contract", "id": "K1"})],
        [("legal", {"action": "print_contract", "id": "K1"})],
    ),
    (
        "Phiếu lương đã duyệt thì cấm sửa.",
        [("hr", {"action": "edit_payslip", "id": 1, "status": "approved"})],
        [("hr", {"action": "edit_payslip", "id": 1, "status": "draft"})],
    ),
    (
        "Nothing gets shredded before I have agreed.",
        [("office", {"action": "shred_document", "id": 4})],
        [("office", {"action": "scan_document", "id": 4})],
    ),
    (
        "Don't turn off the aerator while the pond is frozen.",
        [("pond", {"action": "turn_off", "device": "aerator", "pond_frozen": True})],
        [("pond", {"action": "turn_off", "device": "aerator", "pond_frozen": False})],
    ),
    (
        "Never unlock the pharmacy cabinet when the nurse is absent.",
        [("ward", {"action": "unlock_cabinet", "cabinet": "pharmacy", "nurse_present": False})],
        [("ward", {"action": "unlock_cabinet", "cabinet": "pharmacy", "nurse_present": True})],
    ),
    (
        "Don't launch the drone if the wind alarm is active.",
        [("drone", {"action": "launch", "device": "drone", "wind_alarm": True})],
        [
            ("drone", {"action": "launch", "device": "drone", "wind_alarm": False}),
            ("drone", {"action": "land", "device": "drone", "wind_alarm": True}),
        ],
    ),
    (
        "Never change the exam schedule without asking me.",
        [("school", {"action": "update_schedule", "kind": "exam", "id": 3})],
        [
            ("school", {"action": "update_schedule", "kind": "bus", "id": 3}),
            ("school", {"action": "get_schedule", "kind": "exam"}),
        ],
    ),
    (
        "Never share roster.csv with anyone outside club.example.",
        [("drive", {"action": "share_file", "file": "roster.csv", "with": "x@press.example"})],
        [
            ("drive", {"action": "share_file", "file": "roster.csv", "with": "coach@club.example"}),
            ("drive", {"action": "share_file", "file": "song.mp3", "with": "x@press.example"}),
        ],
    ),
    (
        "Nothing may be booked to a closed period.",
        [("erp", {"action": "post_journal", "period": "2026-08", "period_status": "closed"})],
        [("erp", {"action": "post_journal", "period": "2026-11", "period_status": "open"})],
    ),
    (
        "已付款的订单一律不许修改。",
        [("shop", {"action": "edit_order", "order": "1", "status": "paid"})],
        [("shop", {"action": "edit_order", "order": "1", "status": "new"})],
    ),
    (
        "调整库存数量之前先问我。",
        [("wms", {"action": "adjust_stock", "sku": "A", "delta": 3})],
        [("wms", {"action": "get_stock", "sku": "A"}), ("wms", {"action": "print_label", "sku": "A"})],
    ),
    (
        "删除快照前先问我。",
        [("cloud", {"action": "delete_snapshot", "id": "s1"})],
        [("cloud", {"action": "create_snapshot", "id": "s1"}), ("cloud", {"action": "delete_image", "id": "s1"})],
    ),
    (
        "Không được sửa hợp đồng nếu sếp chưa đồng ý.",
        [("crm", {"action": "update_contract", "contract": "C-1"})],
        [
            ("crm", {"action": "read_contract", "contract": "C-1"}),
            ("crm", {"action": "update_customer", "customer": "C-1"}),
        ],
    ),
    (
        "Trước khi điều chỉnh tồn kho thì báo chị.",
        [("wms", {"action": "adjust_inventory", "sku": "A", "delta": 1})],
        [("wms", {"action": "count_inventory", "sku": "A"})],
    ),
    (
        "Đừng gửi bang-luong.xlsx cho ai ngoài hoa-mai.example.",
        [("send_email", {"to": ["a@khac.example"], "subject": "a", "body": "b", "attachments": ["bang-luong.xlsx"]})],
        [
            (
                "send_email",
                {"to": ["a@hoa-mai.example"], "subject": "a", "body": "b", "attachments": ["bang-luong.xlsx"]},
            )
        ],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), THINGS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_is_read_in_every_mood(rule: str, stopped: list[Given], passed: list[Given]) -> None:
    assert held_against(rule, stopped, passed) == []
