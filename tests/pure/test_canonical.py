"""Two texts with one key must be interchangeable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.relations.canonical import canonicalize, generalise, read


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Never force-push to main.", "Don't ever force-push to main."),
        ("Force-pushing to main is forbidden.", "Never force-push to main"),
        ("You must not commit secrets to git.", "Secrets must never be committed to git."),
        ("Avoid pushing to main", "Do not push to main"),
        ("Before each push, run the tests.", "Run the tests before each push"),
        ("Use two spaces.", "Always use 2 spaces"),
        ("Meetings start at 5pm.", "Meetings start at 17:00"),
        ("Please use single quotes", "From now on, use single quotes."),
        ("Payments over 1,000,000 VND need approval", "Payments over 1.000.000 đồng need approval"),
        ("禁止在生产环境直接改库", "不要在生产环境直接改库。"),
        ("以后提交前必须跑测试", "提交前请跑测试"),
        ("做数据迁移时请使用备份库", "数据迁移要用备份库"),
        ("Cấm xóa nhánh chính.", "Không được xóa nhánh chính"),
        ("Từ nay chạy test trước khi commit", "Trước khi commit phải chạy test nhé"),
    ],
)
def test_paraphrases_share_a_key(a: str, b: str) -> None:
    assert canonicalize(a).key == canonicalize(b).key


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use Node 18", "Use Node 20"),
        ("The limit is 10 %", "The limit is 10 ms"),
        ("Use v1.2.3", "Use v1.2.4"),
        ("Keep 5 GB free", "Keep 5 MB free"),
        ("Wait 5 s", "Wait 5 min"),
        ("The price is $5", "The price is €5"),
        ("Store it at -18 °C", "Store it at 18 °C"),
        ("Release on Monday", "Release on Friday"),
        ("2026-03-01: reconciled", "2026-04-01: reconciled"),
        ("Merge dev into main", "Merge main into dev"),
        ("Never push to main", "Always push to main"),
        ("You may push to main", "You must push to main"),
        ("You need not push to main", "You must not push to main"),
        ("Deploy before 17:00", "Deploy after 17:00"),
        ("Ask Anna before paying", "Ask Hannah before paying"),
        ("The manager approves the director's orders", "The director approves the manager's orders"),
        ("Reach for pathlib, not os.path", "Reach for os.path, not pathlib"),
        ("Commit .env", "Commit .env.example"),
        ("Compare with ===", "Compare with =="),
        ("Do not deploy unless tests pass", "Do not deploy when tests pass"),
        ("Use only npm", "Use npm"),
        ("私钥必须放在保险库里", "公钥必须放在保险库里"),
        ("每周一备份", "每周二备份"),
        ("不必审批", "不得审批"),
        ("发布前先备份", "发布后先备份"),
        ("Không cần duyệt", "Không được duyệt"),
        ("Để bàn hàng trước cửa", "Để bán hàng trước cửa"),
    ],
)
def test_different_rules_never_share_a_key(a: str, b: str) -> None:
    assert canonicalize(a).key != canonicalize(b).key


def test_slots() -> None:
    rule = canonicalize("If the build fails, do not deploy to production unless the lead agrees.")
    assert rule.lang == "en"
    assert rule.polarity is Polarity.NEGATIVE
    assert rule.action == ("deploy",)
    assert "production" in " ".join(rule.object)
    assert "build" in rule.condition
    assert "lead" in rule.exception


def test_a_double_negative_obliges() -> None:
    assert canonicalize("It is not acceptable for a password not to be hashed.").polarity is Polarity.POSITIVE


@given(st.text(max_size=120))
def test_any_text_has_a_stable_nonempty_key(text: str) -> None:
    assert canonicalize(text).key == canonicalize(text).key
    assert canonicalize(text).key
    assert read(text).lang in {"en", "zh", "vi"}


@given(st.integers(min_value=0, max_value=999), st.integers(min_value=0, max_value=999))
def test_digits_keep_rules_apart(a: int, b: int) -> None:
    same = canonicalize(f"Retry at most {a} times").key == canonicalize(f"Retry at most {b} times").key
    assert same == (a == b)


@pytest.mark.parametrize(
    ("text", "general", "only_literal"),
    [
        ("Do not run npm install in /home/u1/project_a", "Do not run npm install in <project_root>", False),
        ("Order SO-30991 was delayed", "Order <id> was delayed", True),
        ("Delete /tmp/x.lock", "Delete <project_root>", True),
        ("Never edit /etc/hosts by hand", "Never edit /etc/hosts by hand", False),
        ("Send a token header to 10.0.0.3:8080", "Send a token header to <host>", False),
        ("Refunds above 5000 need approval", "Refunds above 5000 need approval", False),
        ("Write to ops@corp.example", "Write to <email>", True),
    ],
)
def test_literals_become_placeholders(text: str, general: str, only_literal: bool) -> None:
    assert generalise(text) == (general, only_literal)
