"""Every service of compose.yaml, started with the command and the environment that stand there, learns a rule together.

No Docker: the commands run in this environment, with the embedded PostgreSQL for the service `postgres` and the embedded
Valkey's program for `redis`. Only addresses, ports and one path in /tmp are put in.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from bio_agent_ops.processes import free_port
from bio_agent_ops.valkey import binary
from tests.conftest import Servers

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
SECRETS = {
    "POSTGRES_PASSWORD": "unused",
    "BIO_APP_PASSWORD": "test-password",  # the role is the cluster's, which other tests use as well
    "REDIS_PASSWORD": "r3d1spassw0rd",
    "BIO_OWNER_TOKEN": "0123456789abcdef0123456789abcdef",
    "FLOWER_BASIC_AUTH": "owner:correcthorsebattery",
}
VARIABLE = re.compile(r"\$\$|\$\{([A-Z_]+)(?::([-?])([^}]*))?\}")


def interpolated(text: str) -> str:
    """As Compose does it: ${NAME:-default}, ${NAME:?message} and $$ for a dollar."""

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        assert found[1] in SECRETS or found[2] == "-", f"{found[1]} is neither a secret nor has a default"
        return SECRETS.get(found[1], found[3])

    return VARIABLE.sub(value, text)


class Compose:
    def __init__(self, folder: Path, admin_url: str) -> None:
        self.services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
        self.folder = folder
        self.cwd = folder / "cwd"
        self.cwd.mkdir()
        self.api, self.flower, self.redis = free_port(), free_port(), free_port()
        url = make_url(admin_url)
        self.put_in = {
            f"postgres:{SECRETS['POSTGRES_PASSWORD']}@postgres:5432/bio_agent": (
                f"postgres:{url.password}@127.0.0.1:{url.port}/{url.database}"
            ),
            "@postgres:5432/bio_agent": f"@127.0.0.1:{url.port}/{url.database}",
            "@redis:6379/": f"@127.0.0.1:{self.redis}/",
            "8055": str(self.api),
            "5555": str(self.flower),
            "/tmp/beat": str(folder / "beat"),
        }
        programs = folder / "bin"
        programs.mkdir()
        (programs / "valkey-server").symlink_to(binary())
        self.path = f"{Path(sys.executable).parent}:{programs}:{os.defpath}"
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def _here(self, text: str) -> str:
        text = interpolated(text)
        for there, here in self.put_in.items():
            text = text.replace(there, here)
        return text

    def environment(self, name: str) -> dict[str, str]:
        given = self.services[name].get("environment", {})
        # A home that does not exist and cannot be made stands for the read-only file system.
        return {"PATH": self.path, "HOME": "/proc/none", "BIO_AGENT_HOME": "/proc/none/.bio-agent"} | {
            key: self._here(str(value)) for key, value in given.items()
        }

    def command(self, name: str) -> list[str]:
        return [self._here(word) for word in self.services[name]["command"]]

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def start(self, name: str, more: str = "") -> None:
        argv = self.command(name)
        argv[-1] += more
        with (self.folder / f"{name}.log").open("wb") as out:
            self.running[name] = subprocess.Popen(
                argv, env=self.environment(name), cwd=self.cwd, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )

    def healthy(self, name: str) -> bool:
        kind, *check = self.services[name]["healthcheck"]["test"]
        assert kind == "CMD"
        done = subprocess.run(
            [self._here(word) for word in check], env=self.environment(name), cwd=self.cwd, capture_output=True,
            check=False,
        )  # fmt: skip
        return done.returncode == 0

    def wait_healthy(self, name: str) -> None:
        deadline = time.monotonic() + 90
        while not self.healthy(name):
            assert self.running[name].poll() is None, f"{name} ended:\n{self.log(name)}"
            assert time.monotonic() < deadline, f"{name} is not healthy:\n{self.log(name)}"
            time.sleep(1.0)

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.api}{path}",
            data=json.dumps(body).encode() if body is not None else None,
            method=method,
            headers={"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {}),
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@pytest.fixture
def compose(servers: Servers, tmp_path: Path) -> Iterator[Compose]:
    name = f"compose_{os.getpid()}"
    admin = make_url(servers.admin_url)
    engine = create_engine(admin.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'create database "{name}"')
    made = Compose(tmp_path, admin.set(database=name).render_as_string(hide_password=False))
    yield made
    for process in made.running.values():
        process.kill()
        process.wait()
    with engine.connect() as connection:
        connection.exec_driver_sql(f'drop database "{name}" with (force)')
    engine.dispose()


def act(command: str, code: int, content: str) -> dict[str, Any]:
    return {"kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "exit_code": code, "content": content,
            "workspace": "web", "session": "s1"}  # fmt: skip


def test_all_services_as_written_learn_a_rule_and_end_when_asked(compose: Compose) -> None:
    compose.start("redis", f" --port {compose.redis} --bind 127.0.0.1 --dir {compose.folder}")
    store = redis.Redis(port=compose.redis, password=SECRETS["REDIS_PASSWORD"])
    deadline = time.monotonic() + 20
    while True:
        try:
            store.ping()
            break
        except redis.ConnectionError:
            assert time.monotonic() < deadline, compose.log("redis")
            time.sleep(0.05)
    for setting, value in {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction",
                           "maxmemory": str(1024**3)}.items():  # fmt: skip
        assert store.config_get(setting) == {setting: value} or store.config_get(setting) == {
            setting.encode(): value.encode()
        }
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(port=compose.redis).ping()

    compose.start("migrate")
    assert compose.running["migrate"].wait(60) == 0, compose.log("migrate")
    for name in ("api", "intake", "worker", "beat", "flower", "indexer"):
        compose.start(name)
    for name in ("api", "intake", "worker", "beat", "flower", "indexer"):
        compose.wait_healthy(name)

    assert compose.ask("GET", "/api/status")[0] == 401, "bound to all addresses, it wants a credential"
    assert compose.ask("GET", "/api/status", token="wrong")[0] == 401
    token = SECRETS["BIO_OWNER_TOKEN"]
    seen = [
        act("npm test", 1, "Error: Cannot find module 'express'"),
        act("npm ci", 0, "added 200 packages"),
        act("npm test", 0, "12 passing"),
    ]
    status, answer = compose.ask("POST", "/api/ingest", seen, token=token)
    assert (status, answer["accepted"]) == (200, 3), answer
    status, slept = compose.ask("POST", "/api/sleep", {}, token=token)
    assert (status, slept["errors"]) == (200, []), slept
    _, persona = compose.ask("GET", "/api/persona?workspace=web", token=token)
    assert "When `npm test` fails, first run `npm ci`" in persona["block"], persona
    assert "npm ci" in persona["block"]

    page = urllib.request.Request(f"http://127.0.0.1:{compose.flower}/workers")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(page, timeout=10)
    assert refused.value.code == 401

    for name in ("indexer", "flower", "api", "beat", "worker", "intake", "redis"):
        asked = time.monotonic()
        compose.running[name].send_signal(signal.SIGTERM)
        compose.running[name].wait(30)
        assert time.monotonic() - asked < 10, f"{name} took longer than Docker waits:\n{compose.log(name)}"
    assert list(compose.cwd.iterdir()) == [], "nothing is written where they run"
