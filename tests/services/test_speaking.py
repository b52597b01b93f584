"""Which rules speak: the database's choice of the first ones is that of the full ranking, read from the front of an index."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlmodel import col, select

from bio_agent_ops.service.context import Context
from bio_agent_ops.service.speaking import rule_line
from bio_agent_schema import beliefs
from bio_agent_schema.tables import BeliefRow
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.block import INJECT_CONFIDENCE, may_be_injected, order_key

pytestmark = pytest.mark.services

T = "default"
PATHS = ["", "workspace:shop"]
# Each of a rule's columns is drawn from these; most rules have the first of each.
DRAWN: dict[str, tuple[Any, ...]] = {
    "state": ("stable", "reinforced", "reinforced", "challenged", "proposed", "deprecated", "rejected", "quarantined"),
    "layer": ("adaptive", "project", "core"),
    "rank": ("agent", "owner", "untrusted", "system"),
    "scope_path": ("", "workspace:shop", "workspace:other"),
    "scope_agent": ("", "coder", "tester"),
    "scope_user": ("", "mai", "an"),
    "confidence": (0.8, 0.59, 0.6, 0.3),
    "helped": (0, 1, 4),
    "hurt": (0, 2),
    "injected": (1, 0, 0, 7),
    "recheck": (False, False, False, True),
    "rendering": ("Run the linter.", "Keep the log.", ""),
}


def _rows(count: int, **fixed: Any) -> list[dict[str, Any]]:
    rng = random.Random(11)
    return [
        {"id": f"{rng.choice('bBaA')}{n:05d}", "content": f"rule {n}", "canonical_key": f"key {n}",
         **{name: rng.choice(values) if rng.random() < 0.5 else values[0] for name, values in DRAWN.items()},
         "born": rng.randrange(6), "begins": rng.choice((-9, -9, -9, 3, 5)), "ends": rng.choice((None, None, 4, -1)), **fixed}
        for n in range(count)
    ]  # fmt: skip


def _insert(ctx: Context, rows: list[dict[str, Any]]) -> None:
    columns = [name for name in rows[0] if name not in ("born", "begins", "ends")]
    into = f"""
        insert into bio.beliefs (tenant, created_at, valid_from, valid_to, {", ".join(columns)})
        values (:t, bio.now() - make_interval(hours => :born), bio.now() + make_interval(hours => :begins),
            bio.now() + make_interval(hours => :ends), {", ".join(":" + name for name in columns)})
    """
    with ctx.db.tenant(T) as session:
        session.execute(text(into), [{"t": T, **row} for row in rows])


def _by_full_ranking(rows: list[BeliefRow], now: Any, agent: str, user: str, most: int) -> tuple[list[str], Any, int]:
    caller = scopes.of_workspace("shop", agent=agent or None, user=user or None)
    lines = {b.id: rule_line(b, []) for b in rows}
    may = [
        b for b in rows
        if may_be_injected(lines[b.id]) and not b.recheck and b.rendering and (b.valid_to is None or b.valid_to > now)
        and scopes.applies(lines[b.id].scope, caller)
    ]  # fmt: skip
    begun = sorted((b for b in may if b.valid_from <= now), key=lambda b: order_key(lines[b.id]))
    first = {b.id for b in [*begun[:most], *[b for b in begun if b.injected == 0][:most]]}
    return sorted(first), min((b.valid_from for b in may if b.valid_from > now), default=None), len(begun)


def test_the_first_are_those_of_the_full_ranking(ctx: Context) -> None:
    _insert(ctx, _rows(600))
    told = set()
    with ctx.db.tenant(T) as session:
        now = beliefs.now(session)
        rows = list(session.exec(select(BeliefRow).where(col(BeliefRow.tenant) == T)))
        for agent, user in (("", ""), ("coder", ""), ("", "mai"), ("tester", "an"), ("nobody", "")):
            for most in (1, 7, 40, 500):
                got = beliefs.speaking(
                    session, T, paths=PATHS, agent=agent, user=user, least=INJECT_CONFIDENCE, most=most, now=now
                )
                chosen = (sorted(r.id for r in got.rules), got.begins, got.in_force)
                assert chosen == _by_full_ranking(rows, now, agent, user, most)
                told.add(len(chosen[0]))
        late = now + timedelta(hours=4, minutes=30)  # some have begun meanwhile, others ended
        got = beliefs.speaking(session, T, paths=PATHS, agent="", user="", least=INJECT_CONFIDENCE, most=9, now=late)
        assert (sorted(r.id for r in got.rules), got.begins, got.in_force) == _by_full_ranking(rows, late, "", "", 9)
    assert max(told) > 40, "not all rules fitted, nor few"


def test_nothing_speaks_where_there_are_no_rules(ctx: Context) -> None:
    with ctx.db.tenant(T) as session:
        got = beliefs.speaking(
            session, T, paths=PATHS, agent="", user="", least=INJECT_CONFIDENCE, most=5, now=beliefs.now(session)
        )
    assert got == beliefs.Speaking([], None, 0)


def test_of_many_rules_the_first_are_read_and_the_others_only_counted(ctx: Context, urls: dict[str, str]) -> None:
    """Rows fetched from the table, which is what grows with the rules: those that are told, however many there are."""
    _insert(ctx, _rows(3_000, state="stable", rank="agent", scope_path="", scope_agent="", scope_user="", recheck=False,
                       rendering="Run the linter. " * 90, begins=-9, ends=None))  # fmt: skip
    engine = create_engine(urls["ADMIN_URL"], isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("vacuum analyze bio.beliefs")
    engine.dispose()
    most, fetched = 30, "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'beliefs'"
    with ctx.db.tenant(T) as session:
        now, before = beliefs.now(session), session.execute(text(fetched)).scalar_one()
        got = beliefs.speaking(session, T, paths=PATHS, agent="", user="", least=INJECT_CONFIDENCE, most=most, now=now)
        assert got.in_force == 3_000
        assert most < len(got.rules) <= 2 * most
        assert session.execute(text(fetched)).scalar_one() - before < 10 * most
