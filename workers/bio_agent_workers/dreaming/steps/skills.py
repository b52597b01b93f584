"""Repeated success becomes a skill: three or more ends that went well, in distinct sessions, of one procedure.

What is known of a success is what promote kept: a memory of how a goal was reached, whose sources are the outcome and the
acts that succeeded on the way. Those sources are cited, so their content is still there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, select

from bio_agent_client.observation import uuid7
from bio_agent_schema import episodes, graph, memories
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.tables import MemoryRow
from bio_agent_schema.types import Episode, Kind, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain.counting import counted
from bio_agent_workers.brain.lessons import skills
from bio_agent_workers.brain.retrieval import facts, search_terms
from bio_agent_workers.dreaming.base import Batch, Line, Night, Step
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages import successes

TYPE = "skill"
MOST_OUTCOMES = 3_000  # the newest; a procedure that was not needed for that long is learned anew when it is
IMPORTANCE = 7
Place = tuple[str, str]  # workspace, user limit


@dataclass(frozen=True, slots=True)
class Found:
    """told: memories that tell of a success, by outcome. sources: of these memories. places: where each outcome belongs."""

    by_id: Mapping[str, Episode]
    acts: Mapping[str, list[str]]  # outcome → the acts that led to it, in order
    places: Mapping[str, Place]
    told: Mapping[str, list[str]]  # outcome → memories that tell of it
    known: Sequence[MemoryRow]


@dataclass(frozen=True, slots=True)
class Thought:
    """place → its skills with their vectors."""

    found: Found
    skills: Sequence[tuple[Place, skills.Skill, list[float]]]
    model: str


def load(session: Session, night: Night, cursor: str) -> Found:
    rows = session.execute(
        text(
            """
            select e.id, m.id, m.workspace, m.user_id from bio.episodes e
            join bio.memory_sources s on s.tenant = e.tenant and s.episode_id = e.id
            join bio.memories m on m.tenant = e.tenant and m.id = s.memory_id and m.state <> 'erased'
            where e.tenant = :t and e.kind = 'outcome' and e.cited and not e.is_failure and not e.recalled and e.content <> ''
            order by e.seq desc, m.id limit :most
            """
        ),
        {"t": night.tenant, "most": MOST_OUTCOMES},
    ).all()
    told: dict[str, list[str]] = {}
    places: dict[str, Place] = {}
    for outcome, memory, workspace, user in rows:
        told.setdefault(outcome, []).append(memory)
        places.setdefault(outcome, (workspace, user))
    sources = memories.sources_of(session, night.tenant, sorted({m for some in told.values() for m in some}))
    by_id = {e.id: e for e in episodes.by_ids(session, night.tenant, {i for some in sources.values() for i in some})}
    known = list(session.exec(
        select(MemoryRow).where(MemoryRow.tenant == night.tenant, MemoryRow.type == TYPE, MemoryRow.state != "erased")
        .order_by(MemoryRow.id)
    ))  # fmt: skip
    return Found(by_id, _led_to(told, sources, by_id), places, told, known)


def _led_to(
    told: Mapping[str, list[str]], sources: Mapping[str, list[str]], by_id: Mapping[str, Episode]
) -> dict[str, list[str]]:
    """Outcome → the acts of its session since the outcome before it, among the sources of the memories that tell of it."""
    out: dict[str, list[str]] = {}
    for outcome, told_by in told.items():
        end = by_id.get(outcome)
        if end is None:
            continue
        same = [by_id[i] for m in told_by for i in sources.get(m, ()) if i in by_id and by_id[i].session == end.session]
        begin = max((e.seq for e in same if e.kind is Kind.OUTCOME and e.seq < end.seq), default=0)
        acts = {e.id: e for e in same if e.kind is Kind.TOOL and not e.is_failure and begin < e.seq < end.seq}
        out[outcome] = [e.id for e in sorted(acts.values(), key=lambda e: e.seq)]
    return out


def think(rt: Runtime, night: Night, found: Found) -> Thought:
    by_place: dict[Place, list[skills.Success]] = {}
    for outcome, act_ids in found.acts.items():
        end = found.by_id[outcome]
        if not successes.tellable(end, [found.by_id[i] for i in act_ids if i in found.by_id]):
            continue
        acts = [
            a for i in act_ids if (e := found.by_id[i]) for a in shell.act_of(e.tool, e.tool_input, e.command)
        ]  # fmt: skip
        success = skills.Success(outcome, end.session, successes.goal_of(end), tuple(acts), end.occurred_at)
        by_place.setdefault(found.places[outcome], []).append(success)
    learned = [(place, s) for place, some in sorted(by_place.items()) for s in skills.abstract(some)]
    known = {i for m in found.known for i in m.meta.get("successes", [])}
    new = sorted({s.text for _, s in learned if not known.issuperset(s.successes)})
    vectors = dict(zip(new, rt.models.embedder.passages([facts.to_embed(t) for t in new]), strict=True)) if new else {}
    return Thought(found, [(p, s, vectors.get(s.text, [])) for p, s in learned], rt.models.embedder.model_id)


def save(session: Session, night: Night, thought: Thought, allowed: int) -> Batch:
    lines: list[Line] = []
    left = 0
    taken: set[str] = set()
    for place, skill, vector in thought.skills:
        old = next((m for m in thought.found.known if m.id not in taken and _is_of(m, place, skill)), None)
        if old is not None:
            taken.add(old.id)
        new = [i for i in skill.successes if old is None or i not in old.meta.get("successes", [])]
        if not new:
            continue
        if len(lines) >= allowed:
            left += 1
            continue
        lines.append(_learn(session, night, thought, place, skill, vector, old))
    session.flush()
    return Batch(lines, None, left)


def _is_of(m: MemoryRow, place: Place, skill: skills.Skill) -> bool:
    """Whether this is the skill of the same procedure: they share a success, and it is the one in force."""
    shared = set(m.meta.get("successes", [])) & set(skill.successes)
    return bool(shared) and (m.workspace, m.user_id) == place and m.superseded_by is None


def _learn(
    session: Session, night: Night, thought: Thought, place: Place, skill: skills.Skill, vector: list[float],
    old: MemoryRow | None,
) -> Line:  # fmt: skip
    found = thought.found
    meta: dict[str, Any] = {
        "goal": skill.goal, "steps": list(skill.steps), "sessions": skill.sessions,
        "successes": sorted({*skill.successes, *(old.meta.get("successes", []) if old else [])}),
    }  # fmt: skip
    why = f"{counted(len(meta['successes']), 'success')} in {counted(skill.sessions, 'session')}"
    more = {"successes": len(meta["successes"]), "sessions": skill.sessions}
    if old is not None and old.content == skill.text:
        row = session.get_one(MemoryRow, (night.tenant, old.id), with_for_update=True)
        row.meta, row.confirmations, row.confirmed_at, row.updated_at = (
            meta,
            row.confirmations + 1,
            night.now,
            night.now,
        )
        row.state = "active" if row.state == "cold" else row.state
        session.add(row)
        audit(session, night.tenant, [Entry("skill_confirmed", subject=f"memory:{row.id}", cause="success", data=more)])
        line = Line("confirmed a skill", why, f"memory:{row.id}", more=more)
    else:
        row = _row(night, thought, place, skill, vector, meta, old)
        memories.insert(session, row, search_terms.terms(f"{skill.text} {' '.join(skill.tools)}"))
        if old is not None:
            memories.supersede(session, night.tenant, old.id, row.id, cause="its steps became more general")
            graph.add(session, night.tenant, [Edge(f"memory:{old.id}", "superseded_by", f"memory:{row.id}")])
        did = "learned a skill" if old is None else "made a skill more general"
        line = Line(did, why, f"memory:{row.id}", f"memory:{old.id}" if old else "", more=more)
    _rest_on(session, night, row, skill, found)
    return line


def _row(
    night: Night, thought: Thought, place: Place, skill: skills.Skill, vector: list[float], meta: dict[str, Any],
    old: MemoryRow | None,
) -> MemoryRow:  # fmt: skip
    by_id = thought.found.by_id
    ends = [by_id[i] for i in skill.successes]
    acts = [by_id[i] for outcome in skill.successes for i in thought.found.acts[outcome]]
    order = list(Provenance)
    trust = max((e.provenance for e in (*ends, *acts)), key=order.index)
    return MemoryRow(
        tenant=night.tenant, id=uuid7(), kind="procedural", type=TYPE, content=skill.text, workspace=place[0], user_id=place[1],
        source="dream", provenance=max(trust, Provenance.AGENT, key=order.index).value, tags=[TYPE],
        entities=sorted({t.casefold() for t in skill.tools}), importance=IMPORTANCE,
        confidence=round((len(ends) + 1) / (len(ends) + 2), 4), lang=skill.lang, mode=ends[-1].mode, embedding=vector,
        embedding_model=thought.model, occurred_at=max(e.occurred_at for e in ends), confirmed_at=night.now,
        confirmations=old.confirmations + 1 if old else 0, valid_from=night.now, created_at=night.now, updated_at=night.now,
        meta=meta,
    )  # fmt: skip


def _rest_on(session: Session, night: Night, row: MemoryRow, skill: skills.Skill, found: Found) -> None:
    """Sources and edges: to the ends themselves and to the memories that tell of them."""
    acts = [i for outcome in skill.successes for i in found.acts[outcome]]
    memories.add_sources(session, night.tenant, row.id, [*skill.successes, *acts])
    told = {m for outcome in skill.successes for m in found.told[outcome]} - {row.id, *(m.id for m in found.known)}
    node = f"memory:{row.id}"
    graph.add(session, night.tenant, [
        *(Edge(node, "derived_from", f"episode:{i}") for i in skill.successes),
        *(Edge(node, "derived_from", f"memory:{m}") for m in sorted(told)),
        *(Edge(node, "mentions", f"entity:{t.casefold()[:80]}") for t in skill.tools),
    ])  # fmt: skip
    for account in memories.by_ids(session, night.tenant, sorted(told)):
        if account.type == successes.TYPE and account.superseded_by is None:
            memories.supersede(session, night.tenant, account.id, row.id, cause="abstracted to a skill")


STEP = Step("abstract_skills", "procedures that worked again and again", load, save, think)
