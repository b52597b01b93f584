"""A stand-in for the embedder that costs next to nothing, the same for the same text in every run."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Sequence


class DigestEmbedder:
    """A dense unit vector drawn from the text's digest: two texts are as far apart as two random directions are (the
    cosine of 384 dimensions stays within ±0.2), so that none is taken for another's neighbour."""

    model_id = "bench/digest"
    dimensions = 384

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(text) for text in texts]

    def query(self, text: str) -> list[float]:
        drawn = array("h", hashlib.shake_128(text.encode("utf-8", "replace")).digest(2 * self.dimensions))
        length = math.sqrt(sum(x * x for x in drawn)) or 1.0
        return [x / length for x in drawn]
