"""Who calls: the tenant and what may be claimed come from the credential, never from the body.

No credential on loopback: tenant `default`, owner only for what a user said. An API key: its tenant, its ceiling. The
owner's token: the person who owns this installation, who alone approves, rejects, pins and grants.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass

from sqlalchemy import text

from bio_agent_client.observation import uuid7
from bio_agent_schema.db import TENANT_NAME, Database, ensure_tenant
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import ApiKeyRow

KEY_PREFIX = "bio_"
CACHE_S = 5.0  # a revoked key works at most this long


class Denied(Exception):
    """401 or 403 with what to do about it; says nothing about what exists."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Caller:
    """tenant: whose data; actor: for the audit; person: may do a person's acts; ceiling: highest provenance it may
    claim, None for the loopback defaults."""

    tenant: str
    actor: str
    person: bool
    ceiling: str | None


def key_hash(key: str) -> str:
    return hashlib.sha256(b"bio-agent api key\0" + key.encode()).hexdigest()


class Gate:
    """Turns an Authorization header into a Caller. `open_default`: whether callers without a credential are taken."""

    def __init__(self, db: Database, owner_token: str, *, open_default: bool) -> None:
        self._db, self._token, self._open = db, owner_token, open_default
        self._cache: dict[str, tuple[float, Caller]] = {}

    def caller(self, header: str | None, wanted_tenant: str | None = None) -> Caller:
        """`wanted_tenant` (header X-Bio-Tenant) is obeyed for the owner's token only; a key has its own. Raises Denied."""
        if not header:
            if not self._open:
                raise Denied(401, "send Authorization: Bearer with an API key (`bio-agent keys create`)")
            if wanted_tenant not in (None, "", "default"):
                raise Denied(401, "a tenant is named with its own key, or with the owner's token and X-Bio-Tenant")
            return Caller("default", "loopback", False, None)
        scheme, _, given = header.partition(" ")
        given = given.strip()
        if scheme.lower() != "bearer" or not given:
            raise Denied(401, "the Authorization header must be: Bearer KEY")
        if self._token and hmac.compare_digest(given.encode(), self._token.encode()):
            tenant = wanted_tenant or "default"
            if not TENANT_NAME.fullmatch(tenant):
                raise Denied(403, "X-Bio-Tenant must be 1 to 63 of a-z, 0-9, '-' and '_'")
            return Caller(tenant, "owner", True, "owner")
        return self._by_key(given)

    def _by_key(self, key: str) -> Caller:
        digest = key_hash(key)
        cached = self._cache.get(digest)
        if cached and time.monotonic() - cached[0] < CACHE_S:
            return cached[1]
        with self._db.across() as session:
            row = session.execute(text("select * from bio.authenticate(:h)"), {"h": digest}).first()
        if row is None:
            raise Denied(
                401, "this key is not known, has expired or was revoked; make one with `bio-agent keys create`"
            )
        caller = Caller(row.tenant, f"key:{row.id}", False, row.ceiling)
        if len(self._cache) > 10_000:
            self._cache.clear()
        self._cache[digest] = (time.monotonic(), caller)
        return caller


def need_person(caller: Caller) -> None:
    if not caller.person:
        raise Denied(
            403, "this is an act of a person: send the owner's token (the file owner.token in the home) as Bearer"
        )


def create_key(db: Database, tenant: str, ceiling: str, days: int | None) -> tuple[str, str]:
    """Make a key for the tenant (made too if new). Returns (id, key); only its hash is kept."""
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    with db.tenant(tenant) as session:
        ensure_tenant(session, tenant)
        row = ApiKeyRow(tenant=tenant, id=uuid7(), prefix=key[:8], hash=key_hash(key), ceiling=ceiling)
        session.add(row)
        session.flush()
        if days:
            session.execute(
                text(
                    "update bio.api_keys set expires_at = bio.now() + make_interval(days => :d) where tenant = :t and id = :i"
                ),
                {"d": days, "t": tenant, "i": row.id},
            )
        audit(
            session, tenant, [Entry("key_created", subject=f"key:{row.id}", actor="owner", data={"ceiling": ceiling})]
        )
        return row.id, key


def revoke_key(db: Database, tenant: str, key_id: str) -> bool:
    with db.tenant(tenant) as session:
        done = session.execute(
            text(
                "update bio.api_keys set revoked_at = bio.now() where tenant = :t and id = :i and revoked_at is null returning id"
            ),
            {"t": tenant, "i": key_id},
        ).first()
        if done:
            audit(session, tenant, [Entry("key_revoked", subject=f"key:{key_id}", actor="owner")])
        return done is not None
