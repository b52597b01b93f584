"""Guard matching: a rule and the act about to be done."""

from __future__ import annotations

from typing import Any

import pytest

from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.guarding.branches import with_branch
from bio_agent_workers.brain.guarding.call_view import calls
from bio_agent_workers.brain.guarding.matching import condemns, match_prose, read_rule, rule_commands
from bio_agent_workers.brain.guarding.rule_index import keys_of_call, keys_of_text
from bio_agent_workers.shell import act_of, parse_command, parse_pattern


def matches(rule: str, call: str | dict[str, Any], tool: str = "Bash", polarity: Polarity = Polarity.NEGATIVE) -> bool:
    tool_input = {"command": call} if isinstance(call, str) else call
    acts = act_of(tool, tool_input, "")
    return match_prose(rule, polarity, acts, tool, tool_input, parse=parse_pattern).matched


def hit(condemned: str, call: str, fixed: str = "") -> bool:
    (wrong,) = parse_pattern(condemned)
    right = parse_pattern(fixed)[0] if fixed else None
    return any(condemns(wrong, act, right) for act in parse_command(call))


@pytest.mark.parametrize(
    ("condemned", "call", "fixed", "expected"),
    [
        ("git push --force", "git push -f origin main", "", True),
        ("git push --force", "cd x && git push origin +main", "", True),
        ("git push --force", "git push origin main", "", False),
        ("git push --force", 'echo "git push -f"', "", False),
        ("git push --force origin main", "git push --force origin dev", "", False),
        ("tar -xzf <archive>", "tar zxvf nightly.tgz", "tar -xf <archive>", True),
        ("tar -xzf <archive>", "tar -xf nightly.tgz", "tar -xf <archive>", False),
        ("tar -xzf <archive>", "tar -czf nightly.tgz d", "tar -xf <archive>", False),
        ("pytest", "python3 -m pytest -x a", "pytest --import-mode=importlib", True),
        ("pytest", "pytest --import-mode importlib a", "pytest --import-mode=importlib", False),
        ("pytest tests/a.py", "pytest --collect-only tests/a.py", "", False),
        ("psql -U admin", "psql --username=admin -d x", "psql -U app", True),
        ("psql -U admin", "psql -U app -c \"select 'admin'\"", "psql -U app", False),
        ("gcc -o <out> <file>", "gcc -c a.c -o a.o", "gcc -o <out> <file> -lm", False),
        ("gcc -o <out> <file>", "gcc a.c -O2 -o a", "gcc -o <out> <file> -lm", True),
        ("make", "make -C elsewhere", "make -C firmware", False),
        # A call that names an object is not the bare one that failed for want of it.
        ("git push", "git push", "git push -u origin feat", True),
        ("git push", "git push -q", "git push -u origin feat", True),
        ("git push", "git push origin main", "git push -u origin feat", False),
        ("git push", "git push origin", "git push -u origin feat", False),
        ("git push", "git push --tags", "git push -u origin feat", False),
        ("git push", "git push --force", "git push -u origin feat", False),
        ("git push", "git push origin main", "git push --no-verify", True),
        ("git push origin main", "git push origin main", "git push -u origin main", True),
        ("make", "make -j4", "make all", True),
        ("make", "make check", "make all", False),
        ("ninja", "ninja -j1 coin", "ninja -C obj", True),
        ("npm publish", "npm publish ./other", "npm publish ./dist", False),
        ("pip install x", "sudo pip install x", "sudo pip install x", False),
        ("pip install x", "pip install x", "sudo pip install x", True),
        ("./<script>", "cd jobs && ./rotate.sh daily", "bash <script>", True),
        ("./<script>", "bash jobs/rotate.sh daily", "bash <script>", False),
    ],
)
def test_condemned_forms(condemned: str, call: str, fixed: str, expected: bool) -> None:
    assert hit(condemned, call, fixed) is expected


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        ("Never run git push --force on main.", "git push -f origin main", True),
        ("Never run git push --force on main.", "git push -f origin dev", False),
        ("Never force-push to main.", "git push origin +main", True),
        ("Never force-push to main.", "git push origin main", False),
        ("不要强推 main 分支。", "git push -f origin main", True),
        ("不要强推 main 分支。", "git push origin main", False),
        ("Đừng bao giờ chạy docker system prune.", "docker system prune -af", True),
        ("Đừng bao giờ chạy docker system prune.", "docker system df", False),
        ("禁止在生产环境执行 kubectl delete。", "kubectl --context prod delete pod x", True),
        ("禁止在生产环境执行 kubectl delete。", "kubectl --context dev delete pod x", False),
        ("Never delete /data/live or a folder above it.", "cd /data && rm -rf live", True),
        ("Never delete /data/live or a folder above it.", "rm -rf /data/*", True),
        ("Never delete /data/live or a folder above it.", "rm -rf /data/live-old", False),
        ("Never delete /data/live or a folder above it.", "rm -rf x/data/live", False),
        ("Never delete /data/live or a folder above it.", "git commit -m 'rm -rf /data/live'", False),
        ("Never delete files in /etc.", "rm /etc/hosts", True),
        ("Ask me before restarting nginx.", "sudo systemctl restart nginx", True),
        ("Ask me before restarting nginx.", "systemctl status nginx", False),
        ("Don't restart nginx without asking me.", "service nginx restart", True),
        ("Trước khi deploy lên prod phải hỏi tôi.", "kubectl apply -f k8s/prod/api.yaml", True),
        ("上线生产前必须先问我。", "kubectl apply -f k8s/prod/api.yaml", True),
        ("上线生产前必须先问我。", "kubectl apply -f k8s/dev/api.yaml", False),
        ("Do not delete the production database.", "psql -d production -c 'DROP DATABASE app'", True),
        ("Do not delete the production database.", "dropdb staging", False),
        ("Nothing is deleted in the billing namespace.", "kubectl delete pod x -n billing --dry-run=server", False),
        ("Nothing is deleted in the billing namespace.", "kubectl delete pod x -n billing-test", False),
        ("Nothing is deleted in the billing namespace.", "kubectl delete pod x -n billing", True),
        ("Never print the whole environment.", "printenv", True),
        ("Never print the whole environment.", "printenv HOME", False),
        ("When `npm ci` fails with ERESOLVE, first run `npm cache clean`; then it worked.", "npm ci", False),
        ("`npm ci` failed 3 times here, last 14:02, not succeeded since.", "npm ci", True),
        ("`npm ci` failed twice here and later succeeded.", "npm ci", False),
    ],
)
def test_sentences_against_commands(rule: str, call: str, expected: bool) -> None:
    assert matches(rule, call) is expected


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        ("Never heat metal.", {"action": "heat", "object": "steel_bowl"}, True),
        ("Never heat metal.", {"action": "heat", "object": "glass_bowl"}, False),
        ("Không được hâm nóng hộp kim loại.", {"action": "heat", "object": "steel_box"}, True),
        ("不要拿刀。", {"action": "pick_up", "object": "kitchen_knife"}, True),
        ("不要拿刀。", {"action": "place", "object": "kitchen_knife"}, False),
        ("不要打开密封的罐子。", {"action": "open", "object": "jar", "sealed": False}, False),
        ("Không phê duyệt hóa đơn của NCC-338.", {"action": "approve_invoice", "supplier": "NCC-338"}, True),
        ("Không phê duyệt hóa đơn của NCC-338.", {"action": "approve_invoice", "supplier": "NCC-339"}, False),
        ("Do not post journals before 2026-10-01.", {"action": "post_journal", "posting_date": "2026-09-30"}, True),
        ("Do not post journals before 2026-10-01.", {"action": "post_journal", "posting_date": "2026-10-01"}, False),
        ("不要过账2026年10月及以前的凭证。", {"action": "post_journal", "posting_date": "2026-10-31"}, True),
        (
            "Không ghi sổ bút toán tháng 10/2026 trở về trước.",
            {"action": "post_journal", "posting_date": "2026-11-01"},
            False,
        ),
    ],
)
def test_sentences_against_structured_calls(rule: str, call: dict[str, Any], expected: bool) -> None:
    assert matches(rule, call, tool="agent_action") is expected


def test_a_positive_rule_forbids_nothing() -> None:
    assert not matches("Always run make lint before you commit.", "git commit -m x", polarity=Polarity.POSITIVE)
    assert not matches("Install through npm and check in the lock file.", "npm run build")


def test_commands_in_a_rule() -> None:
    assert rule_commands("Never run git push --force here") == ["git push --force"]
    assert rule_commands("Use `npm ci`, not “npm install”") == ["npm ci", "npm install"]
    assert rule_commands("Please make it go faster") == []
    read = read_rule("Do not run `npm ci` here: it failed (ERESOLVE). `npm ci --legacy-peer-deps` worked.")
    assert (read.condemned, read.recommends, read.spares) == (("npm ci",), ("npm ci --legacy-peer-deps",), False)
    assert read_rule("Khi `npm ci` lỗi, trước hết hãy chạy `npm cache clean`; sau đó lệnh chạy được.").spares


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        ("Never delete tables in the prod cluster.", "kubectl --context=prod-eu delete table x", True),
        ("Never delete tables in the prod cluster.", "kubectl --context=non-prod delete table x", False),
        (
            "禁止对 production 工作区执行 terraform apply。",
            "terraform workspace select production && terraform apply",
            True,
        ),
        ("禁止使用 docker run --privileged。", "docker run --rm alpine sh", False),
        ("Không dùng sudo pip install.", "pip install x", False),
        ("Không dùng sudo pip install.", "sudo pip3 install x", True),
        ("Never chmod 777 anything.", "sudo chmod a+rwx uploads", True),
        ("Never delete the .git folder.", "rm -rf .git", True),
        ("Never delete the .git folder.", "rm -rf .github", False),
        ("Never drop tables in the crm database.", "psql -h db -d crm <<'SQL'\nDROP TABLE leads;\nSQL", True),
        ("Never push to main.", "git checkout main && git push", True),
        ("Never push to main.", "git checkout main && git push origin feature/a", False),
        ("Never push to main.", "git checkout -b feature/a && git push", False),
        ("Never push to main.", "git checkout main -- a.py && git push", False),
        ("Ask me before you drain nodes in eu-west.", "kubectl --context eu-west drain node-3", True),
        ("Hủy đơn hàng phải hỏi tôi trước.", "cat don_hang.txt", False),
    ],
)
def test_more_sentences_against_commands(rule: str, call: str, expected: bool) -> None:
    assert matches(rule, call) is expected


@pytest.mark.parametrize(
    ("rule", "tool", "call", "expected"),
    [
        ("Never call pay_invoice above 5000 without approval.", "pay_invoice", {"amount": 7200}, True),
        ("Never call pay_invoice above 5000 without approval.", "pay_invoice", {"amount": 4800}, False),
        ("Never call pay_invoice above 5000 without approval.", "list_invoices", {"min_amount": 7000}, False),
        ("Không được gọi delete_customer.", "mcp__crm__delete_customer", {"id": "C-9"}, True),
        ("禁止调用 transfer_funds。", "get_funds", {"id": "C-9"}, False),
        ("超过 10 万元的付款必须先问我。", "erp", {"action": "create_payment", "amount": 150000}, True),
        ("超过 10 万元的付款必须先问我。", "erp", {"action": "list_payments", "amount": 150000}, False),
        ("Never send email to addresses outside example.com.", "send_email", {"to": "bob@other.test"}, True),
        ("Never send email to addresses outside example.com.", "send_email", {"to": "bob@eu.example.com"}, False),
        ("Never edit files under /etc/nginx.", "Edit", {"file_path": "/etc/nginx/nginx.conf"}, True),
        ("Never edit files under /etc/nginx.", "Read", {"file_path": "/etc/nginx/nginx.conf"}, False),
        ("Never use the write_file tool on *.lock files.", "write_file", {"path": "poetry.lock"}, True),
        ("Never use the write_file tool on *.lock files.", "write_file", {"path": "main.py"}, False),
        ("Do not give discounts of more than 15%.", "create_quote", {"discount_percent": 20}, True),
        ("Hủy đơn hàng phải hỏi tôi trước.", "erp", {"action": "cancel_order", "order": "SO-9"}, True),
    ],
)
def test_tools_and_amounts(rule: str, tool: str, call: dict[str, Any], expected: bool) -> None:
    assert matches(rule, call, tool=tool) is expected
    keys = set(keys_of_text(rule, Polarity.NEGATIVE, parse_pattern))
    acts = act_of(tool, call, "")
    assert not expected or keys & set(keys_of_call(calls(acts, tool, call), acts)), "the index finds what matches"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("git push -u origin main", True), ("git push --repo=origin main", True), ("git push origin HEAD:main", True),
        ("git push -u origin feature/y", False),
    ],
)  # fmt: skip
def test_what_the_remedy_replaced_is_condemned_with_its_option_too(call: str, expected: bool) -> None:
    assert hit("git push origin main", call, "git push -u origin <branch>") is expected


COMMANDS = (
    "git push -f origin main", "rm -rf /srv/*", "kubectl delete pod x -n payments", "cd /data && rm -rf live", "npm i x",
    "docker system prune -af", "psql -d app -c 'drop table t'", "systemctl restart nginx", "./run.sh a", "make -C x deploy",
)  # fmt: skip
RULES = (
    "Never force-push to main.", "Never delete /srv/live or a folder above it.", "Never delete files in /srv.",
    "Ask me before you delete anything in the payments namespace.", "Never delete /data/live.", "不要重启 nginx。",
    "Do not run `npm install x` here: it failed. `npm ci` worked.", "Đừng bao giờ chạy docker system prune.",
    "Never drop tables.", "`./<script>` failed; use `bash <script>`.", "Never deploy.", "Never touch /srv/live.",
)  # fmt: skip


def test_the_index_finds_every_rule_that_matches() -> None:
    found = 0
    for rule in RULES:
        keys = set(keys_of_text(rule, Polarity.NEGATIVE, parse_pattern))
        for command in COMMANDS:
            acts = parse_command(command)
            if matches(rule, command):
                found += 1
                assert keys & set(keys_of_call(calls(acts, "Bash", {}), acts)), (rule, command)
    assert found >= 9


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        ("Never delete journal entries.", "psql -c 'delete from journal_entries where id=4'", True),
        ("Never delete journal entries.", "psql -c 'delete from journal_templates'", False),
        ("Never delete sales orders.", "mysql -e 'delete from sales_orders'", True),
        ("Never delete sales orders.", "mysql -e 'delete from order_drafts'", False),
        ("Ask me before you drop a database on db-prod.", "dropdb --host=db-prod crm", True),
        ("Ask me before you drop a database on db-prod.", "psql -h db-prod -c 'DROP TABLE tmp_x'", False),
        ("Never force-push to release.", "git push --force-with-lease origin release", True),
        ("Never force-push to release; use --force-with-lease.", "git push --force-with-lease origin release", False),
        ("Never commit .env files.", "git add -f .env && git commit -m wip", True),
        ("Never commit .env files.", "git add a.py && git commit -m 'read .env'", False),
        ("Never deploy.", "./deploy.sh api", True),
        ("Never deploy.", "./check-deploy.sh api", False),
        ("Do not restart nginx.", "(cd /srv && supervisorctl restart nginx) &", True),
        ("Do not restart nginx.", "/etc/init.d/nginx restart", True),
        ("Do not restart nginx.", "ssh web1 grep restart /var/log/nginx.log", False),
        ("Never touch the legacy/ folder.", "mv legacy/a.py src/", True),
        ("Never touch the legacy/ folder.", "cat legacy/a.py", False),
        ("Ask before scaling the checkout deployment.", "kubectl scale deploy/cart --replicas=0", False),
    ],
)
def test_another_object_of_a_like_name_is_left_alone(rule: str, call: str, expected: bool) -> None:
    assert matches(rule, call) is expected


@pytest.mark.parametrize(
    ("rule", "tool", "call", "expected"),
    [
        ("Do not delete customers.", "delete_customer", {"id": 4}, True),
        ("Do not delete customers.", "delete_customer_note", {"id": 4}, False),
        ("Payments above 20,000 USD need my approval.", "create_payment", {"amount": 25000, "currency": "USD"}, True),
        ("Payments above 20,000 USD need my approval.", "create_payment", {"amount": 15000, "currency": "USD"}, False),
        ("付款超过 2 亿越南盾必须先问我。", "create_payment", {"amount": 250_000_000, "currency": "VND"}, True),
    ],
)
def test_a_tools_name_says_what_it_works_on(rule: str, tool: str, call: dict[str, Any], expected: bool) -> None:
    assert matches(rule, call, tool=tool) is expected


def test_a_branch_that_is_only_written_out_is_not_named() -> None:
    (wrong,), (right,) = parse_pattern("git push"), parse_pattern("git push -u origin feat")
    written = with_branch(parse_command("git checkout feat && git push"))[-1]
    named = with_branch(parse_command("git checkout feat && git push origin HEAD"))[-1]
    assert written.operands == named.operands == ("origin", "feat")
    assert condemns(wrong, written, right)
    assert not condemns(wrong, named, right)
