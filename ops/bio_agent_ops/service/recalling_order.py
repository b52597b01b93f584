"""Which of two memories on one matter comes first: the newer, but for a question about the past, or about what of the older
one still stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bio_agent_ops.service.context import Context
from bio_agent_schema import memory_search
from bio_agent_schema.memory_search import Remembered
from bio_agent_schema.types import Provenance
from bio_agent_workers.brain.retrieval import freshness, likeness, parts, search_terms
from bio_agent_workers.brain.retrieval import recall as scoring

COMPARED = 30  # first answers among which a newer statement of the same matter is looked for
COMPARABLE = 0.4  # of the better one's relevance that the other must have


def holds(m: Remembered, at: datetime | None) -> bool:
    """Whether it was current at the time asked for, now without one."""
    return m.superseded_by is None or (at is not None and m.valid_to is not None and m.valid_to > at)


@dataclass(frozen=True)
class Told:
    """The memories that an answer is made of, by id. gone: those whose place something newer took."""

    rows: Mapping[str, Remembered]
    scored: Mapping[str, scoring.Score]
    gone: Collection[str]

    def comparable(self, worse: str, better: str) -> bool:
        return self.scored[worse].relevance >= COMPARABLE * self.scored[better].relevance

    @cached_property
    def replaced_by(self) -> dict[str, str]:
        return {i: by for i in self.gone if (by := self.rows[i].superseded_by)}

    def line(self, memory: str) -> list[str]:
        """What replaced it among these memories, in steps, to the one that holds now."""
        out: list[str] = []
        by = self.replaced_by.get(memory)
        while by is not None and by in self.rows and by not in out:
            out.append(by)
            by = self.replaced_by.get(by)
        return out

    @cached_property
    def partly(self) -> dict[str, parts.Parted]:
        """Those that are gone of which everything newer leaves a part alone."""
        newer = {i: "\n".join(self.rows[j].content for j in self.line(i)) for i in self.replaced_by}
        found = {i: parts.parted(said, self.rows[i].content) for i, said in newer.items() if said}
        return {i: part for i, part in found.items() if part is not None}


def settled(
    ctx: Context, tenant: str, told: Told, order: Sequence[str], *, asked: str, terms: Sequence[str], model: str
) -> list[str]:
    """The order with the memories of one matter in the order in which they answer what is asked (its terms)."""
    stands = {i: part.asked(terms) for i, part in told.partly.items()}
    if freshness.asks_for_history(asked):
        ordered = scoring.moved_before(order, _as_it_stood(asked, told), most=COMPARED)
    else:
        ordered = scoring.replacements_first(
            order, {i: by for i, by in told.replaced_by.items() if stands.get(i, -1) < 0}
        )
    rows = {i: m for i, m in told.rows.items() if stands.get(i, -1) < 0}
    ordered = _as_it_stands(ctx, tenant, told, ordered, asked, frozenset(terms), model, rows)
    return scoring.moved_before(ordered, [(i, told.replaced_by[i]) for i, which in stands.items() if which > 0])


def _as_it_stood(asked: str, told: Told) -> list[tuple[str, str]]:
    """Pairs of a replaced memory that answers a question about the past and one that it comes before: the one that holds
    now, and where the question names what came next ("before Priya"), all that stands beside it in that line."""
    following = freshness.named_as_next(asked)
    lines = {i: line for i in told.replaced_by if (line := told.line(i)) and told.comparable(i, line[-1])}
    just_before = [
        (i, j)
        for i, line in lines.items()
        if following & (_words(told, line[0]) - _words(told, i))
        for j in (*line, *(j for j, by in told.replaced_by.items() if by in (i, *line)))
        if j != i
    ]
    return just_before or [(i, line[-1]) for i, line in lines.items()]


def _words(told: Told, memory: str) -> frozenset[str]:
    return frozenset(search_terms.terms(told.rows[memory].content))


def _as_it_stands(
    ctx: Context, tenant: str, told: Told, order: list[str], asked: str, terms: frozenset[str], model: str,
    rows: Mapping[str, Remembered],
) -> list[str]:  # fmt: skip
    """The order with what was said last on a matter before what it brings up to date, among the first answers; the other
    way round for a question about how something stood before."""
    before, history = freshness.asks_how_it_stood(asked), freshness.asks_for_history(asked)
    now = freshness.asks_how_it_stands(asked)
    first = [i for i in order[:COMPARED] if i in rows]
    pairs = []
    for place, better in enumerate(first):
        for worse in first[place + 1 :]:
            newer, older = (rows[better], rows[worse]) if before else (rows[worse], rows[better])
            comparable = told.comparable(worse, better)
            settled = before and not history and rows[worse].superseded_by is not None
            if comparable and not settled and _updates(newer, older, terms, counting=now or before):
                pairs.append((worse, better))
    if not pairs:
        return order
    with ctx.db.tenant(tenant) as session:
        near = memory_search.alike(session, tenant, pairs, model, likeness.ONE_MATTER_AT)
    return scoring.moved_before(order, near)


def _updates(newer: Remembered, older: Remembered, terms: frozenset[str], *, counting: bool) -> bool:
    """What nobody vouches for brings nothing up to date that somebody does, and a reply nothing that the user said."""
    vouched = newer.provenance != Provenance.UNTRUSTED or older.provenance == Provenance.UNTRUSTED
    repeats = bool(newer.thread) and newer.thread == older.thread and older.speaker == "user" != newer.speaker
    if not vouched or repeats or newer.occurred_at <= older.occurred_at:
        return False
    changed = counting and freshness.may_update(newer.content, older.content, terms)
    return changed or freshness.restates(newer.content, older.content)
