"""What a tenant's quotas say, in words for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a reached limit of each kind means. An owner's rules are held back by none of them.
MEANS = {
    "observations": "what comes in is kept, and is consolidated when there is room again",
    "tokens": "no model is asked; what needs one is kept, and is consolidated when there is room again",
    "rules": "what agents learn stays a memory and makes no new rule",
}
OWNERS = "an owner's rules are taken all the same"


def reached(quotas: Mapping[str, Any], standing: str = "reached") -> list[str]:
    """The limits that stand so ("reached" or "near"), each as "observations a day: 500 of 500". quotas: as /api/quotas
    gives them."""
    return [
        f"{name.replace('_', ' ')}: {one['used']:,} of {one['limit']:,}"
        for name, one in quotas["limits"].items()
        if one["standing"] == standing
    ]


def warning(quotas: Mapping[str, Any]) -> str:
    """What a reached limit means for what was just taken in, "" when none is."""
    beyond = reached(quotas)
    if not beyond and not quotas["held_until"]:
        return ""
    which = f"limit reached ({'; '.join(beyond)})" if beyond else "a limit was reached"
    means = [said for kind, said in MEANS.items() if any(one.startswith(kind) for one in beyond)]
    if quotas["held_until"] and not {MEANS["observations"], MEANS["tokens"]}.intersection(means):
        means.insert(0, MEANS["observations"])
    return f"{which}: {'; '.join([*means, OWNERS])}{_until(quotas)}; `bio-agent quotas` shows and sets limits"


def standing(quotas: Mapping[str, Any]) -> str:
    """All of them in one line."""
    if said := warning(quotas):
        return said
    near = reached(quotas, "near")
    limited = [one for one in quotas["limits"].values() if one["limit"]]
    return f"near the limit: {'; '.join(near)}" if near else "within all limits" if limited else "no limits"


def _until(quotas: Mapping[str, Any]) -> str:
    return (
        f" (what waits: not before {str(quotas['held_until'])[:16].replace('T', ' ')} UTC)"
        if quotas["held_until"]
        else ""
    )
