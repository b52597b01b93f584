"""What a tenant may use, and what it has used: observations and model tokens by day, rules in force.

A day is one of UTC. Beyond the observations of a day, what comes in is stored and waits for the next day; beyond the tokens,
no model is asked until the next day or month; beyond the rules, what was learned stays a memory. Nothing accepted is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import TenantRow

WARN_AT = 0.8  # share of a limit from which it is said


@dataclass(frozen=True, slots=True)
class Limits:
    """0: no limit. rules: proposed and in force together."""

    observations_a_day: int = 0
    tokens_a_day: int = 0
    tokens_a_month: int = 0
    rules: int = 0

    def but(self, own: Mapping[str, Any]) -> Limits:
        """These limits where the tenant has none of its own."""
        return replace(self, **{k: int(v) for k, v in own.items() if k in self.names()})

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(cls.__slots__)


def limits_of(session: Session, tenant: str, defaults: Limits) -> Limits:
    own = session.execute(text("select limits from bio.tenants where tenant = :t"), {"t": tenant}).scalar()
    return defaults.but(own or {})


def used(session: Session, tenant: str) -> dict[str, int]:
    """How much of each limit is used now."""
    return _spent(session, tenant) | {"rules": rule_count(session, tenant)}


def _spent(session: Session, tenant: str) -> dict[str, int]:
    row = session.execute(
        text(
            """
            with d as (select (bio.now() at time zone 'UTC')::date as today)
            select coalesce(sum(u.amount) filter (where u.what = 'observations' and u.day = d.today), 0) as observations_a_day,
                   coalesce(sum(u.amount) filter (where u.what = 'tokens' and u.day = d.today), 0) as tokens_a_day,
                   coalesce(sum(u.amount) filter (where u.what = 'tokens'), 0) as tokens_a_month
            from d left join bio.usage u on u.tenant = :t and u.day >= date_trunc('month', d.today)::date and u.day <= d.today
            """
        ),
        {"t": tenant},
    ).mappings().one()  # fmt: skip
    return {k: int(v) for k, v in row.items()}


def rule_count(session: Session, tenant: str) -> int:
    count: int = session.execute(
        text(
            "select count(*) from bio.beliefs where tenant = :t"
            " and state in ('proposed', 'reinforced', 'stable', 'challenged')"
        ),
        {"t": tenant},
    ).scalar_one()
    return count


def spend(session: Session, tenant: str, what: str, amount: int, limits: Limits) -> None:
    """Count what was used today; say in the audit when a limit, or the share of it that warns, is passed.

    what: "observations" or "tokens". Amounts of one transaction are passed once, whoever counts beside it.
    """
    if amount <= 0:
        return
    _add(session, tenant, what, amount)
    if not any(getattr(limits, n) for n in limits.names() if n.startswith(what)):
        return
    now = _spent(session, tenant)
    for name in (n for n in limits.names() if n.startswith(what) and getattr(limits, n)):
        limit, after = getattr(limits, name), now[name]
        passed = next((s for s in (1.0, WARN_AT) if after - amount < s * limit <= after), None)
        if passed is not None:
            act = "quota_reached" if passed == 1.0 else "quota_near"
            audit(
                session,
                tenant,
                [Entry(act, subject=f"tenant:{tenant}", cause=name, data={"limit": limit, "used": after})],
            )


def note(session: Session, tenant: str, what: str, amount: int) -> None:
    """Count what is shown but not limited, such as the tokens of one stage and model."""
    if amount > 0:
        _add(session, tenant, what, amount)


def noted_today(session: Session, tenant: str, what: str) -> int:
    """How much of `what` was counted today."""
    amount = session.execute(
        text(
            "select amount from bio.usage where tenant = :t and what = :w"
            " and day = (bio.now() at time zone 'UTC')::date"
        ),
        {"t": tenant, "w": what},
    ).scalar()
    return int(amount or 0)


def _add(session: Session, tenant: str, what: str, amount: int) -> None:
    session.execute(
        text(
            "insert into bio.usage as u (tenant, day, what, amount) values (:t, (bio.now() at time zone 'UTC')::date, :w, :n)"
            " on conflict (tenant, day, what) do update set amount = u.amount + excluded.amount"
        ),
        {"t": tenant, "w": what[:200], "n": amount},
    )


def spent_by(session: Session, tenant: str) -> dict[str, int]:
    """This month's tokens by stage and model: "tokens label gpt-x" → amount."""
    rows = session.execute(
        text(
            "select what, sum(amount) from bio.usage where tenant = :t and what like 'tokens %'"
            " and day >= date_trunc('month', bio.now() at time zone 'UTC')::date group by 1 order by 1"
        ),
        {"t": tenant},
    ).all()
    return {r[0]: int(r[1]) for r in rows}


def over(session: Session, tenant: str, limits: Limits, what: str, ahead: int = 0) -> str:
    """The limit of that kind ("observations", "tokens" or "rules") that is used up, "" when none is.

    ahead: what is about to be spent at least. It counts once something is used: a limit smaller than one request lets one
    of a period through instead of none for ever.
    """
    names = [n for n in limits.names() if n.startswith(what) and getattr(limits, n)]
    if not names:
        return ""
    now = {"rules": rule_count(session, tenant)} if what == "rules" else _spent(session, tenant)
    return next((n for n in names if now[n] >= getattr(limits, n) or 0 < now[n] > getattr(limits, n) - ahead), "")


def seconds_left(session: Session, name: str) -> float:
    """Until the period of that limit ends, by the database's clock."""
    period = "month" if name.endswith("month") else "day"
    found: float = session.execute(
        text(
            "select extract(epoch from date_trunc(:p, bio.now() at time zone 'UTC') + cast('1 ' || :p as interval)"
            " - (bio.now() at time zone 'UTC'))"
        ),
        {"p": period},
    ).scalar_one()
    return float(found)


def hold(session: Session, tenant: str, for_s: float) -> datetime:
    """Let the tenant's scopes wait for so long; an owner's directive is taken up all the same. Returns until when."""
    until: datetime = session.execute(text("select bio.now() + make_interval(secs => :s)"), {"s": for_s}).scalar_one()
    session.execute(
        text("update bio.l1_scopes set held_until = :u where tenant = :t and (held_until is null or held_until < :u)"),
        {"t": tenant, "u": until},
    )
    return until


def held_until(session: Session, tenant: str) -> datetime | None:
    """Until when what is new in the tenant waits; None when it does not."""
    found: datetime | None = session.execute(
        text(
            "select max(held_until) from bio.l1_scopes where tenant = :t and new_count > 0 and held_until > bio.now()"
        ),
        {"t": tenant},
    ).scalar()
    return found


def set_limits(session: Session, tenant: str, own: Mapping[str, int | None], *, actor: str) -> None:
    """Give the tenant limits of its own; None takes one back. What waited is looked at again at once."""
    row = session.get_one(TenantRow, tenant, with_for_update=True)
    kept = dict(row.limits)
    for name, value in own.items():
        kept.pop(name, None)
        if value is not None:
            kept[name] = value
    before, row.limits = dict(row.limits), kept
    session.add(row)
    session.execute(text("update bio.l1_scopes set held_until = null where tenant = :t"), {"t": tenant})
    audit(session, tenant, [
        Entry("quotas_set", subject=f"tenant:{tenant}", actor=actor, data={"before": before, "after": kept}),
    ])  # fmt: skip


def view(session: Session, tenant: str, defaults: Limits) -> dict[str, Any]:
    """Each limit with what is used of it, how near that is, what waits because of it, and the tokens by stage and model."""
    limits, now = limits_of(session, tenant, defaults), used(session, tenant)
    shown = {
        name: {"limit": limit or None, "used": now[name],
               "standing": "none" if not limit else "reached" if now[name] >= limit
               else "near" if now[name] >= WARN_AT * limit else "within"}
        for name, limit in asdict(limits).items()
    }  # fmt: skip
    return {"limits": shown, "held_until": held_until(session, tenant), "tokens_this_month": spent_by(session, tenant)}
