"""Requests that embed text take turns; the guard waits for none of them."""

from __future__ import annotations

import asyncio
from typing import Any

from bio_agent_ops.turns import RETRY_S, Turns


def test_a_flood_of_recalls_waits_in_turn_is_bounded_and_leaves_the_guard_alone() -> None:
    asyncio.run(_flood())


async def _flood() -> None:
    release, working, most = asyncio.Event(), 0, 0

    async def service(scope: dict[str, Any], receive: Any, send: Any) -> None:
        nonlocal working, most
        if scope["path"] == "/api/recall":
            working += 1
            most = max(most, working)
            await release.wait()
            working -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    turns = Turns(service, at_once=2, waiting=3)
    flood = [asyncio.create_task(_ask(turns, "/api/recall")) for _ in range(8)]
    await asyncio.sleep(0)
    assert (await asyncio.wait_for(_ask(turns, "/api/check"), 1))["status"] == 200
    release.set()
    answers = [await task for task in flood]
    assert sorted(a["status"] for a in answers) == [200] * 5 + [429] * 3
    refused = next(a for a in answers if a["status"] == 429)
    assert (b"retry-after", str(RETRY_S).encode()) in refused["headers"]
    assert most == 2
    assert (await _ask(turns, "/api/recall"))["status"] == 200, "what was refused may come back"


async def _ask(app: Turns, path: str) -> dict[str, Any]:
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    await app({"type": "http", "path": path, "method": "POST", "headers": []}, receive, send)
    return said[0]
