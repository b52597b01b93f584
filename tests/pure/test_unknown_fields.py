"""Fields that nothing reads: refused with their name where somebody can mend them, kept where nobody can any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bio_agent_client import Memory
from bio_agent_client.observation import Observation, Refused, from_wire, parse, to_wire
from bio_agent_client.replay import read
from bio_agent_workers.arrivals import _observation

CALL = {"kind": "tool", "tool": "Bash", "tool_input": {"command": "ls"}}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("exitcode", "exit_code"),
        ("exitCode", "exit_code"),
        ("exit-code", "exit_code"),
        ("returncode", "exit_code"),
        ("sesion", "session"),
        ("session_id", "session"),
        ("iserror", "is_error"),
        ("command", "tool_input"),
        ("toolInput", "tool_input"),
        ("contents", "content"),
        ("timestamp", "occurred_at"),
        ("provenence", "provenance"),
    ],
)
def test_a_misspelt_field_is_refused_with_the_one_that_was_meant(name: str, meant: str) -> None:
    with pytest.raises(Refused) as refused:
        parse({**CALL, name: "1"})
    assert f"unknown field `{name}`; did you mean `{meant}`?" in refused.value.reason
    assert "`metadata`" in refused.value.reason


@pytest.mark.parametrize("name", ["zzz", "", "x" * 500, "a`b", "字段"])
def test_a_field_like_no_other_is_refused_without_a_guess(name: str) -> None:
    with pytest.raises(Refused) as refused:
        parse({**CALL, name: 1})
    assert "did you mean" not in refused.value.reason
    assert len(refused.value.reason) < 200


def test_many_unknown_fields_make_one_short_reason() -> None:
    with pytest.raises(Refused) as refused:
        parse(CALL | {f"zz{i}": i for i in range(500)})
    assert "497 more" in refused.value.reason
    assert len(refused.value.reason) < 300


def test_nobody_is_told_to_set_what_is_not_theirs() -> None:
    for name in ("tenants", "unknownfields", "lowered"):
        with pytest.raises(Refused) as refused:
            parse({**CALL, name: "x"})
        assert "did you mean" not in refused.value.reason


def test_the_client_refuses_too(tmp_path: Path) -> None:
    with Memory(url="redis://127.0.0.1:1", spool_dir=str(tmp_path)) as memory:
        fields: dict[str, Any] = {"exitcode": 1}
        with pytest.raises(Refused, match="did you mean `exit_code`"):
            memory.observe(CALL, **fields)
        assert memory.stats()["refused"] == 1
        assert memory.observe(CALL, metadata={"exitcode": 1})


def test_a_log_s_line_with_an_unknown_field_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    log, told = tmp_path / "log.jsonl", list[str]()
    log.write_text("\n".join(json.dumps(o) for o in (CALL, {**CALL, "exitcode": 1})))
    assert len(list(read(log, on_problem=told.append))) == 1
    assert "unknown field `exitcode`" in told[0]


WIRE = {**CALL, "id": "a", "exitcode": 1, "occurred_at": "2026-11-30T00:00:00Z"}


def kept(obs: Observation) -> Any:
    return obs.metadata["unknown_fields"]


def test_on_the_stream_it_is_kept() -> None:
    wire = json.dumps(WIRE).encode()
    for obs in (from_wire(wire), _observation(b"secret", "default", {b"o": wire})):
        assert kept(obs) == {"exitcode": 1}
        assert obs.tool_input == {"command": "ls"}
        assert from_wire(to_wire(obs), tenant=obs.tenant) == obs


def test_what_a_client_had_taken_is_not_refused_by_the_door() -> None:
    assert kept(parse({**WIRE, "v": 1})) == {"exitcode": 1}, "from its spool, or from a newer client"
