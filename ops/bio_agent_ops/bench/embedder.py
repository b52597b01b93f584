"""Stand-ins for the embedder that cost next to nothing, the same for the same text in every run."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Sequence

from bio_agent_workers.brain.text import content_tokens, detect_lang


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


class WordsEmbedder:
    """A unit vector of the content words, each with a sign and a place of its own: texts are as near as they have words in
    common, and unrelated ones lie around 0, as with the centred vectors of the real embedder. It knows no synonyms."""

    model_id = "bench/words"
    dimensions = 384

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(text) for text in texts]

    def query(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        for word in content_tokens(text, detect_lang(text)):
            drawn = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
            vector[int.from_bytes(drawn[:3], "big") % self.dimensions] += 1.0 if drawn[3] & 1 else -1.0
        length = math.sqrt(sum(x * x for x in vector))
        return [x / length for x in vector] if length else DigestEmbedder().query(text)
