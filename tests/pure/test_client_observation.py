"""The wire contract: what is taken, what is refused, cleaning, cutting, ids, round trips."""

import json
import math
import re
import time
import uuid
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bio_agent_client.clean import MAX_DEPTH, clean_json, clean_text, cut
from bio_agent_client.observation import (
    CONTENT_MAX_BYTES,
    ID_MAX_CHARS,
    Observation,
    Refused,
    derive_id,
    from_wire,
    parse,
    to_wire,
    uuid7,
)

any_text = st.text(st.characters(exclude_categories=[]), max_size=300)  # with surrogates and controls
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "dirty, clean",
    [
        ("bad\x00line", "badline"),
        ("\x1b[31mERROR\x1b[0m build \x1b[1mfailed\x1b[22m", "ERROR build failed"),
        ("get  1%\rget 50%\rget 100%\nerror: checksum\n\x1b[3", "get 100%\nerror: checksum\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("a\x1b[2Kb", "b"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;never ended\nnext", "\nnext"),
        ("half \ud835 pair", "half \ufffd pair"),
        ("\ud83d\ude00", "😀"),
        ("admin\u202egnp.exe", "admingnp.exe"),
        ("A\u0332x", "A\u0332x"),
        ("N\x08No\x08o", "No"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("👨\u200d👩\u200d👧 tab\there", "👨\u200d👩\u200d👧 tab\there"),
    ],
)
def test_cleaning(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


@given(any_text)
def test_clean_text_is_idempotent_and_encodes(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    once.encode("utf-8")
    assert not re.search("[\x00\x1b\r\u202e]", once)


@given(json_values)
def test_clean_json_is_idempotent_and_dumps(value: object) -> None:
    once = clean_json(value)
    json.dumps(once, allow_nan=False).encode()
    assert clean_json(once) == once


def test_clean_json_bounds() -> None:
    deep: object = "x"
    for _ in range(20_000):
        deep = [deep]
    kept, levels = clean_json(deep), 0
    while isinstance(kept, list):
        kept, levels = kept[0], levels + 1
    assert levels == MAX_DEPTH
    assert "nested deeper" in kept
    cyclic: dict[str, object] = {}
    cyclic["self"] = [cyclic, cyclic]
    json.dumps(clean_json(cyclic))
    assert clean_json({"a": math.nan, "b": 10**400, "k" * 999: 1}) == {"a": None, "b": None, "k" * 255 + "…": 1}
    assert clean_json({"a\x00": 1, "a": 2}) == {"a": 1, "a~2": 2}


def test_cut_keeps_head_tail_and_errors() -> None:
    text = "".join(f"line {i} of quiet output\n" for i in range(40_000))
    text = text.replace("line 20000 of quiet", "line 20000 ERROR: the linker gave up, not quiet")
    out = cut(text)
    assert len(out.encode()) <= 32 * 1024
    assert out.startswith("line 0 ")
    assert out.endswith("line 39999 of quiet output\n")
    assert "line 20000 ERROR: the linker gave up" in out
    assert "line 19999 of" in out
    assert "line 20001 of" in out
    assert len(re.findall(r"\[… \d+ bytes cut …\]", out)) == 2


@given(st.text(max_size=3000), st.integers(256, 2000))
def test_cut_fits_and_is_idempotent(text: str, limit: int) -> None:
    out = cut(text, limit)
    assert len(out.encode()) <= limit
    assert cut(out, limit) == out
    if len(text.encode()) <= limit:
        assert out == text


@given(st.integers(1, 40), st.sampled_from(["error ", "lỗi: ", "错误", "plain "]), st.integers(256, 4000))
def test_cut_fits_whatever_the_errors(number: int, word: str, limit: int) -> None:
    assert len(cut((word * number + "\n") * 400, limit).encode()) <= limit
    assert len(cut(word * number * 400, limit).encode()) <= limit


def test_full_form() -> None:
    obs = parse(
        {
            "id": "x1", "kind": "tool", "workspace": "web", "tool": "Bash", "tool_input": {"command": "npm test"},
            "exit_code": "1", "is_error": True, "duration_ms": 12.0, "content": "1 failing", "mode": "debug",
            "occurred_at": "2026-11-30T09:15:00+07:00", "entities": ["web", "npm"], "metadata": {"severity": "error"},
        }
    )  # fmt: skip
    assert obs.exit_code == 1
    assert obs.duration_ms == 12
    assert obs.occurred_at == datetime(2026, 11, 30, 2, 15, tzinfo=UTC)
    assert obs.entities == ("web", "npm")
    assert obs.metadata == {"severity": "error"}
    assert from_wire(to_wire(obs)) == obs


def test_plain_form() -> None:
    obs = parse(
        {"type": "run_command", "source": "terminal", "content": "$ npm test\n1 failing", "metadata": {"cwd": "/w"}}
    )
    assert (obs.kind, obs.tool, obs.tool_input, obs.cwd) == ("tool", "Bash", {"command": "npm test"}, "/w")
    assert obs.metadata == {"plain_type": "run_command"}
    out = parse(
        {"type": "terminal_output", "content": "ok", "metadata": {"exit_code": 0, "session": "s", "severity": "info"}}
    )
    assert (out.exit_code, out.session, out.tool_input) == (0, "s", None)
    assert out.metadata == {"severity": "info", "plain_type": "terminal_output"}
    result = parse({"type": "tool_result", "content": "x", "metadata": {"tool": "Edit", "command": "ignored?"}})
    assert (result.tool, result.tool_input) == ("Edit", {"command": "ignored?"})
    assert (
        parse({"type": "erp_event", "content": "posted", "metadata": {"exit_code": "n/a"}}).metadata["exit_code"]
        == "n/a"
    )


def test_fields_win_over_metadata() -> None:
    obs = parse({"kind": "tool", "exit_code": 0, "metadata": {"exit_code": 3}})
    assert obs.exit_code == 0
    assert obs.metadata == {"exit_code": 3}


@pytest.mark.parametrize(
    "bad, field",
    [
        ({"content": "x"}, "kind"),
        ({"kind": "gossip", "content": "x"}, "kind"),
        ({"type": "log", "content": "x"}, "type"),
        ({"kind": "user"}, "content"),
        ({"kind": "user", "content": "x" * (CONTENT_MAX_BYTES + 1)}, "content"),
        ({"kind": "user", "content": "x", "id": "i" * (ID_MAX_CHARS + 1)}, "id"),
        ({"kind": "user", "content": "x", "id": " "}, "id"),
        ({"kind": "user", "content": "x", "session": "s" * 300}, "session"),
        ({"kind": "user", "content": "x", "session": ["s"]}, "session"),
        ({"kind": "tool", "exit_code": "one"}, "exit_code"),
        ({"kind": "tool", "exit_code": True}, "exit_code"),
        ({"kind": "tool", "is_error": "yes"}, "is_error"),
        ({"kind": "tool", "duration_ms": -1}, "duration_ms"),
        ({"kind": "user", "content": "x", "occurred_at": "2026-11-30T09:15:00"}, "occurred_at"),
        ({"kind": "user", "content": "x", "occurred_at": "yesterday"}, "occurred_at"),
        ({"kind": "user", "content": "x", "occurred_at": 1700000000}, "occurred_at"),
        ({"kind": "user", "content": "x", "provenance": "god"}, "provenance"),
        ({"kind": "user", "content": "x", "metadata": ["a"]}, "metadata"),
        ({"kind": "user", "content": "x", "metadata": {"a": "b" * 40_000}}, "metadata"),
        ({"kind": "user", "content": "x", "entities": "web"}, "entities"),
        (["kind"], "observation"),
    ],
)
def test_refusals_say_where_and_why(bad: object, field: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(bad)  # type: ignore[arg-type]
    assert caught.value.field == field
    assert len(caught.value.reason) > 10


def test_provenance_is_capped_and_noted() -> None:
    assert parse({"kind": "user", "content": "x"}).provenance == "owner"
    tool = parse({"kind": "tool", "provenance": "owner"})
    assert (tool.provenance, tool.lowered_from) == ("agent", "owner")
    user = parse({"kind": "user", "content": "x"}, ceiling="untrusted")
    assert (user.provenance, user.lowered_from) == ("untrusted", None)  # nothing was claimed
    event = parse({"kind": "event", "content": "x", "provenance": "system"}, ceiling="system")
    assert (event.provenance, event.lowered_from) == ("system", None)
    wire = to_wire(parse({"kind": "user", "content": "x", "provenance": "system"}, loopback_defaults=False))
    low = from_wire(wire, ceiling="agent")
    assert (low.provenance, low.lowered_from) == ("agent", "system")
    assert from_wire(to_wire(low)).lowered_from == "system"


def test_tenant_comes_from_the_credential_only() -> None:
    obs = parse({"kind": "user", "content": "x", "tenant": "theirs"}, tenant="ours")
    assert obs.tenant == "ours"
    assert b"theirs" not in to_wire(obs)
    assert b"ours" not in to_wire(obs)


def test_what_a_newer_producer_sends_is_kept() -> None:
    wire = b'{"v":9,"id":"a","kind":"user","content":"x","mood":"good","occurred_at":"2026-11-30T00:00:00Z"}'
    obs = from_wire(wire)
    assert obs.metadata["unknown_fields"] == {"mood": "good"}
    assert from_wire(to_wire(obs)) == obs


@pytest.mark.parametrize("wire", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'"x"'])
def test_from_wire_refuses_rubbish(wire: bytes) -> None:
    with pytest.raises(Refused):
        from_wire(wire)


@settings(max_examples=60)
@given(content=any_text, metadata=st.dictionaries(any_text, json_values, max_size=3), tool_input=json_values)
def test_round_trip(content: str, metadata: dict[str, object], tool_input: object) -> None:
    obs = parse({"kind": "tool", "content": content, "metadata": {"m": metadata}, "tool_input": tool_input})
    assert from_wire(to_wire(obs)) == obs


def test_ids() -> None:
    before = time.time_ns() // 1_000_000
    made = [uuid.UUID(uuid7()) for _ in range(2000)]
    assert len(set(made)) == 2000
    assert all(u.version == 7 and u.variant == uuid.RFC_4122 for u in made)
    assert before <= made[0].int >> 80 <= time.time_ns() // 1_000_000
    assert derive_id("claude-code", "toolu_01") == "claude-code:toolu_01"
    assert derive_id("a:b", "c") != derive_id("a", "b:c")
    assert derive_id("ab ", "c") != derive_id("a", "b c")
    assert len(derive_id("x" * 500)) <= ID_MAX_CHARS


def test_an_observation_cannot_be_changed() -> None:
    obs = Observation(id="a", kind="user")
    with pytest.raises(AttributeError):
        obs.kind = "tool"  # type: ignore[misc]
