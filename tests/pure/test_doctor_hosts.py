"""`bio-agent doctor` tries each connected host in the host's own way: what arrives, what is answered, and what is wrong."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from bio_agent_client.hosts import hermes_install
from bio_agent_ops.connect import hosts, installed, probes, programs
from bio_agent_ops.connect.installed import Trouble
from bio_agent_ops.home import Home
from bio_agent_ops.local import Api
from tests.pure.test_hook_process import Service, home, service  # noqa: F401  the fixtures of these names

ARRIVES = "tried: what it observes arrives, and it is answered"


class Forgetful(Api):
    """A service in which nothing arrives."""

    def call(self, method: str, path: str, body: Any = None, timeout_s: float = 330.0, **query: Any) -> Any:
        return []


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BIO_AGENT_KEY", "BIO_AGENT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(probes, "SEEN_S", 0.5)


@pytest.fixture
def api(service: Service) -> Api:  # noqa: F811
    return Api(service.port, "")


def seen(service: Service) -> dict[str, Any]:  # noqa: F811
    """The first observation of a trial; it must teach nothing."""
    one = service.wait_for(1)[0]
    assert (one["kind"], one["workspace"], one["metadata"]["severity"]) == ("event", probes.WORKSPACE, "debug")
    return one


def test_a_hook_is_run_as_the_host_runs_it(home: Path, service: Service, api: Api) -> None:  # noqa: F811
    command = hosts.hook_command(hosts.CLAUDE_CODE, hosts.Wiring(Home(home), workspace="shop"))
    assert probes.hook(command, Home(home), api) == ARRIVES
    assert seen(service)["session"].startswith("doctor-")
    assert not list((home / "run" / "hooks").glob("doctor-*")), "nothing is left of it"
    with pytest.raises(Trouble, match="did not arrive"):
        probes.hook(command, Home(home), Forgetful(service.port, ""))
    service.status = 503
    with pytest.raises(Trouble, match="no answer"):
        probes.hook(command, Home(home), api)
    with pytest.raises(Trouble, match="ends with 1"):
        probes.hook(command.replace(sys.executable, shutil.which("false") or "/bin/false"), Home(home), api)


MCP = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "id" in said:
        print("a line that is no answer", flush=True)
        print(json.dumps({"id": said["id"], "result": {"isError": %s, "content": [{"type": "text", "text": "away"}]}}), flush=True)
"""


def test_an_mcp_server_is_started_and_asked(tmp_path: Path) -> None:
    def entry(code: str) -> dict[str, Any]:
        return {"command": sys.executable, "args": ["-c", code]}

    assert probes.mcp(entry(MCP % "False"), Home(tmp_path)) == "tried: it is answered"
    with pytest.raises(Trouble, match="the server answers: away"):
        probes.mcp(entry(MCP % "True"), Home(tmp_path))
    with pytest.raises(Trouble, match="no answer: no module"):
        probes.mcp(entry("import sys; sys.exit('no module')"), Home(tmp_path))


def test_openclaws_plugin_is_registered_by_its_node(home: Path, service: Service, api: Api) -> None:  # noqa: F811
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node here; the OpenClaw plugin is JavaScript")
    plugin = installed.OpenClaw(programs.plugin_source(), {"home": str(home)}, node)
    assert probes.openclaw(plugin, api) == ARRIVES
    assert seen(service)["agent"] == "main"
    assert not (home / "openclaw-spool").exists()
    service.status = 401
    with pytest.raises(Trouble, match="gets no answer"):
        probes.openclaw(plugin, api)
    with pytest.raises(Trouble, match="does not load"):
        probes.openclaw(installed.OpenClaw(home, {}, node), api)


def test_hermes_plugin_is_loaded_by_its_python(
    home: Path, service: Service, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "memory_provider.py").write_text("class MemoryProvider: pass\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    place, python = tmp_path / "hermes", Path(sys.executable)
    folder = hermes_install.write(place, {"home": str(home), "workspace": "shop"})
    assert hermes_install.settings_in(folder) == {"home": str(home), "workspace": "shop"}
    config = place / "config.yaml"
    config.write_text("memory: {provider: bio-agent}\nplugins: {enabled: [bio-agent]}\n")
    assert probes.hermes(python, place, api) == ARRIVES
    assert seen(service)["host"] == "hermes"
    for text, word in (
        ("memory: {provider: mem0}\n", "memory.provider is mem0"),
        ("memory: {provider: bio-agent}\n", "nothing is guarded"),
    ):
        config.write_text(text)
        with pytest.raises(Trouble, match=word):
            probes.hermes(python, place, api)
    config.unlink()
    with pytest.raises(Trouble, match="does not load: FileNotFoundError"):
        probes.hermes(python, place, api)


def test_the_python_of_an_installed_command(tmp_path: Path) -> None:
    script = tmp_path / "mini"
    for text, python in (
        (f"#!{sys.executable}\nimport re\n", Path(sys.executable)),
        (f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n", Path(sys.executable)),
        ("#!/bin/sh\nexec x\n", None),
        ("#!/gone/python\n", None),
        ("", None),
    ):
        script.write_text(text)
        assert programs.interpreter(script) == python, text
    assert programs.interpreter(tmp_path / "gone") is None


def test_what_is_printed_is_json_for_programs(home: Path, api: Api) -> None:  # noqa: F811
    """A trial whose program prints something else is trouble, never a stack trace."""
    with pytest.raises(Trouble, match="says nothing"):
        probes.hermes(Path(shutil.which("true") or "/bin/true"), home, api)
