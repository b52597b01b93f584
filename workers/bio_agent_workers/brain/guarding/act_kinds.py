"""What an act is beyond its verb: which way a copy goes, whether an install adds a dependency."""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import word_set

_PROJECT_PACKAGERS = word_set(
    "npm pnpm yarn bun pip uv poetry pdm pipenv conda cargo go gem bundle composer dotnet mix"
)


def copy_direction(act: Act) -> set[str]:
    """Whether a copy goes to another machine or store, or comes from there."""
    away = [("://" in o or re.match(r"[\w.@-]+:", o) is not None) for o in act.operands]
    if len(away) < 2 or all(away):
        return set()
    return {"upload"} if away[-1] else {"download"} if any(away) else set()


def adds_dependency(act: Act) -> bool:
    """Whether an install adds a package to the project: not to the machine, and not the project itself."""
    if act.tool not in _PROJECT_PACKAGERS or {"--global", "-g"} & set(act.flags):
        return False
    return any(operand[:1] not in ("", ".", "/", "~") for operand in act.operands)
