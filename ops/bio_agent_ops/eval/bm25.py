"""Okapi BM25 (Robertson & Zaragoza, 2009) over a small corpus, as a rival to measure recall against."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

K1, B = 1.2, 0.75


class BM25:
    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(d) for d in documents]
        self._lengths = [len(d) for d in documents]
        self._mean = sum(self._lengths) / len(documents) if documents else 1.0
        seen = Counter(t for c in self._counts for t in c)
        n = len(documents)
        self._idf = {t: math.log(1 + (n - k + 0.5) / (k + 0.5)) for t, k in seen.items()}

    def scores(self, query: Sequence[str]) -> list[float]:
        """A score ≥ 0 for every document; 0 when it shares no token with the query."""
        out = []
        for counts, length in zip(self._counts, self._lengths, strict=True):
            norm = K1 * (1 - B + B * length / (self._mean or 1.0))
            out.append(sum(self._idf[t] * counts[t] * (K1 + 1) / (counts[t] + norm) for t in set(query) if counts[t]))
        return out


def ranked(scores: Sequence[float], ids: Sequence[str], *, above: float = 0.0) -> list[str]:
    """Ids by falling score, those at or below `above` left out; equal scores in the corpus' order."""
    order = sorted(range(len(ids)), key=lambda i: -scores[i])
    return [ids[i] for i in order if scores[i] > above]
