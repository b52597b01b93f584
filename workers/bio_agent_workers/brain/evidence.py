"""The numbers of a belief, recomputed from its evidence rows.

Nothing is counted up: the same rows in any order, however often repeated, give the same numbers, so that a stage may
run twice and an erased episode takes its weight with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bio_agent_schema.types import BeliefNumbers, Provenance

PRIOR = 2.0  # pseudo-counts; α₀ + β₀, held at the compiled confidence by no episode
WEIGHT: Mapping[Provenance, float] = {  # pseudo-counts per episode
    Provenance.OWNER: 2.0,
    Provenance.SYSTEM: 1.0,
    Provenance.AGENT: 1.0,
    Provenance.UNTRUSTED: 0.5,
}
RANK: Mapping[Provenance, int] = {  # acts and the system's own events are one rank
    Provenance.OWNER: 2,
    Provenance.SYSTEM: 1,
    Provenance.AGENT: 1,
    Provenance.UNTRUSTED: 0,
}
SOURCE_CAP = 2.0  # pseudo-counts of one session, and of one named origin: repeating oneself is no proof
UNTRUSTED_AGAINST_CAP = 0.5  # pseudo-counts; all untrusted evidence together moves β no further
HELPED_WEIGHT = 0.5  # pseudo-counts; success where the rule was followed may have other causes
HURT_WEIGHT = 1.0  # pseudo-counts; failure where it was followed is an act against it
CHALLENGE_WINDOW = timedelta(hours=24)

_UNIT = 2  # all weights are multiples of 1/2: flows are computed in whole half-counts


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One evidence row: one episode for or against one belief.

    origin: URL, file, job or document it came from, "" for none. pair: the row is one end of a linked failure and fix;
    such a link is two rows, one for each episode, and together one independent support.
    """

    episode_id: str
    supports: bool
    speaker: str
    origin: str
    session: str
    trust: Provenance
    at: datetime
    pair: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    """The rule's effect at one opportunity in one session: it helped, or it hurt."""

    session: str
    helped: bool
    at: datetime
    trust: Provenance = Provenance.AGENT


def confidence(alpha: float, beta: float) -> float:
    """α/(α+β), in [0, 1]."""
    return alpha / (alpha + beta)


def spoken_confidence(
    evidence: Iterable[EvidenceItem], compiled_confidence: float, *, floor: float, uses: Iterable[Use] = ()
) -> float:
    """Confidence as it decides whether a rule is said. Untrusted rows against a rule that rests on better ones lower it as
    they lower every confidence, but never below `floor` ([0, 1]) where it would stand above that without them: whoever can
    write a page must not be able to silence what acts or the owner taught."""
    rows, credits = distinct(evidence), list(uses)
    n = numbers(rows, compiled_confidence, uses=credits)
    told = confidence(n.alpha, n.beta)
    kept = [r for r in rows if r.supports or r.trust is not Provenance.UNTRUSTED]
    if len(kept) == len(rows) or best_rank(r for r in rows if r.supports) == 0:
        return told
    without = numbers(kept, compiled_confidence, uses=credits)
    return max(told, min(floor, confidence(without.alpha, without.beta)))


def numbers(
    evidence: Iterable[EvidenceItem],
    compiled_confidence: float,
    *,
    uses: Iterable[Use] = (),
    now: datetime | None = None,
) -> BeliefNumbers:
    """The belief's numbers from all its rows; order and repetition make no difference.

    compiled_confidence: [0, 1], what compile gave after the server's clamp. uses: see Use; a rule gets one credit a
    session, and where a session saw both it counts as hurt. now: end of the 24 h in which `beta_gained_24h` is
    counted; by default the time of the newest row. Supports and contradictions are capped apart, so that a session
    that has confirmed a belief may still speak against it.

    Raises ValueError when no row supports the belief (a belief without support falls; retire it instead), and for a
    confidence outside the range.
    """
    if not 0.0 <= compiled_confidence <= 1.0:
        raise ValueError(f"compiled confidence {compiled_confidence!r} is not between 0 and 1")
    rows = distinct(evidence)
    support = [r for r in rows if r.supports]
    against = [r for r in rows if not r.supports]
    if not support:
        raise ValueError("no evidence supports this belief: retire it, its numbers cannot be computed")
    credits = _one_per_session(uses)
    moments = [r.at for r in rows] + [u.at for u in credits]
    return BeliefNumbers(
        alpha=PRIOR * compiled_confidence + capped_weight(support) + HELPED_WEIGHT * sum(u.helped for u in credits),
        beta=PRIOR * (1 - compiled_confidence) + against_weight(against) + _hurt_weight(credits),
        support_count=len(support),
        contradiction_count=len(against),
        independent=independent_count(support),
        sessions=len({r.session for r in support}),
        first_support_at=min(r.at for r in support),
        last_support_at=max(r.at for r in support),
        last_contradiction_at=max((r.at for r in against), default=None),
        beta_gained_24h=_gained(against, credits, best_rank(support), now or max(moments)),
    )


def distinct(evidence: Iterable[EvidenceItem]) -> list[EvidenceItem]:
    """One row per episode, by time. Of rows that disagree the most trusted counts, then the one against."""
    best: dict[str, EvidenceItem] = {}
    for row in evidence:
        known = best.get(row.episode_id)
        if known is None or _precedence(row) < _precedence(known):
            best[row.episode_id] = row
    return sorted(best.values(), key=lambda r: (r.at, r.episode_id))


def best_rank(rows: Iterable[EvidenceItem]) -> int:
    """Rank of the best evidence among `rows`: 2 owner, 1 act or system, 0 untrusted (also for none)."""
    return max((RANK[r.trust] for r in rows), default=0)


def best_trust(evidence: Iterable[EvidenceItem]) -> Provenance:
    """Provenance of the best supporting row, as the belief's rank is shown; untrusted when nothing supports it."""
    supporting = [r.trust for r in evidence if r.supports]
    order = list(Provenance)  # highest trust first
    return min(supporting, key=order.index, default=Provenance.UNTRUSTED)


def has_trusted_pair(evidence: Iterable[EvidenceItem]) -> bool:
    """Whether both ends of a linked failure and fix, told by acts and not by untrusted text, support the belief."""
    ends: dict[str, set[str]] = defaultdict(set)
    for row in evidence:
        if row.pair and row.supports and RANK[row.trust] > 0:
            ends[row.session].add(row.episode_id)
    return any(len(ids) >= 2 for ids in ends.values())


def independent_count(support: Sequence[EvidenceItem]) -> int:
    """Distinct (speaker, origin, session); linked pairs of one speaker and session are one, whatever their origins."""
    plain = {(r.speaker, r.session, r.origin) for r in support if not r.pair}
    paired: dict[tuple[str, str], str] = {}
    for row in support:
        if row.pair:
            key = (row.speaker, row.session)
            paired[key] = min(paired.get(key, row.origin), row.origin)
    return len(plain | {(speaker, session, origin) for (speaker, session), origin in paired.items()})


def against_weight(rows: Sequence[EvidenceItem]) -> float:
    """Weight of contradicting rows: trusted ones first, and untrusted ones together at most 0.5 on top."""
    trusted = capped_weight([r for r in rows if RANK[r.trust] > 0])
    return trusted + min(UNTRUSTED_AGAINST_CAP, capped_weight(rows) - trusted)


def capped_weight(rows: Iterable[EvidenceItem]) -> float:
    """Largest total weight in which no session and no named origin has more than 2.

    This is a maximum flow from sessions (capacity 2) to named origins (capacity 2). Taken as such, the total depends
    on no order and a further row never lowers it; handing out the caps row by row would do both.
    """
    named: dict[tuple[str, str], int] = defaultdict(int)
    room = dict[str, int]()
    cap = int(SOURCE_CAP * _UNIT)
    total = 0
    for row in rows:
        units = int(WEIGHT[row.trust] * _UNIT)
        left = room.setdefault(row.session, cap)
        if row.origin:
            named[row.session, row.origin] += units
        else:  # needs no origin's capacity, so it fills the session first at no cost to others
            taken = min(left, units)
            room[row.session] = left - taken
            total += taken
    return (total + _max_flow(named, room, cap)) / _UNIT


def _max_flow(edges: Mapping[tuple[str, str], int], session_room: Mapping[str, int], origin_cap: int) -> int:
    """Maximum flow session → origin in half-counts, by shortest augmenting paths (Edmonds and Karp)."""
    origins_of: dict[str, list[str]] = defaultdict(list)
    for session, origin in edges:
        origins_of[session].append(origin)
    origin_room = {origin: origin_cap for _, origin in edges}
    flow: dict[str, dict[str, int]] = {origin: {} for origin in origin_room}  # origin → session → half-counts
    total = 0
    for session in list(origins_of):
        for _ in range(session_room[session]):
            came_from: dict[str, str] = {}  # origin → session from which the search reached it
            giver_of: dict[str, str] = {session: ""}  # session → origin at which it could give way
            queue = [session]
            goal = None
            for current in queue:
                for origin in origins_of[current]:
                    if origin in came_from or flow[origin].get(current, 0) >= edges[current, origin]:
                        continue
                    came_from[origin] = current
                    if origin_room[origin] > 0:
                        goal = origin
                        break
                    for other, units in flow[origin].items():
                        if units > 0 and other not in giver_of:
                            giver_of[other] = origin
                            queue.append(other)
                if goal is not None:
                    break
            if goal is None:
                break
            origin_room[goal] -= 1
            total += 1
            _shift(flow, goal, came_from, giver_of)
    return total


def _shift(
    flow: dict[str, dict[str, int]], goal: str, came_from: Mapping[str, str], giver_of: Mapping[str, str]
) -> None:
    """Push one half-count along the path that ends at `goal`: each session on it moves from one origin to the next."""
    origin = goal
    while origin:
        session = came_from[origin]
        flow[origin][session] = flow[origin].get(session, 0) + 1
        origin = giver_of[session]
        if origin:
            flow[origin][session] -= 1


def _precedence(row: EvidenceItem) -> tuple[object, ...]:
    return (-RANK[row.trust], row.supports, row.at, not row.pair, row.trust, row.session, row.origin, row.speaker)


def _one_per_session(uses: Iterable[Use]) -> list[Use]:
    kept: dict[str, Use] = {}
    for use in uses:
        known = kept.get(use.session)
        if known is None or _use_precedence(use) < _use_precedence(known):
            kept[use.session] = use
    return list(kept.values())


def _use_precedence(use: Use) -> tuple[bool, int, datetime]:
    return (use.helped, -RANK[use.trust], use.at)


def _hurt_weight(credits: Iterable[Use]) -> float:
    return HURT_WEIGHT * sum(not u.helped for u in credits)


def _gained(against: Sequence[EvidenceItem], credits: Sequence[Use], rank: int, now: datetime) -> float:
    """β gained in the 24 h up to `now` from rows and harmful uses of at least `rank`."""
    peers = [r for r in against if RANK[r.trust] >= rank]
    earlier = [r for r in peers if now - r.at > CHALLENGE_WINDOW]
    harmful = [u for u in credits if RANK[u.trust] >= rank and now - u.at <= CHALLENGE_WINDOW]
    return against_weight(peers) - against_weight(earlier) + _hurt_weight(harmful)
