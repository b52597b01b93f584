"""Rules of people in the frames they write them in: who alone may do it, what stays as it is, how much at most, which name."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.guarding.qualifiers import opposites, qualifiers
from bio_agent_workers.brain.guarding.rule_clause import asks_or_forbids, excepted, wants_asking
from bio_agent_workers.brain.guarding.sentence_frames import framed
from tests.pure.guard_tables import Given, held_against

FRAMES: list[tuple[str, list[Given], list[Given]]] = [
    ("Only the release manager may push to the branch gold.", ["git push origin gold"], ["git push origin tin"]),
    ("Shipments may only be cancelled by Mara.", [("wms", {"action": "cancel_shipment", "id": "S1"})],
     [("wms", {"action": "print_shipment", "id": "S1"})]),
    ("Keep payroll exports out of gs://plum-open.", ["gsutil cp payroll/exports.csv gs://plum-open/a"],
     ["gsutil cp payroll/exports.csv gs://plum-safe/a"]),
    ("The file deploy/limits.toml stays as it is.", ["sed -i s/1/2/ deploy/limits.toml"], ["sed -i s/1/2/ deploy/names.toml"]),
    ("Leave the deployment ledger-api alone.", ["kubectl delete deployment ledger-api"], ["kubectl delete deployment blog-api"]),
    ("The pump stays off while the tank is empty.", [("plant", {"action": "turn_on", "device": "pump", "tank": "empty"})],
     [("plant", {"action": "turn_on", "device": "pump", "tank": "full"})]),
    ("Let me know before you drop a view in Postgres.", ["psql -c 'drop view sales_v'"], ["psql -c 'select 1'"]),
    ("Any change to nginx.conf goes past me first.", ["sed -i s/80/81/ /etc/nginx/nginx.conf"], ["sed -i s/80/81/ /etc/nginx/mime.types"]),
    ("At most 4 replicas for the deployment basket.", ["kubectl scale deployment basket --replicas=6"],
     ["kubectl scale deployment basket --replicas=4"]),
    ("Discounts of more than 8 percent need my okay.", [("erp", {"action": "create_quote", "discount_percent": 9, "total": 5})],
     [("erp", {"action": "create_quote", "discount_percent": 8, "total": 900})]),
    ("只能由财务主管审批付款。", [("erp", {"action": "approve_payment", "id": "P1"})], [("erp", {"action": "list_payments"})]),
    ("模板 base.html 保持原样。", ["rm web/base.html"], ["rm web/page.html"]),
    ("折扣最多 10%，超过的要我同意。", [("erp", {"action": "create_quote", "discount_percent": 12})],
     [("erp", {"action": "create_quote", "discount_percent": 10})]),
    ("Chỉ mình tôi được gộp vào nhánh gold.", ["git checkout gold && git merge x"], ["git checkout x && git merge y"]),
    ("Muốn xóa bảng don_hang thì hỏi tôi trước.", ["psql -c 'drop table don_hang'"], ["psql -c 'drop table nhap'"]),
]  # fmt: skip
FRAMES += [
    ("prune is never run on build-9.", ["ssh build-9 prune all"], ["ssh build-7 prune all"]),
    ("The ledger is edited by Ines only.", [("erp", {"action": "edit_ledger", "id": 1})], [("erp", {"action": "get_ledger", "id": 1})]),
    ("Do not merge to gold while the pipeline is red.", ["git checkout gold && git merge x"], ["git checkout x && git merge gold"]),
    ("Nobody turns off the lamp of bench 2.", [("lab", {"action": "turn_off", "device": "lamp", "bench": 2})],
     [("lab", {"action": "turn_off", "device": "lamp", "bench": 3})]),
    ("Never turn the oven above 230 degrees.", [("home", {"action": "set_temperature", "device": "oven", "temperature": 240})],
     [("home", {"action": "set_temperature", "device": "oven", "temperature": 200})]),
    ("超过 3 天的请假要我批。", [("hr", {"action": "approve_leave", "days": 4})], [("hr", {"action": "approve_leave", "days": 2})]),
    ("Do not run npm audit fix --force in this repository.", ["npm audit fix --force"], ["npm audit"]),
]  # fmt: skip
OBJECTS: list[tuple[str, list[Given], list[Given]]] = [
    ("Never delete a topic whose name starts with pay-.", ["kafkactl delete topic pay-in"], ["kafkactl delete topic log-in"]),
    ("Ask me before you reboot a relay host (rl-*).", ["ssh rl-3 sudo reboot"], ["ssh web-3 sudo reboot"]),
    ("以 prod- 开头的命名空间不要删除。", ["kubectl delete namespace prod-a"], ["kubectl delete namespace test-a"]),
    ("Never delete the important volume pgmain.", ["docker volume rm pgmain"], ["docker volume rm tmp"]),
    ("The public mirror must never be wiped by hand.", ["mirrorctl wipe mirror"], ["mirrorctl wipe private-mirror --scope private"]),
    ("The table audit_log is append-only: no row in it is ever deleted.", ["psql -c 'delete from audit_log'"], ["psql -c 'delete from drafts'"]),
    ("Reports go out on Monday: nobody mails the file q3.xlsx.", ["mail -a q3.xlsx x@y.example"], ["mail -a q2.xlsx x@y.example"]),
    ("Never drop tables.", ["psql -c 'drop table a'"], ["psql -c 'alter table a drop column b'"]),
    ("Do not delete anything in the bucket fig-data except fig-data/tmp.", ["aws s3 rm s3://fig-data/a"], ["aws s3 rm s3://fig-else/a"]),
    ("Never run DROP TABLE or TRUNCATE on crm.", ["mysql crm -e 'truncate leads'"], ["mysql crm -e 'select 1'"]),
    ("Flags that start with stop_ are never switched off.", [("set_flag", {"flag": "stop_pay", "enabled": False})],
     [("set_flag", {"flag": "stop_pay", "enabled": True})]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "stopped", "passed"), FRAMES + OBJECTS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_rule_is_read_in_the_frame_it_is_written_in(rule: str, stopped: list[Given], passed: list[Given]) -> None:
    assert held_against(rule, stopped, passed) == []


@pytest.mark.parametrize(
    "plain",
    [
        "Never delete a tag.",
        "Run the tests before you push.",
        "Use pnpm.",
        "只能在工作时间部署。",
        "Deploy only from main.",
    ],
)
def test_what_is_said_plainly_is_left_as_it_is(plain: str) -> None:
    assert framed(plain) == plain
    assert framed(framed("Only Ann may deploy.")) == framed("Only Ann may deploy.")


def test_a_frame_asks_or_forbids() -> None:
    assert wants_asking("Bo has to approve refunds.")
    assert asks_or_forbids("The lab fridge is off limits.")
    assert not wants_asking("The lab fridge is off limits.")
    assert not asks_or_forbids("The lab fridge is cold.")


def test_what_a_rule_does_not_hold_for_is_told_by_its_words() -> None:
    assert excepted("Never delete a branch other than sandbox.") == {"sandbox"}
    assert excepted("Never deploy except when it burns.") == frozenset()
    assert excepted("禁止删除 backups 文件夹。") == frozenset()
    assert (
        held_against(
            "Except for the branch sandbox, no branch is deleted.", ["git branch -D a"], ["git branch -D sandbox"]
        )
        == []
    )


def test_a_qualifier_stands_before_what_it_tells_apart() -> None:
    clause = "never delete the nightly job of the public mirror"
    assert qualifiers(clause, ["nightly", "public", "mirror"], anchored=False, things=()) == {"public": "mirror"}
    assert "nightly" in qualifiers(clause, ["nightly", "public", "mirror"], anchored=True, things=())
    assert qualifiers("never touch public", ["public"], anchored=False, things=()) == {}
    assert "private" in opposites("public")
