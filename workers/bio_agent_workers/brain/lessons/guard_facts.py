"""Failures of one form that no success has ended: what a guard may warn of before anything was found that works."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bio_agent_schema.types import Act, Episode, Kind
from bio_agent_workers.brain.lessons.acts import main_acts

#: Failures of one form from which a guard fact warns.
MIN_FAILURES = 1
#: A form with both outcomes within this time makes no guard fact.
BOTH_OUTCOMES = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class GuardFact:
    """Failures of one canonical form in a workspace that no success has ended. act: as last written."""

    form: str
    act: Act
    failures: int
    last_failure_at: datetime
    last_success_at: datetime | None
    episode_ids: tuple[str, ...]
    error_token: str


def guard_fact_counts(
    episodes: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]], now: datetime
) -> dict[str, GuardFact]:
    """Guard facts of one workspace by canonical form.

    A fact counts the failures since the last success of its form, ends at the next success, and is not made for a form
    that both failed and succeeded within the last day. now: aware datetime.
    """
    failures: dict[str, list[tuple[Episode, Act]]] = defaultdict(list)
    success: dict[str, datetime] = {}
    failed_at: dict[str, datetime] = {}
    for episode in sorted(episodes, key=lambda e: (e.occurred_at, e.seq)):
        if episode.kind is not Kind.TOOL:
            continue
        mine = acts.get(episode.id, ())
        for act in main_acts(mine, episode.content) if episode.is_failure else mine:
            if not (act.verb or act.operands or act.flags or episode.command):
                continue
            if episode.is_failure:
                failures[act.form].append((episode, act))
                failed_at[act.form] = episode.occurred_at
            else:
                failures.pop(act.form, None)
                success[act.form] = episode.occurred_at
    out: dict[str, GuardFact] = {}
    for form, found in failures.items():
        won = success.get(form)
        if won is not None and now - won <= BOTH_OUTCOMES and now - failed_at[form] <= BOTH_OUTCOMES:
            continue
        count = sum(max(1, episode.folded) for episode, _ in found)
        if count < MIN_FAILURES:
            continue
        episode, act = found[-1]
        out[form] = GuardFact(
            form, replace(act), count, episode.occurred_at, won, tuple(e.id for e, _ in found), episode.error_token
        )
    return out
