"""Acts of a person: add, approve, reject, edit, pin, deprecate, undo, grant; each is audited with who and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from bio_agent_client.observation import clean_text, uuid7
from bio_agent_client.redact import redact
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Feedback, NewBelief, NewException, PersonAct
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotFound
from bio_agent_ops.service.reading import belief_of, belief_view, exception_view
from bio_agent_schema import beliefs, graph
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, ExceptionRow
from bio_agent_schema.types import BeliefState, Layer, Provenance
from bio_agent_workers.brain import lifecycle, scopes
from bio_agent_workers.brain.canonical import canonicalize
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.brain.text import content_tokens, detect_lang
from bio_agent_workers.stages.reconcile import advance, apply_move


def _rule_text(raw: str) -> str:
    said = " ".join(redact(clean_text(raw)).split())
    if len(re.sub(r"\W", "", said)) < 2:
        raise BadRequest("content holds no words once control characters are taken out")
    return said


def add_belief(ctx: Context, caller: Caller, ask: NewBelief) -> dict[str, Any]:
    """A core rule: it speaks at once and learning never changes it."""
    said = _rule_text(ask.content)
    path = scopes.format_path(scopes.parse(ask.scope).path)
    lang = detect_lang(said)
    form = canonicalize(said, lang)
    vector = ctx.embedder.passages([said])[0]
    with ctx.db.tenant(caller.tenant) as session:
        now = beliefs.now(session)
        row = BeliefRow(
            tenant=caller.tenant, id=uuid7(), content=said, rendering=said, search=" ".join(content_tokens(said, lang)), lang=lang,
            canonical_key=form.key, canonical=asdict(form), layer=Layer.CORE.value, scope_path=path, scope_agent=ask.agent,
            scope_user=ask.user, state=BeliefState.STABLE.value, directive=True, approved_by=caller.actor,
            compiled_confidence=1.0, alpha=2.0, beta=0.0, confidence=1.0, rank=Provenance.OWNER.value, embedding=vector,
            embedding_model=ctx.embedder.model_id, valid_from=now, created_at=now, updated_at=now, cause="person_added",
        )  # fmt: skip
        kept = beliefs.insert(session, row, actor=caller.actor)
        if kept.id != row.id:
            if kept.layer == Layer.CORE:
                return belief_view(kept)
            kept.content = kept.rendering = said
            _to_core(session, kept, Act.PIN, caller, ask.why or "said by a person")
        beliefs.touch_epoch(session, caller.tenant)
        return belief_view(kept)


def _held(session: Session, tenant: str, belief_id: str) -> BeliefRow:
    """The belief, locked: of two acts at the same moment the second sees what the first did."""
    row = belief_of(session, tenant, belief_id)
    session.refresh(row, with_for_update=True)
    return row


def act(ctx: Context, caller: Caller, belief_id: str, what: Act, ask: PersonAct) -> dict[str, Any]:
    """One act of a person on a belief. Raises NotFound, Conflict (the state does not allow it), BadRequest."""
    with ctx.db.tenant(caller.tenant) as session:
        row = _held(session, caller.tenant, belief_id)
        if ask.expected_version is not None and ask.expected_version != row.version:
            raise Conflict(f"the belief is at version {row.version}, not {ask.expected_version}; read it again")
        try:
            _ACTS[what](session, row, caller, ask)
            session.flush()
        except lifecycle.IllegalMove as error:
            raise Conflict(str(error)) from error
        except IntegrityError as error:  # one active belief of a meaning and scope
            raise Conflict("another belief of this scope says the same and is in force; act on that one") from error
        session.execute(
            text(
                "update bio.reviews set state = 'decided', decided_by = :a, why = :w, decided_at = bio.now()"
                " where tenant = :t and state = 'open' and (belief_id = :b or other_id = :b)"
            ),
            {"t": caller.tenant, "a": caller.actor, "w": ask.why, "b": row.id},
        )
        audit(session, caller.tenant, [Entry(f"person_{what}", subject=f"belief:{row.id}", actor=caller.actor,
                                             after=row.state, data={"why": redact(ask.why)[:500]})])  # fmt: skip
        beliefs.touch_epoch(session, caller.tenant)
        session.flush()
        return belief_view(row)


def _move(session: Session, row: BeliefRow, act: Act, caller: Caller, why: str) -> None:
    apply_move(session, row, lifecycle.person_move(BeliefState(row.state), act), actor=caller.actor, why=why)


def _to_core(session: Session, row: BeliefRow, act: Act, caller: Caller, why: str) -> None:
    """A person's word makes a rule core: it speaks in the words the person read, and learning never changes it."""
    row.layer, row.approved_by, row.needs_person = Layer.CORE.value, caller.actor, False
    row.disputed, row.recheck = False, False
    row.rendering = row.rendering or row.content
    _move(session, row, act, caller, why)
    session.add(row)


def _core(act: Act) -> Callable[[Session, BeliefRow, Caller, PersonAct], None]:
    return lambda session, row, caller, ask: _to_core(session, row, act, caller, ask.why)


def _fall(act: Act) -> Callable[[Session, BeliefRow, Caller, PersonAct], None]:
    def fall(session: Session, row: BeliefRow, caller: Caller, ask: PersonAct) -> None:
        row.layer = Layer.PROJECT.value  # a person who takes a rule back takes its protection back too
        _move(session, row, act, caller, ask.why)

    return fall


def _edit(session: Session, row: BeliefRow, caller: Caller, ask: PersonAct) -> None:
    if not ask.content:
        raise BadRequest("content: an edit needs the new text")
    said = _rule_text(ask.content)
    form = canonicalize(said, detect_lang(said))
    changed = form.key != row.canonical_key
    row.content = row.rendering = said
    row.lang, row.search = detect_lang(said), " ".join(content_tokens(said))
    row.canonical_key, row.canonical, row.acts = form.key, asdict(form), {}
    _to_core(session, row, Act.EDIT, caller, ask.why)
    audit(session, row.tenant, [Entry("belief_edited", subject=f"belief:{row.id}", actor=caller.actor,
                                      data={"key_changed": changed})])  # fmt: skip


_ACTS: Mapping[Act, Callable[[Session, BeliefRow, Caller, PersonAct], None]] = {
    Act.APPROVE: _core(Act.APPROVE), Act.PIN: _core(Act.PIN), Act.EDIT: _edit, Act.REJECT: _fall(Act.REJECT),
    Act.DEPRECATE: _fall(Act.DEPRECATE), Act.UNDO: _fall(Act.UNDO), Act.QUARANTINE: _fall(Act.QUARANTINE),
}  # fmt: skip


def add_exception(ctx: Context, caller: Caller, ask: NewException) -> dict[str, Any]:
    """Propose an exception; a person's comes into force at once, another's waits for approval."""
    if ask.expires_at is not None and ask.expires_at.tzinfo is None:
        raise BadRequest("expires_at: give an offset, such as 2026-12-05T23:59:59+07:00")
    with ctx.db.tenant(caller.tenant) as session:
        rule = belief_of(session, caller.tenant, ask.belief_id)
        now = beliefs.now(session)
        if ask.expires_at is not None and ask.expires_at <= now:
            raise BadRequest("expires_at: lies in the past")
        row = ExceptionRow(
            tenant=caller.tenant, id=uuid7(), belief_id=rule.id, text=_rule_text(ask.text), policy=ask.policy, bounds=ask.bounds,
            state="approved" if caller.person else "proposed", proposed_by=caller.actor,
            approved_by=caller.actor if caller.person else "", why=redact(ask.why), valid_from=_aware(ask.valid_from) or now,
            expires_at=ask.expires_at,
        )  # fmt: skip
        session.add(row)
        session.flush()
        session.refresh(row)
        edges = [Edge(f"exception:{row.id}", "governed_exception_for", f"belief:{rule.id}")]
        if not caller.person:
            edges.append(Edge(f"exception:{row.id}", "requires_human_approval", f"belief:{rule.id}"))
            beliefs.open_review(
                session,
                caller.tenant,
                "exception",
                rule.id,
                row.id,
                question=f"May this exception apply? {row.text[:300]}",
            )
        elif row.policy:
            edges.append(Edge(f"exception:{row.id}", "approved_by_policy", f"entity:{row.policy[:80]}"))
        if row.expires_at:
            edges.append(
                Edge(f"exception:{row.id}", "expires_override_at", f"belief:{rule.id}", props={"at": row.expires_at})
            )
        graph.add(session, caller.tenant, edges)
        audit(session, caller.tenant, [Entry("exception_added", subject=f"exception:{row.id}", actor=caller.actor, after=row.state,
                                             data={"belief": rule.id})])  # fmt: skip
        beliefs.touch_epoch(session, caller.tenant)
        return exception_view(row)


def _aware(at: datetime | None) -> datetime | None:
    if at is not None and at.tzinfo is None:
        raise BadRequest("valid_from: give an offset, such as 2026-12-01T00:00:00+07:00")
    return at


def feedback(ctx: Context, caller: Caller, ask: Feedback) -> dict[str, Any]:
    """A rule helped or hurt in a session; counted at most once a rule and session."""
    with ctx.db.tenant(caller.tenant) as session:
        row = _held(session, caller.tenant, ask.rule_id)
        had = session.execute(
            text("select credited from bio.injections where tenant = :t and session = :s and rule_id = :r"),
            {"t": caller.tenant, "s": ask.session, "r": row.id},
        ).first()
        if had is None and not caller.person:
            raise NotFound("that session was not given this rule; only what a session had before it is credited")
        if had is not None and had[0]:
            return {"counted": False, "belief": belief_view(row)}
        session.execute(
            text(
                """
                insert into bio.injections (tenant, session, rule_id, how, credited) values (:t, :s, :r, 'feedback', :c)
                on conflict (tenant, session, rule_id) do update set credited = excluded.credited
                """
            ),
            {"t": caller.tenant, "s": ask.session, "r": row.id, "c": ask.outcome},
        )
        row.helped += ask.outcome == "helped"
        row.hurt += ask.outcome == "hurt"
        now = beliefs.now(session)
        review_mode = beliefs.tenant_row(session, caller.tenant).review_mode
        advance(session, row, now, review_mode)
        audit(session, caller.tenant, [Entry("belief_credited", subject=f"belief:{row.id}", actor=caller.actor, cause=ask.outcome,
                                             data={"confidence": round(row.confidence, 4)})])  # fmt: skip
        beliefs.touch_epoch(session, caller.tenant)
        return {"counted": True, "belief": belief_view(row)}
