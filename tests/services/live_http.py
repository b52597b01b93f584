"""The HTTP face on a real port, for what reaches it from outside this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from bio_agent_ops.http import create_app
from bio_agent_ops.local import free_port
from bio_agent_ops.service.context import Context


@contextmanager
def listening(ctx: Context) -> Iterator[int]:
    """Serves `ctx` on a free port of 127.0.0.1 for the time of the block."""
    app = create_app(ctx.settings)
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)
    assert server.started
    app.state.ctx.__dict__["runtime"] = ctx.runtime
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(10)
