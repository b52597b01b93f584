"""`bio-agent connect swe-agent`: mini-swe-agent's own settings and configuration stay, and come back to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bio_agent_ops.cli import main
from bio_agent_ops.connect import mini_swe_agent
from bio_agent_ops.connect.checks import check_hosts
from bio_agent_ops.home import Home

OWN_CONFIG = "agent:\n  system_template: |\n    You act.\n    agent: no key\n  step_limit: 0\nmodel:\n  model_name: m\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mini-swe-agent as far as connecting looks at it: `mini`, its Python, its package and its settings' folder."""
    package = tmp_path / "lib" / "python3.11" / "site-packages" / "minisweagent"
    (package / "config").mkdir(parents=True)
    (package / "config" / "mini.yaml").write_text(OWN_CONFIG)
    (tmp_path / "cfg").mkdir()
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python-of-mini"
    python.write_text(
        f"#!/bin/sh\necho This is mini\necho '{json.dumps([str(tmp_path / 'cfg' / '.env'), str(package)])}'\n"
    )
    (tmp_path / "bin" / "mini").write_text(f"#!{python}\n")
    for file in (python, tmp_path / "bin" / "mini"):
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("BIO_AGENT_HOME", str(tmp_path / "bio"))
    monkeypatch.delenv(mini_swe_agent.NAMES_CONFIG, raising=False)
    return tmp_path


def connect(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["connect", "swe-agent", *arguments], input=text)


def settings_of(place: Path) -> dict[str, str]:
    lines = [line.partition("=") for line in (place / "cfg" / ".env").read_text().splitlines() if "=" in line]
    return {name: value.strip("'") for name, _, value in lines}


@pytest.mark.parametrize("own", ["", "MSWEA_MODEL_NAME='m'\nOPENAI_API_KEY='k'\n", "MSWEA_MODEL_NAME='m'"])
def test_what_was_there_stays_and_undo_gives_back_the_very_bytes(place: Path, own: str) -> None:
    file = place / "cfg" / ".env"
    if own:
        file.write_text(own)
    before = sorted(p for p in place.rglob("*") if p.is_file())
    made = connect("--yes", "--workspace", "shop")
    assert made.exit_code == 0, made.output
    assert "+MSWEA_MINI_CONFIG_PATH=" in made.output, "the change is shown"
    assert file.read_text().startswith(own)
    told = settings_of(place)
    assert told["BIO_AGENT_WORKSPACE"] == "shop"
    assert told["BIO_AGENT_WARN"] == "hold"
    assert "BIO_AGENT_PROMPTS" not in told, "a task is often an issue that anybody wrote"
    config = Path(told["MSWEA_MINI_CONFIG_PATH"]).read_text()
    assert config.replace("  agent_class: bio_agent_memory.MemoryInteractiveAgent\n", "").endswith(OWN_CONFIG)
    assert "nothing to do" in connect("--yes", "--workspace", "shop").output
    undone = connect("--undo", "--yes")
    assert undone.exit_code == 0, undone.output
    assert (file.read_text() if own else file.exists()) == (own or False)
    left = {p for p in place.rglob("*") if p.is_file()} - set(before)
    assert left <= {place / "bio" / "hosts.json"}
    assert "nothing to do" in connect("--undo", "--yes").output


def test_a_no_changes_nothing(place: Path) -> None:
    before = sorted(place.rglob("*"))
    assert connect(text="n\n").exit_code != 0
    assert sorted(place.rglob("*")) == before


def test_the_configuration_in_use_is_the_one_that_is_copied(place: Path) -> None:
    own = place / "mine.yaml"
    own.write_text("agent:\n    agent_class: default  # quiet\n    step_limit: 7\n")
    (place / "cfg" / ".env").write_text(f"export MSWEA_MINI_CONFIG_PATH={own}\n")
    assert connect("--yes", "--prompts", "owner").exit_code == 0
    assert settings_of(place)["BIO_AGENT_PROMPTS"] == "owner"
    made = (place / "cfg" / "bio-agent.yaml").read_text()
    assert "    agent_class: bio_agent_memory.MemoryAgent\n    step_limit: 7\n" in made
    own.write_text("agent:\n  agent_class: my.agents.Careful\n")
    refused = connect("--yes", "--prompts", "owner")
    assert refused.exit_code != 0
    assert "my.agents.Careful" in refused.output
    assert (place / "cfg" / "bio-agent.yaml").read_text() == made


def test_a_configuration_without_an_agent_gets_one() -> None:
    assert "agent:\n  agent_class: bio_agent_memory.MemoryInteractiveAgent\nmodel:" in mini_swe_agent.with_memory(
        "model:\n  model_name: m\n", Path("/a/mine.yaml")
    )


def test_what_goes_before_minis_settings_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSWEA_MINI_CONFIG_PATH", "/a/mine.yaml")
    refused = connect("--yes")
    assert refused.exit_code != 0
    assert "unset it" in refused.output
    assert not (place / "cfg" / ".env").exists()


def test_without_mini_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    refused = connect("--yes")
    assert refused.exit_code != 0
    assert "pip install mini-swe-agent" in refused.output


def test_doctor_sees_what_is_connected_and_what_went_wrong(place: Path) -> None:
    home = Home(place / "bio")
    connect("--yes")
    [found] = check_hosts(home)
    assert (found.name, found.ok) == ("swe-agent", True)
    (place / "lib/python3.11/site-packages/minisweagent/config/mini.yaml").write_text(OWN_CONFIG + "run: {}\n")
    [found] = check_hosts(home)
    assert found.ok is False
    assert "has changed" in found.detail
    assert "connect swe-agent" in found.fix
    connect("--yes")
    (place / "lib/python3.11/site-packages/bio_agent_memory.py").unlink()
    assert check_hosts(home)[0].ok is False


def test_the_module_finds_the_client_by_its_place(place: Path) -> None:
    """In a Python that has neither the client nor anything it needs."""
    connect("--yes")
    written = place / "lib/python3.11/site-packages/bio_agent_memory.py"
    stubs = (
        "import sys, types\n"
        "for name in ('agents', 'agents.default', 'agents.interactive', 'exceptions'):\n"
        "    sys.modules['minisweagent.' + name] = types.ModuleType(name)\n"
        "sys.modules['minisweagent'] = types.ModuleType('minisweagent')\n"
        "sys.modules['minisweagent.agents.default'].DefaultAgent = type('D', (), {})\n"
        "sys.modules['minisweagent.agents.interactive'].InteractiveAgent = type('I', (), {})\n"
        "sys.modules['minisweagent.exceptions'].InterruptAgentFlow = type('F', (Exception,), {})\n"
    )
    code = stubs + written.read_text() + "print(MemoryInteractiveAgent.__module__, 'redis' in sys.modules)\n"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "bio_agent_client.hosts.swe_agent False\n", done.stderr
