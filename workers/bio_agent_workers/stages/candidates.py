"""Which beliefs are held against a rule: found through indexes, so that the cost does not grow with how many there are.

Three routes: the canonical key and the same key in another mood ("never push to main" meets "push to main"); the terms of
its subject in any of the three languages, two or more together, from the full-text index; and the vector, scanned exactly
where the tenant has few beliefs. None of them decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import beliefs
from bio_agent_schema.tables import BeliefRow
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.relations import concepts, slots
from bio_agent_workers.brain.retrieval.likeness import NOMINATE_AT
from bio_agent_workers.brain.text import HAN

NEIGHBOURS = 8  # beliefs that the vector may nominate
BY_TERMS = 24  # beliefs that common terms may nominate
# Active beliefs of a tenant up to which all vectors are compared; one comparison costs about a microsecond.
EXACT_UP_TO = 5_000
SUBJECTS = 5  # concepts of a rule that are looked up, the weightiest first
LEXEMES = 24  # words that stand for one concept in the query
# Postings read of each term; more common ones than this say nothing about a subject.
_POSTINGS = 2_000
_MOODS = ("do", "not", "may", "exempt")
_LEXEME = re.compile(r"[\w.+-]+")


def nominate(session: Session, belief: BeliefRow) -> list[BeliefRow]:
    """Active beliefs that may bear on this one and whose scope overlaps its own; siblings never conflict."""
    if belief.state not in beliefs.ACTIVE:
        return []
    found: dict[str, BeliefRow] = {}
    for row in (*_by_key(session, belief), *_by_terms(session, belief), *_by_vector(session, belief)):
        found.setdefault(row.id, row)
    own = scopes.parse(belief.scope_path, agent=belief.scope_agent, user=belief.scope_user)
    return [
        row for row in found.values()
        if row.id != belief.id and row.state in beliefs.ACTIVE
        and not scopes.siblings(own, scopes.parse(row.scope_path, agent=row.scope_agent, user=row.scope_user))
    ]  # fmt: skip


def _by_key(session: Session, belief: BeliefRow) -> list[BeliefRow]:
    mood, mark, rest = belief.canonical_key.partition("\x1f")
    keys = [belief.canonical_key]
    if mark and mood in _MOODS:
        keys = [f"{m}\x1f{rest}" for m in _MOODS]
    return beliefs.by_key(session, belief.tenant, keys)


def _by_terms(session: Session, belief: BeliefRow) -> list[BeliefRow]:
    """Beliefs that name three of the subject's concepts, then those that name two."""
    groups = [g for name, surface in subjects(belief.content) if (g := _group(name, surface))]
    found: list[str] = []
    for together in (3, 2) if len(groups) > 2 else (len(groups),):
        if together and len(found) < BY_TERMS:
            query = " | ".join(f"({' & '.join(some)})" for some in combinations(groups, together))
            found += [i for i in _matching(session, belief.tenant, query) if i not in found]
    return beliefs.by_ids(session, belief.tenant, found[:BY_TERMS]) if found else []


def subjects(content: str) -> list[tuple[str, str]]:
    """(concept id or word, the phrase as it stands) of what a rule is about, the weightiest first."""
    best: dict[str, tuple[float, int, str]] = {}
    for place, m in enumerate(slots.read(content).mentions):
        if m.name not in best:
            best[m.name] = (-m.weight, place, m.surface)
    ranked = sorted(best.items(), key=lambda item: item[1])
    return [(name, surface) for name, (weight, _, surface) in ranked if weight <= -0.5][:SUBJECTS]


def _group(name: str, surface: str) -> str:
    """A tsquery of the ways to say one concept; "" when nothing searchable is left."""
    ways = [w for phrase in (surface, *concepts.phrases(name)) if (w := _way(phrase))]
    unique = list(dict.fromkeys(ways))[:LEXEMES]
    return f"({' | '.join(unique)})" if unique else ""


def _way(phrase: str) -> str:
    """One phrase as the `search` column has it: Chinese by overlapping pairs, other words by their beginning."""
    if re.match(f"[{HAN}]", phrase):
        pairs = [phrase[i : i + 2] for i in range(len(phrase) - 1)]
        return f"({' & '.join(map(_quoted, pairs))})" if pairs else ""
    words = _LEXEME.findall(phrase.replace("_", " "))
    if not words:
        return ""
    if len(words) > 1:
        return f"({' & '.join(map(_quoted, words))})"
    return f"{_quoted(words[0])}:*" if words[0].isascii() and len(words[0]) > 3 else _quoted(words[0])


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "").replace("'", "") + "'"


def _matching(session: Session, tenant: str, query: str) -> list[str]:
    session.execute(text("select set_config('gin_fuzzy_search_limit', :n, true)"), {"n": str(_POSTINGS)})
    rows = session.execute(
        text(
            """
            select id from bio.beliefs
            where tenant = :t and to_tsvector('simple', search) @@ cast(:q as tsquery)
              and state in ('proposed', 'reinforced', 'stable', 'challenged')
            limit :most
            """
        ),
        {"t": tenant, "q": query, "most": BY_TERMS},
    ).all()
    return [r[0] for r in rows]


def _by_vector(session: Session, belief: BeliefRow) -> Sequence[BeliefRow]:
    if belief.embedding is None or not few(session, belief.tenant):
        return ()
    return [
        row for row, _ in beliefs.nearest(
            session, belief.tenant, floats(belief.embedding), belief.embedding_model,
            most=NEIGHBOURS + 1, at_least=NOMINATE_AT,
        )
    ]  # fmt: skip


def few(session: Session, tenant: str) -> bool:
    """Whether the tenant has so few active beliefs that comparing all vectors is cheap; itself of bounded cost."""
    counted = session.execute(
        text(
            """
            select count(*) from (select 1 from bio.beliefs where tenant = :t
                and state in ('proposed', 'reinforced', 'stable', 'challenged') limit :most) c
            """
        ),
        {"t": tenant, "most": EXACT_UP_TO + 1},
    ).scalar_one()
    return int(counted) <= EXACT_UP_TO


def floats(vector: object) -> list[float]:
    values: Iterable[float] = vector.to_list() if hasattr(vector, "to_list") else vector  # type: ignore[assignment]
    return [float(x) for x in values]
