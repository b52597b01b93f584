"""An embedder for tests: the words of a text, hashed into a few dimensions. Texts with words in common are near."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from bio_agent_workers.brain.retrieval import search_terms


class BagEmbedder:
    def __init__(self, model_id: str = "test/bag", dimensions: int = 256) -> None:
        self.model_id = model_id
        self.dimensions = dimensions
        self.embedded: list[str] = []

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += texts
        return [self.query(t) for t in texts]

    def query(self, text: str) -> list[float]:
        vector = [1e-3] * self.dimensions
        for term, count in search_terms.terms(text).items():
            digest = hashlib.sha256(f"{self.model_id} {term}".encode()).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dimensions] += count
        length = math.sqrt(sum(x * x for x in vector))
        return [x / length for x in vector]
