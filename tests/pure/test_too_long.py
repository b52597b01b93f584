"""A request that the model has no room for is asked in parts; nothing is given up for its length."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.models.protocol import COMPILE_SCHEMA, ModelRequest, Role
from bio_agent_workers.models.too_long import LEAST_ROOM, SHORTEST_BYTES, parts, says_too_long, together


def request(texts: list[str], links: dict[int, int] | None = None, **context: Any) -> ModelRequest:
    items = tuple({"n": n, "text": text, "resolved_by": (links or {}).get(n)} for n, text in enumerate(texts, 1))
    return ModelRequest(Role.COMPILE, "1", "Do it.", items, COMPILE_SCHEMA, context, max_output_tokens=2000)


@pytest.mark.parametrize(
    ("status", "code", "message", "too_long"),
    [
        (400, "context_length_exceeded", "no", True),
        (400, None, "This model's maximum context length is 8192 tokens.", True),
        (400, None, "The input token count (9000) exceeds the maximum number of tokens allowed (8192).", True),
        (400, None, "prompt is too long: 210000 tokens > 200000 maximum", True),
        (413, None, "Payload Too Large", True),
        (429, None, "Request too large for gpt on tokens per min (TPM): Limit 10000, Requested 12000", True),
        (429, None, "Too many tokens, please wait before trying again.", False),
        (400, None, "max_tokens is too large: 4000. This model supports at most 2048 completion tokens", False),
        (400, None, "Unknown parameter: strict", False),
        (503, None, "overloaded", False),
    ],
)
def test_what_says_too_long(status: int, code: str | None, message: str, too_long: bool) -> None:
    assert says_too_long(status, code, message) is too_long


def test_the_cut_spares_a_failure_and_its_fix_and_context_goes_with_its_items() -> None:
    whole = request(
        ["a"] * 8, {4: 5},
        lessons=[{"failed_n": [4], "fix_n": 5, "between_n": []}, {"failed_n": [1], "fix_n": 8, "between_n": []}],
        said_before=[{"n": 2, "text": "Shall I?"}],
    )  # fmt: skip
    first, second = parts(whole)
    numbers = [[i["n"] for i in part.items] for part in (first, second)]
    assert sorted(n for some in numbers for n in some) == list(range(1, 9))
    assert {4, 5} <= set(numbers[0]) or {4, 5} <= set(numbers[1])
    assert [len(part.context.get("said_before", [])) for part in (first, second)] == [1, 0]
    assert sum(len(part.context.get("lessons", [])) for part in (first, second)) == 1, "the other one is cut in two"
    assert first.max_output_tokens == 1000


@given(st.lists(st.text(max_size=4000), min_size=1, max_size=9), st.integers(300, 3000))
def test_parts_come_down_to_any_room_without_losing_an_item(texts: list[str], room: int) -> None:
    """However small the model, every item is asked about, under its number, as long as its shortest form fits."""
    seen: list[int] = []
    waiting, asked = [request(texts)], 0
    while waiting:
        part, asked = waiting.pop(), asked + 1
        assert asked < 500
        size = sum(len(str(i["text"]).encode("utf-8", "replace")) for i in part.items)
        if size <= room:
            seen += [i["n"] for i in part.items]
            continue
        smaller = parts(part)
        assert smaller, f"{size} bytes are more than {room}, and more than {SHORTEST_BYTES}"
        assert all(p.max_output_tokens >= LEAST_ROOM for p in smaller)
        waiting += smaller
    assert sorted(seen) == list(range(1, len(texts) + 1))


def test_one_long_item_keeps_its_head_tail_and_error_and_ends_somewhere() -> None:
    said = "begin here\n" + "x" * 4000 + "\nValueError: no such table\n" + "y" * 4000 + "\nand the end"
    (short,) = parts(request([said]))
    text = short.items[0]["text"]
    assert text.startswith("begin here")
    assert text.endswith("and the end")
    assert "ValueError: no such table" in text
    assert len(text) <= len(said) // 2 + 1
    steps = 0
    while smaller := parts(short):
        (short,), steps = smaller, steps + 1
    assert steps < 10
    assert len(short.items[0]["text"].encode()) <= 2 * SHORTEST_BYTES
    assert parts(request([])) == []


def test_replies_are_put_together() -> None:
    data = [{"memories": [1], "summary": "One."}, {"memories": [2, 3], "summary": "Two."}]
    assert json.dumps(together(data)) == json.dumps({"memories": [1, 2, 3], "summary": "One. Two."})
    assert together([]) == {}
