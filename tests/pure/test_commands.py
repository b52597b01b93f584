"""The command line's manners: where --home may stand, what hints say, exit codes, one line for one trouble."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bio_agent_ops.cli import main
from bio_agent_ops.home import Home
from bio_agent_ops.local import newest_revision
from bio_agent_ops.spooled import Waiting, waiting


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in ("BIO_AGENT_HOME", "BIO_AGENT_PORT", "BIO_AGENT_KEY", "DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_home_may_be_named_before_or_after_the_verb(tmp_path: Path) -> None:
    home = tmp_path / "a home"
    for words in (
        ("--home", home, "rules"),
        ("rules", "--home", home),
        ("--home", tmp_path / "x", "rules", "--home", home),
    ):
        done = call(*words)
        assert done.exit_code == 1
        assert f"bio-agent --home '{home}' up" in done.output
    assert not home.exists()


def test_every_command_takes_the_place_after_its_verb() -> None:
    def leaves(group: object) -> list[object]:
        inner = getattr(group, "commands", None)
        return [group] if inner is None else [leaf for one in inner.values() for leaf in leaves(one)]

    without = {
        leaf.name  # type: ignore[attr-defined]
        for name, command in main.commands.items()
        if name != "eval"  # which works in homes of its own
        for leaf in leaves(command)
        if not {"home", "port", "tenant"} <= {p.name for p in leaf.params}  # type: ignore[attr-defined]
    }
    assert without == set()


def test_hints_name_the_home_only_where_it_is_not_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Home.default().command("up") == "bio-agent up"
    assert Home.default().command("up", 9000) == "bio-agent --port 9000 up"
    other = Home(tmp_path / "o'ther")
    assert shlex.split(other.command("up")) == ["bio-agent", "--home", str(other.root), "up"]
    monkeypatch.setenv("BIO_AGENT_HOME", str(other.root))
    assert "--home" in other.command("up"), "the next shell may not have the variable"


@pytest.mark.parametrize("verb", ["replay", "try"])
@pytest.mark.parametrize("text", ["just\nprose\n" * 50, json.dumps({"name": "x", "version": 1}), "", "{}\n" * 88])
def test_a_file_of_another_kind_is_one_refusal(tmp_path: Path, verb: str, text: str) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    done = call(verb, file, "--home", tmp_path / "home")
    assert done.exit_code == 2
    assert len(done.output.strip().splitlines()) == 1
    assert str(file) in done.output
    assert not (tmp_path / "home").exists(), "nothing is started for it"


def test_edit_without_a_text_names_what_is_missing() -> None:
    done = call("decide", "some-id", "edit")
    assert done.exit_code == 2
    assert "--content TEXT" in done.output
    done = call("decide", "some-id", "approve", "--content", "x")
    assert done.exit_code == 2


def test_exec_for_another_tenant_wants_a_key(tmp_path: Path) -> None:
    done = call("--home", tmp_path / "home", "--tenant", "acme", "exec", "--", "true")
    assert done.exit_code == 1
    assert "BIO_AGENT_KEY" in done.output


def test_status_shows_what_waits_in_the_spool(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    home.spool.mkdir()
    (home.spool / "01700000000000000000-1-a.jsonl").write_bytes(b'{"a":1}\n{"b":2}\n{"half')
    done = call("status", "--home", home.root)
    assert "2 waiting" in done.output
    assert f"`bio-agent --home {home.root} flush`" in done.output
    assert json.loads(call("status", "--json", "--home", home.root).output)["spool"]["count"] == 2


def test_what_was_delivered_does_not_wait(tmp_path: Path) -> None:
    assert waiting(tmp_path / "none") == Waiting()
    segment = tmp_path / "01700000000000000000-1-a.jsonl"
    segment.write_bytes(b'{"a":1}\n{"b":2}\n')
    segment.with_suffix(".done").write_text("8 1")
    assert (waiting(tmp_path).count, waiting(tmp_path).size_bytes) == (1, 8)
    segment.with_suffix(".done").write_text("16 2")
    assert waiting(tmp_path) == Waiting()


def test_the_newest_revision_is_that_of_the_migrations() -> None:
    from bio_agent_schema.db import LATEST

    assert newest_revision() == LATEST
