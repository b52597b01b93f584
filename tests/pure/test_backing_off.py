"""A model or an embedder that is away makes a cycle rest, longer each time; only what is unfit counts towards burial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from bio_agent_schema import cycles, episodes, ledger
from bio_agent_workers import runner
from bio_agent_workers.models.embedding import PROBE, passages
from bio_agent_workers.models.protocol import ModelError
from bio_agent_workers.models.service import ServiceEmbedder
from bio_agent_workers.runner import BACK_OFF_S, is_away, rest_s


class Embedder:
    """Raises `error` on the texts that hold `poison`; on every text when that is empty."""

    model_id, dimensions = "fake", 2

    def __init__(self, error: Exception | None = None, poison: str = "", vector: Sequence[float] = (1.0, 0.0)) -> None:
        self.error, self.poison, self.vector = error, poison, list(vector)

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        if self.error is not None and any(self.poison in t for t in texts):
            raise self.error
        return [self.vector for _ in texts]

    def query(self, text: str) -> list[float]:
        return self.passages([text])[0]


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("the provider answered 500"), TimeoutError(), OSError("no file"), RuntimeError("broken"),
        ModelError("no key", transient=True), ModelError("the service refused the request", transient=False),
    ],
)  # fmt: skip
def test_an_embedder_that_has_no_vector_for_anything_is_away(error: Exception) -> None:
    with pytest.raises(ModelError) as failed:
        passages(Embedder(error), ["a rule"])
    assert is_away(failed.value)


@pytest.mark.parametrize("error", [ValueError("a lone surrogate"), ModelError("content filter", transient=False)])
def test_a_text_that_an_embedder_alone_has_no_vector_for_is_poison(error: Exception) -> None:
    embedder = Embedder(error, poison="zanzibar")
    with pytest.raises(ModelError) as failed:
        passages(embedder, ["a rule", "a rule of zanzibar"])
    assert not is_away(failed.value)
    assert passages(embedder, ["a rule", PROBE]) == [[1.0, 0.0]] * 2


def test_a_connection_that_breaks_once_is_no_poison_though_the_next_call_goes_through() -> None:
    with pytest.raises(ModelError) as failed:
        passages(Embedder(ConnectionError("reset"), poison="a rule"), ["a rule"])
    assert is_away(failed.value)


@pytest.mark.parametrize("vector", [[], [float("nan"), 0.0], [float("inf"), 0.0]])
def test_an_embedder_that_answers_with_no_numbers_is_away(vector: list[float]) -> None:
    with pytest.raises(ModelError) as failed:
        passages(Embedder(vector=vector), ["a rule"])
    assert is_away(failed.value)


@pytest.mark.parametrize(
    ("kind", "away"),
    [
        (openai.BadRequestError, False), (openai.UnprocessableEntityError, False), (openai.RateLimitError, True),
        (openai.AuthenticationError, True), (openai.InternalServerError, True),
    ],
)  # fmt: skip
def test_a_refusal_of_the_text_may_be_the_text_s_fault_and_no_other(
    kind: type[openai.APIStatusError], away: bool
) -> None:
    def create(**_: Any) -> None:
        raise kind("no", response=cast(Any, SimpleNamespace(request=None, status_code=0, headers={})), body=None)

    client = cast(openai.OpenAI, SimpleNamespace(embeddings=SimpleNamespace(create=create)))
    with pytest.raises(ModelError) as failed:
        ServiceEmbedder(client, "e").passages(["a rule"])
    assert is_away(failed.value) is away


def test_what_is_away_and_what_is_unfit() -> None:
    gone, unfit = Exception("server closed the connection"), Exception("invalid byte sequence")
    away = [NoConnectionFree(), OperationalError("select 1", None, gone), ModelError("429", transient=True)]
    assert all(is_away(e) for e in away)
    assert not any(is_away(e) for e in [DataError("select 1", None, unfit), ValueError("x"), KeyError("x")])


@given(st.integers(0, 50), st.none() | st.floats(0, 10**6))
def test_rests_grow_up_to_a_bound_and_keep_to_what_the_provider_asked(rests: int, asked_s: float | None) -> None:
    longest = BACK_OFF_S[-1]
    rest = rest_s(rests, asked_s)
    assert min(asked_s or 0, longest) <= rest <= longest
    assert rest <= rest_s(rests + 1, asked_s)
    assert rest >= BACK_OFF_S[min(rests, len(BACK_OFF_S) - 1)]


class Away:
    """A database that is away while `gone`."""

    gone = True

    @contextmanager
    def tenant(self, _: str) -> Iterator[None]:
        if self.gone:
            raise OperationalError("select 1", None, Exception("server closed the connection"))
        yield None


def test_a_cycle_let_go_while_the_database_could_not_be_told_counts_no_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    db, counted = Away(), [0]

    def count(*_: object) -> int:
        counted[0] += 1
        return counted[0]

    rt = cast(runner.Runtime, SimpleNamespace(db=db))
    stages = [runner.Stage("promote", load=no_part, think=no_part, save=no_part)]
    assert runner.run_stage(rt, stages, "acme", "c1", "promote", 3) == "put_off"
    db.gone = False
    monkeypatch.setattr(ledger, "audit", lambda *_: None)
    monkeypatch.setattr(episodes, "count_attempt", count)
    for fence, attempts in ((4, 0), (5, 1)):  # the one that was let go, then one whose worker died
        cycle = SimpleNamespace(stage="promote", fence=fence, attempts=0, episode_ids=["e"])
        monkeypatch.setattr(cycles, "take", lambda *_, cycle=cycle, **__: (cycle, True))
        assert runner.take_up(rt, stages, "acme", "c1") == ("promote", fence)
        assert counted == [attempts]


def no_part(*_: Any) -> Any:
    raise AssertionError("the database is away before any part begins")
