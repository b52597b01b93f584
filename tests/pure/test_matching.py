"""Guard matching: a rule and the act about to be done."""

from __future__ import annotations

from typing import Any

import pytest

from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.matching import condemns, match_prose, read_rule, rule_commands
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
