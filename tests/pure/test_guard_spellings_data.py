"""Rules on data, object stores and HTTP against many spellings of what they forbid, and against harmless neighbours."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
DATA_AND_HTTP: list[Told] = [
    (
        "The table ledger_lines must not be truncated.",
        ["psql erp -c 'truncate ledger_lines'"],
        ["psql erp -c 'select * from ledger_lines'", "psql erp -c 'truncate ledger_lines_tmp'"],
    ),
    (
        "Never write to the bucket crown-archive.",
        ["aws s3 cp a.txt s3://crown-archive/a.txt"],
        [
            "aws s3 ls s3://crown-archive",
            "aws s3 cp a.txt s3://crown-dev/a.txt",
            "aws s3 cp s3://crown-archive/a.txt .",
        ],
    ),
    (
        "Ask me before you delete an account (DELETE /accounts/<id>).",
        [
            "curl -X DELETE https://api.k.example/v1/accounts/77",
            ("http_request", {"method": "DELETE", "url": "https://api.k.example/v1/accounts/9"}),
        ],
        [
            "curl https://api.k.example/v1/accounts/77",
            "curl -X DELETE https://api.k.example/v1/sessions/77",
            ("http_request", {"method": "GET", "url": "https://api.k.example/v1/accounts/9"}),
        ],
    ),
    (
        "Never call POST /payments/<id>/refund.",
        ["curl -d '{}' https://pay.example/payments/31/refund", "http POST https://pay.example/payments/5/refund"],
        ["curl -X POST https://pay.example/payments/31/capture", "curl https://pay.example/payments/31/refund"],
    ),
    (
        "Don't delete customers through the API.",
        ["curl -X DELETE https://api.example/customers/5"],
        ["curl -X GET https://api.example/customers/5", "curl -X DELETE https://api.example/carts/5"],
    ),
    (
        "调用 DELETE /users/{id} 之前要先问我。",
        ["curl -XDELETE https://a.example/users/12"],
        ["curl https://a.example/users/12"],
    ),
    (
        "Trước khi gọi PUT /settings/<key> phải hỏi chị.",
        ["curl -X PUT https://a.example/api/settings/theme -d x=1"],
        ["curl https://a.example/api/settings/theme"],
    ),
    (
        "Never drop the orders table.",
        [
            "psql -c 'drop table public.orders'",
            "psql -c 'DROP TABLE IF EXISTS \"orders\"'",
            "psql <<< 'drop table orders'",
        ],
        [
            'psql -c "select 1 -- drop table orders"',
            "grep -rn 'drop table orders' .",
            "psql -c 'drop table orders_old'",
            "echo 'drop table orders' > notes.txt",
            "git commit -m 'never drop table orders'",
        ],
    ),
    (
        "Ask before you delete rows from payments.",
        ["psql -c 'delete from payments where id=1'", "mysql -e 'DELETE FROM shop.payments'"],
        ["psql -c 'update payments set x=1'"],
    ),
    (
        "Không được xoá bảng luong trong cơ sở dữ liệu.",
        ["psql -c 'drop table luong'"],
        ["psql -c 'select * from luong'", "psql -c 'drop table luong_tam'"],
    ),
    (
        "未经同意不得修改价格表 price_list。",
        ["psql -c 'update price_list set p=1'", ("erp", {"action": "update", "table": "price_list"})],
        ["psql -c 'select * from price_list'"],
    ),
    (
        "不要停止 redis 容器。",
        ["docker stop redis", "docker compose stop redis"],
        ["docker stop web", "docker logs redis"],
    ),
    ("Never drop the `invoices` table.", ["psql -c 'drop table invoices'"], ["psql -c 'drop table orders'"]),
    (
        "Never clear the Redis cache on prod.",
        ["redis-cli -h redis.prod flushall"],
        ["redis-cli -h redis.dev flushall", "redis-cli -h redis.prod info"],
    ),
    (
        "`psql -h localhost <db>` failed (connection refused); use `psql -h db <db>`.",
        ["psql -h localhost shop"],
        ["psql -h db shop", "pg_dump -h localhost shop"],
    ),
    (
        "Dropping columns needs my approval.",
        ["psql -c 'alter table a drop column b'"],
        ["psql -c 'alter table a add column b int'"],
    ),
    (
        "Never upload anything to the bucket public-assets.",
        ["aws s3 cp a s3://public-assets/a", "aws s3 sync dist s3://public-assets", "gsutil cp a gs://public-assets/"],
        ["aws s3 ls s3://public-assets", "aws s3 sync dist s3://private"],
    ),
    (
        "Không được ghi vào bảng audit_log.",
        ['psql -c "insert into audit_log values (1)"'],
        ["psql -c 'select * from audit_log'", 'psql -c "insert into audit_copy values (1)"'],
    ),
    ("禁止在生产环境执行 DROP TABLE。", ["psql -h prod-db -c 'drop table a'"], ["psql -h dev-db -c 'drop table a'"]),
    (
        "Deleting anything from the bucket ocean-scans is prohibited.",
        [
            "aws s3 rm s3://ocean-scans/a.tif",
            "aws s3api delete-object --bucket ocean-scans --key a.tif",
            "gsutil rm gs://ocean-scans/a",
        ],
        ["aws s3 ls s3://ocean-scans", "aws s3 rm s3://ocean-tmp/a.tif", "aws s3 cp s3://ocean-scans/a.tif ."],
    ),
    (
        "Never use PUT /inventory/<sku>; use PATCH instead.",
        ["curl -X PUT https://w.example/inventory/A1 -d x"],
        ["curl -X PATCH https://w.example/inventory/A1 -d x", "curl https://w.example/inventory/A1"],
    ),
    (
        "Không xóa kho ảnh anh-san-pham trên S3 nếu chưa hỏi.",
        ["aws s3 rm s3://anh-san-pham/ --recursive"],
        ["aws s3 ls s3://anh-san-pham/", "aws s3 rm s3://anh-tam/a"],
    ),
    (
        "Tuyệt đối không dừng container redis-cache.",
        ["docker stop redis-cache", "docker kill redis-cache"],
        ["docker logs redis-cache", "docker stop web"],
    ),
    (
        "调用 POST /jobs/<id>/stop 前要经过我同意。",
        ["curl -X POST https://q.example/api/jobs/8/stop"],
        [
            "curl -X POST https://q.example/api/jobs/8/start",
            ("http_request", {"method": "GET", "url": "https://q.example/api/jobs/8"}),
        ],
    ),
    (
        "Wiping the staging database is fine, wiping production is not: never drop the production database.",
        ["dropdb shop_production", "psql -h prod.db.example -c 'drop database shop'"],
        ["dropdb shop_staging"],
    ),
    (
        "Never send anything to press@heron.example.",
        [("send_email", {"to": "press@heron.example"})],
        [
            ("draft_email", {"to": "press@heron.example"}),
            ("send_email", {"to": "hr@heron.example", "body": "cc press@heron.example?"}),
            "curl -d @f https://heron.example/press",
        ],
    ),
    (
        "Never rename columns in the table shipments.",
        ["psql -c 'alter table shipments rename column a to b'"],
        ["psql -c 'alter table shipments add column c int'", "psql -c 'alter table carriers rename column a to b'"],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), [*DATA_AND_HTTP], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_stops_its_act_in_all_spellings_and_nothing_else(
    rule: str, stopped: list[Given], passed: list[Given]
) -> None:
    assert held_against(rule, stopped, passed) == []
