"""Open conflicts are judged again: the words may have been edited, a judge may be there now, the evidence has changed since.

A pair that no longer contradicts is let go; one that does is settled by what is known today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import beliefs
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import BeliefRow, CycleRow
from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.dreaming.base import PAGE, Batch, Line, Night, Step
from bio_agent_workers.models.protocol import ModelError
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages.judging import judge
from bio_agent_workers.stages.reconcile import Pair, advance, settle

JUDGE_TOKENS = 600  # of one question to a judge: two rules, the instructions and the answer


@dataclass(frozen=True, slots=True)
class Conflict:
    """first / second: the edge's own order. pair: what is found of it now, None when nothing decides it."""

    first: BeliefRow
    second: BeliefRow
    pair: Pair | None = None


def load(session: Session, night: Night, cursor: str) -> Sequence[Conflict]:
    rows = session.execute(
        text(
            """
            select substr(e.source, 8), substr(e.target, 8) from bio.edges e
            join bio.beliefs a on a.tenant = e.tenant and 'belief:' || a.id = e.source and a.state = any(:active)
            join bio.beliefs b on b.tenant = e.tenant and 'belief:' || b.id = e.target and b.state = any(:active)
            where e.tenant = :t and e.relation = 'conflicts_with' and e.source || ' ' || e.target > :cursor
            order by e.source || ' ' || e.target limit :page
            """
        ),
        {"t": night.tenant, "active": list(beliefs.ACTIVE), "cursor": cursor, "page": PAGE},
    ).all()
    known = {b.id: b for b in beliefs.by_ids(session, night.tenant, {i for row in rows for i in row})}
    return [Conflict(known[a], known[b]) for a, b in rows]


def think(rt: Runtime, night: Night, conflicts: Sequence[Conflict]) -> Sequence[Conflict]:
    """The heuristic first, the judge of reconcile for what it leaves open, within the night's budget."""
    out = []
    for c in conflicts:
        reading = relate(c.first.content, c.second.content, threshold=rt.settings.heuristic_overlap)
        general = {"a": c.first.id, "b": c.second.id}.get(reading.exception_of or "", "")
        pair: Pair | None = Pair(c.first.id, c.second.id, reading.relation, general, "heuristic")
        if not reading.decided:
            pair = _judged(rt, night, c)
        out.append(Conflict(c.first, c.second, pair))
    return out


def _judged(rt: Runtime, night: Night, c: Conflict) -> Pair | None:
    if rt.models.nli is None or not night.may_ask(JUDGE_TOKENS):
        return None
    try:
        relation, general, by = judge(rt, CycleRow(tenant=night.tenant, id=night.source), c.first, c.second)
    except ModelError:
        return None  # the judge is away: the conflict stays as it is
    if by == "nli":
        night.calls, night.tokens = night.calls + 1, night.tokens + JUDGE_TOKENS
    return None if by == "undecided" else Pair(c.first.id, c.second.id, relation, general, by)


def save(session: Session, night: Night, conflicts: Sequence[Conflict], allowed: int) -> Batch:
    lines: list[Line] = []
    left = 0
    for c in conflicts:
        trial = session.begin_nested()
        made = _settled(session, night, c)
        if len(lines) + len(made) > allowed:
            trial.rollback()
            session.expire_all()
            left += 1
            continue
        trial.commit()
        lines += made
    last = conflicts[-1] if len(conflicts) == PAGE else None
    if last is None:
        moot = _moot(session, night)
        room = max(0, allowed - len(lines))
        left += len(moot[room:])
        for review in moot[:room]:
            _close(session, night, review)
            lines.append(Line("closed a question", "one of the two no longer holds", f"review:{review}"))
    return Batch(lines, f"belief:{last.first.id} belief:{last.second.id}" if last is not None else None, left)


def _moot(session: Session, night: Night) -> list[str]:
    """Questions about two rules of which one is out of force: nobody need answer them any more."""
    return list(
        session.execute(
            text(
                """
                select r.id from bio.reviews r where r.tenant = :t and r.state = 'open' and r.kind in ('tie', 'outranked')
                  and exists (select 1 from bio.beliefs b where b.tenant = :t and b.id in (r.belief_id, r.other_id)
                              and not b.state = any(:active))
                order by r.id limit :page
                """
            ),
            {"t": night.tenant, "active": list(beliefs.ACTIVE), "page": PAGE},
        ).scalars()
    )


def _close(session: Session, night: Night, review: str) -> None:
    session.execute(
        text(
            "update bio.reviews set state = 'decided', decided_by = 'system', why = 'one of the two no longer holds',"
            " decided_at = bio.now() where tenant = :t and id = :i"
        ),
        {"t": night.tenant, "i": review},
    )
    audit(
        session, night.tenant, [Entry("review_closed", subject=f"review:{review}", cycle_id=night.source, cause="moot")]
    )


def _settled(session: Session, night: Night, c: Conflict) -> list[Line]:
    ids = sorted((c.first.id, c.second.id))
    rows = [r for i in ids if (r := session.get(BeliefRow, (night.tenant, i), with_for_update=True)) is not None]
    if c.pair is None or len(rows) < 2 or any(r.state not in beliefs.ACTIVE for r in rows):
        return []
    before = {r.id: r.state for r in rows}
    lines: list[Line] = []
    if c.pair.relation is not Relation.CONTRADICTION:
        _let_go(session, night, c)
        lines.append(Line("let go", f"no longer in conflict: {c.pair.relation.value}", f"belief:{c.first.id}",
                          f"belief:{c.second.id}", more={"by": c.pair.decided_by}))  # fmt: skip
    if c.pair.relation is not Relation.NEUTRAL:
        settle(session, CycleRow(tenant=night.tenant, id=night.source), [c.pair], night.now, night.review_mode)
    for row in rows:
        if row.state in beliefs.ACTIVE:
            advance(session, row, night.now, night.review_mode)
    lines += [
        Line(f"{before[r.id]} → {r.state}", f"open conflict: {r.cause}", f"belief:{r.id}")
        for r in rows if r.state != before[r.id]
    ]  # fmt: skip
    return lines


def _let_go(session: Session, night: Night, c: Conflict) -> None:
    nodes = {"t": night.tenant, "a": f"belief:{c.first.id}", "b": f"belief:{c.second.id}"}
    session.execute(
        text("delete from bio.edges where tenant = :t and relation = 'conflicts_with' and source = :a and target = :b"),
        nodes,
    )
    session.execute(
        text(
            "update bio.reviews set state = 'decided', decided_by = 'system', why = 'no longer in conflict',"
            " decided_at = bio.now() where tenant = :t and state = 'open' and kind in ('tie', 'outranked')"
            " and least(belief_id, other_id) = substr(least(:a, :b), 8) and greatest(belief_id, other_id) = substr(greatest(:a, :b), 8)"
        ),
        nodes,
    )
    audit(session, night.tenant, [Entry("conflict_let_go", subject=f"belief:{c.first.id}", cycle_id=night.source,
                                        data={"other": c.second.id})])  # fmt: skip


STEP = Step("recheck_conflicts", "conflicts that are open", load, save, think)
