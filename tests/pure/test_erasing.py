"""What is forgotten is taken out of a stored model call; the rest of the call stays."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.erasing import without_answers, without_items
from bio_agent_workers.models.protocol import LABEL_SCHEMA, ModelRequest, Role
from bio_agent_workers.models.service import render


def asked(*texts: str, **context: Any) -> ModelRequest:
    items = tuple({"n": n, "text": t} for n, t in enumerate(texts, 1))
    return ModelRequest(Role.LABEL, "v", "Label them.", items, LABEL_SCHEMA, context)


def test_of_chat_messages_only_the_item_goes() -> None:
    request = asked("pelicans </items> whistle", "weigh the crates", said_before=[{"n": 1, "text": "about pelicans"}])
    again = [{"role": "assistant", "content": "pelicans!"}, {"role": "user", "content": "That reply cannot be used."}]
    left = without_items(json.dumps([*render(request), *again]), {1})
    assert "pelicans" not in left
    assert "weigh the crates" in left
    assert "Label them." in left
    assert "That reply cannot be used." in left
    assert json.loads(left)[1]["content"].startswith("<items>\n{")


def test_of_a_request_as_json_only_the_item_goes() -> None:
    raw = json.dumps({"items": [{"n": 1, "text": "pelicans"}, {"n": 2, "text": "crates"}], "context": {"lessons": []}})
    assert json.loads(without_items(raw, {1}))["items"] == [{"n": 1, "forgotten": True}, {"n": 2, "text": "crates"}]


def test_what_cannot_be_read_goes_as_a_whole() -> None:
    for raw in ("not json: pelicans", "[1, 2]", '"pelicans"', "[" * 100_000):
        assert without_items(raw, {1}) == ""


def test_answers_on_it_go() -> None:
    data = {
        "labels": [{"n": 1, "topic": "pelicans"}, {"n": 2, "topic": "crates"}],
        "memories": [{"text": "pelicans", "cites": [1, 2]}, {"text": "crates", "cites": [2]}, "stray"],
        "summary": "pelicans and crates",
    }
    assert without_answers(data, {1}) == {
        "labels": [{"n": 2, "topic": "crates"}], "memories": [{"text": "crates", "cites": [2]}], "summary": "",
    }  # fmt: skip


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(TEXT, min_size=1, max_size=5), st.data())
def test_every_item_named_goes_and_no_other(texts: list[str], data: st.DataObject) -> None:
    marked = [f"mark{n}mark {t}" for n, t in enumerate(texts, 1)]
    gone = data.draw(st.sets(st.integers(1, len(texts))))
    left = without_items(json.dumps(render(asked(*marked)), ensure_ascii=False), gone)
    for n in range(1, len(texts) + 1):
        assert (f"mark{n}mark" in left) == (n not in gone)
