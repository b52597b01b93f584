"""The home's spool: what `exec` observed while no service answered. How much waits, and sending it."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bio_agent_ops.home import Home
from bio_agent_workers.brain.counting import counted

LOOK_EVERY_S = 10.0
DRAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """Undelivered observations in a spool: how many, their size in bytes, the age of the oldest file in seconds."""

    count: int = 0
    size_bytes: int = 0
    oldest_s: float = 0.0

    def __str__(self) -> str:
        if not self.count:
            return "empty"
        return f"{self.count} waiting ({self.size_bytes / 1024:.1f} KiB, the oldest for {age(self.oldest_s)})"


def age(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def waiting(folder: Path) -> Waiting:
    """What waits in `folder`; nothing is made, locked or changed."""
    count = size = 0
    oldest = float("inf")
    for segment in folder.glob("*.jsonl"):
        with contextlib.suppress(OSError, ValueError):
            delivered = _delivered(segment)
            with segment.open("rb") as stream:
                stream.seek(delivered)
                left = stream.read()
            if lines := left.count(b"\n"):
                count += lines
                size += len(left)
                # A segment's name starts with the time of its creation in nanoseconds.
                oldest = min(oldest, int(segment.name.split("-", 1)[0]) / 1e9)
    return Waiting(count, size, time.time() - oldest) if count else Waiting()


def _delivered(segment: Path) -> int:
    """Bytes of a segment that were delivered already: the spool's own mark beside it."""
    try:
        return int(segment.with_suffix(".done").read_text().split()[0])
    except (FileNotFoundError, IndexError):
        return 0


@dataclass(frozen=True, slots=True)
class Drained:
    """What became of a spool: taken by the service (also those it had already), refused by it, waiting still."""

    sent: int
    refused: int
    left: Waiting


def drain(home: Home, port: int, timeout_s: float = DRAIN_S) -> Drained:
    """Send what waits to the service on `port`. Segments that a living process writes stay.

    Without a credential, as `exec` would have sent it: what lay in a file must not gain the owner's word by the way.
    """
    if not waiting(home.spool).count:
        return Drained(0, 0, Waiting())
    from bio_agent_client.client import Memory

    with Memory(f"http://127.0.0.1:{port}", spool_dir=home.spool) as memory:
        memory.drain(timeout_s)
        told = memory.stats()
    return Drained(told["sent"] + told["duplicates"], told["refused"], waiting(home.spool))


class Drainer:
    """Sends the home's spool now and then, in a thread of its own, for as long as the service is up."""

    def __init__(self, home: Home, port: int, say: Callable[[str], None]) -> None:
        self._home, self._port, self._say = home, port, say
        self._next = 0.0
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Call often; returns at once."""
        now = time.monotonic()
        if now < self._next or (self._thread is not None and self._thread.is_alive()):
            return
        self._next = now + LOOK_EVERY_S
        if any(self._home.spool.glob("*.jsonl")):
            self._thread = threading.Thread(target=self._drain, daemon=True)
            self._thread.start()

    def _drain(self) -> None:
        try:
            done = drain(self._home, self._port)
        except Exception:  # the edge of a thread: whatever it was is told, and the next look tries again
            logging.getLogger("bio.ops").exception("the spool could not be sent")
            return
        if done.sent or done.refused:
            refused = f", {done.refused} were refused" if done.refused else ""
            self._say(f"sent {counted(done.sent, 'observation')} that waited in {self._home.spool}{refused}")
