"""Names that hold secrets, and refusals that would repeat them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bio_agent_client import names
from bio_agent_client.names import NAME_FIELDS, clean_name, clean_names, machine_key, safe_reason
from bio_agent_client.observation import ID_MAX_CHARS, Observation, Refused, parse

KEY, OTHER = b"k" * 32, b"o" * 32
TOKEN = "ghp_" + "A1b2C3d4E5" * 4


@pytest.mark.parametrize(
    "name", ["web", "feature/login-2", "3f2b8c1e-0d4a-4f6b-9a77-1c2d3e4f5a6b", "toolu_01AbCdEf", ""]
)
def test_ordinary_names_stay(name: str) -> None:
    assert clean_name(name, KEY) == name


def test_a_secret_goes_and_the_name_still_tells_things_apart() -> None:
    one, two = clean_name(f"deploy-{TOKEN}", KEY), clean_name(f"deploy-{TOKEN[:-1]}x", KEY)
    assert TOKEN not in one
    assert TOKEN[:20] not in one
    assert one != two
    assert one == clean_name(f"deploy-{TOKEN}", KEY) == clean_name(one, KEY)
    assert one != clean_name(f"deploy-{TOKEN}", OTHER)
    assert len(clean_name("x" * 200 + " " + TOKEN, KEY)) <= ID_MAX_CHARS


def test_every_name_of_an_observation_is_cleaned() -> None:
    fields: dict[str, Any] = dict.fromkeys(NAME_FIELDS, f"a {TOKEN}")
    dirty = Observation(**{"kind": "event", **fields})
    clean = clean_names(dirty, KEY)
    assert all(TOKEN not in getattr(clean, field) for field in NAME_FIELDS)
    assert clean_names(clean, KEY) is clean
    plain = Observation(id="x", kind="event", session="2026-11-30 review")
    assert clean_names(plain, KEY) is plain


@pytest.mark.parametrize("bad", [{"kind": TOKEN}, {"type": TOKEN}, {"kind": "event", "content": "x", "provenance": TOKEN},
                                 {"kind": "event", "content": "x", "occurred_at": TOKEN}])  # fmt: skip
def test_a_refusal_does_not_repeat_what_was_sent(bad: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        parse({"content": "x"} | bad)
    said = safe_reason(str(refused.value))
    assert TOKEN[:12] not in said
    assert next(iter(bad)) in str(refused.value) or "provenance" in said or "occurred_at" in said


def test_a_refusal_keeps_what_helps() -> None:
    assert safe_reason("kind: must be one of user, tool, not 'usr'") == "kind: must be one of user, tool, not 'usr'"
    assert safe_reason("exit_code: must be a whole number, not '12x9'").endswith("(a value not repeated here)")


def test_the_machines_key_is_made_once_and_kept_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIO_AGENT_HOME", str(tmp_path / "home"))
    machine_key.cache_clear()
    try:
        first = machine_key()
        machine_key.cache_clear()
        assert machine_key() == first
        assert (tmp_path / "home" / "names.key").stat().st_mode & 0o777 == 0o600
        assert [p.name for p in (tmp_path / "home").iterdir()] == ["names.key"]
        monkeypatch.setenv("BIO_AGENT_HOME", str(tmp_path / "home" / "names.key"))  # a file, no folder
        machine_key.cache_clear()
        assert len(names.machine_key()) == len(first)
        assert names.machine_key() != first
    finally:
        machine_key.cache_clear()
