"""Attention under stress: which open episodes of one L1 scope are ranked first, and which give up their place.

stress(outcomes) → weights(s) → raw_attention(factors, importance, s). All results are plain numbers; the caller
stores them. Times are timezone-aware datetimes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bio_agent_workers.brain.text import content_tokens, detect_lang

SEVERITY: dict[str, float] = {"debug": 0.0, "info": 0.2, "warning": 0.5, "error": 0.8, "critical": 1.0}
# Names that loggers and syslog use for the same five levels.
_SEVERITY_ALIASES: dict[str, str] = {
    "trace": "debug",
    "verbose": "debug",
    "information": "info",
    "notice": "info",
    "success": "info",
    "warn": "warning",
    "err": "error",
    "failure": "error",
    "severe": "error",
    "crit": "critical",
    "fatal": "critical",
    "alert": "critical",
    "emerg": "critical",
    "emergency": "critical",
    "panic": "critical",
}

RECENCY_HALF_LIFE_H = 1.0  # hours; what happened an hour ago presses half as much
RELEVANCE_CHARS = 8_000  # characters of content read for task relevance: a log's middle says nothing new of its topic
UNKNOWN = 0.5  # [0, 1]; importance and task relevance when nobody has said anything

STRESS_OUTCOMES = 12  # outcomes; enough to see a run of failures, few enough that recovery shows
STRESS_WINDOW = timedelta(hours=8)  # one working day; what is older presses nobody
UNRESOLVED_SHARE = 0.45  # weight in stress; open failures press most
SEVERITY_SHARE = 0.35
STREAK_SHARE = 0.20
STREAK_FULL = 5  # failures in a row at which the streak counts in full
DECAY_MAX = 0.65  # largest part of stress that time alone takes away
DECAY_FLOOR = 0.35  # what stays until the window closes

CALM_BELOW = 0.3  # stress bands, as memories record them
TENSE_BELOW = 0.7

_ZERO = timedelta(0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One tool result, outcome or event of at least warning; a folded episode is one Outcome with its count.

    severity: [0, 1]. failed: it was a failure. unresolved: nothing has closed it yet. at: when it (last) happened.
    count: observations folded into it, ≥ 1.
    """

    severity: float
    failed: bool
    unresolved: bool
    at: datetime
    count: int = 1


@dataclass(frozen=True, slots=True)
class Stress:
    """s in [0, 1] and what it was computed from. hours_since_last_failure: None without a failure in the window."""

    s: float
    unresolved_ratio: float
    mean_severity: float
    failure_streak: int
    hours_since_last_failure: float | None
    decay: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the five factors; each in [0, 1], together 1."""

    severity: float
    unresolved: float
    recency: float
    novelty: float
    task_relevance: float


@dataclass(frozen=True, slots=True)
class Factors:
    """The five factors of one episode, each in [0, 1]."""

    severity: float
    unresolved: float
    recency: float
    novelty: float
    task_relevance: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """One open episode in the contest for places. protected: owner's directive or unresolved failure."""

    id: str
    raw: float
    protected: bool = False


def clamp(value: float) -> float:
    """`value` limited to [0, 1]; NaN becomes 0, so that a bad number never ranks first."""
    return 0.0 if math.isnan(value) else min(1.0, max(0.0, value))


def severity_value(level: str | float) -> float:
    """Severity in [0, 1] of a level name (any case, common aliases) or of a number already in [0, 1].

    Raises ValueError for an unknown name or a number outside the range.
    """
    if isinstance(level, str):
        name = level.strip().lower()
        name = _SEVERITY_ALIASES.get(name, name)
        if name in SEVERITY:
            return SEVERITY[name]
        raise ValueError(f"severity {level!r} is unknown: use one of {', '.join(SEVERITY)}, or a number from 0 to 1")
    if not 0.0 <= level <= 1.0:  # also refuses NaN
        raise ValueError(f"severity {level!r} is out of range: use a number from 0 to 1")
    return float(level)


def recency(at: datetime, now: datetime) -> float:
    """[0, 1], halving each hour; 1 for a time in the future, so that a clock stepping back does no harm."""
    hours = max(_ZERO, now - at) / timedelta(hours=1)
    return float(0.5 ** (hours / RECENCY_HALF_LIFE_H))


def importance_value(label: int | None, salience: float | None) -> float:
    """Importance in [0, 1]: the label 1–10 as (label − 1)/9, before there is one the producer's salience, else 0.5."""
    if label is not None:
        return clamp((label - 1) / 9)
    return UNKNOWN if salience is None else clamp(salience)


def task_relevance(content: str, task: str, goal: str, given: float | None) -> float:
    """[0, 1]: the producer's word, else the share of the task's and goal's terms found in `content`, else 0.5."""
    if given is not None:
        return clamp(given)
    purpose = f"{task} {goal}".strip()
    wanted = set(content_tokens(purpose, detect_lang(purpose))) if purpose else set()
    if not wanted:
        return UNKNOWN
    found = set(content_tokens(_head_and_tail(content), detect_lang(purpose)))
    return len(wanted & found) / len(wanted)


def factors(
    *, severity: float, unresolved: bool, occurred_at: datetime, novelty: float, task_relevance: float, now: datetime
) -> Factors:
    """The five factors of one episode; `severity`, `novelty` and `task_relevance` in [0, 1]."""
    return Factors(
        severity=clamp(severity),
        unresolved=1.0 if unresolved else 0.0,
        recency=recency(occurred_at, now),
        novelty=clamp(novelty),
        task_relevance=clamp(task_relevance),
    )


def stress(outcomes: Sequence[Outcome], now: datetime) -> Stress:
    """Stress of a scope from its newest 12 outcomes, none older than 8 h; 0 without outcomes.

    s = clamp(decay · (0.45·unresolved_ratio + 0.35·mean_severity + 0.20·min(failure_streak/5, 1)))
    decay = max(0.35, 1 − min(hours_since_last_failure/8, 0.65)); without a failure in the window it is at its floor.

    failure_streak: how many of the newest outcomes, without a gap, failed and are still open. A success ends it, and
    so does a failure that has been closed by other means (a person confirmed the fix): what is settled no longer
    presses. Outcomes may come in any order; of two at the same instant the later in the sequence is the newer.
    """
    window = _window(outcomes, now)
    total = sum(o.count for o in window)
    if total == 0:
        return Stress(0.0, 0.0, 0.0, 0, None, DECAY_FLOOR)
    unresolved_ratio = sum(o.count for o in window if o.unresolved) / total
    mean_severity = sum(clamp(o.severity) * o.count for o in window) / total
    streak = _streak(window)
    hours = _hours_since_failure(window, now)
    decay = _decay(hours)
    pressure = (
        UNRESOLVED_SHARE * unresolved_ratio
        + SEVERITY_SHARE * mean_severity
        + STREAK_SHARE * min(streak / STREAK_FULL, 1.0)
    )
    return Stress(clamp(decay * pressure), unresolved_ratio, mean_severity, streak, hours, decay)


def stress_band(s: float) -> str:
    """Name of the stress band as memories record it: calm below 0.3, tense below 0.7, else crisis."""
    if s < CALM_BELOW:
        return "calm"
    return "tense" if s < TENSE_BELOW else "crisis"


def weights(s: float) -> Weights:
    """Weights of the factors at stress s in [0, 1]: under stress severity and what is open count more."""
    s = clamp(s)
    severity = 0.15 + 0.20 * s
    unresolved = 0.20 + 0.10 * s
    recent = max(0.05, 0.15 - 0.05 * s)
    novel = max(0.10, 0.20 - 0.05 * s)
    relevant = max(0.15, 1.0 - (severity + unresolved + recent + novel))
    total = severity + unresolved + recent + novel + relevant
    return Weights(severity / total, unresolved / total, recent / total, novel / total, relevant / total)


def gain(s: float) -> float:
    """How much stress lifts attention as a whole: 1 at rest, 2 at s = 1."""
    return 1.0 + clamp(s)


def raw_attention(values: Factors, importance: float, s: float) -> float:
    """(1 + s)·(0.5 + i)·Σ weight·factor, in [0, 3]: orders and evicts. importance i and s in [0, 1]."""
    w = weights(s)
    weighted = (
        w.severity * values.severity
        + w.unresolved * values.unresolved
        + w.recency * values.recency
        + w.novelty * values.novelty
        + w.task_relevance * values.task_relevance
    )
    return gain(s) * (0.5 + clamp(importance)) * weighted


def shown(raw: float) -> float:
    """Attention as people see it: raw, limited to [0, 1]."""
    return clamp(raw)


def sent_back(ranked: Sequence[Ranked], max_size: int) -> tuple[str, ...]:
    """Ids that give up their place (lowest raw first) so that at most `max_size` stay; they wait, nothing is erased.

    Protected episodes keep their place even when they alone are more than `max_size`.
    """
    surplus = len(ranked) - max(0, max_size)
    if surplus <= 0:
        return ()
    movable = sorted((r for r in ranked if not r.protected), key=lambda r: (r.raw, r.id))
    return tuple(r.id for r in movable[:surplus])


def _head_and_tail(content: str) -> str:
    half = RELEVANCE_CHARS // 2
    return content if len(content) <= RELEVANCE_CHARS else f"{content[:half]}\n{content[-half:]}"


def _window(outcomes: Sequence[Outcome], now: datetime) -> list[Outcome]:
    """The newest 12 outcomes, newest first, without those older than 8 h; a folded one is cut to the room left."""
    recent = [o for o in outcomes if now - o.at <= STRESS_WINDOW and o.count > 0]
    newest_first = sorted(recent, key=lambda o: o.at)[::-1]
    window: list[Outcome] = []
    room = STRESS_OUTCOMES
    for outcome in newest_first:
        if room == 0:
            break
        taken = min(room, outcome.count)
        window.append(Outcome(outcome.severity, outcome.failed, outcome.unresolved, outcome.at, taken))
        room -= taken
    return window


def _streak(newest_first: Sequence[Outcome]) -> int:
    streak = 0
    for outcome in newest_first:
        if not (outcome.failed and outcome.unresolved):
            break
        streak += outcome.count
    return streak


def _hours_since_failure(window: Sequence[Outcome], now: datetime) -> float | None:
    failures = [o.at for o in window if o.failed]
    return max(_ZERO, now - max(failures)) / timedelta(hours=1) if failures else None


def _decay(hours_since_failure: float | None) -> float:
    if hours_since_failure is None:
        return DECAY_FLOOR
    return max(DECAY_FLOOR, 1.0 - min(hours_since_failure / (STRESS_WINDOW / timedelta(hours=1)), DECAY_MAX))
