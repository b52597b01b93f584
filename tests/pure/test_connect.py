"""`bio-agent connect`: a person's own settings stay, the change can be taken back to the byte, and doctor sees trouble."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from bio_agent_ops.cli import main
from bio_agent_ops.connect import hosts, programs
from bio_agent_ops.connect.checks import check_hosts
from bio_agent_ops.connect.settings_file import BACKUP_SUFFIX
from bio_agent_ops.home import Home

OWN = """{
    "model": "opus",
    "permissions": {"allow": ["Bash(npm test:*)"]},
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/lint-first"}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "notify-send hi"}]}]
    }
}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with Claude Code's and Codex's folders, and a project to stand in."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("BIO_AGENT_HOME", raising=False)
    for name in (".claude", ".codex", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def connect(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["connect", *arguments], input=text)


def test_what_was_there_stays_and_undo_gives_back_the_very_bytes(place: Path) -> None:
    file = place / ".claude" / "settings.json"
    file.write_text(OWN)
    file.chmod(0o640)
    made = connect("claude-code", "--yes")
    assert made.exit_code == 0, made.output
    assert '+    "SessionStart"' in made.output.replace("        ", "    "), "the change is shown"
    now = json.loads(file.read_text())
    before = json.loads(OWN)
    assert now["permissions"] == before["permissions"]
    assert now["hooks"]["Notification"] == before["hooks"]["Notification"]
    assert now["hooks"]["PreToolUse"][0] == before["hooks"]["PreToolUse"][0]
    assert set(now["hooks"]) == {*hosts.CLAUDE_CODE.events, "Notification"}
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.read_text().startswith('{\n    "model"'), "in the file's own indentation"
    written = file.read_bytes()
    again = connect("claude-code", "--yes")
    assert "nothing to do" in again.output
    assert file.read_bytes() == written
    undone = connect("claude-code", "--undo", "--yes")
    assert undone.exit_code == 0
    assert file.read_text() == OWN
    assert sorted(p.name for p in file.parent.iterdir()) == ["settings.json"]


def test_what_the_person_changed_since_survives_the_undo(place: Path) -> None:
    file = place / ".claude" / "settings.json"
    file.write_text(OWN)
    connect("claude-code", "--yes")
    changed = json.loads(file.read_text())
    changed["model"] = "haiku"
    changed["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "say done"}]})
    file.write_text(json.dumps(changed))
    connect("claude-code", "--undo", "--yes")
    left = json.loads(file.read_text())
    assert left["model"] == "haiku"
    assert left["hooks"]["Stop"] == [{"hooks": [{"type": "command", "command": "say done"}]}]
    assert hosts.our_commands(left) == {}


def test_where_there_was_no_file_there_is_none_afterwards(place: Path) -> None:
    file = place / ".codex" / "hooks.json"
    made = connect("codex", "--yes")
    assert made.exit_code == 0, made.output
    assert "trust" in made.output, "Codex skips hooks that nobody trusted"
    assert set(json.loads(file.read_text())["hooks"]) == set(hosts.CODEX.events)
    assert file.stat().st_mode & 0o077 == 0
    connect("codex", "--undo", "--yes")
    assert not file.exists()


def test_new_options_replace_the_old_entry(place: Path) -> None:
    connect("claude-code", "--yes")
    connect("claude-code", "--yes", "--workspace", "big shop", "--agent", "coder", "--warn", "hold")
    found = hosts.our_commands(json.loads((place / ".claude" / "settings.json").read_text()))
    assert all(len(commands) == 1 for commands in found.values())
    words = shlex.split(found["Stop"][0])
    assert words[words.index("--workspace") + 1] == "big shop"
    assert words[words.index("--warn") + 1] == "hold"
    assert words[-2:] == ["||", "true"]


def test_only_this_project(place: Path) -> None:
    assert connect("claude-code", "--project", "--yes").exit_code == 0
    assert (place / "project" / ".claude" / "settings.local.json").exists()
    assert not (place / ".claude" / "settings.json").exists()


def test_mcp_is_one_server_among_others(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place / "project" / ".mcp.json"
    file.write_text('{"mcpServers": {"other": {"command": "x"}}}')
    monkeypatch.setattr(hosts, "has_mcp", lambda: False)
    refused = connect("mcp", "--yes")
    assert refused.exit_code == 1
    assert "bio-agent-os[mcp]" in refused.output, "a client would show nothing but a server that does not start"
    monkeypatch.setattr(hosts, "has_mcp", lambda: True)
    assert connect("mcp", "--yes").exit_code == 0
    servers = json.loads(file.read_text())["mcpServers"]
    assert servers["other"] == {"command": "x"}
    assert servers["bio-agent"]["args"][-1] == "mcp"
    connect("mcp", "--undo", "--yes")
    assert file.read_text() == '{"mcpServers": {"other": {"command": "x"}}}'


def test_nothing_is_changed_without_a_yes(place: Path) -> None:
    file = place / ".claude" / "settings.json"
    file.write_text(OWN)
    for answer in ("n\n", ""):
        refused = connect("claude-code", text=answer)
        assert refused.exit_code == 1
        assert "Traceback" not in refused.output
        assert file.read_text() == OWN
    assert connect("claude-code", text="y\n").exit_code == 0
    assert file.read_text() != OWN


@pytest.mark.parametrize("text", ["{ // mine\n}", "[]", '{"hooks": ', "\xff"])
def test_settings_that_cannot_be_read_are_left_alone(place: Path, text: str) -> None:
    file = place / ".claude" / "settings.json"
    file.write_bytes(text.encode("latin-1"))
    refused = connect("claude-code", "--yes")
    assert refused.exit_code == 1
    assert "nothing was changed" in refused.output
    assert file.read_bytes() == text.encode("latin-1")


def test_a_read_only_file_is_meant_to_stay_as_it_is(place: Path) -> None:
    file = place / ".claude" / "settings.json"
    file.write_text(OWN)
    file.chmod(0o444)
    refused = connect("claude-code", "--yes")
    assert refused.exit_code == 1
    assert "is read-only" in refused.output
    assert file.read_text() == OWN


def test_a_link_stays_a_link(place: Path) -> None:
    real = place / "dotfiles.json"
    real.write_text(OWN)
    link = place / ".claude" / "settings.json"
    link.symlink_to(real)
    connect("claude-code", "--yes")
    assert link.is_symlink()
    assert hosts.our_commands(json.loads(real.read_text()))
    connect("claude-code", "--undo", "--yes")
    assert real.read_text() == OWN


def test_a_host_that_is_not_here_and_one_that_does_not_work_yet(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(place / "none"))
    monkeypatch.setenv("PATH", str(place))
    refused = connect("codex", "--yes")
    assert refused.exit_code == 1
    assert "install it first" in refused.output
    assert connect("emacs", "--yes").exit_code == 2


def test_a_hook_whose_parts_are_gone_lets_every_tool_run(place: Path) -> None:
    """A missing script ends Python with 2, which Claude Code takes as a block."""
    wiring = hosts.Wiring(Home(place / "home"))
    command = hosts.hook_command(hosts.CLAUDE_CODE, wiring)
    for gone in (str(hosts.HOOK_FILE), sys.executable):
        done = subprocess.run(
            ["sh", "-c", command.replace(gone, "/gone")], input=b"{}", capture_output=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, b"")


def test_doctor_says_what_is_wrong_with_a_connected_host(place: Path) -> None:
    home = Home(place / ".bio-agent")
    assert check_hosts(home) == []
    connect("claude-code", "--yes")
    assert [(f.name, f.ok) for f in check_hosts(home)] == [("claude-code", True)]
    file = place / ".claude" / "settings.json"
    good = file.read_text()
    for wrong, word in (
        (good.replace(sys.executable, "/gone/python"), "/gone/python"),
        (good.replace(str(hosts.HOOK_FILE), "/gone/bio_agent_client/hosts/hook.py"), "gone"),
        (good.replace(f"--home {home.root}", "--home /elsewhere"), "another home"),
        ("{}", "lacks"),
        (good.replace("{", '{"disableAllHooks": true,', 1), "switches all hooks off"),
        ("{", "not JSON"),
    ):
        file.write_text(wrong)
        found = check_hosts(home)[0]
        assert (found.ok, word in found.detail) == (False, True), found
        assert found.fix
    connect("claude-code", "--undo", "--yes", "--file", str(file))
    file.write_text("{}")
    connect("claude-code", "--undo", "--yes")
    assert check_hosts(home) == []


OPENCLAW = """#!{python}
import json, os, sys
file, words = os.environ["OPENCLAW_CONFIG_PATH"], sys.argv[1:]
found = json.load(open(file))
at = found["plugins"]
if words[:2] == ["config", "get"]:
    print("a note of its own\\n" + json.dumps(at, indent=2))
elif words[:2] == ["config", "set"]:
    *path, last = words[2].split(".")
    place = found
    for name in path:
        place = place.setdefault(name, {{}})
    place[last] = json.loads(words[3])
elif words[:2] == ["plugins", "install"]:
    paths = at.setdefault("load", {{}}).setdefault("paths", [])
    paths += [words[3]] if words[3] not in paths else []
    at["slots"] = {{"memory": "bio-agent"}}
    at.setdefault("entries", {{}}).setdefault("bio-agent", {{}})["enabled"] = True
elif words[:2] == ["plugins", "uninstall"]:
    at.clear()
open(file, "w").write(json.dumps(found))
"""


@pytest.fixture
def openclaw(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of a stand-in for OpenClaw's program."""
    (place / "bin").mkdir()
    program = place / "bin" / "openclaw"
    program.write_text(OPENCLAW.format(python=sys.executable))
    program.chmod(0o755)
    (place / "bin" / "node").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(place / "bin"))
    file = place / "openclaw.json"
    file.write_text('{"plugins": {}}')
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(file))
    return file


def plugins(file: Path) -> Any:
    return json.loads(file.read_text())["plugins"]


def test_openclaw_connected_twice_has_the_newest_options_and_one_plugin(openclaw: Path, place: Path) -> None:
    old = place / "old checkout"
    old.mkdir()
    (old / "openclaw.plugin.json").write_text('{"id": "bio-agent"}')
    mine = {
        "load": {"paths": [str(old), "/mine"]},
        "entries": {"bio-agent": {"config": {"recallLimit": 3, "warn": "hold"}}},
    }
    openclaw.write_text(json.dumps({"plugins": mine}))
    made = connect("openclaw", "--yes", "--workspace", "big shop")
    assert made.exit_code == 0, made.output
    found = plugins(openclaw)
    home = str(place / ".bio-agent")
    assert found["entries"]["bio-agent"]["config"] == {
        "home": home, "workspaceId": "big shop", "warn": "hold", "recallLimit": 3,
    }  # fmt: skip
    assert found["load"]["paths"] == ["/mine", str(programs.plugin_source())], "OpenClaw cannot have the plugin twice"
    assert connect("openclaw", "--yes", "--warn", "tell").exit_code == 0
    assert plugins(openclaw)["entries"]["bio-agent"]["config"] == {"home": home, "recallLimit": 3}
    assert connect("openclaw", "--undo", "--yes").exit_code == 0
    assert plugins(openclaw) == {}
    assert check_hosts(Home(home)) == []


def test_an_installed_package_gives_openclaw_a_copy(
    openclaw: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "plugin_folder", lambda home: home.root / "openclaw-plugin")
    home = Home(place / ".bio-agent")
    assert connect("openclaw", "--yes").exit_code == 0
    copy = home.root / "openclaw-plugin"
    assert programs.same_plugin(copy)
    assert check_hosts(home)[0].ok, check_hosts(home)
    (copy / "index.js").write_text("// of before an update")
    assert "not of this version" in check_hosts(home)[0].detail
    assert connect("openclaw", "--yes").exit_code == 0
    assert check_hosts(home)[0].ok
    assert connect("openclaw", "--undo", "--yes").exit_code == 0
    assert not copy.exists()


def test_doctor_says_what_openclaw_has_otherwise(openclaw: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(place / ".bio-agent")
    assert connect("openclaw", "--yes").exit_code == 0
    good = plugins(openclaw)
    entry = good["entries"]["bio-agent"]
    for wrong, word in (
        ({**good, "slots": {"memory": "other"}}, "belongs to other"),
        ({**good, "entries": {"bio-agent": {**entry, "enabled": False}}}, "switched off"),
        ({**good, "entries": {"bio-agent": {**entry, "config": {"home": "/elsewhere"}}}}, "another home, /elsewhere"),
        ({**good, "allow": ["mine"]}, "keeps the plugin out"),
        ({**good, "load": {"paths": ["/gone"]}}, "folder is gone"),
    ):
        openclaw.write_text(json.dumps({"plugins": wrong}))
        found = check_hosts(home)[0]
        assert (found.ok, word in found.detail) == (False, True), found
        assert found.fix
    openclaw.write_text("{ // mine")
    assert "gives no answer" in check_hosts(home)[0].detail
    assert "comments in it are lost" in programs.notes("openclaw", undo=False)[0]
    monkeypatch.setenv("PATH", str(place))
    assert "no `openclaw` on the PATH" in check_hosts(home)[0].detail
    undone = connect("openclaw", "--undo", "--yes")
    assert (undone.exit_code, check_hosts(home)) == (0, []), "what is gone must not be complained of for ever"


GROUPS = st.lists(
    st.fixed_dictionaries({"matcher": st.sampled_from(["", "Bash", "*"]), "hooks": st.lists(
        st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)}), min_size=1, max_size=2)}),
    min_size=1, max_size=2)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from([*hosts.CLAUDE_CODE.events, "Other"]), GROUPS, max_size=4),
    st.dictionaries(st.text(max_size=5).filter(lambda k: k != "hooks"), st.integers(), max_size=3),
)
def test_connecting_twice_is_once_and_undoing_is_the_beginning(own_hooks: dict[str, Any], rest: dict[str, Any]) -> None:
    start = {**rest, **({"hooks": own_hooks} if own_hooks else {})}
    command = hosts.hook_command(hosts.CLAUDE_CODE, hosts.Wiring(Home("/somewhere")))

    def fresh() -> dict[str, Any]:
        return dict(json.loads(json.dumps(start)))

    once = hosts.with_hooks(fresh(), hosts.CLAUDE_CODE, command)
    kept = json.loads(json.dumps(once))
    assert hosts.with_hooks(once, hosts.CLAUDE_CODE, command) == kept
    assert hosts.without_hooks(kept) == start


def test_the_backup_lies_beside_the_file(place: Path) -> None:
    file = place / ".claude" / "settings.json"
    file.write_text(OWN)
    connect("claude-code", "--yes")
    assert file.with_name(file.name + BACKUP_SUFFIX).read_text() == OWN
    connect("claude-code", "--yes", "--agent", "other")
    assert file.with_name(file.name + BACKUP_SUFFIX).read_text() == OWN, "of before the memory, not of its last change"
