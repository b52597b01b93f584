"""Cached verdicts of an NLI model on pairs of rules, erased on request: all of a tenant, of one model, or of one text."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_workers.stages.judging import pair_key


def erase(session: Session, tenant: str, *, model_id: str = "") -> int:
    """Erase a tenant's cached verdicts, of one model where it is named. Returns how many there were."""
    rows = session.execute(
        text(
            "delete from bio.verdicts where tenant = :t and (cast(:m as text) = '' or model_id = cast(:m as text)) returning 1"
        ),
        {"t": tenant, "m": model_id},
    ).all()
    return len(rows)


def erase_pairs(session: Session, tenant: str, content: str, others: Iterable[str]) -> int:
    """Erase what was judged of one text against others, in either order. Returns how many verdicts there were."""
    keys = [pair_key(content, other)[0] for other in others]
    rows = session.execute(
        text("delete from bio.verdicts where tenant = :t and pair = any(:keys) returning 1"),
        {"t": tenant, "keys": keys},
    ).all()
    return len(rows)
