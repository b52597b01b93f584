"""Vectors without their language: what a multilingual model says about a text's language is taken out of its vector.

Small multilingual embedders place two texts of one language nearer than a text and its translation. Subtracting each
language's mean vector before the length is brought back to 1 removes that, and leaves unrelated texts near 0, so that
one threshold means the same with every embedder. The means come from the same sentences in each language, so that
only the language differs between them.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.models.protocol import Embedder

LANGUAGES = ("en", "zh", "vi")  # the columns of the sentences
_DATA = files("bio_agent_workers.models") / "data"


@cache
def sentences() -> Mapping[str, tuple[str, ...]]:
    """Language → general sentences; the n-th of each language say the same."""
    rows = [line.split("\t") for line in (_DATA / "parallel_sentences.tsv").read_text("utf-8").splitlines()]
    return {lang: tuple(row[column] for row in rows) for column, lang in enumerate(LANGUAGES)}


def centres(embedder: Embedder) -> dict[str, list[float]]:
    """Language → mean vector of its sentences as that embedder sees them; calls the embedder once per language."""
    return {lang: _mean(embedder.passages(texts)) for lang, texts in sentences().items()}


@cache
def shipped() -> Mapping[str, Mapping[str, list[float]]]:
    """Embedder id → centres(), for the embedders that come with the product: saves two seconds at the first text."""
    found: Mapping[str, Mapping[str, list[float]]] = json.loads((_DATA / "centres.json").read_text("utf-8"))
    return found


class Centred:
    """An embedder whose vectors are centred per language and of unit length."""

    SUFFIX = "+centred"  # of the id: vectors that were not centred are another model's

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._centres: Mapping[str, Sequence[float]] | None = shipped().get(inner.model_id)
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        return self._inner.model_id + self.SUFFIX

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._moved(t, v) for t, v in zip(texts, self._inner.passages(texts), strict=True)] if texts else []

    def query(self, text: str) -> list[float]:
        return self._moved(text, self._inner.query(text))

    def _moved(self, text: str, vector: Sequence[float]) -> list[float]:
        with self._lock:
            if self._centres is None:
                self._centres = centres(self._inner)
        centre = self._centres[detect_lang(text)]
        moved = [x - c for x, c in zip(vector, centre, strict=True)]
        size = math.sqrt(sum(x * x for x in moved))
        return [x / size for x in moved] if size > 1e-6 else list(vector)


def _mean(vectors: Sequence[Sequence[float]]) -> list[float]:
    return [round(sum(column) / len(vectors), 6) for column in zip(*vectors, strict=True)]
