"""What an act is beyond its verb: what a statement of SQL does, which way a copy goes, whether an install adds a dependency."""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_words import actions_of

SQL_KIND = re.compile(r"(?i)\b(?:drop|truncate|alter)\s+(table|database|schema|index|view|user|role)\b")
SQL_TABLE = re.compile(
    r"(?i)\b(?:from|into|update|table|truncate)\s+(?!table\b|if\b|only\b)(?:if\s+exists\s+|only\s+)?[\"'`\[]?(\w[\w.\"]*)"
)
_PROJECT_PACKAGERS = word_set(
    "npm pnpm yarn bun pip uv poetry pdm pipenv conda cargo go gem bundle composer dotnet mix"
)


def sql_actions(text: str) -> set[str]:
    """What the statements in a text do, as verbs of SQL and as concepts."""
    found = {
        word.lower() for word in re.findall(r"(?i)(?:^|;)\s*(drop|delete|truncate|update|insert|alter|grant)\b", text)
    }
    if "alter" in found:
        found |= {
            word.lower() for word in re.findall(r"(?i)\b(drop|rename|add)\s+(?:column|constraint|partition|to)\b", text)
        }
    return found | actions_of(found)


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
