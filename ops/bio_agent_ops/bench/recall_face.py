"""The HTTP face as it is, with the bench's embedder in place of a model: run by `bench recall` in a process of its own."""

from __future__ import annotations

from dataclasses import replace

from bio_agent_ops import http
from bio_agent_ops.bench.recall_material import TopicEmbedder
from bio_agent_ops.service import context
from bio_agent_workers.models import Models, configured
from bio_agent_workers.settings import Settings


def _models(settings: Settings) -> Models:
    return replace(configured(settings), embedder=TopicEmbedder())


if __name__ == "__main__":
    context.configured = _models  # type: ignore[attr-defined]
    http.main()
