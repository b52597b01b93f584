"""`bio-agent connect swe-agent`: mini-swe-agent's own settings and configuration stay, and come back to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bio_agent_ops.cli import main
from bio_agent_ops.connect import mini_swe_agent
from bio_agent_ops.connect.checks import check_hosts
from bio_agent_ops.home import Home

OWN_CONFIG = "agent:\n  system_template: |\n    You act.\n    agent: no key\n  step_limit: 0\nmodel:\n  model_name: m\n"

#: For PyYAML, which mini has and we do not: block mappings, `|` texts; a value is JSON, nothing, or itself.
YAML = """
import json, re

def value(text):
    text = re.sub("(^| )#.*", "", text).strip()
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text

def mapping(lines, indent):
    found = {}
    while lines and ":" in lines[0] and len(lines[0]) - len(lines[0].lstrip()) == indent:
        key, _, text = lines.pop(0).strip().partition(":")
        below = []
        while lines and len(lines[0]) - len(lines[0].lstrip()) > indent:
            below.append(lines.pop(0))
        if text.strip() == "|":
            found[value(key)] = below
        else:
            deeper = len(below[0]) - len(below[0].lstrip()) if below else 0
            found[value(key)] = mapping(below, deeper) if below else value(text)
    if lines:
        raise ValueError(lines[0])
    return found

def safe_load(text):
    lines = [line.rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return mapping(lines[1:] if lines[:1] == ["---"] else lines, 0)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mini-swe-agent as far as connecting looks at it: `mini`, its Python, its package and its settings' folder."""
    package = tmp_path / "lib" / "python3.11" / "site-packages" / "minisweagent"
    (package / "config").mkdir(parents=True)
    (package / "config" / "mini.yaml").write_text(OWN_CONFIG)
    (tmp_path / "cfg").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "yaml").mkdir()
    (tmp_path / "yaml" / "yaml.py").write_text(YAML)
    python = tmp_path / "bin" / "python-of-mini"
    python.write_text(
        f'#!/bin/sh\ncase $2 in *safe_load*) PYTHONPATH={tmp_path / "yaml"} exec {sys.executable} "$@";; esac\n'
        f"echo This is mini\necho '{json.dumps([str(tmp_path / 'cfg' / '.env'), str(package)])}'\n"
    )
    (tmp_path / "bin" / "mini").write_text(f"#!{python}\n")
    for file in (python, tmp_path / "bin" / "mini"):
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("BIO_AGENT_HOME", str(tmp_path / "bio"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
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


@pytest.mark.parametrize("name", ["cfg/bio-agent.yaml", "lib/python3.11/site-packages/bio_agent_memory.py"])
def test_a_persons_file_of_that_name_is_neither_written_nor_removed(place: Path, name: str) -> None:
    own = place / name
    own.write_text("# mine\n")
    for arguments in (["--yes"], ["--undo", "--yes"]):
        refused = connect(*arguments)
        assert refused.exit_code != 0
        assert f"{own} was not written by" in refused.output
        assert own.read_text() == "# mine\n"
        assert not (place / "cfg" / ".env").exists()


def _behind(text: str) -> str:
    return text + "OPENAI_API_KEY='k'\n"


def _within(text: str) -> str:
    return text.replace("BIO_AGENT_HOME=", "OPENAI_API_KEY='k'\nBIO_AGENT_HOME=")


def _windows(text: str) -> str:
    return _behind(text).replace("\n", "\r\n")


def _blanks(text: str) -> str:
    return _behind("".join(line + " \t\n" if line[:1] == "#" else line + "\n" for line in text.splitlines()))


def _no_end(text: str) -> str:
    return _behind(text.replace("# bio-agent: end\n", ""))


@pytest.mark.parametrize("edit", [_behind, _within, _windows, _blanks, _no_end])
@pytest.mark.parametrize("own", ["A=1", "A=1\n"])
def test_what_a_person_did_to_the_settings_since_survives(place: Path, own: str, edit: Callable[[str], str]) -> None:
    file = place / "cfg" / ".env"
    for again in (False, True):
        file.write_text(own)
        assert connect("--yes").exit_code == 0
        file.write_bytes(edit(file.read_text()).encode())
        assert check_hosts(Home(place / "bio"))[0].ok
        if again:
            assert connect("--yes").exit_code == 0
            assert file.read_text().count("# bio-agent: begin") == 1
        assert connect("--undo", "--yes").exit_code == 0
        assert file.read_text() == "A=1\nOPENAI_API_KEY='k'\n"
        assert not (place / "cfg" / "bio-agent.yaml").exists()


def test_a_byte_order_mark_does_not_hide_the_block(place: Path) -> None:
    connect("--yes")
    file = place / "cfg" / ".env"
    file.write_text("\ufeff" + file.read_text() + "A=1\n")
    assert connect("--undo", "--yes").exit_code == 0
    assert file.read_text() == "A=1\n"


@pytest.mark.parametrize("line", ["='{}'", "={} # mine", ' = "{}"  # mine'])
def test_the_configuration_stays_while_the_settings_name_it(place: Path, line: str) -> None:
    file, config = place / "cfg" / ".env", place / "cfg" / "bio-agent.yaml"
    connect("--yes")
    file.write_text(f"MSWEA_MINI_CONFIG_PATH{line.format(config)}\n" + file.read_text())
    kept = file.read_text()
    for arguments in (["--yes"], ["--undo", "--yes"]):
        refused = connect(*arguments)
        assert refused.exit_code != 0
        assert "take that line out first" in refused.output
    assert file.read_text() == kept
    assert config.exists()


INTERACTIVE = "agent_class: bio_agent_memory.MemoryInteractiveAgent\n"


@pytest.mark.parametrize(
    ("own", "made"),
    [
        ("---\nmodel: {}\n", f"---\nagent:\n  {INTERACTIVE}model: {{}}\n"),
        ("agent:\r\n    mode: yolo\r\n", f"agent:\n    {INTERACTIVE}    mode: yolo\n"),
        ("agent:  # mine\n\n  # soon\n   mode: yolo\n", f"agent:  # mine\n   {INTERACTIVE}\n  # soon\n   mode: yolo\n"),
        ("agent:\n", f"agent:\n  {INTERACTIVE}"),
        (
            "model:\n  agent_class: my.Model\nagent:\n  text: |\n    agent_class: my.Words\n  mode: yolo\n",
            "model:\n  agent_class: my.Model\n"
            f"agent:\n  {INTERACTIVE}  text: |\n    agent_class: my.Words\n  mode: yolo\n",
        ),
        (
            "agent:\n  mode: yolo\n# on\n  agent_class: default\nrun:\n  agent_class: my.Run\n",
            "agent:\n  mode: yolo\n# on\n  agent_class: bio_agent_memory.MemoryAgent\nrun:\n  agent_class: my.Run\n",
        ),
        *(
            (own, own)
            for own in (f"agent:\n  {INTERACTIVE}", '"agent":\n  agent_class: bio_agent_memory.MemoryAgent\n')
        ),
    ],
)
def test_every_form_of_configuration_that_the_agent_can_be_put_into(place: Path, own: str, made: str) -> None:
    (place / "lib/python3.11/site-packages/minisweagent/config/mini.yaml").write_bytes(own.encode())
    done = connect("--yes")
    assert done.exit_code == 0, done.output
    head, _, body = (place / "cfg" / "bio-agent.yaml").read_text().partition("\n")
    assert head.startswith("# Written by `bio-agent connect swe-agent`")
    assert body.rstrip("\n") == made.rstrip("\n")
    assert "nothing to do" in connect("--yes").output


@pytest.mark.parametrize(
    "own",
    [
        'agent: {"mode": "yolo"}\n', '"agent":\n  mode: yolo\n', "agent: null\n", "agent: *b\n", "agent: &a\n  mode: yolo\n",
        "agent:\n  agent_class:\n", 'agent:\n  "agent_class": default\n', "model: {}\n---\nagent:\n  mode: yolo\n",
        '"agent":\n  mode: yolo\nmodel:\n  text: bio_agent_memory.MemoryAgent\n',
    ],
)  # fmt: skip
def test_any_other_form_is_refused_with_what_to_write(place: Path, own: str) -> None:
    base = place / "lib/python3.11/site-packages/minisweagent/config/mini.yaml"
    base.write_text(own)
    before = sorted(place.rglob("*"))
    refused = connect("--yes")
    assert refused.exit_code != 0
    told = " ".join(refused.output.split())
    assert f"write `{INTERACTIVE.strip()}` under `agent:` of {base} yourself" in told
    assert sorted(place.rglob("*")) == before


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
