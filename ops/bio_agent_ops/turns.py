"""Requests that embed text take turns: a flood of them leaves threads and processors for the guard, which others wait for.

AT_ONCE of them are worked on, WAITING wait without holding a thread, more are refused and told when to come back. The bound
is the service's, whoever asks: one program's flood costs other programs' recalls time, and nobody's guard.
"""

from __future__ import annotations

import asyncio
from typing import Any

from bio_agent_ops.door import Receive, Scope, Send, problem

AT_ONCE = 4
WAITING = 64
RETRY_S = 2
_EMBEDS = frozenset({"/api/recall", "/api/context", "/api/remember", "/recall", "/remember"})


class Turns:
    def __init__(self, app: Any, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self.app, self._free, self._most, self._inside = app, asyncio.Semaphore(at_once), at_once + waiting, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") not in _EMBEDS:
            await self.app(scope, receive, send)
            return
        if self._inside >= self._most:
            said = f"{self._inside} requests of this kind are waiting already; come back in {RETRY_S} s"
            await problem(429, "Busy", said, {"Retry-After": str(RETRY_S)})(scope, receive, send)
            return
        self._inside += 1
        try:
            async with self._free:
                await self.app(scope, receive, send)
        finally:
            self._inside -= 1
