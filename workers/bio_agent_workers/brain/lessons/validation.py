"""What later acts say of a rule that acts taught: it was followed and that worked, or it was not, and that failed or worked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from bio_agent_schema.types import Act, Episode, FixKind, Kind
from bio_agent_workers.brain.guarding.act_forms import same_act
from bio_agent_workers.brain.guarding.matching import condemns


class Says(StrEnum):
    FOLLOWED = "followed"
    BROKEN_AND_FAILED = "broken_and_failed"
    BROKEN_AND_WORKED = "broken_and_worked"


def says(
    lesson: Mapping[str, Any], stretch: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]
) -> Iterator[tuple[Episode, Says]]:
    """Each tool call of one session's stretch, in order of arrival, that says something of the lesson.

    lesson: {kind, failed, fixed, between, token}: acts as promoted. A line of several commands says nothing: which of
    them failed is not known. A failure with another error than the lesson's says nothing either.
    """
    prepared: set[str] = set()
    steps = {a.form for a in lesson["between"]}
    for e in stretch:
        mine = acts.get(e.id, ())
        if e.kind is not Kind.TOOL or e.recalled or not mine:
            continue
        if not e.is_failure:
            prepared |= {a.form for a in mine} & steps
        if len(mine) != 1:
            continue
        if lesson["kind"] == FixKind.REPLACE:
            heard = _replace(lesson, e, mine[0])
        else:
            heard = _prepare(lesson, e, mine[0], done=steps <= prepared)
            if heard is not None and e.is_failure:
                prepared.clear()  # what was done before this failure did not help it: it has to be done again
        if heard is not None:
            yield e, heard


def _replace(lesson: Mapping[str, Any], e: Episode, act: Act) -> Says | None:
    if condemns(lesson["failed"], act, lesson["fixed"]):
        return _broken(lesson, e)
    return Says.FOLLOWED if same_act(act, lesson["fixed"]) and not e.is_failure else None


def _prepare(lesson: Mapping[str, Any], e: Episode, act: Act, *, done: bool) -> Says | None:
    """The form itself is not condemned: that it works without the steps says nothing, for it may not have been needed."""
    if not same_act(act, lesson["failed"]):
        return None
    if e.is_failure:
        return None if done else _broken(lesson, e)
    return Says.FOLLOWED if done and lesson["between"] else None


def _broken(lesson: Mapping[str, Any], e: Episode) -> Says | None:
    if not e.is_failure:
        return Says.BROKEN_AND_WORKED
    token = lesson["token"]
    return Says.BROKEN_AND_FAILED if not token or not e.error_token or token == e.error_token else None
