"""A person's words against calls: standing lead-ins, what to use instead, what is lacking, and what a line writes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bio_agent_ops.service.guard_calls import call_of, leaves_branch_open, prose_matches
from bio_agent_ops.service.guard_rules import forms_of_text
from bio_agent_ops.service.wording import still_names
from bio_agent_schema.types import Polarity
from bio_agent_workers.brain.guarding.rule_index import keys_of_call, keys_of_text
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.shell import parse_command, parse_pattern

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def stops(rule: str, call: str | dict[str, Any], tool: str = "Bash", branch: str = "") -> bool:
    """Whether the rule speaks of the call; the index must have found it too."""
    polarity = canonicalize(rule, detect_lang(rule)).polarity
    seen = call_of(tool, {"command": call} if isinstance(call, str) else call, branch)
    hit = bool(prose_matches(rule, polarity, seen, NOW))
    found = set(keys_of_text(rule, polarity, parse_pattern)) & set(keys_of_call(seen.views, seen.acts))
    assert not hit or found, "the index finds what matches"
    return hit


STOPPED = [
    ("Never use sudo.", "cd x && sudo make install"),
    ("以后不要用 sudo。", "sudo apt-get install -y jq"),
    ("Từ giờ đừng dùng sudo.", "sudo ls /root"),
    ("From now on don't use yarn, use npm.", "yarn add left-pad"),
    ("今后不要用 yarn，改用 pnpm。", "yarn install"),
    ("Từ nay đừng dùng pip nữa, dùng uv.", "pip install flask"),
    ("Always use pnpm instead of npm.", "npm install"),
    ("Từ nay đừng chạy docker system prune.", "docker system prune -af"),
    ("Kể từ bây giờ không bao giờ chạy git reset --hard.", "git reset --hard HEAD~1"),
    ("从今以后禁止删除 backups 文件夹。", "rm -rf ./backups/"),
    ("永远不要删除 uploads 目录里的文件。", "find uploads -type f -delete"),
    ("Từ nay về sau đừng xóa thư mục logs.", "rm -rf logs"),
    ("Never change docs/api.md.", "echo x >> docs/api.md"),
    ("Never change docs/api.md.", "cp /tmp/new.md docs/api.md"),
    ("Never change docs/api.md.", "git checkout HEAD~1 -- docs/api.md"),
    ("Never write to /etc.", "echo x > /etc/hosts"),
    ("Never modify the vendor directory.", "rm -rf vendor"),
    ("Never drop tables in Postgres.", 'psql -c "drop table users"'),
    ("绝不要动生产环境的数据库。", 'psql -h prod-1 -c "update a set b=2"'),
    ("Never touch the production database.", 'psql postgres://app@prod.example.com/shop -c "delete from a"'),
    ("Never commit directly to main.", "git switch main && git commit -am x"),
    ("Never run terraform apply without a plan file.", "terraform apply -auto-approve"),
    ("Never run helm upgrade without --atomic.", "helm upgrade api ./chart"),
    ("Never run pytest without -x.", "pytest tests"),
    ("Never overwrite poetry.lock by hand.", "bash -c 'echo x > poetry.lock'"),
    ("Never touch the production database.", "RAILS_ENV=production rails db:migrate"),
    ("Never touch the production database.", "kubectl exec -n production db-0 -- psql -c 'drop table a'"),
    ("Kể từ nay cấm chạy kubectl delete namespace.", "kubectl delete namespace shop"),
    ("Do not run docker-compose here; use: docker compose", "sudo docker-compose up -d --build"),
]
PASSED = [
    ("Never use sudo.", "grep sudo notes.txt"),
    ("From now on don't use yarn, use npm.", "npm install yarn"),
    ("Always use pnpm instead of npm.", "pnpm install"),
    ("Từ nay đừng xóa thư mục logs.", "rm logs.txt.bak"),
    ("Từ nay đừng xóa thư mục logs.", "tail logs/app.log"),
    ("从今以后禁止删除 backups 文件夹。", "rm -rf backups-old"),
    ("Never change docs/api.md.", "cat docs/api.md > /tmp/save.md"),
    ("Never change docs/api.md.", "cp docs/api.md /tmp/save.md"),
    ("Never write to /etc.", "cp /etc/hosts hosts.txt 2> /dev/null"),
    ("Never drop tables in Postgres.", 'mysql -e "drop table users"'),
    ("Never touch the production database.", 'psql -h staging-db -c "delete from a"'),
    ("Never touch the production database.", "npm run build --production"),
    ("Never commit directly to main.", "git switch -c fix/a && git commit -m main"),
    ("Never run terraform apply without a plan file.", "terraform apply plan.tfplan"),
    ("Never run helm upgrade without --atomic.", "helm upgrade api ./chart --atomic"),
    ("Never commit without tests.", "git commit -m x"),
    ("Never run pytest without -x.", "pytest -x tests"),
    ("Never overwrite poetry.lock by hand.", "poetry install"),
    ("Never touch the production database.", "kubectl delete pod web-0 -n production"),
    ("Never touch the production database.", "RAILS_ENV=test rails db:migrate"),
    ("Kể từ nay cấm chạy kubectl delete namespace.", "kubectl delete pod shop"),
    ("Never run npm publish.", "npm run publish-docs"),
    ("Do not run docker-compose here; use: docker compose", "docker compose up -d"),
    ("Never use docker-compose.", "docker ps"),
    ("`docker-compose` is fine here.", "docker-compose up"),
    ("Don't use tabs, use spaces.", "git add tabs.py"),
]


@pytest.mark.parametrize(("rule", "call"), STOPPED)
def test_what_a_rule_stops(rule: str, call: str) -> None:
    assert stops(rule, call)


@pytest.mark.parametrize(("rule", "call"), PASSED)
def test_what_a_rule_lets_pass(rule: str, call: str) -> None:
    assert not stops(rule, call)


@pytest.mark.parametrize(
    ("rule", "tool", "path", "expected"),
    [
        ("Never modify files in migrations/.", "Edit", "/home/u/app/migrations/0001.sql", True),
        ("Never delete files in migrations/.", "Edit", "migrations/0001.sql", False),
        ("永远不要修改 config/prod.yaml。", "Edit", "/srv/app/config/prod.yaml", True),
        ("永远不要修改 config/prod.yaml。", "Edit", "config/dev.yaml", False),
        ("Đừng bao giờ sửa file schema.sql.", "Write", "db/schema.sql", True),
        ("Never touch build.gradle.", "Write", "app/build.gradle", True),
        ("Never touch build.gradle.", "Write", "app/gradle.build.txt", False),
    ],
)
def test_files_written_by_a_tool(rule: str, tool: str, path: str, expected: bool) -> None:
    assert stops(rule, {"file_path": path, "content": "x"}, tool) is expected


def test_a_commit_goes_to_the_branch_the_session_is_on() -> None:
    rule = "Never commit directly to main."
    assert stops(rule, "git commit -m x", branch="main")
    assert not stops(rule, "git commit -m x", branch="fix/a")
    assert not stops(rule, "git commit -m x")
    assert leaves_branch_open(parse_command("git commit -m x"))
    assert not leaves_branch_open(parse_command("git switch -c fix/a && git commit -m x"))
    # A rule about deleting the branch is not about what happens while it is checked out.
    assert not stops("Never delete the main branch.", "git branch -D old", branch="main")


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        ("From now on don't use yarn, use npm.", ["`yarn`"]),
        ("Never drop tables in Postgres.", ["drop: table, postgres"]),
        ("Always answer in English.", []),
        ("`make test` runs the unit tests.", []),
    ],
)
def test_a_rule_says_what_it_is_matched_by(rule: str, forms: list[str]) -> None:
    assert forms_of_text(rule, canonicalize(rule, detect_lang(rule)).polarity) == forms


def _act(tool: str, verb: str, flags: list[str], text: str) -> dict[str, Any]:
    return {"tool": tool, "verb": verb, "flags": flags, "operands": [], "text": text, "form": f"{tool} {verb}".strip()}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Do not run docker-compose here; use: docker compose", True),
        ("Never use `docker-compose`, it is gone.", True),
        ("不要在这里运行 docker-compose，用 docker compose。", True),
        ("Do not run `docker-compose`; use `podman`.", False),
        ("docker-compose is fine here.", False),
        ("Do not run `npm install`.", False),
    ],
)
def test_a_reworded_rule_keeps_its_acts_while_it_names_them(said: str, expected: bool) -> None:
    failed = _act("docker", "", ["@docker-compose"], "docker-compose")
    acts = {"kind": "replace", "failed": failed, "fixed": _act("docker", "", [], "docker compose")}
    assert still_names(said, acts) is expected


def test_a_positive_sentence_condemns_no_command() -> None:
    assert not keys_of_text("`make lint` checks the style.", Polarity.POSITIVE, parse_pattern)
    assert keys_of_text("Never run `make lint`.", Polarity.NEGATIVE, parse_pattern)
