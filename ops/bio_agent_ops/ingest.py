"""The HTTP way onto the stream: parse, cap, redact, append; accepted means that the stream holds it.

Runs in the event loop with no database work for observations whose id was made here; only ids given by the caller are
looked up, to tell repeats.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import redis.asyncio as aredis
from redis.exceptions import RedisError, ResponseError
from sqlalchemy.exc import SQLAlchemyError

from bio_agent_client.names import safe_reason
from bio_agent_client.observation import Observation, Refused, to_wire
from bio_agent_client.redact import prepare
from bio_agent_client.transport import STREAM_FIELD, stream_key
from bio_agent_ops.auth import Caller
from bio_agent_schema import cycles, episodes, ledger
from bio_agent_schema.db import Database, ensure_tenant
from bio_agent_workers.trust import voucher

log = logging.getLogger("bio.http")

MOST_AT_ONCE = 1_000  # observations in one request
RECENT_IDS = 200_000  # ids remembered per process, for repeats that the stream still holds
WAITING_EVERY_S = 5.0  # how often it is looked at how many episodes of a tenant wait
BACKLOG_EVERY_S = 0.5  # how often a stream's length is looked at


class Busy(Exception):
    """The tenant's backlog is full, or the stream cannot take more now: 429 / 503 with Retry-After."""

    def __init__(self, status: int, reason: str, retry_after_s: int) -> None:
        super().__init__(reason)
        self.status, self.reason, self.retry_after_s = status, reason, retry_after_s


class Ingest:
    def __init__(self, db: Database, url: str, max_backlog: int, max_waiting: int = 1_000_000) -> None:
        self._db = db
        self._redis: aredis.Redis = aredis.Redis.from_url(
            url, socket_timeout=5, socket_connect_timeout=5, health_check_interval=10, protocol=2
        )
        self._max_backlog, self._max_waiting = max_backlog, max_waiting
        self._secrets: dict[str, bytes] = {}
        self._recent: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._backlog: dict[str, tuple[float, int]] = {}
        self._waiting: dict[str, tuple[float, int]] = {}
        self._looking: dict[str, asyncio.Task[None]] = {}

    async def secret(self, tenant: str) -> bytes:
        if tenant not in self._secrets:
            self._secrets[tenant] = await asyncio.to_thread(self._load_secret, tenant)
        return self._secrets[tenant]

    def _load_secret(self, tenant: str) -> bytes:
        with self._db.tenant(tenant) as session:
            ensure_tenant(session, tenant)  # the name comes from a credential: the owner may begin a new one
            return ledger.tenant_secret(session, tenant)

    async def backlog(self, tenant: str) -> int:
        """Unread observations of the tenant, at most half a second old."""
        at, length = self._backlog.get(tenant, (-1.0, 0))
        if time.monotonic() - at > BACKLOG_EVERY_S:
            length = int(await self._redis.xlen(stream_key(tenant)))
            self._backlog[tenant] = (time.monotonic(), length)
        return length

    def waiting(self, tenant: str) -> int:
        """Episodes of the tenant that wait for consolidation, as they were when last looked at. Looking is left to the side:
        a database that is away must not keep the stream from taking what comes in."""
        at, count = self._waiting.get(tenant, (float("-inf"), 0))
        if time.monotonic() - at > WAITING_EVERY_S and tenant not in self._looking:
            self._looking[tenant] = asyncio.create_task(self._look(tenant))
        return count

    async def _look(self, tenant: str) -> None:
        _, count = self._waiting.get(tenant, (0.0, 0))
        try:
            count = await asyncio.to_thread(self._count_waiting, tenant)
        except SQLAlchemyError as error:
            log.warning("how many observations of %s wait is not known: %s", tenant, type(error).__name__)
        finally:
            self._waiting[tenant] = (time.monotonic(), count)
            self._looking.pop(tenant, None)

    def _count_waiting(self, tenant: str) -> int:
        with self._db.tenant(tenant) as session:
            return cycles.waiting_count(session, tenant)

    async def take(self, caller: Caller, body: Any) -> dict[str, Any]:
        """`body`: one observation or a list. Returns {accepted, ids, duplicates, refused}. Raises Busy."""
        given: Sequence[Any] = body if isinstance(body, list) else [body]
        if len(given) > MOST_AT_ONCE:
            raise Refused(f"{len(given)} observations at once; send at most {MOST_AT_ONCE}", "body")
        secret = await self.secret(caller.tenant)
        try:
            if await self.backlog(caller.tenant) > self._max_backlog:
                raise Busy(429, "the backlog of this tenant is full; keep the observations and send them again", 5)
            if self.waiting(caller.tenant) > self._max_waiting:
                raise Busy(
                    429,
                    "too many observations of this tenant wait for consolidation (see its quotas in /api/status); keep these"
                    " and send them again later",
                    60,
                )
            return await self._append(caller, given, secret)
        except ResponseError as error:
            raise Busy(
                503, f"the stream cannot take more now ({str(error).split()[0]}); send it again later", 5
            ) from error
        except RedisError as error:
            raise Busy(503, f"the stream is away ({type(error).__name__}); send it again", 2) from error

    async def _append(self, caller: Caller, given: Sequence[Any], secret: bytes) -> dict[str, Any]:
        refused: list[dict[str, Any]] = []
        parsed: list[tuple[Observation, bool]] = []
        for i, obj in enumerate(given):
            try:
                named = isinstance(obj, Mapping) and bool(obj.get("id"))
                parsed.append((prepare(obj, ceiling=caller.ceiling, tenant=caller.tenant), named))
            except Refused as refusal:
                refused.append({"index": i, "reason": safe_reason(str(refusal))})
        known = await self._known(caller.tenant, [o.id for o, named in parsed if named])
        ids: list[str] = []
        duplicates = 0
        stream, pipe = stream_key(caller.tenant), self._redis.pipeline(transaction=False)
        for obs, named in parsed:
            ids.append(obs.id)
            if named:
                key = (caller.tenant, obs.id)
                if obs.id in known or key in self._recent:
                    duplicates += 1
                    # The first wins; intake compares the contents and audits a conflict.
                self._recent[key] = None
            wire = to_wire(obs)
            pipe.execute_command("XADD", stream, "*", STREAM_FIELD, wire, "m", voucher(secret, wire))
        if parsed:
            try:
                await pipe.execute()
            except RedisError:
                for obs, named in parsed:
                    if named:
                        self._recent.pop((caller.tenant, obs.id), None)
                raise
        while len(self._recent) > RECENT_IDS:
            self._recent.popitem(last=False)
        return {"accepted": len(parsed) - duplicates, "ids": ids, "duplicates": duplicates, "refused": refused}

    async def _known(self, tenant: str, ids: Sequence[str]) -> set[str]:
        unseen = [i for i in ids if (tenant, i) not in self._recent]
        if not unseen:
            return set()
        return await asyncio.to_thread(self._look_up, tenant, unseen)

    def _look_up(self, tenant: str, ids: Sequence[str]) -> set[str]:
        with self._db.tenant(tenant) as session:
            return episodes.known_ids(session, tenant, ids)

    async def close(self) -> None:
        await asyncio.gather(*self._looking.values(), return_exceptions=True)
        await self._redis.aclose()
