"""What `doctor` and the containers' health checks say, and that they change nothing."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path
from typing import Any

import fakeredis
import pytest

from bio_agent_ops import alive, doctor_servers
from bio_agent_ops.doctor import checks
from bio_agent_ops.doctor_servers import Check
from bio_agent_ops.home import Home


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "FLOWER_BASIC_AUTH", "BIO_AGENT_PORT", "LLM_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "bio_agent_ops.doctor._embedder", lambda: Check("embedder", None, "left out: it takes a second")
    )


def found(home: Home, port: int | None = None) -> dict[str, Check]:
    return {check.name: check for check in checks(home, port)}


def everything(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(p), p.stat().st_mode, p.stat().st_mtime_ns) for p in folder.rglob("*"))


def test_it_makes_nothing(tmp_path: Path) -> None:
    seen = found(Home(tmp_path / "none"))
    assert seen["home"].ok is None
    assert seen["service"].ok is False
    assert f"--home {tmp_path / 'none'} up" in seen["service"].fix
    assert not (tmp_path / "none").exists()
    home = Home(tmp_path / "home")
    home.create()
    before = everything(tmp_path)
    found(home)
    assert everything(tmp_path) == before


def test_a_home_that_others_can_read(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    assert found(home)["visibility"].ok is True
    home.secret("app-db.password")
    home.root.chmod(0o755)
    assert found(home)["visibility"].ok is True, "nothing in it is open"
    (home.root / "app-db.password").chmod(0o644)
    home.logs.chmod(0o755)
    said = found(home)["visibility"]
    assert said.ok is False
    assert str(home.root / "app-db.password") in said.detail
    assert str(home.logs) in said.detail
    assert said.fix == f"chmod -R go-rwx '{home.root}'"
    assert (home.root / "app-db.password").stat().st_mode & 0o777 == 0o644, "it repairs nothing"


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = found(Home(tmp_path / "home"), port)["port"]
    assert (said.ok, said.detail) == (False, f"127.0.0.1:{port} is taken by another program")
    assert "--port" in said.fix


def test_a_weak_flower_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWER_BASIC_AUTH", "owner:short")
    assert found(Home(tmp_path / "home"))["flower password"].ok is False
    monkeypatch.setenv("FLOWER_BASIC_AUTH", "owner:" + "x" * 12)
    assert found(Home(tmp_path / "home"))["flower password"].ok is True


def test_what_waits_in_the_spool(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    home.spool.mkdir()
    (home.spool / f"{time.time_ns() - 300 * 10**9:020d}-1-a.jsonl").write_text('{"a":1}\n{"b":2}\n')
    said = found(home)["spool"]
    assert said.ok is None, "nothing runs, so nothing can take it"
    assert said.detail.startswith("2 waiting")
    assert "5 min" in said.detail


class Server:
    """A Redis that says what it is told to."""

    def __init__(self, **info: Any) -> None:
        self.told = {"redis_version": "7.2.4", "maxmemory_policy": "noeviction", "aof_enabled": 1,
                     "aof_last_write_status": "ok", "used_memory": 10, "maxmemory": 100} | info  # fmt: skip
        self.signs: dict[str, str] = {}
        self.fsync = "always"

    def info(self) -> dict[str, Any]:
        return self.told

    def config_get(self, name: str) -> dict[str, str]:
        import redis

        if self.fsync == "forbidden":
            raise redis.ResponseError("unknown command CONFIG")
        return {name: self.fsync}

    def scan_iter(self, pattern: str, count: int = 0) -> list[str]:
        return [key for key in self.signs if key.startswith(pattern.rstrip("*"))]

    def get(self, key: str) -> str | None:
        return self.signs.get(key)

    def xlen(self, key: str) -> int:
        return 0

    def close(self) -> None:
        pass


def of_redis(server: Server, monkeypatch: pytest.MonkeyPatch) -> dict[str, Check]:
    monkeypatch.setattr("redis.Redis.from_url", lambda *_, **__: server)
    return {check.name: check for check in doctor_servers.redis_server("redis://there")}


def test_redis_settings_that_lose_data(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Server(maxmemory_policy="allkeys-lru", aof_enabled=0, used_memory=95)
    bad.fsync = "everysec"
    said = of_redis(bad, monkeypatch)
    for name, word in {"redis eviction": "noeviction", "redis persistence": "appendonly yes",
                       "redis appendfsync": "appendfsync always", "redis memory": "maxmemory"}.items():  # fmt: skip
        assert said[name].ok is False, name
        assert word in said[name].fix
    hosted = Server()
    hosted.fsync = "forbidden"
    assert of_redis(hosted, monkeypatch)["redis appendfsync"].ok is None


def test_a_dead_intake_and_a_silent_dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    server.signs = {"bio:alive:intake:h:1": str(int(time.time()) - 25), "bio:alive:dispatch": str(time.time() - 120)}
    said = of_redis(server, monkeypatch)
    assert said["intake"].ok is False, "what a killed one left behind is no sign of life"
    assert said["worker and beat"].ok is False
    server.signs = {"bio:alive:intake:h:1": str(int(time.time())), "bio:alive:dispatch": str(time.time())}
    said = of_redis(server, monkeypatch)
    assert said["intake"].ok
    assert said["worker and beat"].ok


def test_right_after_the_start_the_parts_are_starting_and_not_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redis.Redis.from_url", lambda *_, **__: Server())
    for up_for_s, wanted in ((3.0, None), (90.0, False), (None, False)):
        said = {check.name: check for check in doctor_servers.redis_server("redis://there", up_for_s)}
        assert {said[name].ok for name in ("intake", "worker and beat")} == {wanted}
        assert bool(said["worker and beat"].fix) == (wanted is False)


def test_health_checks_tell_intake_worker_and_beat_apart() -> None:
    client = fakeredis.FakeRedis()
    assert "no sign of life" in alive.intake(client, "here")
    client.set("bio:alive:intake:there:7", int(time.time()))
    assert "no sign of life" in alive.intake(client, "here"), "another host's intake is not ours"
    client.set("bio:alive:intake:here:7", int(time.time()))
    assert alive.intake(client, "here") == ""
    client.set("bio:alive:intake:here:7", int(time.time()) - 25)
    assert re.search(r"for 2\d s", alive.intake(client, "here"))

    assert alive.worker(client) == "", "nothing asked, nothing left lying"
    assert "nobody asks" in alive.beat(client, watch_s=0)
    client.lpush(alive.QUEUE, "a request")
    assert "no worker takes" in alive.worker(client)
    client.set("bio:alive:dispatch", int(time.time()))
    assert alive.worker(client) == alive.beat(client, watch_s=0) == ""


def test_a_health_check_without_redis_is_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert alive.main("worker") == 1
