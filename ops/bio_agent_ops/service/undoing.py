"""Undo: the last act of a person or of a directive on a rule, taken back to what stood before it.

Which act that was, and what stood, is read from the audit and from the belief's history. Undone acts are passed over, so
that a second undo takes back the act before; when none is left it says so and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from bio_agent_client.redact import redact
from bio_agent_ops.service.context import Conflict
from bio_agent_ops.service.wording import Worded, retell
from bio_agent_schema import beliefs, history
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow
from bio_agent_schema.types import BeliefState, Layer
from bio_agent_workers.brain import lifecycle
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.rule_forms import LITERAL
from bio_agent_workers.stages.reconcile import apply_move

TAKEN = "rule_taken"  # in the audit: literally, or as a model reads it
PERSON_ADDED = "person_added"  # cause of a belief that a person made
BIRTH = "birth"  # what is undone when a directive, or a lesson, itself is taken back
_RESTORED = (
    "content", "rendering", "model_text", "search", "lang", "canonical_key", "canonical", "acts", "kind", "layer", "directive",
    "pair", "needs_person", "approved_by", "superseded_by", "valid_to",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """What undo takes back. kind: "act" (a person's), "fall" (learning or a newer directive took it down), "birth".

    undone: how the audit names it. stood: the belief before an act. state: its state before a fall. reviews: questions
    that the act had answered. successor: id of the directive that a fall made room for.
    """

    kind: str
    undone: str
    stood: BeliefRow | None = None
    state: BeliefState | None = None
    reviews: list[str] = field(default_factory=list)
    successor: str = ""


def taken_literally_last(session: Session, row: BeliefRow) -> bool:
    """Whether the last act of a person on it was that the guard goes by its own words alone."""
    newest = session.execute(
        text(
            "select act from bio.audit where tenant = :t and subject = :s and (act = :taken or starts_with(act, 'person_'))"
            " order by seq desc limit 1"
        ),
        {"t": row.tenant, "s": f"belief:{row.id}", "taken": TAKEN},
    ).scalar()
    return newest == TAKEN and LITERAL in row.forms


def last_step(session: Session, row: BeliefRow) -> Step:
    """Raises Conflict when nothing is left to undo."""
    rows = session.execute(
        text(
            """
            select seq, act, actor, cause, before, after, data from bio.audit where tenant = :t and subject = :s
              and (act in ('belief_moved', 'belief_created') or starts_with(act, 'person_')) order by seq desc
            """
        ),
        {"t": row.tenant, "s": f"belief:{row.id}"},
    ).all()
    undone = {str(r.data.get("undone", "")) for r in rows if r.act == "person_undo"}
    acts = [r for r in rows if r.act.startswith("person_") and r.act != "person_undo" and str(r.seq) not in undone]
    fall = next((r for r in rows if r.act == "belief_moved" and r.after == row.state), None)
    if row.state in (BeliefState.CHALLENGED, BeliefState.DEPRECATED) and fall is not None and fall.actor == "system":
        if not acts or fall.seq > acts[0].seq:
            successor = row.superseded_by if fall.cause == "superseded" and row.superseded_by else ""
            return Step("fall", f"fall {fall.seq}", state=BeliefState(fall.before), successor=successor or "")
    if acts:
        stood = history.stood(session, row.tenant, row.id, int(acts[0].data.get("stood") or 0))
        if stood is None:
            raise Conflict("what stood before the last act was not kept; approve, edit or reject the rule instead")
        return Step("act", str(acts[0].seq), stood=stood, reviews=[str(i) for i in acts[0].data.get("reviews", [])])
    born_of_a_word = row.directive or any(r.act == "belief_created" and r.cause == PERSON_ADDED for r in rows)
    if (
        BIRTH not in undone
        and (born_of_a_word or not undone)
        and Act.UNDO in lifecycle.acts_possible(BeliefState(row.state))
    ):
        return Step("birth", BIRTH)
    if undone:
        raise Conflict("nothing is left to undo: the last act was undone, and what stands now is what stood before it")
    raise Conflict(f"no act of a person or of a directive is there to undo; the belief is {row.state}")


def undo(session: Session, row: BeliefRow, actor: str, why: str, new: Worded | None) -> list[dict[str, Any]]:
    """Take the last step back. `new`: the text to bring back as the embedder reads it. Returns other beliefs changed."""
    step = last_step(session, row)
    also: list[BeliefRow] = []
    if step.kind == "act" and step.stood is not None:
        _restore(session, row, step.stood, actor, why, new)
        _reopen(session, row.tenant, step.reviews)
    elif step.kind == "fall" and step.state is not None:
        also = _back(session, row, step, actor, why)
    else:
        also = _take_back(session, row, actor, why)
    session.flush()
    _tell(session, row, step.undone, actor, why)
    return [{"id": b.id, "state": b.state, "content": b.content} for b in also]


def _tell(session: Session, row: BeliefRow, undone: str, actor: str, why: str) -> None:
    data = {"why": redact(why)[:500], "undone": undone}
    entry = Entry("person_undo", subject=f"belief:{row.id}", actor=actor, after=row.state, data=data)
    audit(session, row.tenant, [entry])


def _restore(session: Session, row: BeliefRow, stood: BeliefRow, actor: str, why: str, new: Worded | None) -> None:
    reworded = stood.content != row.content
    if reworded and (new is None or new.text != stood.content):
        raise Conflict("the belief changed at this very moment; read it again and undo then")
    for name in _RESTORED:
        setattr(row, name, getattr(stood, name))
    if reworded and new is not None:
        row.embedding, row.embedding_model = list(new.vector), new.model
        retell(session, row, new.vector, new.model, beliefs.now(session), actor)
    apply_move(
        session, row, lifecycle.undo_move(BeliefState(row.state), BeliefState(stood.state)), actor=actor, why=why
    )
    row.layer, row.superseded_by, row.valid_to = stood.layer, stood.superseded_by, stood.valid_to
    row.disputed = stood.disputed
    row.recheck = row.recheck or stood.recheck  # what it rests on may have fallen since
    session.add(row)


def _reopen(session: Session, tenant: str, reviews: list[str]) -> None:
    session.execute(
        text(
            "update bio.reviews set state = 'open', decided_by = '', why = '', decided_at = null"
            " where tenant = :t and id = any(:ids) and state = 'decided' and kind <> 'call'"  # a call's moment is over
        ),
        {"t": tenant, "ids": reviews},
    )


def _back(session: Session, row: BeliefRow, step: Step, actor: str, why: str) -> list[BeliefRow]:
    """A rule that fell stands as it stood. A directive that took its place is taken back with it: both cannot hold."""
    assert step.state is not None
    also: list[BeliefRow] = []
    successor = beliefs.get(session, row.tenant, step.successor) if step.successor else None
    if successor is not None and successor.directive and successor.state in beliefs.ACTIVE:
        session.refresh(successor, with_for_update=True)
        if successor.layer == Layer.CORE:
            raise Conflict(f"a person stands for the rule that superseded it; act on {successor.id} first")
        apply_move(
            session, successor, lifecycle.person_move(BeliefState(successor.state), Act.REJECT), actor=actor, why=why
        )
        _tell(session, successor, BIRTH, actor, why)
        also.append(successor)
    apply_move(session, row, lifecycle.undo_move(BeliefState(row.state), step.state), actor=actor, why=why)
    return also


def _take_back(session: Session, row: BeliefRow, actor: str, why: str) -> list[BeliefRow]:
    """The rule is rejected; what it had superseded as a directive stands again."""
    row.layer = Layer.PROJECT.value
    apply_move(session, row, lifecycle.person_move(BeliefState(row.state), Act.UNDO), actor=actor, why=why)
    also: list[BeliefRow] = []
    if row.directive and row.state == BeliefState.REJECTED:
        older = session.exec(
            select(BeliefRow)
            .where(BeliefRow.tenant == row.tenant, BeliefRow.superseded_by == row.id)
            .where(BeliefRow.state == BeliefState.DEPRECATED.value, BeliefRow.cause == "superseded")
            .order_by(col(BeliefRow.id))
            .with_for_update()
        )
        for old in older:
            step = last_step(session, old)
            if step.kind == "fall" and step.state is not None:
                apply_move(session, old, lifecycle.undo_move(BeliefState.DEPRECATED, step.state), actor=actor, why=why)
                _tell(session, old, step.undone, actor, why)
                also.append(old)
    return also
