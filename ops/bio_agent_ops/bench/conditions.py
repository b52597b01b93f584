"""What a figure was measured under, and how figures are shown beside their targets."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. `at_least`: whether the target is a floor (a rate) or a ceiling (a time)."""

    name: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = True
    note: str = ""

    @property
    def meets(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def conditions(**more: Any) -> dict[str, Any]:
    return {
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load_average_before": round(os.getloadavg()[0], 2),
        **more,
    }


def report(title: str, under: dict[str, Any], figures: list[Figure], *, as_json: bool) -> None:
    under = under | {"load_average_after": round(os.getloadavg()[0], 2)}
    if as_json:
        rows = [asdict(f) | {"meets": f.meets} for f in figures]
        click.echo(json.dumps({"bench": title, "conditions": under, "figures": rows}, indent=2))
        return
    click.echo(f"{title}: " + ", ".join(f"{k} {v}" for k, v in under.items()))
    for f in figures:
        goal = "" if f.target is None else f"{'≥' if f.at_least else '≤'} {f.target:,g}"
        verdict = {True: "meets", False: "MISSES", None: ""}[f.meets]
        click.echo(f"  {f.name:<58} {f.value:>12,.2f} {f.unit:<8} {goal:>10} {verdict} {f.note}".rstrip())
