"""Forgetting: when an episode that taught nothing leaves L1.

An episode ages in cycles of its scope, not in hours, so that a quiet week erases nothing. What is decided here is a
value; the storage layer erases the content and keeps a tombstone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

TTL_CYCLES = 2  # cycles an episode stays whatever its importance; the setting DEFAULT_TTL
EBBINGHAUS_LAMBDA = 0.3  # per cycle; the setting of that name
FORGET_BELOW = 3.0  # on the importance scale 1–10; below it an episode is not worth its place
AGE_AT_MOST_EVERY = timedelta(hours=1)  # a burst of cycles must not wipe what happened in the same hour
FAILURE_GRACE = timedelta(days=7)  # an open failure may be taken up again next week


class Reason(StrEnum):
    """Why an episode stays or goes."""

    WAITING = "waiting"
    CITED = "cited"
    OPEN_FAILURE = "open_failure"
    JUNK = "junk"
    WITHIN_TTL = "within_ttl"
    REMEMBERED = "remembered"
    FADED = "faded"


@dataclass(frozen=True, slots=True)
class Standing:
    """What forgetting needs to know of one episode.

    age: cycles ≥ 0. aged_at: when it last aged, else when it was considered. importance: 1–10. considered: a cycle
    ended with it. cited: a memory or belief rests on it. session_ended_at: None while the session is open.
    """

    age: int
    aged_at: datetime
    importance: int
    considered: bool
    cited: bool = False
    junk: bool = False
    unresolved_failure: bool = False
    session_ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Age:
    """Age in cycles after a cycle ended, and the time it was last raised."""

    age: int
    aged_at: datetime


@dataclass(frozen=True, slots=True)
class Fate:
    """The decision on one episode; weight on the importance scale, never above the importance."""

    forget: bool
    reason: Reason
    weight: float


def age_after_cycle(episode: Standing, now: datetime) -> Age:
    """Age after a later cycle of the scope ended at `now`: one more, at most once an hour, unless exempt.

    A clock that stepped back never ages; it moves `aged_at` back to `now`, so that the episode is not stuck.
    """
    if now < episode.aged_at:
        return Age(episode.age, now)
    if _exempt(episode, now) is not None or now - episode.aged_at < AGE_AT_MOST_EVERY:
        return Age(episode.age, episode.aged_at)
    return Age(episode.age + 1, now)


def weight(importance: float, age: int, *, ttl: int = TTL_CYCLES, decay: float = EBBINGHAUS_LAMBDA) -> float:
    """W = importance · exp(−λ · (cycles − TTL)); the exponent is never positive, so W ≤ importance."""
    return importance * math.exp(-max(0.0, decay * (age - ttl)))


def fate(episode: Standing, now: datetime, *, ttl: int = TTL_CYCLES, decay: float = EBBINGHAUS_LAMBDA) -> Fate:
    """Whether an episode is forgotten now. ttl in cycles; decay λ per cycle, ≥ 0.

    Waiting, cited and freshly failed episodes stay. Junk goes as soon as it was considered. Others stay up to `ttl`
    cycles and then until W < 3.0.
    """
    left = weight(episode.importance, episode.age, ttl=ttl, decay=decay)
    exempt = _exempt(episode, now)
    if exempt is not None:
        return Fate(False, exempt, left)
    if episode.junk:
        return Fate(True, Reason.JUNK, left)
    if episode.age <= ttl:
        return Fate(False, Reason.WITHIN_TTL, left)
    faded = left < FORGET_BELOW
    return Fate(faded, Reason.FADED if faded else Reason.REMEMBERED, left)


def _exempt(episode: Standing, now: datetime) -> Reason | None:
    """Why an episode neither ages nor is forgotten, or None."""
    if not episode.considered:
        return Reason.WAITING
    if episode.cited:
        return Reason.CITED
    if episode.unresolved_failure and _in_grace(episode.session_ended_at, now):
        return Reason.OPEN_FAILURE
    return None


def _in_grace(session_ended_at: datetime | None, now: datetime) -> bool:
    return session_ended_at is None or now - session_ended_at < FAILURE_GRACE
