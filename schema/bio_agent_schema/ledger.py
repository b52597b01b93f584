"""What is written beside the work: audit, model calls, dead letters, tombstones.

An audit row is written in the transaction that changes something; it holds ids, states, numbers and keyed hashes, never text.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_client.observation import uuid7
from bio_agent_schema.db import INSTANCE
from bio_agent_schema.tables import DeadLetterRow, ModelCallRow, TenantRow


@dataclass(frozen=True, slots=True)
class Entry:
    """One audited step. `subject` is a typed id such as `belief:…`; `cause` a short code."""

    act: str
    subject: str = ""
    actor: str = "system"
    episode_id: str = ""
    cycle_id: str = ""
    cause: str = ""
    before: str = ""
    after: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


_INSERT = text(
    """
    insert into bio.audit (tenant, actor, act, subject, episode_id, cycle_id, cause, before, after, data, instance)
    select :tenant, e.actor, e.act, e.subject, e.episode_id, e.cycle_id, e.cause, e.before, e.after, e.data, :instance
    from jsonb_to_recordset(cast(:entries as jsonb)) as e(actor text, act text, subject text, episode_id text,
        cycle_id text, cause text, before text, after text, data jsonb)
    """
)


def audit(session: Session, tenant: str, entries: Iterable[Entry]) -> None:
    rows = [
        {
            "actor": e.actor, "act": e.act, "subject": e.subject, "episode_id": e.episode_id, "cycle_id": e.cycle_id,
            "cause": e.cause, "before": e.before, "after": e.after, "data": dict(e.data),
        }
        for e in entries
    ]  # fmt: skip
    if rows:
        session.execute(_INSERT, {"tenant": tenant, "instance": INSTANCE, "entries": json.dumps(rows, default=str)})


def keyed_hash(secret: bytes, value: str) -> str:
    """A hash that tells equal texts of one tenant and nothing to anyone without the tenant's secret."""
    return hmac.new(secret, value.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def tenant_secret(session: Session, tenant: str) -> bytes:
    return session.exec(select(TenantRow.secret).where(TenantRow.tenant == tenant)).one()


def audit_of(
    session: Session, tenant: str, *, episode_id: str = "", subject: str = "", limit: int = 500
) -> list[dict[str, Any]]:
    """Audit rows oldest first: of an episode (also as part of a cycle), of a subject, or the newest of the tenant."""
    rows = session.execute(
        text(
            """
            select seq, at, actor, act, subject, episode_id, cycle_id, cause, before, after, data, instance
            from bio.audit where tenant = :tenant
              and (:episode = '' or episode_id = :episode or subject = 'episode:' || :episode
                   or (data -> 'episodes') ? :episode
                   or cycle_id in (select distinct cycle_id from bio.audit where tenant = :tenant and cycle_id <> ''
                                   and (data -> 'episodes') ? :episode) and episode_id = '')
              and (:subject = '' or subject = :subject)
            order by seq desc limit :limit
            """
        ),
        {"tenant": tenant, "episode": episode_id, "subject": subject, "limit": limit},
    ).mappings()
    return [dict(r) for r in rows][::-1]


def stored_replies(session: Session, tenant: str, digests: Sequence[str]) -> dict[str, ModelCallRow]:
    """Replies that are stored under these digests."""
    rows = session.exec(
        select(ModelCallRow).where(ModelCallRow.tenant == tenant, col(ModelCallRow.digest).in_(list(digests)))
    )
    return {r.digest: r for r in rows}


def stored_labels(session: Session, tenant: str, root: str) -> Mapping[str, dict[str, Any]]:
    """Labels that a model already gave, in any cycle of this root, by episode id: a halved batch asks for none twice."""
    known: dict[str, dict[str, Any]] = {}
    calls = session.exec(
        select(ModelCallRow).where(
            ModelCallRow.tenant == tenant, ModelCallRow.cycle_root == root, ModelCallRow.role == "label"
        )
    )
    for call in calls:
        for label in call.data.get("labels", []):
            n = label.get("n")
            if isinstance(n, int) and 1 <= n <= len(call.episode_ids):
                known.setdefault(call.episode_ids[n - 1], label)
    return known


def store_reply(session: Session, row: ModelCallRow) -> None:
    """Keep a reply under its digest; a second writer of the same digest changes nothing."""
    values = row.model_dump(exclude={"created_at"})
    values["data"] = json.dumps(values["data"])
    session.execute(
        text(
            """
            insert into bio.model_calls (tenant, digest, cycle_root, cycle_id, role, model_id, prompt_version,
                episode_ids, raw_input, raw_output, data, input_tokens, output_tokens)
            values (:tenant, :digest, :cycle_root, :cycle_id, :role, :model_id, :prompt_version,
                :episode_ids, :raw_input, :raw_output, cast(:data as jsonb), :input_tokens, :output_tokens)
            on conflict do nothing
            """
        ),
        values,
    )


def calls_of_episode(session: Session, tenant: str, episode_id: str) -> list[ModelCallRow]:
    return list(
        session.exec(
            select(ModelCallRow)
            .where(ModelCallRow.tenant == tenant, text(":episode = any(episode_ids)").bindparams(episode=episode_id))
            .order_by(ModelCallRow.created_at)  # type: ignore[arg-type]
        )
    )


def bury(
    session: Session, tenant: str, *, kind: str, subject: str, stage: str, cause: str, attempts: int, payload: str = ""
) -> str:
    """Put something into the dead letters and say so in the audit. Returns the dead letter's id."""
    letter = DeadLetterRow(
        tenant=tenant, id=uuid7(), kind=kind, subject=subject, stage=stage, cause=cause[:2000], attempts=attempts,
        payload=payload[:65536],
    )  # fmt: skip
    session.add(letter)
    session.flush()
    audit(session, tenant, [
        Entry("dead_letter", subject=f"{kind}:{subject}", episode_id=subject if kind == "episode" else "",
              cause=stage, data={"attempts": attempts, "letter": letter.id}),
    ])  # fmt: skip
    return letter.id


def seal(session: Session, tenant: str, most: int = 5000) -> int:
    """Chain the audit rows that are not sealed yet: each seal covers the row and the seal before it.

    Runs apart from the writers, so that they never queue on the chain. Returns how many rows were sealed.
    """
    session.execute(text("select pg_advisory_xact_lock(hashtext('bio.seal:' || :t))"), {"t": tenant})
    previous = session.execute(
        text("select seal from bio.audit where tenant = :t and seal <> '' order by seq desc limit 1"), {"t": tenant}
    )
    chain = previous.scalar() or ""
    rows = session.execute(
        text(
            "select seq, at, actor, act, subject, episode_id, cycle_id, cause, before, after, data from bio.audit"
            " where tenant = :t and seal = '' and at < bio.now() - interval '60 seconds' order by seq limit :most"
        ),
        {"t": tenant, "most": most},
    ).all()
    seals = []
    for row in rows:
        chain = row_seal(chain, row)
        seals.append({"t": tenant, "seq": row[0], "seal": chain})
    if seals:
        session.execute(text("update bio.audit set seal = :seal where tenant = :t and seq = :seq"), seals)
    return len(seals)


def row_seal(previous: str, row: Sequence[Any]) -> str:
    body = json.dumps([v.isoformat() if isinstance(v, datetime) else v for v in row], sort_keys=True, default=str)
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()
