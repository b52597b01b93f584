"""What a figure was measured under, and how figures are shown beside their targets."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

SYNC_BYTES = 300  # of one write of the disk's own measurement: an observation's size
SYNC_SECONDS = 0.5
PACKAGES = ("bio-agent-os", "redis", "psycopg", "sqlalchemy", "fastapi", "uvicorn")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, measured several times. `at_least`: whether the target is a floor (a rate) or a ceiling (a time)."""

    name: str
    samples: tuple[float, ...]
    unit: str
    target: float | None = None
    at_least: bool = True
    note: str = ""

    def __post_init__(self) -> None:
        if not self.samples:
            raise ValueError(f"{self.name}: a figure needs at least one sample")

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def meets(self) -> bool | None:
        """Whether the median meets the target; None without one."""
        if self.target is None:
            return None
        return self.median >= self.target if self.at_least else self.median <= self.target

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name, "unit": self.unit, "median": self.median, "min": min(self.samples), "max": max(self.samples),
            "samples": list(self.samples), "target": self.target,
            "target_is": None if self.target is None else ("at least" if self.at_least else "at most"),
            "meets": self.meets, "note": self.note,
        }  # fmt: skip


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def syncs_per_s(folder: Path, seconds: float = SYNC_SECONDS) -> float:
    """How often a second a small append can be made durable here: the ceiling of any store that waits for each one."""
    sync = getattr(os, "fdatasync", os.fsync)
    descriptor = os.open(folder / "sync-rate", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        began, number = time.perf_counter(), 0
        while (spent := time.perf_counter() - began) < seconds or not number:
            os.write(descriptor, b"x" * SYNC_BYTES)
            sync(descriptor)
            number += 1
        return number / spent
    finally:
        os.close(descriptor)
        os.unlink(folder / "sync-rate")


def load() -> float:
    """Runnable processes over the last minute. Read it before a run: the run itself is a load."""
    return round(os.getloadavg()[0], 2)


def conditions(folder: Path, load_before: float, **more: Any) -> dict[str, Any]:
    """`folder`: on the disk that is measured. `load_before`: `load()` as it was before anything was started."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.machine(),
        "processors": processors(),
        "load_average_before": load_before,
        "disk_syncs_per_s": round(syncs_per_s(folder)),
        "python": platform.python_version(),
        **{name: version for name in PACKAGES if (version := _version(name))},
        **more,
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def report(title: str, under: dict[str, Any], figures: Sequence[Figure], *, as_json: bool) -> None:
    under = under | {"load_average_after": load()}
    judged = [f for f in figures if f.meets is not None]
    met = sum(f.meets is True for f in judged)
    if as_json:
        click.echo(json.dumps({
            "bench": title, "conditions": under, "figures": [f.as_json() for f in figures],
            "targets": len(judged), "targets_met": met,
        }, indent=2))  # fmt: skip
        return
    click.echo(f"bench {title}")
    for name, value in under.items():
        click.echo(f"  {name.replace('_', ' '):<24} {value}")
    click.echo(f"\n  {'':<54} {'median':>10} {'least':>10} {'most':>10} {'runs':>4} {'':<8} {'target':>8}")
    for f in figures:
        goal = "" if f.target is None else f"{'≥' if f.at_least else '≤'} {f.target:,g}"
        verdict = {True: "hit", False: "MISS", None: ""}[f.meets]
        row = f"{f.median:>10,.2f} {min(f.samples):>10,.2f} {max(f.samples):>10,.2f} {len(f.samples):>4} {f.unit:<8} {goal:>8}"
        click.echo(f"  {f.name:<54} {row} {verdict:<4} {f.note}".rstrip())
    click.echo(f"\n  {met} of {len(judged)} targets hit")
