"""Intake: from each tenant's stream to L1 episodes, exactly once by id, acknowledged only after the commit.

One reader holds a stream at a time (a lease in Redis), so a session is read in order; a reader that dies is replaced
within LEASE_MS and what it had not acknowledged is read again: the primary key in Postgres makes that harmless.
"""

from __future__ import annotations

import json
import logging
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import redis
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlmodel import Session

from bio_agent_client.observation import Observation, Refused, from_wire, parse
from bio_agent_client.redact import redact, redact_observation
from bio_agent_schema import beliefs, cycles, episodes, guard_facts, ledger, quotas
from bio_agent_schema.db import INSTANCE, Database
from bio_agent_schema.graph import Edge
from bio_agent_schema.graph import add as add_edges
from bio_agent_schema.ledger import Entry
from bio_agent_workers import trust, working_state
from bio_agent_workers.brain import attention, novelty
from bio_agent_workers.perception import Perceived, ScopeView, SessionView, failures_of, join_output, perceive
from bio_agent_workers.runner import fault, is_passing
from bio_agent_workers.settings import Settings

log = logging.getLogger("bio.intake")

STREAM = "bio:obs:"  # + tenant
GROUP = "intake"
BATCH = 500  # entries read at once: beyond it neither Redis nor Postgres gains much
BLOCK_MS = 200  # longest wait of one read, so that a stop is noticed
LEASE_MS = 10_000  # a dead reader's stream is free again after this
TENANTS_EVERY_S = 1.0  # how soon a new tenant's stream is noticed
SESSIONS = 5_000  # session views kept per tenant; a view is rebuilt when it is needed again


def stream_of(tenant: str) -> str:
    return STREAM + tenant


@dataclass(slots=True)
class TenantView:
    """What this reader knows of one tenant while it holds the stream."""

    secret: bytes
    sessions: OrderedDict[str, SessionView] = field(default_factory=OrderedDict)
    scopes: dict[tuple[str, str], ScopeView] = field(default_factory=dict)
    arrived: int = 2**61  # order of arrival within this view, after everything that Postgres has numbered
    recover: bool = True  # read what an earlier reader left unacknowledged first


@dataclass(slots=True)
class Report:
    """What one batch came to."""

    read: int = 0
    stored: int = 0
    folded: int = 0
    duplicates: int = 0
    conflicts: int = 0
    buried: int = 0


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
        batches: list[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]] = []
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
                self._store(tenant, entries, report)
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

    def _pending(self, tenant: str) -> list[tuple[bytes, dict[bytes, bytes]]]:
        """What some reader took and never acknowledged; we hold the lease, so nobody is working on it."""
        reply: Any = self.redis.xautoclaim(stream_of(tenant), GROUP, INSTANCE, min_idle_time=0, count=BATCH)
        if len(reply) > 2 and reply[2]:
            log.error("%s: %d entries were trimmed away before they were read", tenant, len(reply[2]))
            with self.db.tenant(tenant) as session:
                ledger.audit(
                    session, tenant, [Entry("stream_entries_lost", cause="trimmed", data={"count": len(reply[2])})]
                )
        return [(i, f) for i, f in reply[1] if f]

    def _read(self, tenants: Sequence[str], block_ms: int) -> list[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]]:
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

    # ------------------------------------------------------------------ storing

    def _one_by_one(self, tenant: str, entries: Sequence[tuple[bytes, dict[bytes, bytes]]], report: Report) -> None:
        """A batch that cannot be stored holds one entry that is to blame: find it, bury it, keep its neighbours."""
        for entry in entries:
            # One by one may take longer than the lease; a reader that took the stream meanwhile has the rest.
            if not self.redis.eval(_RENEW, 1, f"bio:lease:intake:{tenant}", INSTANCE, LEASE_MS):
                self._held.pop(tenant, None)
                return
            with self.db.tenant(tenant) as session:
                self._held[tenant] = TenantView(ledger.tenant_secret(session, tenant))
            try:
                self._store(tenant, [entry], report)
            except Exception as error:
                if isinstance(error, DBAPIError) and is_passing(error):
                    raise
                with self.db.tenant(tenant) as session:
                    self._bury(session, tenant, entry, f"{type(error).__name__}: {error}")
                report.buried += 1
            self._acknowledge(tenant, [entry[0]])

    def _bury(self, session: Session, tenant: str, entry: tuple[bytes, dict[bytes, bytes]], cause: str) -> None:
        entry_id = entry[0].decode("ascii", "replace")
        payload = redact(entry[1].get(b"o", b"")[:65536].decode("utf-8", "replace")).replace("\x00", "")
        ledger.bury(
            session,
            tenant,
            kind="entry",
            subject=entry_id,
            stage="intake",
            cause=redact(cause),
            attempts=1,
            payload=payload,
        )

    def _store(self, tenant: str, entries: Sequence[tuple[bytes, dict[bytes, bytes]]], report: Report) -> None:
        view = self._held[tenant]
        with self.db.tenant(tenant) as session:
            observations: list[Observation] = []
            for entry in entries:
                try:
                    observations.append(redact_observation(_observation(view.secret, tenant, entry[1])))
                except Refused as refusal:
                    self._bury(session, tenant, entry, str(refusal))
                    report.buried += 1
                except KeyError:
                    self._bury(
                        session, tenant, entry, "the entry has no field `o`; a producer must send the observation there"
                    )
                    report.buried += 1
            fresh = self._without_known(session, tenant, observations, report)
            seen = [self._perceive(session, tenant, view, obs) for obs in fresh]
            self._write(session, tenant, view, seen, report)

    def _without_known(
        self, session: Session, tenant: str, observations: Sequence[Observation], report: Report
    ) -> list[Observation]:
        """Drop repeats. The same id with other content: the first wins, the conflict is audited."""
        from bio_agent_workers.perception import content_hash

        rows = session.execute(
            text("select id, content_hash from bio.episodes where tenant = :t and id = any(:ids)"),
            {"t": tenant, "ids": [o.id for o in observations]},
        )
        known: dict[str, str] = {r[0]: r[1] for r in rows}
        fresh, conflicts = [], []
        for obs in observations:
            digest = content_hash(obs)
            if obs.id in known:
                report.duplicates += 1
                if known[obs.id] not in (digest, ""):  # of what was forgotten no digest is kept
                    report.conflicts += 1
                    conflicts.append(
                        Entry("id_conflict", subject=f"episode:{obs.id}", episode_id=obs.id, cause="first_wins")
                    )
                continue
            known[obs.id] = digest
            fresh.append(obs)
        ledger.audit(session, tenant, conflicts)
        return fresh

    def _perceive(self, session: Session, tenant: str, view: TenantView, obs: Observation) -> Perceived:
        session_id = obs.session or "default"
        known = view.sessions.get(session_id)
        if known is None:
            still = episodes.open_failures(session, tenant, session_id)
            known = view.sessions[session_id] = SessionView(
                failures=failures_of(still),
                failed_last=bool(still) and episodes.failed_last(session, tenant, session_id),
                injected=tuple(beliefs.injected_texts(session, tenant, session_id)),
            )
            while len(view.sessions) > SESSIONS:
                view.sessions.popitem(last=False)
        view.sessions.move_to_end(session_id)
        scope_key = (obs.workspace or "default", obs.agent or "default")
        scope = view.scopes.get(scope_key)
        if scope is None:
            scope = view.scopes[scope_key] = ScopeView()
            for template in episodes.recent_templates(session, tenant, *scope_key):
                scope.keep(novelty.signature(template))
        view.arrived += 1
        return perceive(obs, known, scope, view.arrived)

    def _write(
        self, session: Session, tenant: str, view: TenantView, seen: Sequence[Perceived], report: Report
    ) -> None:
        if not seen:
            return
        by_id = {p.episode.id: p for p in seen}
        joined = self._join(session, tenant, view, seen, by_id)
        folds = self._fold(session, tenant, seen, by_id, joined)
        rows = []
        for p in seen:
            if p.episode.id in joined or p.episode.id in folds:
                into = joined.get(p.episode.id) or folds[p.episode.id]
                p.row |= {
                    "state": "folded",
                    "folded_into": into,
                    "content": "",
                    "unresolved": False,
                    "directive": False,
                }
            rows.append(p.row)
        _insert(session, tenant, rows)
        limits = quotas.limits_of(session, tenant, self.settings.limits())
        quotas.spend(session, tenant, "observations", len(rows), limits)
        guard_facts.record(session, tenant, [
            guard_facts.Happened(p.episode.workspace, p.acts, p.episode.is_failure, p.episode.error_token, p.episode.id,
                                 p.episode.occurred_at)
            for p in seen if p.episode.kind == "tool" and p.episode.id not in joined and not p.episode.recalled and p.acts
        ])  # fmt: skip
        working_state.record(session, tenant, [p for p in seen if p.episode.id not in joined])
        kept = [p for p in seen if p.episode.id not in joined]
        self._answer(session, tenant, kept)
        self._resolve(session, tenant, kept)
        report.stored += len(rows) - len(joined) - len(folds)
        report.folded += len(joined) + len(folds)
        lowered = [Entry("provenance_lowered", subject=f"episode:{p.episode.id}", episode_id=p.episode.id,
                         before=p.lowered_from, after=p.episode.provenance.value) for p in seen if p.lowered_from]  # fmt: skip
        ledger.audit(session, tenant, [
            Entry("received", cause="intake", data={"episodes": [p.episode.id for p in seen], "folded": {**joined, **folds}}),
            *lowered,
        ])  # fmt: skip
        self._tell_scopes(session, tenant, seen, {*joined, *folds})

    def _join(
        self, session: Session, tenant: str, view: TenantView, seen: Sequence[Perceived], by_id: Mapping[str, Perceived]
    ) -> dict[str, str]:
        """Give commands the output that followed them. Returns output id → command id."""
        joined: dict[str, str] = {}
        for p in seen:
            if not p.joins:
                continue
            command = by_id.get(p.joins)
            if command is None:
                stored = episodes.by_ids(session, tenant, [p.joins])
                if not stored or not episodes.still_new(session, tenant, p.joins):
                    continue
                from bio_agent_workers import shell

                e = stored[0]
                command = Perceived({}, e, shell.act_of(e.tool, e.tool_input, e.command))
                join_output(command, p, None if p.joined else view.sessions[e.session])
                episodes.give_output(session, tenant, e.id, command.row)
            elif not p.joined:
                join_output(command, p, view.sessions[command.episode.session])
            joined[p.episode.id] = p.joins
        return joined

    def _fold(
        self,
        session: Session,
        tenant: str,
        seen: Sequence[Perceived],
        by_id: Mapping[str, Perceived],
        joined: Mapping[str, str],
    ) -> dict[str, str]:
        """Fold into heads that are still new; the first of a head that was taken meanwhile becomes a head itself."""
        wanted = [p for p in seen if p.fold_into and p.episode.id not in joined]
        outside = {p.fold_into for p in wanted if p.fold_into not in by_id}
        alive = episodes.still_new_among(session, tenant, outside) | set(by_id)
        folds: dict[str, str] = {}
        moved: dict[str, str] = {}
        counts: dict[str, tuple[int, str]] = {}
        for p in wanted:
            head = moved.get(p.fold_into, p.fold_into)
            if head not in alive:
                moved[p.fold_into] = p.episode.id
                alive.add(p.episode.id)
                continue
            folds[p.episode.id] = head
            n, _ = counts.get(head, (0, ""))
            counts[head] = (n + 1, p.episode.content[:8000])
        stored = {h: c for h, c in counts.items() if h not in by_id}
        for head, (n, last) in counts.items():
            if head in by_id:
                by_id[head].row |= {"folded": 1 + n, "last_content": last}
        episodes.add_folds(session, tenant, stored)
        return folds

    def _resolve(self, session: Session, tenant: str, fixes: Sequence[Perceived]) -> None:
        """Close what a success resolves; a failure that was considered already comes back with its fix."""
        pairs = [(failure, p.episode.id) for p in fixes for failure in p.resolves]
        if not pairs:
            return
        episodes.resolve(session, tenant, pairs)
        guard_facts.settle(session, tenant, [failure for failure, _ in pairs])
        self._tell_closed(session, tenant, pairs, "later_success")

    def _answer(self, session: Session, tenant: str, said: Sequence[Perceived]) -> None:
        """Close what an owner's words answer. The guard fact stays: what failed has not succeeded yet."""
        pairs = [(failure, p.episode.id) for p in said for failure in p.answers]
        if pairs:
            episodes.resolve(session, tenant, pairs, said=True)
            self._tell_closed(session, tenant, pairs, "owner_answered")

    def _tell_closed(self, session: Session, tenant: str, pairs: Sequence[tuple[str, str]], cause: str) -> None:
        add_edges(session, tenant, [Edge(f"episode:{a}", "led_to", f"episode:{b}") for a, b in pairs])
        ledger.audit(session, tenant, [
            Entry("resolved", subject=f"episode:{a}", episode_id=a, cause=cause, after=b) for a, b in pairs
        ])  # fmt: skip

    def _tell_scopes(self, session: Session, tenant: str, seen: Sequence[Perceived], folded: set[str]) -> None:
        by_scope: dict[tuple[str, str], list[Perceived]] = {}
        for p in seen:
            by_scope.setdefault((p.episode.workspace, p.episode.agent), []).append(p)
        now = beliefs.now(session)
        for (workspace, agent), group in by_scope.items():
            outcomes = [
                attention.Outcome(o["severity"], o["is_failure"], o["unresolved"], o["received_at"], o["folded"])
                for o in reversed(episodes.newest_outcomes(session, tenant, workspace, agent))
            ]
            cycles.arrived(
                session, tenant, workspace, agent,
                new=sum(p.episode.id not in folded for p in group),
                stress=attention.stress(outcomes, now).s,
                directive=any(p.directive for p in group),
                ended=any(p.session_ended for p in group),
            )  # fmt: skip

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


def _observation(secret: bytes, tenant: str, entry: Mapping[bytes, bytes]) -> Observation:
    """The observation of an entry. What the HTTP face vouches for was capped there; the rest is capped here."""
    wire = entry[b"o"]
    if trust.vouched(secret, entry):
        return from_wire(wire, tenant=tenant)
    try:
        obj = json.loads(wire)
    except (ValueError, RecursionError):
        raise Refused("is not JSON", "o") from None
    return parse(obj, tenant=tenant)


_RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

_COLUMNS = {
    "id": "text", "content_hash": "text", "workspace": "text", "agent": "text", "user_id": "text", "session": "text",
    "turn": "text", "kind": "text", "source": "text", "origin": "text", "speaker": "text", "host": "text",
    "call_id": "text", "provenance": "text", "content": "text", "last_content": "text", "tool": "text",
    "tool_input": "jsonb", "command": "text", "act_form": "text", "exit_code": "integer", "is_failure": "boolean",
    "error_token": "text", "severity": "real", "duration_ms": "integer", "cwd": "text", "task": "text", "goal": "text",
    "mode": "text", "project_version": "text", "entities": "text[]", "meta": "jsonb", "occurred_at": "timestamptz",
    "template": "text", "novelty": "real", "salience": "real", "task_relevance": "real", "recalled": "boolean",
    "directive": "boolean", "state": "text", "unresolved": "boolean", "folded": "integer", "folded_into": "text",
}  # fmt: skip
_NAMES = ", ".join(_COLUMNS)
_INSERT = text(
    f"insert into bio.episodes (tenant, {_NAMES}) select :tenant, {_NAMES}"  # noqa: S608 - built from this module's constant
    f" from jsonb_to_recordset(cast(:rows as jsonb)) as r({', '.join(f'{n} {t}' for n, t in _COLUMNS.items())})"
    " returning id"
)


def _insert(session: Session, tenant: str, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        row.setdefault("folded", 1)
        row.setdefault("last_content", "")
    session.execute(_INSERT, {"tenant": tenant, "rows": json.dumps(rows, ensure_ascii=False)})


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
