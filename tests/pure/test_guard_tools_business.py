"""Rules on the calls of business tools: amounts, recipients, documents; and harmless neighbours."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
BUSINESS: list[Told] = [
    (
        "不要给 all@lotus.example 发邮件。",
        [("send_email", {"to": ["all@lotus.example"], "subject": "x"})],
        [
            ("send_email", {"to": ["li@lotus.example"], "subject": "x", "body": "cc all@lotus.example 吗"}),
            ("draft_email", {"to": ["all@lotus.example"]}),
        ],
    ),
    (
        "单笔三万元以上的报销要先问我。",
        [("expense_call", {"action": "submit_expense", "amount": 35000, "currency": "CNY"})],
        [("expense_call", {"action": "submit_expense", "amount": 2900, "currency": "CNY"})],
    ),
    (
        "超过五千元的退款必须经过我批准。",
        [("shop", {"action": "refund", "amount": 6000})],
        [("shop", {"action": "refund", "amount": 4000}), ("shop", {"action": "list_refunds", "amount": 6000})],
    ),
    (
        "Never approve an order over ten thousand dollars without asking me.",
        [("erp", {"action": "approve_order", "total": 12000})],
        [("erp", {"action": "approve_order", "total": 9000})],
    ),
    (
        "Khoản chi trên hai mươi triệu đồng phải hỏi anh trước.",
        [("finance", {"action": "create_payment", "amount": 25000000, "currency": "VND"})],
        [("finance", {"action": "create_payment", "amount": 15000000, "currency": "VND"})],
    ),
    (
        "Payments above 2.5 million VND need my approval.",
        [("finance", {"action": "create_payment", "amount": 2600000, "currency": "VND"})],
        [("finance", {"action": "create_payment", "amount": 2400000, "currency": "VND"})],
    ),
    (
        "Never send email to customers without my okay.",
        [
            ("send_email", {"to": "c@x.example", "recipient_type": "customer"}),
            ("send_draft", {"recipient_type": "customer"}),
        ],
        [
            ("draft_email", {"to": "c@x.example", "recipient_type": "customer"}),
            ("create_email_draft", {"recipient_type": "customer"}),
            ("preview_email", {"recipient_type": "customer"}),
        ],
    ),
    (
        "Không gửi email cho khách hàng khi chưa hỏi.",
        [("mail.send", {"customer": "A"})],
        [("soan_email", {"to": "khach hang"}), ("save_draft", {"kind": "email", "customer": "A"})],
    ),
    (
        "Orders over 500 EUR must not be refunded without my approval.",
        [("shop", {"action": "refund_order", "order": "A1", "amount": 620, "currency": "EUR"})],
        [
            ("shop", {"action": "refund_order", "order": "A1", "amount": 120, "currency": "EUR"}),
            ("shop", {"action": "get_order", "order": "A1", "amount": 620}),
        ],
    ),
    (
        "Never give a discount of more than 20 percent.",
        [("crm", {"action": "set_discount", "percent": 25})],
        [("crm", {"action": "set_discount", "percent": 10})],
    ),
    (
        "Invoices from March 2025 or earlier must not be changed.",
        [("erp", {"action": "update_invoice", "invoice": "I-1", "date": "2025-02-11"})],
        [
            ("erp", {"action": "update_invoice", "invoice": "I-2", "date": "2025-06-11"}),
            ("erp", {"action": "get_invoice", "invoice": "I-1", "date": "2025-02-11"}),
        ],
    ),
    (
        "Never post to the channel #general.",
        [("slack_post_message", {"channel": "#general", "text": "hi"})],
        [
            ("slack_post_message", {"channel": "#dev", "text": "see #general"}),
            ("slack_read_channel", {"channel": "#general"}),
        ],
    ),
    (
        "Never reply-all to customers.",
        [("reply_all", {"thread": "t1", "to": "customer"})],
        [("reply", {"thread": "t1", "to": "customer"})],
    ),
    (
        "Hỏi chị trước khi hoàn tiền đơn trên 2 triệu.",
        [("shop", {"action": "refund", "amount": 2500000})],
        [("shop", {"action": "refund", "amount": 900000})],
    ),
    (
        "Không gửi báo cáo cho bên ngoài công ty sen.example.",
        [("send_email", {"to": "a@khac.example", "subject": "báo cáo", "attachment": "report.pdf"})],
        [("send_email", {"to": "a@sen.example", "subject": "báo cáo"})],
    ),
    (
        "Muốn hạ cấp gói của khách hàng thì phải được anh duyệt.",
        [("crm", {"action": "downgrade_plan", "customer": "K1"})],
        [("crm", {"action": "get_plan", "customer": "K1"})],
    ),
    (
        "退款超过 1000 元先问我。",
        [("shop", {"action": "refund", "amount": 1500})],
        [("shop", {"action": "refund", "amount": 500})],
    ),
    ("不要给客户群发短信。", [("send_sms", {"to": "customers", "bulk": True})], [("send_sms", {"to": "manager"})]),
    (
        "Never send the payroll file to anyone outside kiwi.example.",
        [("send_email", {"to": "x@other.example", "attachment": "payroll.xlsx"})],
        [
            ("send_email", {"to": "x@kiwi.example", "attachment": "payroll.xlsx"}),
            ("send_email", {"to": "x@other.example", "attachment": "menu.pdf"}),
        ],
    ),
    (
        "Do not close tickets of the customer Orbis without asking.",
        [("helpdesk", {"action": "close_ticket", "customer": "Orbis", "id": "T-1"})],
        [
            ("helpdesk", {"action": "close_ticket", "customer": "Nova", "id": "T-2"}),
            ("helpdesk", {"action": "list_tickets", "customer": "Orbis"}),
        ],
    ),
    (
        "Never approve leave for more than 10 days.",
        [("hr", {"action": "approve_leave", "employee": "E1", "days": 12})],
        [
            ("hr", {"action": "approve_leave", "employee": "E1", "days": 3}),
            ("hr", {"action": "get_leave", "employee": "E1", "days": 12}),
        ],
    ),
    (
        "Never post journal entries in a closed period.",
        [("erp", {"action": "post", "object": "journal", "period": "2025-01", "period_closed": True})],
        [
            ("erp", {"action": "post", "object": "journal", "period": "2026-11", "period_closed": False}),
            ("erp", {"action": "get", "object": "journal", "period_closed": True}),
        ],
    ),
    (
        "Ask before you ship orders to Brazil.",
        [("wms", {"action": "ship_order", "order": "S1", "country": "Brazil"})],
        [
            ("wms", {"action": "ship_order", "order": "S2", "country": "Chile"}),
            ("wms", {"action": "track_order", "order": "S1", "country": "Brazil"}),
        ],
    ),
    (
        "Không được hủy đơn hàng đã thanh toán khi chưa hỏi chị.",
        [("shop", {"action": "cancel_order", "order": "D1", "paid": True})],
        [("shop", {"action": "get_order", "order": "D1", "paid": True})],
    ),
    (
        "Không được duyệt chi quá 50 triệu đồng.",
        [("erp", {"action": "approve_payment", "amount": 60000000, "currency": "VND"})],
        [("erp", {"action": "approve_payment", "amount": 6000000, "currency": "VND"})],
    ),
    (
        "Không đổi mật khẩu của tài khoản admin.",
        [("iam", {"action": "change_password", "account": "admin"})],
        [
            ("iam", {"action": "change_password", "account": "guest"}),
            ("iam", {"action": "get_account", "account": "admin"}),
        ],
    ),
    (
        "五万元以上的转账必须经我批准。",
        [("bank", {"action": "transfer", "amount": 80000, "currency": "CNY"})],
        [("bank", {"action": "transfer", "amount": 8000, "currency": "CNY"})],
    ),
    (
        "Never send the password by email.",
        [("send_email", {"to": "a", "body": "the password is x"})],
        [("send_email", {"to": "a", "body": "hello"})],
    ),
    (
        "Refunds over $200 need Priya's okay.",
        [("store", {"action": "issue_refund", "amount": 250, "currency": "USD"})],
        [
            ("store", {"action": "issue_refund", "amount": 80, "currency": "USD"}),
            ("store", {"action": "get_refund", "amount": 250}),
        ],
    ),
    (
        "Never cancel the order of the customer Vega GmbH without asking.",
        [("erp", {"action": "cancel_order", "customer": "Vega GmbH", "order": "7"})],
        [
            ("erp", {"action": "cancel_order", "customer": "Lyra AG", "order": "8"}),
            ("erp", {"action": "find_order", "customer": "Vega GmbH"}),
        ],
    ),
    (
        "Never call the tool delete_customer.",
        [("delete_customer", {"id": "1"}), ("mcp__crm__delete_customer", {"id": "1"})],
        [("get_customer", {"id": "1"})],
    ),
    (
        "Phải hỏi tôi trước khi huỷ vé của khách VIP-7.",
        [("ve", {"action": "cancel_ticket", "customer": "VIP-7"})],
        [("ve", {"action": "cancel_ticket", "customer": "VIP-8"})],
    ),
    (
        "十万元以上的合同付款，必须先征求我的意见。",
        [("fin", {"action": "create_payment", "amount": 150000, "currency": "CNY", "type": "contract"})],
        [("fin", {"action": "create_payment", "amount": 50000, "currency": "CNY", "type": "contract"})],
    ),
    (
        "Never invite external users to the workspace Falcon.",
        [("slack", {"action": "invite_user", "workspace": "Falcon", "external": True})],
        [
            ("slack", {"action": "invite_user", "workspace": "Heron", "external": True}),
            ("slack", {"action": "list_users", "workspace": "Falcon"}),
        ],
    ),
    (
        "Don't lower prices by more than 15% without asking.",
        [("shop", {"action": "lower_price", "percent": 20})],
        [("shop", {"action": "lower_price", "percent": 5}), ("shop", {"action": "get_price", "percent": 20})],
    ),
    (
        "Never grant admin rights to anyone.",
        [("iam", {"action": "grant_role", "role": "admin", "user": "bo"})],
        [
            ("iam", {"action": "grant_role", "role": "viewer", "user": "bo"}),
            ("iam", {"action": "revoke_role", "role": "admin", "user": "bo"}),
        ],
    ),
    (
        "Không được đổi giá sản phẩm SP-220.",
        [("shop", {"action": "update_price", "product": "SP-220", "price": 5})],
        [
            ("shop", {"action": "update_price", "product": "SP-221", "price": 5}),
            ("shop", {"action": "get_price", "product": "SP-220"}),
        ],
    ),
    (
        "Đừng gửi email cho nhà cung cấp Minh Phát.",
        [("send_email", {"to": "mp@x.example", "supplier": "Minh Phát"})],
        [("send_email", {"to": "kh@x.example", "supplier": "An Khang"})],
    ),
    (
        "单价超过三百元的采购单不得自行批准。",
        [("erp", {"action": "approve_order", "price": 350, "kind": "purchase"})],
        [("erp", {"action": "approve_order", "price": 100, "kind": "purchase"})],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), [*BUSINESS], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_stops_its_act_in_all_spellings_and_nothing_else(
    rule: str, stopped: list[Given], passed: list[Given]
) -> None:
    assert held_against(rule, stopped, passed) == []
