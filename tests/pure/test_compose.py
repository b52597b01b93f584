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
    assert set(services) == {"postgres", "redis", "migrate", "indexer", "intake", "worker", "beat", "api", "flower"}


def test_only_api_and_flower_are_published_and_only_on_loopback(services: dict[str, Any]) -> None:
    published = {name: s["ports"] for name, s in services.items() if "ports" in s}
    assert set(published) == {"api", "flower"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


def test_redis_loses_nothing_that_it_acknowledged(services: dict[str, Any]) -> None:
    said = command(services["redis"])
    for wanted in (
        "--appendonly yes",
        "--appendfsync always",
        "--maxmemory-policy noeviction",
        '--maxmemory "$$REDIS_MAXMEMORY"',
        "--requirepass",
    ):
        assert wanted in said
    assert services["redis"]["volumes"] == ["redis:/data"]


def test_what_runs_long_is_restarted_checked_and_its_log_bounded(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert service["logging"]["options"]["max-size"], name
        assert service["init"] is True
        if name == "migrate":
            assert service["restart"] == "no"
            continue
        assert service["restart"] == "unless-stopped", name
        check = service["healthcheck"]
        assert check["test"][0] in ("CMD", "CMD-SHELL")
        assert {"interval", "timeout", "retries"} <= check.keys(), name


def test_nothing_starts_before_what_it_needs(services: dict[str, Any]) -> None:
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("indexer", "intake", "worker", "beat", "api", "flower"):
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "postgres": {"condition": "service_healthy"},
            "redis": {"condition": "service_healthy"},
        }, name


def test_the_application_can_write_nothing_and_has_no_rights(services: dict[str, Any]) -> None:
    for name in ("migrate", "indexer", "intake", "worker", "beat", "api", "flower"):
        service = services[name]
        assert service["read_only"] is True
        assert service["tmpfs"] == ["/tmp"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "volumes" not in service


def test_the_superusers_password_is_known_to_what_needs_it_alone(services: dict[str, Any]) -> None:
    knowing = {n for n, s in services.items() if "POSTGRES_PASSWORD" in str(s.get("environment", {}))}
    assert knowing == {"postgres", "migrate", "indexer"}
    assert list(services["indexer"]["environment"]) == ["DATABASE_ADMIN_URL"], "it takes nothing in"


def test_the_vector_indexes_of_large_tenants_are_built_as_up_builds_them(
    services: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from bio_agent_ops import indexing

    assert services["indexer"]["command"] == ["python", "-m", "bio_agent_ops.indexing"]
    assert services["indexer"]["healthcheck"]["test"][1:] == ["python", "-m", "bio_agent_ops.indexing", "--healthy"]
    assert (
        services["indexer"]["environment"]["DATABASE_ADMIN_URL"]
        == services["migrate"]["environment"]["DATABASE_ADMIN_URL"]
    )
    monkeypatch.delenv("DATABASE_ADMIN_URL", raising=False)
    assert indexing.main([]) == 2, "without the role that migrates it cannot work, and says so"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert indexing.main(["--healthy"]) == 1
    indexing._sign().touch()
    assert indexing.main(["--healthy"]) == 0


def test_postgres_volume_is_where_version_18_wants_it(services: dict[str, Any]) -> None:
    assert services["postgres"]["image"].endswith("pg18")
    assert services["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]


def test_no_secret_has_a_default(services: dict[str, Any]) -> None:
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            if name.endswith(("PASSWORD", "TOKEN", "AUTH")):
                assert ":?" in str(value), f"{name} must be set by the operator"


def test_flower_is_read_only_and_behind_a_password(services: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert services["flower"]["command"][:3] == ["python", "-m", "bio_agent_ops.flower_config"]
    assert "FLOWER_BASIC_AUTH" in services["flower"]["environment"]
    config = (ROOT / "ops" / "bio_agent_ops" / "flower_config.py").read_text()
    monkeypatch.setenv("FLOWER_BASIC_AUTH", "owner:" + "x" * 12)
    # As Flower loads it: executed, its names become the settings.
    settings: dict[str, Any] = {"__file__": "flower_config.py"}
    exec(compile(config, "flower_config.py", "exec"), settings)
    assert settings["read_only"] is True
    for weak in ("", "owner", "owner:", "owner:short", ":" + "x" * 12, "owner:" + "x" * 12 + ",another:y"):
        monkeypatch.setenv("FLOWER_BASIC_AUTH", weak)
        with pytest.raises(SystemExit, match="12 characters"):
            exec(compile(config, "flower_config.py", "exec"), {"__file__": "flower_config.py"})


def test_each_command_names_something_that_exists(services: dict[str, Any]) -> None:
    for name in ("intake", "api", "flower"):
        module = services[name]["command"][2]
        assert importlib.util.find_spec(module) is not None
    for name in ("worker", "beat"):
        assert "--app=bio_agent_workers.app" in services[name]["command"]
    from bio_agent_ops.alive import PARTS
    from bio_agent_ops.cli import main

    for part in PARTS:
        assert services[part]["healthcheck"]["test"][1:] == ["python", "-m", "bio_agent_ops.alive", part]
    assert services["migrate"]["command"] == ["bio-agent", "migrate"]
    assert "migrate" in main.commands


def test_the_worker_listens_on_every_queue() -> None:
    from bio_agent_workers import pipeline

    used = {route["queue"] for route in pipeline.ROUTES.values()} | {s.queue for s in pipeline.STAGES}
    assert used == set(pipeline.QUEUES.split(","))
    services_ = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert f"--queues={pipeline.QUEUES}" in services_["worker"]["command"]
