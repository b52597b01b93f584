"""Which commands a guard fact is about: other looks of the output make no other command, other objects do."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from bio_agent_ops.service import guard_near
from bio_agent_schema.tables import GuardFactRow
from bio_agent_workers.shell import parse_command

SAME = [
    ("curl https://a.example/x", "curl -s https://a.example/x"),
    ("cargo test -p ledger", "RUST_BACKTRACE=1 cargo test --package ledger"),
    ("npm run build", "npm run build --silent"),
    ("pytest -q tests/a.py", "pytest tests/a.py"),
    ("pytest tests/a.py", "pytest -v tests/a.py"),
    ("./gradlew test", "time ./gradlew test"),
    ("report --date=2026-01-02", "report --date=2026-01-03"),
    ("job run --id 550e8400-e29b-41d4-a716-446655440000", "job run --id 650e8400-e29b-41d4-a716-446655440001"),
    ("python3 -m unittest", "python -m unittest -v"),
]
OTHER = [
    ("curl https://a.example/x", "curl https://a.example/y"),
    ("npm run build", "NODE_OPTIONS=--max-old-space-size=4096 npm run build"),
    ("pytest tests/a.py", "pytest tests/b.py"),
    ("make -C /srv/a", "make -C /srv/b"),
    ("docker pull reg.example/a:1", "docker pull reg.example/b:1"),
    ("ssh a.example ls", "ssh b.example ls"),
    ("cat /etc/a", "cat /etc/b"),
    ("cp /a/x /b", "cp /a/x /c"),
    ("git push", "git push --force"),
    ("./gradlew test", "./gradlew assemble"),
]


def warns(failed: str, now: str) -> bool:
    act, acts = parse_command(failed)[-1], parse_command(now)
    fact = GuardFactRow(tenant="t", workspace="w", act_form=act.form, act=asdict(act))
    return fact.act_form in set(guard_near.forms_of(acts)) and guard_near.about(fact, acts)


@pytest.mark.parametrize(("failed", "now"), SAME)
def test_the_same_command_in_another_look_is_warned_of(failed: str, now: str) -> None:
    assert warns(failed, now)


@pytest.mark.parametrize(("failed", "now"), OTHER)
def test_the_same_command_on_another_object_is_not(failed: str, now: str) -> None:
    assert not warns(failed, now)
