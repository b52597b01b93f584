"""The vector indexes of large tenants, kept as they are wanted while the service is up: what the application asked for is
built, what it no longer wants is dropped. Only the role that migrates may do either, so the workers cannot.

`bio-agent up` looks from its supervisor. Where the parts run by themselves, `python -m bio_agent_ops.indexing` is one of
them (DATABASE_ADMIN_URL as for `bio-agent migrate`); with `--healthy` it says by its exit code whether that one is at work.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bio_agent_workers.brain.counting import counted

LOOK_EVERY_S = 60.0  # as often as the application looks whether a tenant has grown
SIGN_EVERY_S, SILENT_S = 5.0, 30.0  # of the process of its own: between two signs of life, and how long one holds
REST_S = 1_800.0  # after a failure, such as a full disk: the exact scan answers meanwhile


class Indexer:
    """Looks now and then, in a thread of its own; one index is built at a time, and nothing waits for it."""

    def __init__(self, admin_url: Callable[[], str], say: Callable[[str], None]) -> None:
        """admin_url: asked at each look, since a server that was started again may have another port. say: what was built,
        or why not."""
        self._admin_url, self._say = admin_url, say
        self._next = time.monotonic() + LOOK_EVERY_S  # a service that starts has other things to do
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Call often; returns at once."""
        now = time.monotonic()
        if now < self._next or (self._thread is not None and self._thread.is_alive()):
            return
        self._next = now + LOOK_EVERY_S
        self._thread = threading.Thread(target=self._build, name="indexer", daemon=True)
        self._thread.start()

    def _build(self) -> None:
        # Not above: every command imports the supervisor, and few of them need the database's libraries.
        from bio_agent_schema.vectors import build_wanted

        began = time.monotonic()
        try:
            built = build_wanted(self._admin_url())
        except Exception as error:  # whatever it was, the service goes on without
            self._next = time.monotonic() + REST_S
            logging.getLogger("bio.ops").debug("vector indexes", exc_info=True)
            cause = str(error).partition("\n")[0]
            self._say(f"a vector index could not be built ({cause}); recall compares every vector, next try in 30 min")
            return
        if built:
            self._say(
                f"built {counted(len(built), 'vector index')} of large tenants in {time.monotonic() - began:.0f} s"
            )


def _sign() -> Path:
    """The file whose time says that the process of its own is at work, also while it builds."""
    return Path(tempfile.gettempdir()) / "bio-agent-indexer"


def main(words: Sequence[str]) -> int:
    """The process of its own; never returns unless it cannot work or is only asked for its health."""
    if "--healthy" in words:
        return 0 if _sign().is_file() and time.time() - _sign().stat().st_mtime < SILENT_S else 1
    url = os.environ.get("DATABASE_ADMIN_URL", "")
    if not url:
        print("set DATABASE_ADMIN_URL: a role that may migrate, as for `bio-agent migrate`", file=sys.stderr)
        return 2
    indexer = Indexer(lambda: url, lambda said: print(said, flush=True))
    while True:
        indexer.look()
        _sign().touch()
        time.sleep(SIGN_EVERY_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
