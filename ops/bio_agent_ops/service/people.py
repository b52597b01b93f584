"""Acts of a person on rules: add, approve, reject, edit, pin, deprecate, undo …; each is audited with who and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from bio_agent_client.observation import uuid7
from bio_agent_client.redact import redact
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Feedback, LiteralAct, NewBelief, PersonAct
from bio_agent_ops.service import approvals, undoing
from bio_agent_ops.service.cleaning import cleaned, refuse_secret
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotFound
from bio_agent_ops.service.reading import belief_of, belief_view
from bio_agent_ops.service.wording import Worded, retell, reword, rule_text, worded
from bio_agent_schema import beliefs, derived, history
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, MemoryRow
from bio_agent_schema.types import BeliefState, Layer, Provenance
from bio_agent_workers.brain import lifecycle, scopes
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.rule_forms import LITERAL
from bio_agent_workers.stages.reconcile import advance, apply_move


def add_belief(ctx: Context, caller: Caller, ask: NewBelief) -> dict[str, Any]:
    """A core rule: it speaks at once and learning never changes it."""
    refuse_secret(ask.scope, "scope")
    ask = cleaned(ask)
    path = scopes.format_path(scopes.parse(ask.scope).path)
    new = worded(ctx, rule_text(ask.content))
    with ctx.db.tenant(caller.tenant) as session:
        now = beliefs.now(session)
        row = BeliefRow(
            tenant=caller.tenant, id=uuid7(), content=new.text, rendering=new.text, search=new.search, lang=new.lang,
            canonical_key=new.key, canonical=new.canonical, layer=Layer.CORE.value, scope_path=path, scope_agent=ask.agent,
            scope_user=ask.user, state=BeliefState.STABLE.value, directive=True, approved_by=caller.actor,
            compiled_confidence=1.0, alpha=2.0, beta=0.0, confidence=1.0, rank=Provenance.OWNER.value, embedding=new.vector,
            embedding_model=new.model, valid_from=now, created_at=now, updated_at=now, cause=undoing.PERSON_ADDED,
        )  # fmt: skip
        try:
            with session.begin_nested():
                kept = beliefs.insert(session, row, actor=caller.actor)
        except IntegrityError:  # somebody else's rule of the same meaning came first and is there now
            kept = beliefs.insert(session, row, actor=caller.actor)
        if kept.id != row.id and kept.layer != Layer.CORE:
            why = ask.why or "said by a person"
            _perform(session, kept, Act.EDIT, caller, PersonAct(why=why, content=new.text), new)
        beliefs.touch_epoch(session, caller.tenant)
        return belief_view(kept)


def _held(session: Session, tenant: str, belief_id: str) -> BeliefRow:
    """The belief, locked: of two acts at the same moment the second sees what the first did."""
    row = belief_of(session, tenant, belief_id)
    session.refresh(row, with_for_update=True)
    return row


def act(ctx: Context, caller: Caller, belief_id: str, what: Act, ask: PersonAct) -> dict[str, Any]:
    """One act of a person on a belief. Raises NotFound, Conflict (the state does not allow it), BadRequest."""
    new: Worded | None = None
    if what is Act.EDIT:
        if not ask.content:
            raise BadRequest("content: an edit needs the new text")
        new = worded(ctx, rule_text(ask.content))
    elif what is Act.UNDO:
        new = _text_before(ctx, caller.tenant, belief_id)
    with ctx.db.tenant(caller.tenant) as session:
        row = _held(session, caller.tenant, belief_id)
        if ask.expected_version is not None and ask.expected_version != row.version:
            raise Conflict(f"the belief is at version {row.version}, not {ask.expected_version}; read it again")
        try:
            also = _perform(session, row, what, caller, ask, new)
        except lifecycle.IllegalMove as error:
            raise Conflict(str(error)) from error
        except IntegrityError as error:  # one active belief of a meaning and scope
            raise Conflict("another belief of this scope says the same and is in force; act on that one") from error
        beliefs.touch_epoch(session, caller.tenant)
        session.flush()
        return belief_view(row) | ({"also": also} if also else {})


def _text_before(ctx: Context, tenant: str, belief_id: str) -> Worded | None:
    """The text that undo brings back, read by the embedder before the act's own transaction; None when it stays."""
    with ctx.db.tenant(tenant) as session:
        row = belief_of(session, tenant, belief_id)
        stood = undoing.last_step(session, row).stood
        said = stood.content if stood is not None and stood.content != row.content else ""
    return worded(ctx, said) if said else None


def _perform(
    session: Session, row: BeliefRow, what: Act, caller: Caller, ask: PersonAct, new: Worded | None
) -> list[dict[str, Any]]:
    """Carry out the act and audit it with what is needed to take it back. Returns other beliefs that it changed."""
    if what is Act.UNDO and undoing.taken_literally_last(session, row):
        _set_literal(session, row, caller, LiteralAct(literal=False, why=ask.why))
        return []
    if what is Act.UNDO:
        return undoing.undo(session, row, caller.actor, ask.why, new)
    before = history.latest(session, row.tenant, row.id)
    waited = row.recheck
    if new is not None:
        changed = reword(session, row, new)
        retell(session, row, new.vector, new.model, beliefs.now(session), caller.actor)
        audit(session, row.tenant, [Entry("belief_edited", subject=f"belief:{row.id}", actor=caller.actor,
                                          data={"key_changed": changed})])  # fmt: skip
    _ACTS[what](session, row, what, caller, ask.why)
    session.flush()
    if waited and not row.recheck:
        derived.uncascade(session, row.tenant, row.id)
    decided = [] if what is Act.RECHECK else _decide_reviews(session, row, caller, ask.why)
    audit(session, row.tenant, [Entry(f"person_{what}", subject=f"belief:{row.id}", actor=caller.actor, after=row.state, data={
        "why": redact(ask.why)[:500], "stood": before, "reviews": decided})])  # fmt: skip
    return []


def _decide_reviews(session: Session, row: BeliefRow, caller: Caller, why: str) -> list[str]:
    """Questions about the rule that the act answers; whether an exception to it may apply is another question."""
    decided = session.execute(
        text(
            "update bio.reviews set state = 'decided', decided_by = :a, why = :w, decided_at = bio.now() where tenant = :t"
            " and state = 'open' and kind <> 'exception' and (belief_id = :b or other_id = :b) returning id"
        ),
        {"t": row.tenant, "a": caller.actor, "w": redact(why), "b": row.id},
    ).scalars()
    return sorted(decided)


def _core(session: Session, row: BeliefRow, act: Act, caller: Caller, why: str) -> None:
    """A person's word makes a rule core: it speaks in the words the person read, and learning never changes it. Raises
    Conflict for an approval that was given already and of which nothing asks again."""
    settled = row.layer == Layer.CORE and row.state == BeliefState.STABLE and not (row.recheck or row.disputed)
    if act is Act.APPROVE and settled and not _open_questions(session, row):
        raise Conflict(f"the rule is core already, by {row.approved_by or 'a person'}: nothing is left to approve")
    row.layer, row.approved_by, row.needs_person, row.recheck = Layer.CORE.value, caller.actor, False, False
    row.rendering = row.rendering or row.content
    _move(session, row, act, caller, why)
    row.disputed = False
    session.add(row)


def _open_questions(session: Session, row: BeliefRow) -> bool:
    return any(r.kind not in ("exception", approvals.KIND) for r in beliefs.reviews(session, row.tenant, row.id))


def _fall(session: Session, row: BeliefRow, act: Act, caller: Caller, why: str) -> None:
    row.layer = Layer.PROJECT.value  # a person who takes a rule back takes its protection back too
    _move(session, row, act, caller, why)


def _recheck(session: Session, row: BeliefRow, act: Act, caller: Caller, why: str) -> None:
    """It holds although what it was derived from fell."""
    if not row.recheck:
        raise Conflict("this belief waits for no re-check")
    _move(session, row, act, caller, why)
    row.recheck = False
    session.add(row)


def _move(session: Session, row: BeliefRow, act: Act, caller: Caller, why: str) -> None:
    apply_move(session, row, lifecycle.person_move(BeliefState(row.state), act), actor=caller.actor, why=why)


_ACTS: Mapping[Act, Callable[[Session, BeliefRow, Act, Caller, str], None]] = {
    Act.APPROVE: _core, Act.PIN: _core, Act.EDIT: _core, Act.REJECT: _fall, Act.DEPRECATE: _fall, Act.QUARANTINE: _fall,
    Act.RECHECK: _recheck,
}  # fmt: skip


def take_literally(ctx: Context, caller: Caller, belief_id: str, ask: LiteralAct) -> dict[str, Any]:
    """Whether the guard leaves aside what a model read in the rule and goes by the rule's own words. Raises NotFound."""
    with ctx.db.tenant(caller.tenant) as session:
        row = _held(session, caller.tenant, belief_id)
        _set_literal(session, row, caller, ask)
        beliefs.touch_epoch(session, caller.tenant)
        return belief_view(row)


def _set_literal(session: Session, row: BeliefRow, caller: Caller, ask: LiteralAct) -> None:
    kept = {name: value for name, value in row.forms.items() if name != LITERAL}
    row.forms = kept | ({LITERAL: True} if ask.literal else {})
    row.updated_at = beliefs.now(session)
    session.add(row)
    audit(session, row.tenant, [Entry(undoing.TAKEN, subject=f"belief:{row.id}", actor=caller.actor, cause="person", data={
        "literally": ask.literal, "why": redact(ask.why)[:500]})])  # fmt: skip


def recheck_memory(ctx: Context, caller: Caller, memory_id: str, why: str) -> dict[str, Any]:
    """A memory that waits because what it was derived from fell: a person says that it holds."""
    with ctx.db.tenant(caller.tenant) as session:
        row = session.get(MemoryRow, (caller.tenant, memory_id), with_for_update=True)
        if row is None:
            raise NotFound(f"there is no memory {memory_id[:80]!r}")
        if not row.recheck:
            raise Conflict("this memory waits for no re-check")
        row.recheck, row.updated_at = False, beliefs.now(session)
        session.add(row)
        audit(session, caller.tenant, [Entry("rechecked", subject=f"memory:{row.id}", actor=caller.actor, cause="person",
                                             data={"why": redact(why)[:500]})])  # fmt: skip
        return {"id": row.id, "content": row.content, "recheck": False}


def feedback(ctx: Context, caller: Caller, ask: Feedback) -> dict[str, Any]:
    """A rule helped or hurt in a session; counted at most once a rule and session."""
    ask = cleaned(ask)
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
