"""Real hosts are tried only when they are asked for: `pytest tests/hosts -m hosts`. They are fetched from the npm registry."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bio_agent_ops.home import Home
from bio_agent_ops.local import Api, free_port, service

FOLDER = Path(os.environ.get("BIO_HOSTS_DIR") or Path(tempfile.gettempdir()) / "bio-agent-hosts")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "hosts: fetches real agent hosts from the npm registry and drives them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "hosts" not in (config.getoption("markexpr") or ""):
        ours = [item for item in items if item.get_closest_marker("hosts")]
        config.hook.pytest_deselected(items=ours)
        items[:] = [item for item in items if item not in ours]


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Api]]:
    """A whole installation, running."""
    home = Home(tmp_path_factory.mktemp("home"))
    with service(home, free_port()) as running:
        yield home, running
