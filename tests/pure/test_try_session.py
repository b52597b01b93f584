"""The recorded session is complete, believable in form, and free of what must not stand in a file."""

from __future__ import annotations

import json
import re
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from bio_agent_ops.data import load, load_expectations

OPS = Path(__file__).resolve().parents[2] / "ops"
ROWS = load()
BY_ID = {row["id"]: row for row in ROWS}
EXPECT = load_expectations()
RAW = resources.files("bio_agent_ops.data").joinpath("try_session.jsonl").read_text(encoding="utf-8")
COMMON = {
    "id",
    "kind",
    "source",
    "content",
    "workspace",
    "agent",
    "user",
    "session",
    "turn",
    "occurred_at",
    "provenance",
}
SECRETS = ["".join(parts) for parts in EXPECT["redacted"]["secret_parts"]]


def observations(name: str) -> list[dict[str, Any]]:
    entry = next(e for e in EXPECT["lessons"] + EXPECT["teaches_nothing"] if e["name"] == name)
    return [BY_ID[i] for i in entry["observations"]]


def command(row: dict[str, Any]) -> str:
    return str(row["tool_input"]["command"])


def test_size_and_sessions() -> None:
    assert 90 <= len(ROWS) <= 150
    assert 60 * 1024 <= len(RAW.encode()) <= 120 * 1024
    assert len(BY_ID) == len(ROWS)
    assert list(dict.fromkeys(row["session"] for row in ROWS)) == ["s1", "s2", "s3"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_observation_has_its_fields(row: dict[str, Any]) -> None:
    assert row.keys() >= COMMON
    assert "content_parts" not in row
    assert datetime.fromisoformat(row["occurred_at"]).utcoffset() is not None
    if row["kind"] == "tool":
        assert row["tool"] == "Bash"
        assert command(row).strip()
        assert isinstance(row["exit_code"], int)
        assert row["duration_ms"] >= 0
        assert row["cwd"].startswith("/home/dev")
    if row["kind"] == "user":
        assert row["speaker"] == row["user"]
        assert row["provenance"] == "owner"


def test_all_kinds_occur_and_time_runs_forward() -> None:
    assert {row["kind"] for row in ROWS} == {"user", "assistant", "tool", "event", "state", "outcome"}
    times = [datetime.fromisoformat(row["occurred_at"]) for row in ROWS]
    assert times == sorted(times)


def test_no_machine_path_and_no_foreign_host() -> None:
    # A home other than the scripted one, temporary folders, checkouts.
    assert not re.findall(r"(?<![\w.])/(?:tmp|root|work|Users|private|var/folders|home/(?!dev\b))\b[^\"\s]*", RAW)
    hosts = set(re.findall(r"(?:https?|smtp)://(?:[^@/\s\"]*@)?([\w.-]+)", "\n".join(r["content"] for r in ROWS)))
    assert hosts
    assert all(host == "127.0.0.1" or host.endswith(".example") for host in hosts)


def test_secrets_appear_when_loaded_and_stand_in_no_file() -> None:
    assert len(SECRETS) == 2
    printed = [row["id"] for row in ROWS if any(secret in row["content"] for secret in SECRETS)]
    assert printed == EXPECT["redacted"]["observations"]
    expect_text = resources.files("bio_agent_ops.data").joinpath("try_session.expect.json").read_text(encoding="utf-8")
    for secret in SECRETS:
        assert secret in BY_ID[printed[0]]["content"]
        assert secret not in RAW + expect_text
    assert not re.findall(r"sk_live_\w{16,}|[0-9a-f]{32}", RAW + expect_text)


@pytest.mark.parametrize("lesson", EXPECT["lessons"], ids=lambda lesson: lesson["name"])
def test_expected_lessons_rest_on_what_was_recorded(lesson: dict[str, Any]) -> None:
    assert lesson["kind"] in {"replace", "prepare", "guard_fact", "directive", "fact"}
    assert all(re.search(pattern, lesson["gist"]) for pattern in lesson["must_mention"])
    cited = [BY_ID[i] for i in lesson["observations"]]
    assert cited
    if lesson["kind"] in {"directive", "fact"}:
        assert [row["kind"] for row in cited] == ["user"]


@pytest.mark.parametrize("name", ["push", "money", "unittest", "python"])
def test_replaced_commands_fail_and_another_form_works(name: str) -> None:
    rows = observations(name)
    failed = [row for row in rows if row["exit_code"] != 0]
    assert failed
    for row in failed:
        later = [r for r in rows if r["session"] == row["session"] and r["id"] > row["id"]]
        assert later[-1]["exit_code"] == 0
        assert command(later[-1]) != command(row)
    # The condemned form never worked, in any session.
    assert all(row["exit_code"] for row in ROWS if row["kind"] == "tool" and command(row) == command(failed[0]))


@pytest.mark.parametrize("name", ["push", "unittest", "python"])
def test_a_mistake_is_made_again_in_a_later_session(name: str) -> None:
    assert len({row["session"] for row in observations(name) if row["exit_code"]}) == 2


@pytest.mark.parametrize("name", ["migrate", "barcodes"])
def test_prepared_commands_work_after_something_was_done(name: str) -> None:
    failed, prepared, worked = observations(name)
    assert failed["exit_code"] != 0
    assert prepared["exit_code"] == worked["exit_code"] == 0
    assert command(failed) == command(worked) != command(prepared)


def test_flaky_command_works_again_with_nothing_between() -> None:
    failed, worked = observations("flaky")
    assert (failed["exit_code"] != 0, worked["exit_code"]) == (True, 0)
    assert command(failed) == command(worked)
    assert ROWS.index(worked) == ROWS.index(failed) + 1


def test_one_command_fails_three_times_and_never_works() -> None:
    rows = observations("printer")
    assert len({command(row) for row in rows}) == 1
    assert [row["exit_code"] for row in rows] == [1, 1, 1]
    assert all("ConnectionRefusedError" in row["content"] for row in rows)
    assert [row for row in ROWS if row["kind"] == "tool" and command(row) == command(rows[0])] == rows


def test_what_must_teach_nothing_is_there_to_tempt() -> None:
    for entry in EXPECT["teaches_nothing"]:
        text = "\n".join(json.dumps(BY_ID[i], ensure_ascii=False) for i in entry["observations"])
        assert all(words in text for words in entry["must_not_mention"])
    assert all(row["metadata"]["recalled"] is True for row in observations("recalled"))
    assert "standing rule" in observations("poison")[0]["content"]
    assert all(row["kind"] == "tool" for row in observations("poison"))


def test_noise_has_progress_bars_long_logs_and_heartbeats() -> None:
    outputs = [row["content"] for row in ROWS if row["kind"] == "tool"]
    assert sum(text.count("\r") > 5 for text in outputs) >= 3
    assert max(text.count("\n") for text in outputs) >= 40
    assert sum(row["content"].startswith("heartbeat") for row in ROWS) >= 5


def test_load_reads_another_file_and_joins_parts(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"id": "a", "content_parts": ["to", "ken"]}\n\n{"id": "b", "content": "x\u2028y"}\n', encoding="utf-8"
    )
    assert load(path) == [{"id": "a", "content": "token"}, {"id": "b", "content": "x\u2028y"}]


@pytest.mark.parametrize(
    "line, words",
    [
        ("{not json", "not JSON"),
        ("[1]", "expected a JSON object, found list"),
        ('{"id": "a"}', "content is missing"),
        ('{"id": "a", "content_parts": "abc"}', "content_parts must be a list"),
    ],
)
def test_load_names_the_line_it_refuses(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "ok", "content": ""}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"line 2: .*{re.escape(words)}"):
        load(path)


def test_recorder_cuts_secrets_so_that_loading_restores_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(OPS))
    import record_session

    secret = record_session.made_up_secret("of this test")
    content = f"A={secret}\nB=plain\nC={secret}"
    line = json.dumps(record_session.without_secrets({"id": "a", "content": content}, (secret, "never seen")))
    assert secret not in line
    (tmp_path / "one.jsonl").write_text(line, encoding="utf-8")
    assert load(tmp_path / "one.jsonl") == [{"id": "a", "content": content}]
    plain = {"id": "b", "content": "nothing here"}
    assert record_session.without_secrets(plain, (secret,)) == plain
