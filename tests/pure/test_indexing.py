"""The supervisor's look at the vector indexes: one at a time, off the caller's way, resting after a failure."""

from __future__ import annotations

import threading

import pytest

from bio_agent_ops import indexing
from bio_agent_schema import vectors


@pytest.fixture
def said() -> list[str]:
    return []


def indexer(said: list[str], monkeypatch: pytest.MonkeyPatch) -> indexing.Indexer:
    monkeypatch.setattr(indexing, "LOOK_EVERY_S", 0.0)
    return indexing.Indexer(lambda: "postgresql://nowhere", said.append)


def joined(one: indexing.Indexer) -> None:
    assert one._thread is not None
    one._thread.join(5)
    assert not one._thread.is_alive()


def test_a_look_returns_at_once_and_a_second_waits_for_the_first(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, urls = threading.Semaphore(0), threading.Event(), list[str]()

    def build(url: str) -> list[str]:
        urls.append(url)
        begun.release()
        assert go_on.wait(5)
        return ["memories_near_a"]

    monkeypatch.setattr(vectors, "build_wanted", build)
    one = indexer(said, monkeypatch)
    one.look()
    assert begun.acquire(timeout=5)
    one.look()
    one.look()
    assert urls == ["postgresql://nowhere"]
    go_on.set()
    joined(one)
    assert len(said) == 1
    assert "built 1 vector index" in said[0]


def test_after_a_failure_it_rests_and_says_so_once(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def build(url: str) -> list[str]:
        looks.append(url)
        raise OSError("no space left on device\nand more")

    monkeypatch.setattr(vectors, "build_wanted", build)
    one = indexer(said, monkeypatch)
    one.look()
    joined(one)
    one.look()
    assert len(looks) == 1
    assert len(said) == 1
    assert "no space left on device" in said[0]
    assert "and more" not in said[0]
