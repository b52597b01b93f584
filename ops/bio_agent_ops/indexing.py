"""The vector indexes of large tenants, kept as they are wanted while the service is up: what the application asked for is
built, what it no longer wants is dropped. Only the role that migrates may do either, so the workers cannot."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

LOOK_EVERY_S = 60.0  # as often as the application looks whether a tenant has grown
REST_S = 1_800.0  # after a failure, such as a full disk: the exact scan answers meanwhile


class Indexer:
    """Looks now and then, in a thread of its own; one index is built at a time, and nothing waits for it."""

    def __init__(self, admin_url: Callable[[], str], say: Callable[[str], None]) -> None:
        """admin_url: asked at each look, since a server that was started again may have another port."""
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
            self._say(f"built {len(built)} vector indexes of large tenants in {time.monotonic() - began:.0f} s")
