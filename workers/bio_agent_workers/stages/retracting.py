"""Retracting: what an owner takes back of what was said before falls; where a doubt is left, a person is asked.

Only an owner's own turn takes anything back, and only what was said before it. A rule falls at once where the same owner said
it, in that very place. A rule that a person approved, that another person said, or that holds in a wider place than the
speaker's stays in force, and so does one of several that may be meant: each is named in a question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from sqlmodel import Session, col, select

from bio_agent_schema import beliefs, episodes, graph, ledger
from bio_agent_schema.graph import Edge
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import BeliefRow, CycleRow, EvidenceRow
from bio_agent_schema.types import BeliefState, Episode, Kind, Layer, Provenance, Scope, StateChange
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.directives import retractions
from bio_agent_workers.brain.directives.retraction_words import Manner
from bio_agent_workers.brain.directives.retractions import Meant, Retraction
from bio_agent_workers.brain.lifecycle import is_legal

CAUSE = "superseded"  # of the fall: the owner's newer word, with a rule of its own or without one
ASKS = "stale"  # kind of the question: does the rule still hold?
COMPARED = 500  # of an owner's rules, the newest, that one retraction is compared with
BACK = 40  # episodes of the session that are looked at for what was said last
_SHOWN = 200  # characters of each text in a question
_NAMING = (Manner.NAMED, Manner.POINTED)  # words of a rule, not of what it is about
_NAMES_A_RULE = re.compile(
    r"\brule|\binstruction|规则|规定|要求|那条|这条|\b(?:quy tắc|quy định|lệnh|yêu cầu)", re.IGNORECASE
)
_ENDS = " .!。！;；,，"
_NOBODY = frozenset({"", "user", "owner"})  # speakers that name nobody


def heard(session: Session, cycle: CycleRow) -> list[tuple[Episode, list[Retraction]]]:
    """The owner's turns of this cycle that take something back, in order."""
    return _owners(episodes.by_ids(session, cycle.tenant, cycle.episode_ids))


def _owners(said: Sequence[Episode]) -> list[tuple[Episode, list[Retraction]]]:
    owners = [e for e in said if e.kind is Kind.USER and e.provenance is Provenance.OWNER and not e.recalled]
    found = [(e, retractions.find(e.content)) for e in sorted(owners, key=lambda e: e.seq)]
    return [(e, taken) for e, taken in found if taken]


def carry_out(session: Session, cycle: CycleRow) -> list[tuple[BeliefRow, StateChange]]:
    """(rule, its fall) of what the turns of this cycle take back; what is in doubt has become a question."""
    out: list[tuple[BeliefRow, StateChange]] = []
    for episode, taken in heard(session, cycle):
        own = _made_of(session, cycle.tenant, episode)
        gone = {row.id for row, _ in out}
        given = [b for b in beliefs.by_ids(session, cycle.tenant, own) if b.directive and b.state in beliefs.ACTIVE]
        # What stands in another's place must be a rule itself: "set the timeout to 9" is an errand.
        taken = [t for t in taken if t.manner is not Manner.REPLACED or any(_gives(t, b) for b in given)]
        for one, lifted, asked in _meant(session, cycle.tenant, episode, taken, own | gone):
            for row, doubted in [(row, False) for row in lifted] + [(row, True) for row in asked]:
                support = _support(session, row)
                if not _said_before(session, support, episode):
                    continue
                change = StateChange(BeliefState(row.state), BeliefState.DEPRECATED, CAUSE)
                if doubted or not is_legal(change) or not _may(row, support, episode):
                    beliefs.open_review(session, cycle.tenant, ASKS, row.id, question=question(row, one))
                    continue
                _succeed(session, row, [b for b in given if _gives(one, b)])
                ledger.audit(session, cycle.tenant, [
                    Entry("belief_contradicted", subject=f"belief:{row.id}", cycle_id=cycle.id, cause="taken_back",
                          data={"episodes": [episode.id]}),
                ])  # fmt: skip
                out.append((row, change))
    return out


def only_lifts(session: Session, tenant: str, said: Sequence[Episode]) -> dict[str, frozenset[str]]:
    """Episode → its sentences that do nothing but take a rule back: those that name it as a rule, and those after which a
    known rule falls. There is nothing in them to learn as a rule of its own."""
    out: dict[str, frozenset[str]] = {}
    for episode, turn in _owners(said):
        taken = [one for one in turn if one.whole]
        found = {one.said for one in taken if one.manner in _NAMING}
        weighed = [one for one in taken if one.manner not in (Manner.REPLACED, *_NAMING)]
        for one, lifted, _ in _meant(session, tenant, episode, weighed, ()) if weighed else ():
            if any(_may(row, _support(session, row), episode) for row in lifted):
                found.add(one.said)
        if found:
            out[episode.id] = frozenset(found)
    return out


def _meant(
    session: Session, tenant: str, episode: Episode, taken: Sequence[Retraction], without: Collection[str]
) -> list[tuple[Retraction, list[BeliefRow], list[BeliefRow]]]:
    """(retraction, rules that are meant, rules to ask about) of each; a rule is meant once."""
    known = {b.id: b for b in _rules_at(session, tenant, episode) if b.id not in without}
    out = []
    for one in taken:
        if one.manner is Manner.POINTED:
            found = _said_last(session, tenant, episode, one, known)
        else:
            found = retractions.meant(one, {i: b.content for i, b in known.items()})
        out.append((one, [known.pop(i) for i in found.lifted], [known[i] for i in found.asked]))
    return out


def _support(session: Session, row: BeliefRow) -> list[EvidenceRow]:
    return [x for x in beliefs.evidence_of(session, row.tenant, [row.id]).get(row.id, []) if x.supports]


def question(row: BeliefRow, one: Retraction) -> str:
    """What a person is asked of a rule that may have been taken back."""
    whose = "A person approved this rule" if row.approved_by else "This rule is in force"
    return (
        f"An owner said: “{one.said[:_SHOWN]}” {whose}, and it may be the one that was meant: “{row.content[:_SHOWN]}”"
        " Does it still hold?"
    )


def _rules_at(session: Session, tenant: str, episode: Episode) -> list[BeliefRow]:
    """The rules by a person's word that apply where the episode happened, the newest COMPARED."""
    rows = session.exec(
        select(BeliefRow)
        .where(BeliefRow.tenant == tenant, col(BeliefRow.state).in_([s.value for s in beliefs.ACTIVE]))
        .where(col(BeliefRow.directive) | (col(BeliefRow.layer) == Layer.CORE.value))
        .order_by(col(BeliefRow.id).desc())
        .limit(COMPARED)
    )
    here = scopes.of_workspace(episode.workspace, agent=episode.agent, user=episode.user or None)
    return [b for b in rows if scopes.applies(_scope(b), here)]


def _scope(row: BeliefRow) -> Scope:
    return scopes.parse(row.scope_path, agent=row.scope_agent, user=row.scope_user)


def _made_of(session: Session, tenant: str, episode: Episode) -> set[str]:
    """Ids of the beliefs that rest on the episode itself."""
    rows = session.exec(
        select(EvidenceRow.belief_id).where(
            EvidenceRow.tenant == tenant, EvidenceRow.episode_id == episode.id, col(EvidenceRow.supports)
        )
    )
    return set(rows)


def _said_before(session: Session, support: Sequence[EvidenceRow], episode: Episode) -> bool:
    """Whether nothing said after the episode asks for the rule."""
    said = episodes.by_ids(session, support[0].tenant, [x.episode_id for x in support]) if support else []
    return all(e.seq < episode.seq for e in said)


def _may(row: BeliefRow, support: Sequence[EvidenceRow], episode: Episode) -> bool:
    """Whether the speaker alone may take the rule back: said by the same owner, of this place, approved by nobody."""
    if row.layer == Layer.CORE or row.approved_by or row.rank != Provenance.OWNER:
        return False
    if _scope(row).path != scopes.of_workspace(episode.workspace).path:
        return False
    named = {x.speaker.casefold() for x in support} - _NOBODY
    speaker = episode.speaker.casefold()
    return not named or speaker in _NOBODY or speaker in named


def _said_last(
    session: Session, tenant: str, episode: Episode, one: Retraction, known: Mapping[str, BeliefRow]
) -> Meant:
    """The rule of the speaker's turn right before this one in the session; a rule further back is asked about where the
    words call it a rule."""
    turns = [
        e for e in episodes.of_session(session, tenant, episode.session, max(0, episode.seq - BACK), episode.seq, BACK)
        if e.kind is Kind.USER and e.seq < episode.seq and e.user == episode.user
    ]  # fmt: skip
    for back, turn in enumerate(reversed(turns)):
        rules = sorted(_made_of(session, tenant, turn) & known.keys())
        if rules and back == 0 and len(rules) == 1:
            return Meant(lifted=(rules[0],))
        if rules and (back == 0 or _NAMES_A_RULE.search(one.said)):
            return Meant(asked=tuple(rules[: retractions.MOST_ASKED]))
    return Meant()


def _gives(one: Retraction, rule: BeliefRow) -> bool:
    """Whether the sentence that takes something back is the one that gives the rule."""
    said, content = (" ".join(t.split()).rstrip(_ENDS) for t in (one.said, rule.content))
    return said in content or content in said


def _succeed(session: Session, row: BeliefRow, given: Sequence[BeliefRow]) -> None:
    """Let the one rule that the same sentence gave stand in the place of the one it takes back."""
    if len(given) == 1:
        row.superseded_by = given[0].id
        graph.add(session, row.tenant, [Edge(f"belief:{row.id}", "superseded_by", f"belief:{given[0].id}")])
