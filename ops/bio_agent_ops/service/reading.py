"""Reading verbs: beliefs with their evidence, the graph, the audit, the replay, the state of the mind."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_ops.ids import CANDIDATES, several
from bio_agent_ops.service import dreams
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotFound
from bio_agent_ops.service.guard_rules import forms_of, is_guarded
from bio_agent_ops.service.moments import not_ahead, read_at
from bio_agent_schema import beliefs, derived, episodes, graph, guard_facts, history, ledger
from bio_agent_schema.tables import BeliefRow, DeadLetterRow, EvidenceRow, ExceptionRow, L1ScopeRow, MemoryRow
from bio_agent_schema.types import BeliefState, EpisodeState
from bio_agent_workers.batching import factors_of, raw_attention, scope_stress
from bio_agent_workers.brain import attention
from bio_agent_workers.brain.guarding.policy_exceptions import standing

_PART_OF_ID = re.compile(r"[0-9a-fA-F-]{8,36}")
_END = datetime.max.replace(tzinfo=UTC)


def belief_view(b: BeliefRow) -> dict[str, Any]:
    """A belief as every face shows it. guarded_by: the forms under which the guard matches a call to it."""
    forms = forms_of(b)
    return {
        "id": b.id, "version": b.version, "content": b.content, "state": b.state, "confidence": round(b.confidence, 4),
        "layer": b.layer, "scope": b.scope_path, "agent": b.scope_agent, "user": b.scope_user, "kind": b.kind, "lang": b.lang,
        "support_count": b.support_count, "contradiction_count": b.contradiction_count, "independent": b.independent,
        "rank": b.rank, "directive": b.directive, "rendering": b.rendering, "model_text": b.model_text,
        "needs_person": b.needs_person, "approved_by": b.approved_by, "disputed": b.disputed, "recheck": b.recheck,
        "injected": b.injected, "helped": b.helped, "hurt": b.hurt, "superseded_by": b.superseded_by, "cause": b.cause,
        "guarded": is_guarded(b, forms), "guarded_by": forms,
        "valid_from": b.valid_from, "valid_to": b.valid_to, "created_at": b.created_at, "updated_at": b.updated_at,
    }  # fmt: skip


def exception_view(x: ExceptionRow, now: datetime) -> dict[str, Any]:
    """An exception as every face shows it; `standing` is how it stands at `now`."""
    return {
        "id": x.id, "belief_id": x.belief_id, "text": x.text, "policy": x.policy, "bounds": x.bounds, "state": x.state,
        "standing": standing(x.state, x.valid_from, x.expires_at, now), "proposed_by": x.proposed_by,
        "approved_by": x.approved_by, "why": x.why, "valid_from": x.valid_from, "expires_at": x.expires_at,
        "created_at": x.created_at, "updated_at": x.updated_at,
    }  # fmt: skip


def list_beliefs(
    ctx: Context, tenant: str, *, state: str = "", scope: str = "", limit: int = 200, after: str = "", at: str = ""
) -> list[dict[str, Any]]:
    """Beliefs, the oldest first; with `at` (RFC 3339) as they stood then."""
    states = [s for s in state.split(",") if s]
    unknown = [s for s in states if s not in set(BeliefState)]
    if unknown:
        raise BadRequest(f"state {unknown[0]!r} is not one of {', '.join(BeliefState)}")
    then = read_at(at)
    most = min(max(limit, 1), 1000)
    with ctx.db.tenant(tenant) as session:
        if then is None:
            rows = beliefs.listed(session, tenant, states=states, scope_path=scope, limit=most, after=after)
            return [belief_view(b) for b in rows]
        rows = history.beliefs_at(
            session, tenant, not_ahead(session, then), states=states, scope_path=scope, limit=most, after=after
        )
        return [_past_view(b) for b in rows]


def _past_view(b: BeliefRow) -> dict[str, Any]:
    """A belief as it stood; how often it had been injected by then is not kept."""
    return {k: v for k, v in belief_view(b).items() if k != "injected"}


def belief_of(session: Session, tenant: str, belief_id: str) -> BeliefRow:
    """The belief of that id, or of the one id that holds it (8 characters or more). Raises NotFound, Conflict."""
    row = beliefs.get(session, tenant, belief_id)
    if row is None and _PART_OF_ID.fullmatch(belief_id):
        found = beliefs.holding(session, tenant, belief_id.lower(), most=CANDIDATES + 1)
        if len(found) > 1:
            raise Conflict(several(belief_id, "belief", ((b.id, b.content) for b in found)))
        row = found[0] if found else None
    if row is None:
        raise NotFound(f"there is no belief {belief_id[:80]!r}")
    return row


def show_belief(ctx: Context, tenant: str, belief_id: str, at: str = "") -> dict[str, Any]:
    """A belief with the episodes' own text, conflicts, exceptions and history; with `at` (RFC 3339) as it stood then."""
    then = read_at(at)
    with ctx.db.tenant(tenant) as session:
        row, now = belief_of(session, tenant, belief_id), beliefs.now(session)
        rows = beliefs.evidence_of(session, tenant, [row.id]).get(row.id, [])
        reviews = beliefs.reviews(session, tenant, row.id)
        steps = ledger.audit_of(session, tenant, subject=f"belief:{row.id}")
        exceptions = beliefs.exceptions_of(session, tenant, [row.id])
        shown = belief_view(row)
        if then is not None:
            now = then = not_ahead(session, then)
            stood = history.beliefs_at(session, tenant, then, ids=[row.id])
            if not stood:
                raise NotFound(
                    f"the belief {row.id} did not exist at {then.isoformat()}; it came at {row.created_at.isoformat()}"
                )
            known = history.known_support(session, tenant, row.id, then)
            shown, rows = _past_view(stood[0]), [r for r in rows if r.episode_id in known]
            reviews = [
                r
                for r in beliefs.reviews(session, tenant, row.id, state="")
                if r.created_at <= then < (r.decided_at or _END)
            ]
            steps = [s for s in steps if s["at"] <= then]
            exceptions = history.exceptions_at(session, tenant, [row.id], then)
        edges = graph.around(session, tenant, f"belief:{row.id}", at=then)
        conflicts = [
            {"relation": e.relation, "with": (e.target if e.source == f"belief:{row.id}" else e.source), **e.props}
            for e in edges if e.relation in ("conflicts_with", "superseded_by", "governed_exception_for")
        ]  # fmt: skip
        more: dict[str, Any] = {} if then is not None else {
            "derived": derived.of_belief(session, tenant, row.id),
            "derived_from": [e.target for e in edges if e.relation == "derived_from" and e.source == f"belief:{row.id}"],
        }  # fmt: skip
        return shown | more | {
            "evidence": _evidence(session, tenant, rows),
            "conflicts": conflicts,
            "exceptions": [exception_view(x, now) for x in exceptions],
            "reviews": [{"id": r.id, "kind": r.kind, "question": r.question} for r in reviews],
            "history": steps,
            "acts": row.acts if then is None else stood[0].acts,
        }  # fmt: skip


def _evidence(session: Session, tenant: str, rows: list[EvidenceRow]) -> list[dict[str, Any]]:
    told = {e.id: e for e in episodes.by_ids(session, tenant, [r.episode_id for r in rows])}
    return [
        {
            "episode_id": r.episode_id, "supports": r.supports, "trust": r.trust, "speaker": r.speaker,
            "session": r.session, "origin": r.origin, "pair": r.pair, "at": r.at,
            "kind": told[r.episode_id].kind.value if r.episode_id in told else "",
            "command": told[r.episode_id].command if r.episode_id in told else "",
            "text": told[r.episode_id].content if r.episode_id in told else "",
            "failed": told[r.episode_id].is_failure if r.episode_id in told else False,
        }
        for r in sorted(rows, key=lambda r: (r.at, r.episode_id))
    ]  # fmt: skip


def timeline(ctx: Context, tenant: str, limit: int = 200) -> list[dict[str, Any]]:
    """What happened to beliefs, oldest first: born, moved, edited, each with its cause."""
    with ctx.db.tenant(tenant) as session:
        rows = session.execute(
            text(
                """
                select a.at, a.act, a.subject, a.actor, a.cause, a.before, a.after, b.content from (
                    select * from bio.audit where tenant = :t and subject like 'belief:%'
                      and act in ('belief_created', 'belief_moved', 'belief_edited', 'belief_supported', 'belief_credited')
                    order by seq desc limit :limit) a
                left join bio.beliefs b on b.tenant = :t and b.id = substr(a.subject, 8)
                order by a.seq
                """
            ),
            {"t": tenant, "limit": min(max(limit, 1), 1000)},
        )
        return [dict(r) | {"belief_id": r["subject"].removeprefix("belief:")} for r in rows.mappings()]


def show_graph(ctx: Context, tenant: str, limit: int = 1000) -> dict[str, Any]:
    """Nodes and edges; nodes carry a short label."""
    with ctx.db.tenant(tenant) as session:
        edges = graph.whole(session, tenant, min(max(limit, 1), 5000))
        names = {n for e in edges for n in (e.source, e.target)}
        labels: dict[str, str] = {}
        by_kind: dict[str, list[str]] = {}
        for name in names:
            kind, _, key = name.partition(":")
            by_kind.setdefault(kind, []).append(key)
        for b in beliefs.by_ids(session, tenant, by_kind.get("belief", [])):
            labels[f"belief:{b.id}"] = b.content
        memories = session.exec(
            select(MemoryRow).where(MemoryRow.tenant == tenant, col(MemoryRow.id).in_(by_kind.get("memory", [])))
        )
        for m in memories:
            labels[f"memory:{m.id}"] = m.content
        for e in episodes.by_ids(session, tenant, by_kind.get("episode", [])):
            labels[f"episode:{e.id}"] = e.command or e.content
        return {
            "nodes": [
                {"id": n, "type": n.partition(":")[0], "label": labels.get(n, n.partition(":")[2])[:160]}
                for n in sorted(names)
            ],
            "edges": [
                {"source": e.source, "target": e.target, "relation": e.relation, "weight": e.weight, **dict(e.props)}
                for e in edges
            ],
        }


def list_episodes(
    ctx: Context, tenant: str, *, state: str = "", session_id: str = "", limit: int = 200, after: int = 0
) -> list[dict[str, Any]]:
    """Episodes in order of arrival, folded rows left out unless asked for; paged by seq."""
    if state and state not in set(EpisodeState):
        raise BadRequest(f"state {state!r} is not one of {', '.join(EpisodeState)}")
    with ctx.db.tenant(tenant) as session:
        rows = session.execute(
            text(
                """
                select id, seq, kind, workspace, agent, session, tool, command, left(content, 400) as text, state, topic,
                       importance, tags, is_failure as failed, unresolved, resolved_by, folded, folded_into, recalled,
                       labelled_by, label_reason, occurred_at, received_at, considered_at
                from bio.episodes
                where tenant = :t and (case when :state = '' then state <> 'folded' else state = :state end)
                  and (:session = '' or session = :session) and seq > :after
                order by seq limit :limit
                """
            ),
            {"t": tenant, "state": state, "session": session_id, "after": after, "limit": min(max(limit, 1), 1000)},
        )
        return [dict(r) for r in rows.mappings()]


def audit(ctx: Context, tenant: str, *, episode_id: str = "", subject: str = "", limit: int = 500) -> dict[str, Any]:
    """What happened to an episode: received, considered, produced; or the audit rows of a subject."""
    with ctx.db.tenant(tenant) as session:
        rows = ledger.audit_of(session, tenant, episode_id=episode_id, subject=subject, limit=min(max(limit, 1), 5000))
        if not episode_id:
            return {"entries": rows}
        found = episodes.by_ids(session, tenant, [episode_id])
        if not found and not rows:
            raise NotFound(f"there is no episode {episode_id[:80]!r}")
        produced = session.execute(
            text(
                """
                select 'belief' as type, belief_id as id from bio.evidence where tenant = :t and episode_id = :e
                union all select 'memory', memory_id from bio.memory_sources where tenant = :t and episode_id = :e
                """
            ),
            {"t": tenant, "e": episode_id},
        ).mappings()
        state = (
            session.execute(
                text(
                    "select state, folded_into, received_at, considered_at, cycle_id, resolved_by, labelled_by, label_reason"
                    " from bio.episodes where tenant = :t and id = :e"
                ),
                {"t": tenant, "e": episode_id},
            )
            .mappings()
            .first()
        )
        return {
            "episode_id": episode_id,
            "received": [r for r in rows if r["act"] in ("received", "id_conflict", "provenance_lowered", "resolved")],
            "considered": [
                r
                for r in rows
                if r["act"]
                in ("cycle_opened", "stage_done", "taken_up", "bisected", "put_off", "fenced", "dead_letter")
            ],
            "produced": [dict(r) for r in produced],
            "standing": dict(state) if state else {},
            "entries": rows,
        }


def replay(ctx: Context, tenant: str, episode_id: str) -> dict[str, Any]:
    """Every stage this episode went through, with each model's raw input and output."""
    with ctx.db.tenant(tenant) as session:
        rows = ledger.audit_of(session, tenant, episode_id=episode_id)
        calls = ledger.calls_of_episode(session, tenant, episode_id)
        if not rows and not calls and not episodes.by_ids(session, tenant, [episode_id]):
            raise NotFound(f"there is no episode {episode_id[:80]!r}")
        return {
            "episode_id": episode_id,
            "stages": [
                {"stage": r["cause"], "at": r["at"], "cycle_id": r["cycle_id"], "data": r["data"]}
                for r in rows if r["act"] == "stage_done"
            ],
            "model_calls": [
                {
                    "role": c.role, "model_id": c.model_id, "prompt_version": c.prompt_version, "cycle_id": c.cycle_id,
                    "at": c.created_at, "raw_input": c.raw_input, "raw_output": c.raw_output, "data": c.data,
                    "input_tokens": c.input_tokens, "output_tokens": c.output_tokens, "episodes": c.episode_ids,
                }
                for c in calls
            ],
        }  # fmt: skip


def state(ctx: Context, tenant: str) -> dict[str, Any]:
    """Stress, weights, gain and the open episodes' factors of each scope; guard facts, each with what worked in the
    command's place (`fix`, "" when nothing did); the settings."""
    with ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        shown = []
        for scope in session.exec(select(L1ScopeRow).where(L1ScopeRow.tenant == tenant)):
            stress = scope_stress(session, tenant, scope.workspace, scope.agent, now)
            weights = attention.weights(stress.s)
            new = episodes.new_of_scope(session, tenant, scope.workspace, scope.agent, ctx.settings.l1_max_size)
            ranked = sorted(((raw_attention(e, stress.s, now), e) for e in new), key=lambda x: (-x[0], x[1].seq))
            shown.append({
                "workspace": scope.workspace, "agent": scope.agent, "stress": _plain(stress), "band": attention.stress_band(stress.s),
                "weights": _plain(weights), "gain": attention.gain(stress.s), "new": scope.new_count,
                "cycles": scope.cycles_done, "last_cycle_at": scope.last_cycle_at,
                "open_episodes": [
                    {"id": e.id, "kind": e.kind.value, "failed": e.is_failure, "unresolved": e.unresolved, "folded": e.folded,
                     "attention": round(attention.shown(raw), 4), "raw": round(raw, 4),
                     "factors": _plain(factors_of(e, now)), "text": (e.command or e.content)[:160]}
                    for raw, e in ranked
                ],
            })  # fmt: skip
        listed = guard_facts.listed(session, tenant)
        fixes = episodes.fixes_of(session, tenant, [f.last_episode_id for f in listed])
        facts = [
            {"workspace": f.workspace, "command": f.act.get("text", f.act_form), "failures": f.failures,
             "error": f.error_token, "last_failed_at": f.last_failed_at, "fix": fixes.get(f.last_episode_id, "")}
            for f in listed
        ]  # fmt: skip
        row = beliefs.tenant_row(session, tenant)
        return {
            "tenant": tenant, "now": now, "time_zone": row.time_zone, "review_mode": row.review_mode, "scopes": shown,
            "guard_facts": facts, "dream": dreams.times(ctx, tenant),
            "settings": ctx.settings.public(), "model": {"backend": ctx.settings.llm_backend,
            "offline": ctx.settings.llm_backend == "offline"},
        }  # fmt: skip


def _plain(value: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(value).items()}


def dead_letters(ctx: Context, tenant: str, limit: int = 200) -> list[dict[str, Any]]:
    with ctx.db.tenant(tenant) as session:
        rows = session.exec(
            select(DeadLetterRow)
            .where(DeadLetterRow.tenant == tenant)
            .order_by(col(DeadLetterRow.id).desc())
            .limit(limit)
        )
        return [r.model_dump(exclude={"tenant"}) for r in rows]
