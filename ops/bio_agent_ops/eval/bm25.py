"""The plain searches that recall is measured against: Okapi BM25 (Robertson & Zaragoza, 2009), vectors of the same embedder,
and the reciprocal-rank fusion of the two (Cormack, Clarke & Büttcher, 2009)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bio_agent_workers.brain.text import detect_lang, tokens
from bio_agent_workers.models.protocol import Embedder

K1, B = 1.2, 0.75
RRF_K = 60


class BM25:
    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        counts = [Counter(d) for d in documents]
        self._size = len(documents)
        lengths = np.array([len(d) for d in documents], dtype=np.float64)
        mean = float(lengths.mean()) if documents else 1.0
        self._norm = K1 * (1 - B + B * lengths / (mean or 1.0))
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, found in enumerate(counts):
            for term, n in found.items():
                self._postings.setdefault(term, []).append((place, n))

    def scores(self, query: Sequence[str]) -> list[float]:
        """A score ≥ 0 for every document; 0 when it shares no token with the query."""
        out = np.zeros(self._size)
        for term in set(query):
            postings = self._postings.get(term, [])
            weight = math.log(1 + (self._size - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, n in postings:
                out[place] += weight * n * (K1 + 1) / (n + self._norm[place])
        return [float(x) for x in out]


def ranked(scores: Sequence[float], ids: Sequence[str], *, above: float = 0.0) -> list[str]:
    """Ids by falling score, those at or below `above` left out; equal scores in the corpus' order."""
    order = sorted(range(len(ids)), key=lambda i: -scores[i])
    return [ids[i] for i in order if scores[i] > above]


def searches(
    embedder: Embedder, ids: Sequence[str], texts: Sequence[str], embedded: Sequence[str] | None = None
) -> Mapping[str, Callable[[str], list[str]]]:
    """Name of the search → question → ids, best first. embedded: what of each text its vector is made of, if not all."""
    vectors = np.array(embedder.passages(embedded if embedded is not None else texts), dtype=np.float32)
    words = BM25([tokens(t, detect_lang(t)) for t in texts])

    def vector(question: str) -> list[str]:
        near = vectors @ np.array(embedder.query(question), dtype=np.float32)
        return ranked([float(x) for x in near], ids, above=-2.0)  # every cosine lies above

    def text(question: str) -> list[str]:
        return ranked(words.scores(tokens(question, detect_lang(question))), ids)

    def fused(question: str) -> list[str]:
        gained: dict[str, float] = {}
        for order in (vector(question), text(question)):
            for place, i in enumerate(order, 1):
                gained[i] = gained.get(i, 0.0) + 1 / (RRF_K + place)
        return sorted(gained, key=lambda i: -gained[i])

    return {"vector search, same embedder": vector, "BM25": text, "their reciprocal-rank fusion": fused}
