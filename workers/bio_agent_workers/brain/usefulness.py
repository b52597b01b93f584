"""Whether a rule that a session had before it helped or hurt there: read from the first tool call it was about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from bio_agent_schema.types import Act, Episode, FixKind, Kind
from bio_agent_workers.brain.guarding.matching import condemns


class Use(StrEnum):
    HELPED = "helped"
    HURT = "hurt"


def use_of(
    lesson: Mapping[str, Any], stretch: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]
) -> tuple[Episode, Use] | None:
    """The first call of the stretch (one session's, in order, since it had the rule) that was an opportunity: the form that
    worked was used instead of the condemned one, or the steps were done first. It succeeded: helped; it failed: hurt.

    lesson: {kind, failed, fixed, between}: acts as promoted. A session that did the condemned thing first did not follow the
    rule: nothing is credited there. A line of several commands says nothing: which of them failed is not known.
    """
    steps = {a.form for a in lesson["between"]}
    prepared: set[str] = set()
    for e in stretch:
        mine = acts.get(e.id, ())
        if e.kind is not Kind.TOOL or e.recalled or not mine:
            continue
        if not e.is_failure:
            prepared |= {a.form for a in mine} & steps
        if len(mine) != 1:
            continue
        result = Use.HURT if e.is_failure else Use.HELPED
        if lesson["kind"] == FixKind.REPLACE:
            if condemns(lesson["failed"], mine[0], lesson["fixed"]):
                return None
            if condemns(lesson["fixed"], mine[0]):  # the form that worked, whatever else the call says
                return e, result
        elif steps and condemns(lesson["failed"], mine[0]):
            return (e, result) if steps <= prepared else None
    return None
