"""Fisher's exact test of two proportions."""

from __future__ import annotations

from math import comb


def fisher(k: int, n: int, other_k: int, other_n: int) -> float:
    """Two-sided p of k of n against other_k of other_n (R. A. Fisher, 1922), in [0, 1]: the probability, with the margins
    held, of all tables no likelier than this one. 1 where one side is empty. ValueError for what is no proportion."""
    if not (0 <= k <= n and 0 <= other_k <= other_n):
        raise ValueError(f"{k} of {n} and {other_k} of {other_n} are no proportions")
    if not n or not other_n:
        return 1.0
    hits, whole = k + other_k, n + other_n

    def ways(x: int) -> int:
        return comb(n, x) * comb(other_n, hits - x)

    here = ways(k)
    likely = sum(w for x in range(max(0, hits - other_n), min(n, hits) + 1) if (w := ways(x)) <= here)
    return likely / comb(whole, hits)
