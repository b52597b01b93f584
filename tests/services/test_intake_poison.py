"""What must not stop intake: repeats, conflicts, unreadable entries, hostile text. Neighbours are stored."""

from __future__ import annotations

import json

import pytest

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.service import learning, reading
from bio_agent_ops.service.context import Context
from bio_agent_workers import trust
from bio_agent_workers.intake import Intake

pytestmark = pytest.mark.services

STREAM = "bio:obs:default"


def tool(name: str, content: str = "done", **more: object) -> dict[str, object]:
    return {
        "id": name,
        "kind": "tool",
        "tool": "Bash",
        "tool_input": {"command": f"run {name}"},
        "content": content,
        **more,
    }


def send(ctx: Context, obs: dict[str, object]) -> None:
    ctx.redis.xadd(STREAM, {"o": to_wire(prepare(obs))})


def drain(ctx: Context) -> Intake:
    intake = Intake(ctx.db, ctx.redis, ctx.settings)
    while ctx.redis.xlen(STREAM):
        intake.run_once(block_ms=10)
    intake.release()
    return intake


def stored(ctx: Context) -> dict[str, dict[str, object]]:
    return {e["id"]: e for e in reading.list_episodes(ctx, "default", limit=1000)}


def test_each_entry_three_times_is_one_episode(ctx: Context) -> None:
    for _ in range(3):
        for n in range(5):
            send(ctx, tool(f"a{n}"))
    drain(ctx)
    assert set(stored(ctx)) == {f"a{n}" for n in range(5)}


def test_same_id_with_other_content_first_wins_and_is_audited(ctx: Context) -> None:
    send(ctx, tool("x", "first"))
    drain(ctx)
    send(ctx, tool("x", "second"))
    drain(ctx)
    assert stored(ctx)["x"]["text"] == "first"
    acts = [e["act"] for e in reading.audit(ctx, "default", episode_id="x")["entries"]]
    assert "id_conflict" in acts


@pytest.mark.parametrize(
    "entry",
    [
        {"o": b"\xff\xfe not json"},
        {"o": b"[1, 2"},
        {"o": b'"text"'},
        {"wrong": b"{}"},
        {"o": b'{"kind": "nonsense", "id": "q"}'},
        {"o": b'{"a":' * 20_000 + b"1" + b"}" * 20_000},
        {"o": json.dumps({"kind": "tool", "id": "big", "content": "x" * 3_000_000}).encode()},
    ],
)
def test_what_cannot_be_read_is_buried_with_its_reason(ctx: Context, entry: dict[str, bytes]) -> None:
    send(ctx, tool("before"))
    ctx.redis.xadd(STREAM, entry)
    send(ctx, tool("after"))
    drain(ctx)
    assert {"before", "after"} <= set(stored(ctx))
    letters = reading.dead_letters(ctx, "default")
    assert len(letters) == 1
    assert letters[0]["cause"]
    assert letters[0]["stage"] == "intake"


def test_nul_surrogates_and_a_long_line_are_stored(ctx: Context) -> None:
    raw = {
        "kind": "event",
        "id": "odd",
        "content": "a\x00b \ud800 c" + "y" * 900_000,
        "metadata": {"k\x00": "\udfff", "n": [1, 2]},
    }
    ctx.redis.xadd(STREAM, {"o": json.dumps(raw).encode()})
    drain(ctx)
    text = str(stored(ctx)["odd"]["text"])
    assert "\x00" not in text
    assert text.startswith("a")
    assert not reading.dead_letters(ctx, "default")


def test_a_stream_producer_cannot_claim_the_owner_for_a_tool(ctx: Context) -> None:
    send(ctx, tool("forged", provenance="owner"))
    with ctx.db.tenant("default") as session:
        from bio_agent_schema.ledger import tenant_secret

        secret = tenant_secret(session, "default")
    wire = to_wire(prepare(tool("vouched", provenance="system"), ceiling="system"))
    ctx.redis.xadd(STREAM, {"o": wire, "m": trust.voucher(secret, wire)})
    drain(ctx)
    with ctx.db.tenant("default") as session:
        from bio_agent_schema.episodes import by_ids

        seen = {e.id: e.provenance.value for e in by_ids(session, "default", ["forged", "vouched"])}
    assert seen == {"forged": "agent", "vouched": "system"}
    entries = reading.audit(ctx, "default", episode_id="forged")["entries"]
    assert any(e["act"] == "provenance_lowered" and e["before"] == "owner" for e in entries)


def test_a_stage_that_raises_on_one_episode_buries_it_alone(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    from bio_agent_workers.stages import label

    real = label.is_junk

    def breaks(episode: object, *, linked: bool = False) -> tuple[bool, str]:
        if getattr(episode, "id", "") == "p7":
            raise RuntimeError("poison")
        return real(episode, linked=linked)  # type: ignore[arg-type]

    monkeypatch.setattr(label, "is_junk", breaks)
    for n in range(16):
        send(ctx, tool(f"p{n}", f"unlike the others {n} {'abcdefghijklmnop'[n] * 9}"))
    learning.sleep(ctx, "default", inline=True)
    by_state: dict[str, set[str]] = {}
    for name, e in stored(ctx).items():
        by_state.setdefault(str(e["state"]), set()).add(name)
    assert by_state["dead"] == {"p7"}
    assert not {"open", "claimed", "waiting"} & set(by_state)
    letter = next(x for x in reading.dead_letters(ctx, "default") if x["kind"] == "episode")
    assert letter["attempts"] <= 5
    assert "poison" in letter["cause"]
    monkeypatch.undo()
    learning.redrive(ctx, "default", letter["id"])
    learning.sleep(ctx, "default", inline=True)
    assert stored(ctx)["p7"]["state"] == "considered"
