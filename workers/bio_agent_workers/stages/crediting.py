"""Credit for rules that a session had before it, read off what its agent then did. At most once a rule and session."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import beliefs, episodes, ledger
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import BeliefRow, CycleRow
from bio_agent_schema.types import Episode, Kind
from bio_agent_workers import shell
from bio_agent_workers.brain.guarding.act_forms import lesson_from
from bio_agent_workers.brain.usefulness import Use, use_of


def credit(session: Session, cycle: CycleRow) -> list[BeliefRow]:
    """Look at the cycle's tool calls, write what they say of the rules their sessions had. Returns the rules credited; the
    caller moves them on with their new numbers."""
    done = [e for e in episodes.by_ids(session, cycle.tenant, cycle.episode_ids) if e.kind is Kind.TOOL]
    open_ = session.execute(
        text(
            """
            select i.session, i.rule_id, i.at from bio.injections i join bio.beliefs b on b.tenant = i.tenant and b.id = i.rule_id
            where i.tenant = :t and i.session = any(:s) and i.credited = '' and b.pair and b.layer <> 'core'
              and b.state in ('reinforced', 'stable', 'challenged') order by i.rule_id, i.session
            """
        ),
        {"t": cycle.tenant, "s": sorted({e.session for e in done if e.session})},
    ).all()
    if not open_:
        return []
    acts = {e.id: shell.act_of(e.tool, e.tool_input, e.command) for e in done}
    rules = {b.id: b for b in beliefs.by_ids(session, cycle.tenant, sorted({r[1] for r in open_}))}
    credited: dict[str, BeliefRow] = {}
    for name, rule_id, since in open_:
        stretch = sorted((e for e in done if e.session == name and e.occurred_at >= since), key=lambda e: e.seq)
        found = use_of(lesson_from(rules[rule_id].acts), stretch, acts)
        if found is not None:
            _write(session, cycle, rules[rule_id], name, *found)
            credited[rule_id] = rules[rule_id]
    return list(credited.values())


def _write(session: Session, cycle: CycleRow, rule: BeliefRow, name: str, episode: Episode, use: Use) -> None:
    session.execute(
        text("update bio.injections set credited = :c, at = :at where tenant = :t and session = :s and rule_id = :r"),
        {"c": use.value, "at": episode.occurred_at, "t": cycle.tenant, "s": name, "r": rule.id},
    )
    rule.helped += use is Use.HELPED
    rule.hurt += use is Use.HURT
    session.add(rule)
    ledger.audit(session, cycle.tenant, [
        Entry("belief_credited", subject=f"belief:{rule.id}", cycle_id=cycle.id, cause=use.value, episode_id=episode.id,
              data={"session": name, "command": episode.command[:200]}),
    ])  # fmt: skip
