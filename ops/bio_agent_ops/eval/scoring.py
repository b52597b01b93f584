"""Shares of what was right, with their uncertainty, in all and by group."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Z95 = 1.959963984540054  # two-sided 95 % of the normal distribution


def wilson(k: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval of a proportion of k in n (E. B. Wilson, 1927), within [0, 1]; (0, 1) for n = 0."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no proportion")
    if n == 0:
        return 0.0, 1.0
    p, z2 = k / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low = 0.0 if k == 0 else max(0.0, middle - half)
    high = 1.0 if k == n else min(1.0, middle + half)
    return low, high


@dataclass(slots=True)
class Share:
    """k of n."""

    k: int = 0
    n: int = 0

    def add(self, hit: bool) -> None:
        self.k += hit
        self.n += 1

    def as_dict(self) -> dict[str, Any]:
        low, high = wilson(self.k, self.n)
        share = round(self.k / self.n, 4) if self.n else None
        return {"k": self.k, "n": self.n, "share": share, "low": round(low, 4), "high": round(high, 4)}

    def __str__(self) -> str:
        if not self.n:
            return "–"
        low, high = wilson(self.k, self.n)
        return f"{self.k}/{self.n}  {self.k / self.n:.3f}  [{low:.3f}, {high:.3f}]"


@dataclass(slots=True)
class Score:
    """Named shares in all and by group, and the causes of what was missed."""

    all: dict[str, Share] = field(default_factory=dict)
    by: dict[str, dict[str, dict[str, Share]]] = field(default_factory=dict)
    misses: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, measure: str, hit: bool, **groups: str) -> None:
        self.all.setdefault(measure, Share()).add(hit)
        for group, value in groups.items():
            of_value = self.by.setdefault(group, {}).setdefault(value or "(none)", {})
            of_value.setdefault(measure, Share()).add(hit)

    def miss(self, kind: str, cause: str) -> None:
        self.misses.setdefault(kind or "(none)", Counter())[cause] += 1

    def totals(self) -> dict[str, Any]:
        return {name: share.as_dict() for name, share in self.all.items()}

    def groups(self) -> dict[str, Any]:
        return {
            group: {
                value: {name: share.as_dict() for name, share in shares.items()}
                for value, shares in sorted(values.items())
            }
            for group, values in self.by.items()
        }

    def missed(self) -> dict[str, dict[str, int]]:
        return {kind: dict(causes.most_common()) for kind, causes in sorted(self.misses.items())}
