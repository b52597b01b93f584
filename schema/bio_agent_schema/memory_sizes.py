"""How large a tenant is and how often its words occur: what bounds the work of a search, kept for a while per process.

A small tenant is counted anew each time; in a large one the figures move slowly, and counting costs more than searching.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, text
from sqlmodel import Session

EXACT_UP_TO = 5_000  # memories; from about here the index is faster than comparing every vector (`bench recall`)
POSTINGS = 2_000  # read of the terms of one query in a tenant above EXACT_UP_TO, about 3 µs each
COUNTED_ANEW = 1_000  # memories up to which a tenant is counted at each query: below a millisecond
SIZE_STAYS_S, MIDDLE_STAYS_S, TERM_STAYS_S = 60.0, 5.0, 600.0
TERMS_KEPT = 100_000  # of all tenants of a process, about 20 MB


@dataclass(frozen=True, slots=True)
class Size:
    """total: memories that the words' weights are reckoned over; mean: their length in terms; indexed: whether the
    tenant's own vector index can answer for the model asked about (it is built, and every vector is in it)."""

    total: int
    mean: float
    indexed: bool = False

    @property
    def large(self) -> bool:
        return self.total > EXACT_UP_TO


def index_name(tenant: str, model: str) -> str:
    """Of the vector index of one tenant and model; `bio.index_vectors` in the migrations gives it the same name."""
    return "memories_near_" + hashlib.md5(f"{tenant}\n{model}".encode(), usedforsecurity=False).hexdigest()[:24]


def is_indexed(session: Session, tenant: str, model: str) -> bool:
    """Whether the index stands; whether every vector is in it is what `size` says."""
    found = session.execute(
        text("select i.indisvalid from pg_catalog.pg_index i where i.indexrelid = to_regclass('bio.' || cast(:n as text))"),
        {"n": index_name(tenant, model)},
    ).scalar()  # fmt: skip
    return bool(found)


def size(session: Session, tenant: str, model: str = "") -> Size:
    """Counts all memories of the tenant."""
    total, mean, waiting = session.execute(
        text(
            """
            select count(*), coalesce(avg(term_count), 0),
                   count(*) filter (where next_model = :m and embedding_model <> :m and :m <> '')
            from bio.memories where tenant = :t and state <> 'erased'
            """
        ),
        {"t": tenant, "m": model},
    ).one()
    indexed = total > EXACT_UP_TO and not waiting and is_indexed(session, tenant, model)
    return Size(int(total), max(1.0, float(mean)), indexed)


def matching(session: Session, tenant: str, terms: Sequence[str], most: int | None = None) -> dict[str, int]:
    """Term → in how many memories of the tenant it occurs; counting stops at `most`."""
    rows = session.execute(
        text(
            """
            select q.term, (select count(*) from (
                select 1 from bio.memory_terms t where t.tenant = :t and t.term = q.term limit :most) x)
            from unnest(cast(:terms as text[])) as q (term)
            """
        ),
        {"t": tenant, "terms": list(terms), "most": most},
    )
    return {term: int(n) for term, n in rows if n}


@dataclass
class _Kept:
    sizes: dict[tuple[str, str], tuple[float, Size]] = field(default_factory=dict)
    terms: OrderedDict[tuple[str, str], tuple[float, int]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_kept: WeakKeyDictionary[Engine, _Kept] = WeakKeyDictionary()
_opening = threading.Lock()


def _of(session: Session) -> _Kept:
    with _opening:
        return _kept.setdefault(session.get_bind().engine, _Kept())


def known_size(session: Session, tenant: str, model: str) -> Size:
    """As `size`; that of a large tenant may be a minute old, that of a middling one some seconds. One caller counts a large
    one while the others go on with the old."""
    kept, key, now = _of(session), (tenant, model), time.monotonic()
    with kept.lock:
        at, known = kept.sizes.get(key, (0.0, None))
        if known is not None and known.total > COUNTED_ANEW:
            if now - at <= (SIZE_STAYS_S if known.large else MIDDLE_STAYS_S):
                return known
            if known.large:
                kept.sizes[key] = (now, known)
    known = size(session, tenant, model)
    with kept.lock:
        kept.sizes[key] = (now, known)
    return known


def forget_sizes(session: Session) -> None:
    """What is known becomes unknown: for those who just wrote very many memories, or an index."""
    kept = _of(session)
    with kept.lock:
        kept.sizes.clear()
        kept.terms.clear()


def known_frequencies(session: Session, tenant: str, terms: Sequence[str]) -> dict[str, int]:
    """Term → in how many memories of a large tenant it occurs, up to ten minutes old; 0 where it occurs in none.

    A rare term is counted by the few postings it has; only one with more than POSTINGS is counted at length, once.
    """
    kept, now = _of(session), time.monotonic()
    with kept.lock:
        held = {t: kept.terms.get((tenant, t), (0.0, -1)) for t in terms}
    known = {t: n for t, (at, n) in held.items() if n >= 0 and now - at <= TERM_STAYS_S}
    asked = [t for t in dict.fromkeys(terms) if t not in known]
    if not asked:
        return known
    counted = matching(session, tenant, asked, POSTINGS + 1)
    if frequent := [t for t, n in counted.items() if n > POSTINGS]:
        counted |= matching(session, tenant, frequent)
    fresh = {t: counted.get(t, 0) for t in asked}
    with kept.lock:
        for term, n in fresh.items():
            kept.terms[tenant, term] = (now, n)
            kept.terms.move_to_end((tenant, term))
        while len(kept.terms) > TERMS_KEPT:
            kept.terms.popitem(last=False)
    return known | fresh
