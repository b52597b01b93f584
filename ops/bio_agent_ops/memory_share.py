"""How much of the machine's memory the embedded PostgreSQL may keep pages in."""

from __future__ import annotations

import os
from pathlib import Path

SHARE = 16  # of the memory: 100,000 memories with their words and vectors take about half a gigabyte
LEAST_MB, MOST_MB = 128, 1024
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_bytes() -> int:
    """What this machine has, or the container where that may have less; 0 where neither can be told."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 0
    for name in _LIMITS:
        try:
            said = Path(name).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
        if said.isdigit():
            found = min(found, int(said))
    return max(0, found)


def shared_buffers() -> str:
    """As PostgreSQL's setting of that name. Pages are taken from the system only once they are used."""
    return f"{min(MOST_MB, max(LEAST_MB, memory_bytes() // SHARE // 2**20))}MB"
