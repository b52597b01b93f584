"""The steps of the dream, in order. What a step decides, a later one may build on: twins are one before they fade, a rule
is held against what was done before it is archived."""

from __future__ import annotations

from collections.abc import Mapping

from bio_agent_workers.dreaming.base import Step
from bio_agent_workers.dreaming.steps import advance, conflicts, merge, prune, retain, revalidate, skills, summarise

STEPS: Mapping[str, Step] = {
    s.name: s
    for s in (
        merge.STEP, skills.STEP, conflicts.STEP, revalidate.STEP, advance.STEP, retain.STEP, summarise.STEP, prune.STEP,
    )
}  # fmt: skip
