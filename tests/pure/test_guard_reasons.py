"""Rules that say why, or what is to be used instead: the reason takes nothing from them, and what is recommended is free."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.guarding.rule_clause import without_reasons
from tests.pure.test_guard_words import stops

# Each: the rule, a call that it stops, a call that it lets pass.
REASONED = [
    ("Never push to master, it starts the release", "git push origin master", "git push origin topic"),
    ("Don't push to production, that pages the whole team", "git push origin production", "git push origin topic"),
    ("Never run terraform destroy, I once wiped staging with it", "terraform destroy", "terraform plan"),
    ("Never force-push, people lose their commits", "git push --force", "git push"),
    ("Never use yarn, it rewrites the lockfile", "yarn add x", "npm install x"),
    ("Never push to master, always go through review", "git push origin master", "git push origin topic"),
    ("Never push to master, send a patch instead", "git push origin master", "git push origin topic"),
    ("Don't delete the uploads folder, our customers' photos are in there", "rm -rf uploads", "rm -rf build"),
    ("No more git reset --hard, it cost me a day", "git reset --hard HEAD~1", "git status"),
    ("Never push to master, it deploys, and everyone gets a message", "git push origin master", "git push origin a"),
    ("Because it starts the release, never push to master", "git push origin master", "git push origin topic"),
    ("不要推送到 master，会触发发布", "git push origin master", "git push origin topic"),
    ("禁止删除 uploads 目录，我们的照片都在里面", "rm -rf uploads", "rm -rf build"),
    ("不要用 yarn，否则锁文件会乱", "yarn add x", "npm install x"),
    ("Đừng push lên master, nó sẽ phát hành ngay", "git push origin master", "git push origin topic"),
    ("Không được chạy terraform destroy, tôi từng mất hết staging", "terraform destroy", "terraform plan"),
    ("Đừng dùng yarn, kẻo hỏng lockfile", "yarn add x", "npm install x"),
]
CONTRASTED = [
    ("Never use yarn, we use bun", "yarn add x", "bun add x"),
    ("Don't use yarn, we're on pnpm", "yarn add x", "pnpm add x"),
    ("Never use pip because the team uses poetry", "pip install x", "poetry add x"),
    ("Please never run yarn here: we use pnpm", "yarn install", "pnpm install"),
    ("We use podman, never docker", "docker run x", "podman run x"),
    ("In this repo we use bun, never yarn", "yarn add x", "bun add x"),
    ("We use bun and never yarn", "yarn add x", "bun add x"),
    ("这个项目用 bun，绝不用 yarn", "yarn add x", "bun add x"),
    ("Only use uv, never pip", "pip install flask", "uv pip install flask"),
    ("Always use bun, don't use yarn", "yarn add x", "bun add x"),
    ("Because we use bun, never use yarn", "yarn add x", "bun add x"),
    ("别用 docker，团队统一用 podman", "docker run x", "podman run x"),
    ("不要用 yarn，因为我们用 bun", "yarn add x", "bun add x"),
    ("我们用 podman，禁止使用 docker", "docker run x", "podman run x"),
    ("只用 bun，绝不要用 yarn", "yarn add x", "bun add x"),
    ("Đừng dùng docker vì cả nhóm dùng podman", "docker run x", "podman run x"),
    ("Đừng dùng yarn, chúng tôi dùng bun", "yarn add x", "bun add x"),
    ("Luôn dùng uv, không bao giờ dùng pip", "pip install flask", "uv pip install flask"),
]


@pytest.mark.parametrize(("rule", "stopped", "passed"), REASONED + CONTRASTED)
def test_what_follows_a_rule_takes_nothing_from_it(rule: str, stopped: str, passed: str) -> None:
    assert stops(rule, stopped), f"not stopped: {stopped}"
    assert not stops(rule, passed), f"stopped: {passed}"


@pytest.mark.parametrize(
    "rule",
    [
        "Never push to main, develop or release",
        "Never push to main, unless I say so",
        "Never deploy, if the tests are red",
        "Never delete backups, that are older than a week",
        "Never drop the users table, the orders table or our backups",
        "Never delete the backups, the logs are fine",
        "Never deploy on Friday, I want to be asked first",
        "On prod, we never run migrations",
        "We use main for releases, never push without asking",
        "We are on a freeze, never deploy",
        "Files in /srv/x are ours, never change them",
        "Never merge, always ask me first",
        "在生产环境，我们不要跑迁移",
        "不要删除备份，日志可以删",
        "不要推送到 main，develop，release",
        "Đừng push lên main, develop hay release",
        "Đừng deploy, trừ khi tôi đồng ý",
        "Trên prod, chúng ta không chạy migration",
    ],
)
def test_lists_conditions_and_places_stay(rule: str) -> None:
    assert without_reasons(rule) == rule


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("Never restart node-7, it is training, unless I tell you", "Never restart node-7, unless I tell you"),
        ("Ask me before you deploy, it pages people", "Ask me before you deploy"),
        ("No more than 3 replicas, we pay for each", "No more than 3 replicas"),
        ("We use pnpm, never npm", "never npm"),
        ("部署之前先问我，会通知客户", "部署之前先问我"),
        ("Hỏi tôi trước khi deploy, vì khách sẽ bị ảnh hưởng", "Hỏi tôi trước khi deploy"),
    ],
)
def test_only_the_reason_is_cut_off(rule: str, left: str) -> None:
    assert without_reasons(rule) == left
