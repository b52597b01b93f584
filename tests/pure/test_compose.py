"""compose.yaml says what the embedded stack does: durable Redis, no open ports, no Flower without a password."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return found


def command(service: dict[str, Any]) -> str:
    given = service.get("command", [])
    return given if isinstance(given, str) else " ".join(given)


def test_the_parts_of_up_are_all_there(services: dict[str, Any]) -> None:
    assert set(services) == {"postgres", "redis", "migrate", "intake", "worker", "beat", "api", "flower"}


def test_only_api_and_flower_are_published_and_only_on_loopback(services: dict[str, Any]) -> None:
    published = {name: s["ports"] for name, s in services.items() if "ports" in s}
    assert set(published) == {"api", "flower"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


def test_redis_loses_nothing_that_it_acknowledged(services: dict[str, Any]) -> None:
    said = command(services["redis"])
    for wanted in ("--appendonly yes", "--appendfsync always", "--maxmemory-policy noeviction", "--requirepass"):
        assert wanted in said


def test_postgres_volume_is_where_version_18_wants_it(services: dict[str, Any]) -> None:
    assert services["postgres"]["image"].endswith("pg18")
    assert services["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]


def test_no_secret_has_a_default(services: dict[str, Any]) -> None:
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            if name.endswith(("PASSWORD", "TOKEN", "AUTH")):
                assert ":?" in str(value), f"{name} must be set by the operator"


def test_flower_is_read_only_and_behind_a_password(services: dict[str, Any]) -> None:
    assert "--read_only=true" in command(services["flower"])
    assert "FLOWER_BASIC_AUTH" in services["flower"]["environment"]


def test_each_command_names_something_that_exists(services: dict[str, Any]) -> None:
    for name in ("intake", "api"):
        module = services[name]["command"][2]
        assert importlib.util.find_spec(module) is not None
    for name in ("worker", "beat", "flower"):
        assert services[name]["command"][1] == "--app=bio_agent_workers.app"
    from bio_agent_ops.cli import main

    assert services["migrate"]["command"] == ["bio-agent", "migrate"]
    assert "migrate" in main.commands


def test_the_worker_listens_on_every_queue() -> None:
    from bio_agent_workers import pipeline

    used = {route["queue"] for route in pipeline.ROUTES.values()} | {s.queue for s in pipeline.STAGES}
    assert used == set(pipeline.QUEUES.split(","))
    services_ = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert f"--queues={pipeline.QUEUES}" in services_["worker"]["command"]
