"""The embedded database's share of memory follows the machine's, and a container's limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from bio_agent_ops import memory_share

GB = 2**30


@pytest.mark.parametrize(
    ("memory", "expected"), [(0, "128MB"), (GB, "128MB"), (4 * GB, "256MB"), (8 * GB, "512MB"), (256 * GB, "1024MB")]
)
def test_the_share_has_a_floor_and_a_ceiling(memory: int, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_share, "memory_bytes", lambda: memory)
    assert memory_share.shared_buffers() == expected


def test_a_containers_limit_counts_and_no_limit_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory_share, "_LIMITS", (str(limit), str(tmp_path / "not-there")))
    whole = memory_share.memory_bytes()
    limit.write_text("max\n")
    assert memory_share.memory_bytes() == whole > 0
    limit.write_text(f"{whole // 2}\n")
    assert memory_share.memory_bytes() == whole // 2
