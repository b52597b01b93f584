"""A reranker, where one is set: it reads each candidate beside the query and says how well they fit."""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Protocol
from urllib.parse import urlsplit

from bio_agent_workers.models.protocol import ModelError
from bio_agent_workers.settings import Settings

log = logging.getLogger("bio.rerank")

MAX_CHARS = 2_000  # of one candidate; rerankers read 512 tokens or little more
MAX_REPLY_BYTES = 4_000_000
RESTS_S = 30.0  # after a failure: recall goes on without it and does not wait for it at every query


class Reranker(Protocol):
    """Scores are comparable within one call only; a greater one fits better."""

    @property
    def model_id(self) -> str: ...
    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in its order. Raises ModelError."""
        ...


class HttpReranker:
    """A `/rerank` endpoint in the form of Cohere, Jina, vLLM, LiteLLM and others: {model, query, documents} →
    {results: [{index, relevance_score}]}."""

    def __init__(self, url: str, model: str, key: str = "", timeout_s: float = 5.0) -> None:
        """Raises ValueError when `url` is no http(s) address."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"RERANK_URL: an http(s) address such as http://127.0.0.1:8080/rerank, not {url[:80]!r}")
        path = parts.path.rstrip("/")
        self.model_id = model
        self._connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._at, self._port, self._timeout_s = parts.hostname, parts.port, timeout_s
        self._target = (path if path.endswith("/rerank") else f"{path}/rerank") + (
            f"?{parts.query}" if parts.query else ""
        )
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        body = {
            "model": self.model_id,
            "query": query,
            "documents": [t[:MAX_CHARS] for t in texts],
            "top_n": len(texts),
        }
        connection = self._connect(self._at, self._port, timeout=self._timeout_s)
        try:
            connection.request("POST", self._target, json.dumps(body).encode(), self._headers)
            answer = connection.getresponse()
            said = answer.read(MAX_REPLY_BYTES)
            if answer.status != 200:  # a redirect too: the key goes to the address that was set and to no other
                raise ModelError(f"reranker {self.model_id}: HTTP {answer.status}", transient=answer.status >= 429)
            return _read(json.loads(said), len(texts))
        except (OSError, HTTPException, ValueError) as error:
            raise ModelError(f"reranker {self.model_id}: {type(error).__name__}", transient=True) from error
        finally:
            connection.close()


def _read(reply: Any, count: int) -> list[float]:
    """Raises ValueError when the reply does not score every text once with a number."""
    results = reply.get("results") if isinstance(reply, Mapping) else None
    scored: dict[int, float] = {}
    for result in results if isinstance(results, list) else ():
        if not isinstance(result, Mapping):
            continue
        place, score = result.get("index"), result.get("relevance_score", result.get("score"))
        if isinstance(place, int) and isinstance(score, int | float) and math.isfinite(score):
            scored[place] = float(score)
    if set(scored) != set(range(count)):
        raise ValueError("the reply does not score every text")
    return [scored[i] for i in range(count)]


@lru_cache(maxsize=8)
def _opened(url: str, model: str, key: str) -> Reranker:
    return HttpReranker(url, model, key)


def configured(settings: Settings) -> Reranker | None:
    """None unless RERANK_URL is set."""
    if not settings.rerank_url:
        return None
    return _opened(settings.rerank_url, settings.rerank_model_id, settings.rerank_api_key.get_secret_value())


_rests: dict[str, float] = {}


def fit(reranker: Reranker, query: str, texts: Mapping[str, str]) -> dict[str, float] | None:
    """Id → how well it fits, in [0, 1] with the best at 1; None when the reranker does not answer."""
    if len(texts) < 2 or time.monotonic() < _rests.get(reranker.model_id, 0.0):
        return None
    try:
        scores = reranker.scores(query, list(texts.values()))
    except ModelError as error:
        log.warning("%s; recall keeps its own order for %g s", error, RESTS_S)
        _rests[reranker.model_id] = time.monotonic() + RESTS_S
        return None
    low, high = min(scores), max(scores)
    if high <= low:
        return None
    return {i: (s - low) / (high - low) for i, s in zip(texts, scores, strict=True)}
