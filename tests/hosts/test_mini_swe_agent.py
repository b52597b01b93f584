"""mini-swe-agent for real, connected by `bio-agent connect swe-agent`: what fails is learned and comes back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bio_agent_ops.home import Home
from bio_agent_ops.hosts_trial import drive
from bio_agent_ops.hosts_trial.fake_provider import commands, serving
from bio_agent_ops.local import Api
from tests.hosts.conftest import FOLDER

pytestmark = pytest.mark.hosts

FAILS, WORKS = "python3 tools/report.py", "PYTHONPATH=src python3 tools/report.py"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def test_a_failure_becomes_a_rule_that_reaches_the_next_run(tmp_path: Path, api: tuple[Home, Api]) -> None:
    try:
        program = drive.mini_swe_agent_installed(FOLDER)
    except drive.NotHere as why:
        pytest.skip(str(why))
    home, service = api
    project, user = tmp_path / "shop-mini", tmp_path / "user"
    (project / "tools").mkdir(parents=True)
    (project / "src").mkdir()
    (project / "tools" / "report.py").write_text("import stockbook\nprint(stockbook.SUM)\n")
    (project / "src" / "stockbook.py").write_text("SUM = 59\n")
    subprocess.run(["git", "init", "-q", str(project)], check=True)

    def connect(*options: str) -> str:
        environment = os.environ | {
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "MSWEA_GLOBAL_CONFIG_DIR": str(user / "mini-swe-agent"),
        }
        done = subprocess.run(
            [sys.executable, "-m", "bio_agent_ops.cli", "--home", str(home.root), *options],
            capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with serving(commands("bash", [])) as provider:

        def run(prompt: str, lines: list[str]) -> str:
            provider.policy = commands("bash", [*lines, SUBMIT])
            provider.asked.clear()
            ran = drive.mini_swe_agent(program, prompt, url=provider.url, project=project, home=user)
            assert ran.exit_code == 0, ran.output
            assert len(provider.conversations()) == len(lines) + 1, ran.output
            return provider.conversations()[-1].text

        try:
            connect("connect", "swe-agent", "--yes", "--prompts", "owner")
            first = run("Run the report. From now on never run touch in this repository.", [FAILS, WORKS])
            assert "bio-memory" not in first, "nothing is known yet"
            service.call("POST", "/api/sleep", {})
            found = [e for e in service.call("GET", "/api/episodes", limit=1000) if e["agent"] == "mini-swe-agent"]
            acts = {e["command"]: e["failed"] for e in found if e["kind"] == "tool"}
            assert (acts[FAILS], acts[WORKS]) == (True, False)

            run("Run the report again.", [FAILS, FAILS, "touch left-behind"])
            opening, results = provider.conversations()[0].text, provider.conversations()[-1].results
            assert "`PYTHONPATH=src python3 " in opening, "the rules stand in the system prompt"
            assert "This is said once" in results[0], "the repeated command is held back once"
            assert "ModuleNotFoundError:" in results[1]
            assert not (project / "left-behind").exists(), "nobody is there to approve: it did not run"
            assert "✓ swe-agent" in connect("doctor")
        finally:
            connect("connect", "swe-agent", "--undo", "--yes")
        seen = len(service.call("GET", "/api/episodes", limit=1000))
        assert "bio-memory" not in run("Once more.", [FAILS])
        assert len(service.call("GET", "/api/episodes", limit=1000)) == seen
