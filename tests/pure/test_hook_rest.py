"""A service that hangs on one kind of question costs a hook its wait once, and does not silence the guard."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from bio_agent_client.hosts import link


def test_a_recall_that_hangs_rests_recalls_and_not_the_guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "READ_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hook = link.Link(str(tmp_path), f"http://127.0.0.1:{silent.getsockname()[1]}", "")
        with pytest.raises(link.Away, match="timeout"):
            hook.ask("GET", "/api/persona?workspace=w")
        with pytest.raises(link.Away, match="nothing runs"):
            hook.ask("GET", "/api/persona?workspace=w")
        with pytest.raises(link.Away, match="timeout"):
            hook.ask("POST", "/api/check", b"{}")
    rested = tmp_path / "run" / "hooks" / "away-check"
    long_ago = time.time() - link.GUARD_AWAY_S - 1
    os.utime(rested, (long_ago, long_ago))
    with pytest.raises(link.Away, match="ConnectionRefusedError"):
        hook.ask("POST", "/api/check", b"{}")
