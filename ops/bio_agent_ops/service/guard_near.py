"""Whether a guard fact is about the very command at hand: other looks of the output make no other command, other objects do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bio_agent_schema.tables import GuardFactRow
from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import COSMETIC, act_from, make_act, placeholders, spelling

#: Variables that only say how much is told, how soon, and in which colours.
_TELLS_MORE = re.compile(
    r"(?:PYTHONUNBUFFERED|PYTHONIOENCODING|PYTHONUTF8|(?:\w*_)?(?:BACKTRACE|VERBOSE|VERBOSITY|DEBUG|TRACE|LOG|LOG_?LEVEL|COLORS?|COLOUR|LANG|LANGUAGE|TERM|PAGER|PROGRESS|QUIET))=.*",
    re.DOTALL,
)
#: Placeholders of literals of one moment; any other literal says what the command is about.
_MOMENT = re.compile(r"<(?:id|date|hash|n)>")
_LITERAL = re.compile(r"<(?:path|url|host|project_root)>")


def plain(act: Act) -> Act:
    """The act without what only concerns the look of its output."""
    flags = [f for f in act.flags if f.partition("=")[0] not in COSMETIC and not _TELLS_MORE.fullmatch(f)]
    return act if len(flags) == len(act.flags) else make_act(act.tool, act.verb, flags, act.operands, act.text)


def forms_of(acts: Sequence[Act]) -> Iterator[str]:
    """The forms under which a fact about one of these acts may be kept."""
    for act in acts:
        bare = plain(act)
        yield act.form
        yield bare.form
        head = [f"@{spelling(bare)}"] if spelling(bare) else []
        own = [flag for flag in bare.flags if not flag.startswith("@")]
        for flag in sorted(COSMETIC):
            # Options are filed in order, variables behind them.
            options = sorted([f for f in own if f.startswith(("-", "+"))] + [flag])
            variables = [f for f in own if not f.startswith(("-", "+"))]
            yield make_act(bare.tool, bare.verb, [*head, *options, *variables], bare.operands, bare.text).form


def about(fact: GuardFactRow, acts: Sequence[Act]) -> bool:
    """Whether the fact is about one of these acts: the same command on the same paths, addresses and hosts. Ids, dates and
    numbers may differ, as every run has its own."""
    stored: Mapping[str, Any] = fact.act or {}
    if not stored.get("tool"):
        return any(act.form.startswith(fact.act_form) for act in acts)
    failed = plain(act_from(stored))
    return any(_same(failed, plain(act)) for act in acts)


def _same(failed: Act, now: Act) -> bool:
    if (failed.tool, failed.verb) != (now.tool, now.verb):
        return False
    before, after = ([f for f in act.flags if not f.startswith("@")] for act in (failed, now))
    pairs = [*zip(before, after, strict=False), *zip(failed.operands, now.operands, strict=False)]
    same_number = len(before) == len(after) and len(failed.operands) == len(now.operands)
    return same_number and all(_same_word(a, b) for a, b in pairs)


def _same_word(a: str, b: str) -> bool:
    if a == b:
        return True
    form = placeholders(a)
    return form == placeholders(b) and _MOMENT.search(form) is not None and _LITERAL.search(form) is None
