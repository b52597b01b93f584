"""What arrived on one tenant's stream becomes episodes, in one transaction.

Each observation is redacted and capped, dropped when it is known, perceived beside its session and scope, joined to the
command it is the output of, folded into its like, and stored; then what it resolves is closed and its scope is told.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_client.observation import Observation, Refused, from_wire, parse
from bio_agent_client.redact import redact, redact_observation
from bio_agent_schema import beliefs, cycles, episodes, guard_facts, ledger, quotas
from bio_agent_schema.db import Database
from bio_agent_schema.graph import Edge
from bio_agent_schema.graph import add as add_edges
from bio_agent_schema.ledger import Entry
from bio_agent_workers import trust, working_state
from bio_agent_workers.brain import attention, novelty
from bio_agent_workers.perception import (
    Perceived,
    ScopeView,
    SessionView,
    content_hash,
    failures_of,
    join_output,
    perceive,
)
from bio_agent_workers.settings import Settings

SESSIONS = 5_000  # session views kept per tenant; a view is rebuilt when it is needed again

StreamEntry = tuple[bytes, dict[bytes, bytes]]  # (id, fields)

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


def store(
    db: Database, settings: Settings, tenant: str, view: TenantView, entries: Sequence[StreamEntry], report: Report
) -> None:
    with db.tenant(tenant) as session:
        observations: list[Observation] = []
        for entry in entries:
            try:
                observations.append(redact_observation(_observation(view.secret, tenant, entry[1])))
            except Refused as refusal:
                bury(session, tenant, entry, str(refusal))
                report.buried += 1
            except KeyError:
                bury(session, tenant, entry, "the entry has no field `o`; a producer must send the observation there")
                report.buried += 1
        fresh = _without_known(session, tenant, observations, report)
        seen = [_perceive(session, tenant, view, obs) for obs in fresh]
        _write(session, tenant, view, seen, settings, report)


def bury(session: Session, tenant: str, entry: StreamEntry, cause: str) -> None:
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


def _without_known(
    session: Session, tenant: str, observations: Sequence[Observation], report: Report
) -> list[Observation]:
    """Drop repeats. The same id with other content: the first wins, the conflict is audited."""
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


def _perceive(session: Session, tenant: str, view: TenantView, obs: Observation) -> Perceived:
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
    session: Session, tenant: str, view: TenantView, seen: Sequence[Perceived], settings: Settings, report: Report
) -> None:
    if not seen:
        return
    by_id = {p.episode.id: p for p in seen}
    joined = _join(session, tenant, view, seen, by_id)
    folds = _fold(session, tenant, seen, by_id, joined)
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
    limits = quotas.limits_of(session, tenant, settings.limits())
    quotas.spend(session, tenant, "observations", len(rows), limits)
    guard_facts.record(session, tenant, [
        guard_facts.Happened(p.episode.workspace, p.acts, p.episode.is_failure, p.episode.error_token, p.episode.id,
                             p.episode.occurred_at)
        for p in seen if p.episode.kind == "tool" and p.episode.id not in joined and not p.episode.recalled and p.acts
    ])  # fmt: skip
    working_state.record(session, tenant, [p for p in seen if p.episode.id not in joined])
    kept = [p for p in seen if p.episode.id not in joined]
    _answer(session, tenant, kept)
    _resolve(session, tenant, kept)
    report.stored += len(rows) - len(joined) - len(folds)
    report.folded += len(joined) + len(folds)
    lowered = [Entry("provenance_lowered", subject=f"episode:{p.episode.id}", episode_id=p.episode.id,
                     before=p.lowered_from, after=p.episode.provenance.value) for p in seen if p.lowered_from]  # fmt: skip
    ledger.audit(session, tenant, [
        Entry("received", cause="intake", data={"episodes": [p.episode.id for p in seen], "folded": {**joined, **folds}}),
        *lowered,
    ])  # fmt: skip
    _tell_scopes(session, tenant, seen, {*joined, *folds})


def _join(
    session: Session, tenant: str, view: TenantView, seen: Sequence[Perceived], by_id: Mapping[str, Perceived]
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


def _resolve(session: Session, tenant: str, fixes: Sequence[Perceived]) -> None:
    """Close what a success resolves; a failure that was considered already comes back with its fix."""
    pairs = [(failure, p.episode.id) for p in fixes for failure in p.resolves]
    if not pairs:
        return
    episodes.resolve(session, tenant, pairs)
    guard_facts.settle(session, tenant, [failure for failure, _ in pairs])
    _tell_closed(session, tenant, pairs, "later_success")


def _answer(session: Session, tenant: str, said: Sequence[Perceived]) -> None:
    """Close what an owner's words answer. The guard fact stays: what failed has not succeeded yet."""
    pairs = [(failure, p.episode.id) for p in said for failure in p.answers]
    if pairs:
        episodes.resolve(session, tenant, pairs, said=True)
        _tell_closed(session, tenant, pairs, "owner_answered")


def _tell_closed(session: Session, tenant: str, pairs: Sequence[tuple[str, str]], cause: str) -> None:
    add_edges(session, tenant, [Edge(f"episode:{a}", "led_to", f"episode:{b}") for a, b in pairs])
    ledger.audit(session, tenant, [
        Entry("resolved", subject=f"episode:{a}", episode_id=a, cause=cause, after=b) for a, b in pairs
    ])  # fmt: skip


def _tell_scopes(session: Session, tenant: str, seen: Sequence[Perceived], folded: set[str]) -> None:
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


def _observation(secret: bytes, tenant: str, entry: Mapping[bytes, bytes]) -> Observation:
    """The observation of an entry. What the HTTP face vouches for was capped there; the rest is capped here."""
    wire = entry[b"o"]
    if trust.vouched(secret, entry):
        return from_wire(wire, tenant=tenant)
    try:
        obj = json.loads(wire)
    except (ValueError, RecursionError):
        raise Refused("is not JSON", "o") from None
    return parse(obj, tenant=tenant, unknown="keep")


def _insert(session: Session, tenant: str, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        row.setdefault("folded", 1)
        row.setdefault("last_content", "")
    session.execute(_INSERT, {"tenant": tenant, "rows": json.dumps(rows, ensure_ascii=False)})
