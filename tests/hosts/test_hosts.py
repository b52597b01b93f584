"""Claude Code and Codex for real, with a scripted model: what fails is learned, comes back as a rule, and is held up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bio_agent_client import replay
from bio_agent_ops.home import Home
from bio_agent_ops.hosts_trial import drive
from bio_agent_ops.hosts_trial.fake_provider import Provider, commands, serving
from bio_agent_ops.local import Api
from tests.hosts.conftest import FOLDER

pytestmark = pytest.mark.hosts

FAILS = "python3 tools/report.py"
WORKS = "PYTHONPATH=src python3 tools/report.py"
SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@dataclass
class Host:
    """One host, its own home directory, a project, and the provider it talks to."""

    name: str
    program: Path
    run: Callable[..., drive.Ran]
    tool: str
    argument: str
    folder: Path
    project: Path
    provider: Provider
    home: Home
    api: Api

    def session(self, prompt: str, lines: Sequence[str]) -> str:
        """Runs one session; what the model was shown in its last turn."""
        self.provider.policy = commands(self.tool, lines, argument=self.argument)
        self.provider.asked.clear()
        ran = self.run(self.program, prompt, url=self.provider.url, project=self.project, home=self.folder)
        assert ran.exit_code == 0, ran.output
        assert len(self.provider.conversations()) == len(lines) + 1, ran.output
        return self.provider.conversations()[-1].text

    def connect(self, *options: str) -> str:
        file = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}[self.name]
        done = subprocess.run(
            [sys.executable, "-m", "bio_agent_ops.cli", "--home", str(self.home.root), "connect", self.name, "--yes",
             "--file", str(self.folder / file), *options],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def episodes(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api.call("GET", "/api/episodes", limit=1000)
        return [e for e in found if e["agent"] == self.name]

    def wait(self, enough: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        end = time.monotonic() + 20
        while not enough(found := self.episodes()) and time.monotonic() < end:
            time.sleep(0.1)
        assert enough(found), found
        return found


@pytest.fixture(params=["claude-code", "codex"])
def host(request: pytest.FixtureRequest, tmp_path: Path, api: tuple[Home, Api]) -> Iterator[Host]:
    package = {"claude-code": drive.CLAUDE_CODE, "codex": drive.CODEX}[request.param]
    try:
        program = drive.installed(package, FOLDER)
    except drive.NotHere as why:
        pytest.skip(str(why))
    run, tool, argument = {
        "claude-code": (drive.claude_code, "Bash", "command"),
        "codex": (drive.codex, "exec_command", "cmd"),
    }[request.param]
    project = tmp_path / f"shop-{request.param}"
    (project / "tools").mkdir(parents=True)
    (project / "src" / "stockbook").mkdir(parents=True)
    (project / "tools" / "report.py").write_text("import stockbook\nprint(sum(stockbook.ENTRIES))\n")
    (project / "src" / "stockbook" / "__init__.py").write_text("ENTRIES = (12, 40, 7)\n")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    with serving(commands(tool, [])) as provider:
        yield Host(request.param, program, run, tool, argument, tmp_path / "user", project, provider, *api)


def test_a_failure_becomes_a_rule_that_reaches_the_next_session(host: Host) -> None:
    (host.folder).mkdir()
    host.connect()
    workspace = host.project.name

    first = host.session(
        "Run the report. From now on never run touch in this repository.", [FAILS, WORKS, f"echo {SECRET}"]
    )
    assert "bio-memory" not in first, "nothing is known yet"
    found = host.wait(lambda seen: any("session ended" in e["text"] for e in seen))
    acts = {e["command"]: e["failed"] for e in found if e["kind"] == "tool"}
    assert (acts[FAILS], acts[WORKS]) == (True, False)
    assert {e["workspace"] for e in found} == {workspace}
    assert SECRET not in json.dumps(found)
    host.api.call("POST", "/api/sleep", {})
    rules = [b for b in host.api.call("GET", "/api/beliefs", limit=1000) if b["scope"] == f"workspace:{workspace}"]
    told = (
        "`python3 <file>`",
        "for tools/report.py",
        "`PYTHONPATH=src python3 <file>` worked",
    )  # a general form, and what it failed for
    assert any(all(part in b["content"] for part in told) and b["state"] == "reinforced" for b in rules), rules

    second = host.session("Run the report again.", [FAILS, "touch left-behind"])
    opening = host.provider.conversations()[0].text
    assert "<bio-memory-" in opening, "the rules stand before the first turn"
    assert "`PYTHONPATH=src python3 " in opening
    assert "[bio-memory] learned from earlier work" in second, "the repeated command is warned of"
    assert second.count("[bio-memory] learned from earlier work") == 1, "and not told twice when it fails"
    assert "the owner wants to be asked" in host.provider.conversations()[-1].results[-1]
    assert not (host.project / "left-behind").exists(), "nobody is there to approve: it did not run"

    host.connect("--warn", "hold")
    third = host.session("Once more.", [FAILS, FAILS])
    held, ran = host.provider.conversations()[-1].results
    assert "[bio-memory]" in held
    assert "ModuleNotFoundError:" not in held, "held back before it ran"
    assert "ModuleNotFoundError:" in ran, "the second time it is the model's own decision"
    assert third.count("This is said once") == 1

    host.connect("--undo")
    before = len(host.episodes())
    fourth = host.session("Once more.", [FAILS])
    assert "bio-memory" not in fourth
    time.sleep(1)
    assert len(host.episodes()) == before


def test_replaying_the_transcript_adds_nothing_that_was_captured(host: Host) -> None:
    if host.name != "claude-code":
        pytest.skip("transcripts of Codex are not read")
    host.folder.mkdir()
    host.connect()
    host.session("Look around.", ["ls", "sh -c 'echo out; echo err >&2; exit 3'", "sh -c 'echo a; echo b >&2'"])
    host.wait(lambda seen: any("session ended" in e["text"] for e in seen))
    transcript = next((host.folder / ".claude" / "projects").glob("*/*.jsonl"))
    read = list(replay.read(transcript))
    assert [one["kind"] for one in read] == ["user", "tool", "tool", "tool", "assistant"]
    answer = host.api.call("POST", "/api/ingest", read)
    assert (answer["accepted"], answer["duplicates"]) == (0, len(read))
    time.sleep(1)
    for one in read:
        acts = host.api.call("GET", "/api/audit", episode_id=one["id"])["received"]
        assert all(act["act"] != "id_conflict" for act in acts), "the same content, not only the same name"


def test_a_service_that_is_away_changes_nothing_for_the_host(host: Host, tmp_path: Path) -> None:
    host.folder.mkdir()
    host.home = Home(tmp_path / "away")
    host.connect()
    said = host.session("Look around.", ["ls", "false"])
    assert "bio-memory" not in said
    end = time.monotonic() + 20
    spool, kept = host.home.root / "spool", ""
    while kept.count('"kind"') < 5 and time.monotonic() < end:
        kept = "".join(f.read_text() for f in spool.glob("*.jsonl")) if spool.is_dir() else ""
        time.sleep(0.1)
    assert '"command":"false"' in kept
