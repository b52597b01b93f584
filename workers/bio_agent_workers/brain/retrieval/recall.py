"""Scoring of recall: fuse the routes, weigh, boost by the agent's state, keep what replaced above what it replaced.

The routes' raw scores decide whether anything comes back at all; the fused ones only decide the order.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from bio_agent_schema.types import MemoryKind
from bio_agent_workers.brain.retrieval.search_terms import bm25

Id = TypeVar("Id", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)
Place = tuple[str, int]  # of a turn: its thread and its position there

# How far importance and recency may move what is relevant. Added to relevance instead (0.5 : 0.3 : 0.2), they bring last
# week's turns whatever was asked: measured on four long conversations, turn recall@10 0.16 against 0.74 without them.
STANDING_SHARE = 0.05
IMPORTANCE_WEIGHT = 0.6  # of that share, times retention: what has faded counts less however important it was
RECENCY_WEIGHT = 0.4
RECENCY_HALF_LIFE_DAYS = 7.0  # days; last week's work still tells
RRF_K = 60  # ranks; the constant of Cormack, Clarke and Büttcher (2009), damps the lead of the first places

VECTOR_SHARE = 0.6  # of relevance; the words have the rest. Chosen on conversations and a corpus set aside for that
TURN_VECTOR_SHARE = 0.8  # of a turn's own: the words count again in its passage and in its whole conversation
ACROSS_LANGUAGES = 0.8  # words of another language cannot match: their part is inferred from the vector at this rate
GRAPH_BONUS = 0.1  # for a memory that mentions every named entity
NEXT_TURN = 0.1  # what a turn gains from the relevance of its neighbours in a conversation
REACH = 2  # turns on either side that make a turn's passage
PASSAGE_SHARE = 0.3  # what a turn gains where the words of its passage fit best
SESSION_WORDS = 0.1  # of a conversation's own score; its best turn has the rest
SESSION_SHARE = 0.2  # what a turn gains where its conversation, read as one text, is the one that fits best
LONG_TURN = 40  # terms; a longer turn is many memories, of which one comes near to any question
LONG_COSTS = 0.08  # for each e-fold beyond that

CROWD = 0.75  # of its score counts for each memory of a message that stands before it in the list already
TOGETHER = 1  # memory that contradicts one is moved up to it; with more, one that many contradict would fill the list
MOVED = 3  # newer statements at most take the places of older ones, or a busy matter would push out what else answers
BOOST_K = 0.1  # scale of all boosts: the largest product is below 2, so no state outweighs relevance
DEBUG_EXCEPTION = 3.0  # debugging asks for exceptions first
FRESH_FAILURE = 2.5
SAME_WORKSPACE = 1.5
SAME_BAND = 1.0  # memories of a like state come easier
OTHER_VOICE = 0.87  # factor of a turn of the speaker who is not asked about: a reply repeats what it answers
UNVOUCHED = 0.85  # factor of what nobody vouches for: a page stuffed with a topic's words fits all questions about it
TIME_NAMED = 3.0  # a question that names a time is mostly about that time
SEVERE = 0.7  # severity from which a memory answers to a fresh failure


@dataclass(frozen=True, slots=True)
class Encoded:
    """What a memory recorded when it was made. severity in [0, 1]; band: calm, tense or crisis."""

    kind: MemoryKind
    severity: float
    workspace: str
    band: str


@dataclass(frozen=True, slots=True)
class AgentState:
    """The state the agent recalls in. failed_just_now: its newest outcome was a failure."""

    mode: str
    workspace: str
    band: str
    failed_just_now: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """A memory's score and its parts, for the answer's "why". total ≥ 0; the parts before the boost are in [0, 1]."""

    total: float
    relevance: float
    importance: float
    recency: float
    boost: float


def recency(at: datetime, now: datetime) -> float:
    """(0, 1], halving every 7 days; 1 for a time in the future."""
    days = max(0.0, (now - at) / timedelta(days=1))
    return float(0.5 ** (days / RECENCY_HALF_LIFE_DAYS))


def boosts(memory: Encoded, state: AgentState, k: float = BOOST_K) -> dict[str, float]:
    """The factors > 1 that the agent's state gives this memory, by reason. An unknown workspace matches none."""
    reasons = {
        "debugging": (state.mode == "debug" and memory.kind is MemoryKind.EXCEPTION, DEBUG_EXCEPTION),
        "failure just now": (state.failed_just_now and memory.severity >= SEVERE, FRESH_FAILURE),
        "same workspace": (bool(state.workspace) and memory.workspace == state.workspace, SAME_WORKSPACE),
        "same stress": (bool(state.band) and memory.band == state.band, SAME_BAND),
    }
    return {reason: 1 + strength * k for reason, (holds, strength) in reasons.items() if holds}


def state_boost(memory: Encoded, state: AgentState, k: float = BOOST_K) -> float:
    """Product of boosts(); 1 when none applies."""
    return math.prod(boosts(memory, state, k).values())


def time_boost(at: datetime, asked: tuple[datetime, datetime] | None, k: float = BOOST_K) -> float:
    """The factor of a memory from the time span [start, end) that the question names; 1 outside or where it names none."""
    return 1 + TIME_NAMED * k if asked is not None and asked[0] <= at < asked[1] else 1.0


def voice(of_both: bool, users: bool, agents_asked: bool) -> float:
    """The factor of a turn by whose words are asked for. of_both: the user and the agent both speak in its conversation;
    users: the user spoke it; agents_asked: whether the question is about what the agent said."""
    return OTHER_VOICE if of_both and users is agents_asked else 1.0


def score(
    *, relevance: float, importance: float, retention: float, at: datetime, now: datetime, boost: float = 1.0
) -> Score:
    """relevance·(1 − s + s·(0.6·importance·retention + 0.4·recency))·boost, s = STANDING_SHARE.

    relevance, importance and retention in [0, 1], values outside are limited; at: when the memory happened or was
    last confirmed.
    """
    relevant, lasting, recent = _unit(relevance), _unit(importance) * _unit(retention), recency(at, now)
    standing = IMPORTANCE_WEIGHT * lasting + RECENCY_WEIGHT * recent
    return Score(relevant * (1 - STANDING_SHARE + STANDING_SHARE * standing) * boost, relevant, lasting, recent, boost)


def wish_score(relevance: float, importance: int) -> float:
    """[0, 1]: how much a standing wish belongs before the agent; half by how it fits what is asked (relevance in [0, 1]),
    half by its importance (1 to 10), since a wish about everything fits nothing in particular."""
    return (_unit(relevance) + _unit((importance - 1) / 9)) / 2


def fuse_ranks(
    routes: Mapping[str, Sequence[Id]], weights: Mapping[str, float] | None = None, k: int = RRF_K
) -> dict[Id, float]:
    """Reciprocal rank fusion: Σ w/(k + rank) over the routes, divided by its largest possible value, so in [0, 1].

    routes: ids best first; an id counts once per route. weights: ≥ 0 by route, 1 where absent. Empty routes are not
    counted, so that a query which only one route can answer still reaches 1.
    """
    active = {route: ids for route, ids in routes.items() if ids}
    shares = _shares(active, weights)
    fused: dict[Id, float] = defaultdict(float)
    for route, ids in active.items():
        for rank, item in enumerate(dict.fromkeys(ids), start=1):
            fused[item] += shares[route] * (k + 1) / (k + rank)
    return dict(fused)


def fuse_scores(
    routes: Mapping[str, Mapping[Id, float]], weights: Mapping[str, float] | None = None
) -> dict[Id, float]:
    """Weighted mean of each route's scores after min–max normalisation, in [0, 1]; an id a route lacks counts 0 there.

    Scores that are not finite are left out. A route whose scores are all equal gives 1 to each.
    """
    finite = {r: {i: s for i, s in found.items() if math.isfinite(s)} for r, found in routes.items()}
    active = {route: found for route, found in finite.items() if found}
    shares = _shares(active, weights)
    fused: dict[Id, float] = defaultdict(float)
    for route, found in active.items():
        low, high = min(found.values()), max(found.values())
        for item, value in found.items():
            fused[item] += shares[route] * (1.0 if high == low else (value - low) / (high - low))
    return dict(fused)


@dataclass(frozen=True, slots=True)
class Measured:
    """One candidate as the routes measured it. vector: cosine of centred vectors, None without one; words: BM25 ≥ 0;
    graph: share in [0, 1] of the named entities it mentions; thread, position: its place in a conversation; whole: BM25
    ≥ 0 of that conversation as one text; terms: the query's terms that it holds, each with how often and the term's
    weight; size: its length in terms."""

    vector: float | None
    words: float
    graph: float
    lang: str
    thread: str = ""
    position: int = 0
    whole: float = 0.0
    terms: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    size: int = 0


def relevance(candidates: Mapping[Id, Measured], lang: str) -> dict[Id, float]:
    """Relevance in [0, 1] of each candidate to a query in `lang`: the best route's scores weighed together, then what
    the neighbours in a conversation add, then what the whole conversation does; the best candidate has 1.

    Each route counts relative to its own best, so that neither needs a scale; a route that found nothing is left out.
    """
    near = max((c.vector for c in candidates.values() if c.vector is not None), default=0.0)
    said = max((c.words for c in candidates.values()), default=0.0)
    alone = {i: _alone(c, near, said, lang) for i, c in candidates.items()}
    places: dict[Place, float] = defaultdict(float)  # a long turn is several memories: the best one tells
    sizes: Counter[Place] = Counter()
    for i, c in candidates.items():
        if c.thread:
            place = (c.thread, c.position)
            places[place] = max(places[place], alone[i])
            sizes[place] += c.size
    gains = {
        (thread, at): NEXT_TURN * (places.get((thread, at - 1), 0.0) + places.get((thread, at + 1), 0.0))
        for thread, at in sizes
    }
    joined = _of_best({i: alone[i] + (gains[c.thread, c.position] if c.thread else 0.0) for i, c in candidates.items()})
    passages, wholes = _passages(candidates, sizes), _of_best({i: c.whole for i, c in candidates.items()})
    for i, c in candidates.items():
        if c.thread:
            place = (c.thread, c.position)
            joined[i] += PASSAGE_SHARE * passages[place] + SESSION_SHARE * wholes[i]
            joined[i] /= 1 + LONG_COSTS * math.log(max(1.0, sizes[place] / LONG_TURN))
        else:  # what stands alone is its own passage, or being part of a conversation would be an advantage in itself
            joined[i] *= 1 + PASSAGE_SHARE + SESSION_SHARE
    return _of_best(joined)


def _of_best(values: Mapping[Key, float]) -> dict[Key, float]:
    best = max(values.values(), default=0.0)
    return {i: value / best if best > 0 else 0.0 for i, value in values.items()}


def _passages(candidates: Mapping[Id, Measured], sizes: Mapping[Place, int]) -> dict[Place, float]:
    """BM25 of each turn together with the turns around it, as far as these are candidates too, in [0, 1] of the best.
    sizes: of each turn, in terms."""
    said: dict[Place, dict[str, int]] = {place: {} for place in sizes}
    weights: dict[str, float] = {}
    for c in candidates.values():
        if c.thread:
            held = said[c.thread, c.position]
            for term, (frequency, weight) in c.terms.items():
                held[term] = held.get(term, 0) + frequency
                weights[term] = weight
    around = {
        (thread, at): [p for step in range(-REACH, REACH + 1) if (p := (thread, at + step)) in sizes]
        for thread, at in sizes
    }
    length = {place: sum(sizes[p] for p in places) for place, places in around.items()}
    mean = sum(length.values()) / len(length) if length else 1.0
    found: dict[Place, float] = {}
    for place, places in around.items():
        held = {}
        for p in places:
            for term, frequency in said[p].items():
                held[term] = held.get(term, 0) + frequency
        found[place] = sum(bm25(n, length[place], mean, weights[term]) for term, n in held.items())
    return _of_best(found)


def sessions(scores: Mapping[Id, float], candidates: Mapping[Id, Measured]) -> list[tuple[str, float]]:
    """The conversations that the candidates belong to with a score in [0, 1], best first: their best turn, and how well
    the conversation as one text fits. scores: of each candidate, ≥ 0."""
    top: dict[str, float] = {}
    words: dict[str, float] = {}
    for i, c in candidates.items():
        if c.thread and i in scores:
            top[c.thread] = max(top.get(c.thread, 0.0), scores[i])
            words[c.thread] = max(words.get(c.thread, 0.0), c.whole)
    turn, whole = _of_best(top), _of_best(words)
    by = {t: (1 - SESSION_WORDS) * turn[t] + SESSION_WORDS * whole[t] for t in top}
    return sorted(by.items(), key=lambda entry: (-entry[1], entry[0]))


def _alone(c: Measured, near: float, said: float, lang: str) -> float:
    vector = max(0.0, c.vector or 0.0) / near if near > 0 else 0.0
    words = c.words / said if said > 0 else 0.0
    if c.lang != lang:
        words = max(words, ACROSS_LANGUAGES * vector)
    both = TURN_VECTOR_SHARE if c.thread else VECTOR_SHARE
    share = 1.0 if said <= 0 else 0.0 if near <= 0 else both
    return share * vector + (1 - share) * words + GRAPH_BONUS * c.graph


def above_floor(raw: Mapping[str, float], floors: Mapping[str, float]) -> bool:
    """Whether the raw score of at least one route reaches that route's floor; below, silence beats noise.

    raw: route → score as the route measured it (cosine, share of the query's terms …). A route without a floor is no
    evidence; NaN reaches nothing.
    """
    return any(route in floors and value >= floors[route] for route, value in raw.items())


def replacements_first(ranked: Sequence[Id], superseded_by: Mapping[Id, Id]) -> list[Id]:
    """`ranked` with each superseded memory below everything in the list that replaced it, directly or in steps.

    The places that a memory and its successors hold stay the same places; the successors take the better ones, since
    the query evidently was about that matter. Memories in a circle of replacements keep their order.
    """
    order = list(dict.fromkeys(ranked))
    depth = {item: _steps_to_current(item, superseded_by) for item in order}
    groups: dict[Id, list[int]] = defaultdict(list)
    for place, item in enumerate(order):
        groups[_current(item, superseded_by)].append(place)
    result = list(order)
    for places in groups.values():
        newest_first = sorted(places, key=lambda place: (depth[order[place]], place))
        for target, source in zip(places, newest_first, strict=True):
            result[target] = order[source]
    return result


def spread(scores: Mapping[Id, float], group: Mapping[Id, Hashable]) -> list[Id]:
    """Ids by falling score, where each further one of a group counts for less (CROWD), so that one long message or one
    origin does not fill the list. An id without a group stands for itself."""
    seen: Counter[Hashable] = Counter()
    counted: dict[Id, float] = {}
    for item in sorted(scores, key=lambda i: (-scores[i], str(i))):
        of = group.get(item)
        counted[item] = scores[item] * (CROWD ** seen[of] if of is not None else 1.0)
        seen[of] += 1
    return sorted(counted, key=lambda i: (-counted[i], -scores[i], str(i)))


def moved_before(ranked: Sequence[Id], pairs: Iterable[tuple[Id, Id]], most: int = MOVED) -> list[Id]:
    """`ranked` with the first of each pair moved to just before the second where it stood behind it; at most `most` are
    moved, the best ones."""
    order = list(ranked)
    behind: dict[Id, list[Id]] = defaultdict(list)
    for first, second in pairs:
        behind[first].append(second)
    moved = 0
    for item in ranked:
        if item in behind and moved < most:
            at = order.index(item)
            target = min((order.index(other) for other in behind[item] if other in order), default=at)
            if target < at:
                order.insert(target, order.pop(at))
                moved += 1
    return order


def together(ranked: Sequence[Id], against: Mapping[Id, Sequence[Id]]) -> list[Id]:
    """`ranked` with each memory followed at once by the best in the list that contradicts it: a reader who is shown one is
    shown the other."""
    known, placed = set(ranked), dict[Id, None]()
    for item in ranked:
        beside = set(against.get(item, ()))
        for one in (item, *islice((i for i in ranked if i in beside), TOGETHER)) if beside else (item,):
            if one in known:
                placed.setdefault(one)
    return list(placed)


def _unit(value: float) -> float:
    return 0.0 if math.isnan(value) else min(1.0, max(0.0, value))


def _shares(active: Mapping[str, object], weights: Mapping[str, float] | None) -> dict[str, float]:
    """Each route's share of the whole; negative weights are refused, all-zero ones give nothing."""
    given = {route: (weights or {}).get(route, 1.0) for route in active}
    bad = next((r for r, w in given.items() if not (w >= 0 and math.isfinite(w))), None)
    if bad is not None:
        raise ValueError(f"weight of route {bad!r} is {given[bad]!r}: use a finite number of at least 0")
    total = sum(given.values())
    return {route: (w / total if total else 0.0) for route, w in given.items()}


def _chain(item: Id, superseded_by: Mapping[Id, Id]) -> list[Id]:
    """The memory and what replaced it, in steps; ends at the current one, or where a circle would begin anew."""
    chain = [item]
    while (following := superseded_by.get(chain[-1])) is not None and following not in chain:
        chain.append(following)
    return chain


def _in_circle(item: Id, superseded_by: Mapping[Id, Id]) -> bool:
    return superseded_by.get(_chain(item, superseded_by)[-1]) is not None


def _current(item: Id, superseded_by: Mapping[Id, Id]) -> Id:
    return item if _in_circle(item, superseded_by) else _chain(item, superseded_by)[-1]


def _steps_to_current(item: Id, superseded_by: Mapping[Id, Id]) -> int:
    return 0 if _in_circle(item, superseded_by) else len(_chain(item, superseded_by)) - 1
