"""Intake: from each tenant's stream to L1 episodes, exactly once by id, acknowledged only after the commit.

One reader holds a stream at a time (a lease in Redis), so a session is read in order; a reader that dies is replaced
within LEASE_MS and what it had not acknowledged is read again: the primary key in Postgres makes that harmless.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Sequence
from typing import Any

import redis
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from bio_agent_schema import ledger
from bio_agent_schema.db import INSTANCE, Database
from bio_agent_schema.ledger import Entry
from bio_agent_workers.arrivals import Report, StreamEntry, TenantView, bury, store
from bio_agent_workers.runner import fault, is_passing
from bio_agent_workers.settings import Settings

log = logging.getLogger("bio.intake")

STREAM = "bio:obs:"  # + tenant
GROUP = "intake"
BATCH = 500  # entries read at once: beyond it neither Redis nor Postgres gains much
BLOCK_MS = 200  # longest wait of one read, so that a stop is noticed
LEASE_MS = 10_000  # a dead reader's stream is free again after this
TENANTS_EVERY_S = 1.0  # how soon a new tenant's stream is noticed


def stream_of(tenant: str) -> str:
    return STREAM + tenant


class Intake:
    def __init__(self, db: Database, client: redis.Redis, settings: Settings) -> None:
        self.db, self.redis, self.settings = db, client, settings
        self._held: dict[str, TenantView] = {}
        self._tenants: list[str] = []
        self._looked_at = 0.0
        self.stop = threading.Event()

    # ------------------------------------------------------------------ streams and leases

    def _streams(self) -> list[str]:
        """The tenants whose streams this reader holds now."""
        if time.monotonic() - self._looked_at > TENANTS_EVERY_S or not self._tenants:
            self._tenants, self._looked_at = self.db.tenants(), time.monotonic()
        held = []
        for tenant in self._tenants:
            key = f"bio:lease:intake:{tenant}"
            if tenant in self._held:
                # Renew only our own: a lease that ran out and was taken is not ours any more.
                if self.redis.eval(_RENEW, 1, key, INSTANCE, LEASE_MS):
                    held.append(tenant)
                    continue
                log.warning("lost the stream of %s to another reader", tenant)
                del self._held[tenant]
            if self.redis.set(key, INSTANCE, nx=True, px=LEASE_MS):
                try:
                    self.redis.xgroup_create(stream_of(tenant), GROUP, id="0", mkstream=True)
                except redis.ResponseError as error:
                    if "BUSYGROUP" not in str(error):
                        raise
                with self.db.tenant(tenant) as session:
                    self._held[tenant] = TenantView(ledger.tenant_secret(session, tenant))
                held.append(tenant)
        return held

    def release(self) -> None:
        for tenant in self._held:
            self.redis.eval(_RELEASE, 1, f"bio:lease:intake:{tenant}", INSTANCE)
        self._held.clear()

    # ------------------------------------------------------------------ one round

    def run_once(self, block_ms: int = BLOCK_MS) -> Report:
        """Read once from every held stream, store, acknowledge. Returns what it came to."""
        report = Report()
        held = self._streams()
        if not held:
            self.stop.wait(block_ms / 1000)
            return report
        batches: list[tuple[str, list[StreamEntry]]] = []
        for tenant in held:
            if self._held[tenant].recover:
                entries = self._pending(tenant)
                if entries:
                    batches.append((tenant, entries))
                else:
                    self._held[tenant].recover = False
        if not batches:
            batches = self._read(held, block_ms)
        for tenant, entries in batches:
            report.read += len(entries)
            try:
                store(self.db, self.settings, tenant, self._held[tenant], entries, report)
            except Exception as error:
                # What this reader believed of the tenant may not be what is stored: forget it and read again.
                self._held.pop(tenant, None)
                if isinstance(error, DBAPIError) and is_passing(error):
                    self._release_one(tenant)
                    raise
                log.exception("batch of %s could not be stored; going through it one by one", tenant)
                self._one_by_one(tenant, entries, report)
                continue
            fault("intake:committed")
            self._acknowledge(tenant, [i for i, _ in entries])
        return report

    def _release_one(self, tenant: str) -> None:
        self.redis.eval(_RELEASE, 1, f"bio:lease:intake:{tenant}", INSTANCE)

    def _pending(self, tenant: str) -> list[StreamEntry]:
        """What some reader took and never acknowledged; we hold the lease, so nobody is working on it."""
        reply: Any = self.redis.xautoclaim(stream_of(tenant), GROUP, INSTANCE, min_idle_time=0, count=BATCH)
        if len(reply) > 2 and reply[2]:
            log.error("%s: %d entries were trimmed away before they were read", tenant, len(reply[2]))
            with self.db.tenant(tenant) as session:
                ledger.audit(
                    session, tenant, [Entry("stream_entries_lost", cause="trimmed", data={"count": len(reply[2])})]
                )
        return [(i, f) for i, f in reply[1] if f]

    def _read(self, tenants: Sequence[str], block_ms: int) -> list[tuple[str, list[StreamEntry]]]:
        try:
            reply: Any = self.redis.xreadgroup(
                GROUP, INSTANCE, {stream_of(t): ">" for t in tenants}, count=BATCH, block=block_ms
            )
        except redis.ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
            log.error("a stream's group is gone (Redis came back empty?); making it anew")
            for tenant in list(tenants):
                self._held.pop(tenant, None)
                self._release_one(tenant)
                with self.db.tenant(tenant) as session:
                    ledger.audit(session, tenant, [Entry("stream_recreated", cause="no_group")])
            return []
        pairs = reply.items() if isinstance(reply, dict) else (reply or [])
        out = []
        for key, entries in pairs:
            flat = entries[0] if entries and isinstance(entries[0], list) and isinstance(reply, dict) else entries
            name = key.decode() if isinstance(key, bytes) else key
            out.append((name.removeprefix(STREAM), list(flat)))
        return out

    def _acknowledge(self, tenant: str, ids: Sequence[bytes]) -> None:
        pipe = self.redis.pipeline(transaction=False)
        pipe.xack(stream_of(tenant), GROUP, *ids)
        pipe.xdel(stream_of(tenant), *ids)
        pipe.execute()

    def _one_by_one(self, tenant: str, entries: Sequence[StreamEntry], report: Report) -> None:
        """A batch that cannot be stored holds one entry that is to blame: find it, bury it, keep its neighbours."""
        for entry in entries:
            # One by one may take longer than the lease; a reader that took the stream meanwhile has the rest.
            if not self.redis.eval(_RENEW, 1, f"bio:lease:intake:{tenant}", INSTANCE, LEASE_MS):
                self._held.pop(tenant, None)
                return
            with self.db.tenant(tenant) as session:
                self._held[tenant] = TenantView(ledger.tenant_secret(session, tenant))
            try:
                store(self.db, self.settings, tenant, self._held[tenant], [entry], report)
            except Exception as error:
                if isinstance(error, DBAPIError) and is_passing(error):
                    raise
                with self.db.tenant(tenant) as session:
                    bury(session, tenant, entry, f"{type(error).__name__}: {error}")
                report.buried += 1
            self._acknowledge(tenant, [entry[0]])

    # ------------------------------------------------------------------ the process

    def run(self) -> None:
        """Read until told to stop; a server that is away is waited for, never given up on."""
        wait_s = 0.2
        while not self.stop.is_set():
            try:
                report = self.run_once()
                wait_s = 0.2
                if report.read:
                    log.info("read %d: %d stored, %d folded, %d repeated, %d buried", report.read, report.stored,
                             report.folded, report.duplicates, report.buried)  # fmt: skip
                self.redis.set(f"bio:alive:intake:{INSTANCE}", int(time.time()), ex=30)
            except (redis.RedisError, OperationalError, InterfaceError) as error:
                log.warning("%s is away (%s); trying again in %.1f s",
                            "Redis" if isinstance(error, redis.RedisError) else "Postgres", type(error).__name__, wait_s)  # fmt: skip
                self._held.clear()
                self.stop.wait(wait_s)
                wait_s = min(wait_s * 2, 5.0)
        try:
            self.release()
        except redis.RedisError:
            log.info("Redis is gone; the leases run out by themselves")


_RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


def connect(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=10, socket_connect_timeout=5, health_check_interval=10, protocol=2)


def main() -> None:
    from bio_agent_workers.logs import set_up

    settings = Settings()
    set_up("intake")
    intake = Intake(Database(settings.database_url, pool_size=2), connect(settings.redis_url), settings)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: intake.stop.set())
    log.info("reading streams %s*", STREAM)
    intake.run()


if __name__ == "__main__":
    main()
