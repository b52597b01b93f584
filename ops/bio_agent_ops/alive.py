"""Is a part that answers no requests at work? `python -m bio_agent_ops.alive intake|worker|beat`: exit code 0 or 1.

For the health checks of containers, so it imports little and asks Redis (REDIS_URL) alone. Intake leaves a sign of life
with its host's name. Of worker and beat the sign is a dispatch: beat asks for one every two seconds, a worker does it.
When there was none lately, the queue tells which of the two stands still: requests pile up when the worker does.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from typing import Any

SIGN_S = 20.0  # a sign of life older than this says nothing any more
WATCH_S = 5.0  # more than two periods of beat
QUEUE = "bio:q:bio.beat"
PARTS = ("intake", "worker", "beat")


def intake(client: Any, host: str) -> str:
    """Why the intake of this host is not at work; "" when it is. The same for the functions below."""
    signs = [client.get(key) for key in client.scan_iter(f"bio:alive:intake:{host}:*", count=1000)]
    age = min((time.time() - float(sign) for sign in signs if sign), default=None)
    if age is None or age > SIGN_S:
        return f"no sign of life of an intake on {host}" + (f" for {age:.0f} s" if age is not None else "")
    return ""


def _dispatched(client: Any) -> bool:
    sign = client.get("bio:alive:dispatch")
    return sign is not None and time.time() - float(sign) <= SIGN_S


def worker(client: Any) -> str:
    if _dispatched(client) or not client.llen(QUEUE):
        return ""
    return f"{client.llen(QUEUE)} requests lie in {QUEUE} and no worker takes them"


def beat(client: Any, watch_s: float = WATCH_S) -> str:
    if _dispatched(client):
        return ""
    before = client.llen(QUEUE)
    time.sleep(watch_s)
    if _dispatched(client) or client.llen(QUEUE) > before:
        return ""
    return "nobody asks for a dispatch"


def main(part: str) -> int:
    import redis

    client = redis.Redis.from_url(os.environ["REDIS_URL"], socket_connect_timeout=3, socket_timeout=3)
    try:
        why = {"intake": lambda: intake(client, socket.gethostname()), "worker": lambda: worker(client),
               "beat": lambda: beat(client)}[part]()  # fmt: skip
    except redis.RedisError as error:
        why = f"Redis is away: {type(error).__name__}"
    finally:
        client.close()
    if why:
        print(f"{part}: {why}", file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    if sys.argv[1:] not in [[part] for part in PARTS] or not os.environ.get("REDIS_URL"):
        sys.exit(f"usage: REDIS_URL=… python -m bio_agent_ops.alive {'|'.join(PARTS)}")
    sys.exit(main(sys.argv[1]))
