"""Readers of recall over HTTP: one that asks as fast as it is answered, and many that ask at a steady rate."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import redis

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.bench.clients import ANSWER_WITHIN_S, exchange
from bio_agent_ops.bench.conditions import Figure
from bio_agent_ops.bench.material import observations

CONNECTIONS = 16  # of the steady readers; more than are ever waiting when the service keeps up
LIMIT = 10  # memories asked for
WARM = 10  # requests before the measured ones


def posted(port: int, key: str, path: str, body: str) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {key}\r\nContent-Length: {len(body.encode())}\r\n\r\n"
    )
    return (head + body).encode()


def request(port: int, key: str, query: str) -> bytes:
    return posted(port, key, "/api/recall", json.dumps({"query": query, "limit": LIMIT}))


def percentile(spent: Sequence[float], share: float) -> float:
    ordered = sorted(spent)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def times(name: str, runs: Sequence[Sequence[float]], target: float | None, note: str = "") -> list[Figure]:
    """p50, p95 (with the target) and max of each run, in milliseconds."""
    return [
        Figure(f"{name}, p50", tuple(percentile(r, 0.5) for r in runs), "ms"),
        Figure(f"{name}, p95", tuple(percentile(r, 0.95) for r in runs), "ms", target, at_least=False, note=note),
        Figure(f"{name}, max", tuple(max(r) for r in runs), "ms"),
    ]


def _open(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), ANSWER_WITHIN_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def one_reader(port: int, made: Sequence[bytes]) -> list[float]:
    """Milliseconds of each request, one after the other on one connection. Raises RuntimeError for an answer but 200."""
    spent = []
    with _open(port) as connection:
        for one in made:
            at = time.perf_counter()
            status, body = exchange(connection, one)
            spent.append((time.perf_counter() - at) * 1000)
            if status != 200:
                raise RuntimeError(f"the service answered {status}: {body[:200]!r}")
    return spent


def steady_readers(port: int, made: Sequence[bytes], rate: float) -> list[float]:
    """Milliseconds from when each request was due, `rate` a second whatever the service does, to its answer."""
    local = threading.local()
    began = time.perf_counter() + 0.5  # by then all connections are open

    def connect() -> None:
        local.connection = _open(port)

    def ask(number: int) -> float:
        due = began + number / rate
        time.sleep(max(0.0, due - time.perf_counter()))
        status, body = exchange(local.connection, made[number])
        if status != 200:
            raise RuntimeError(f"the service answered {status}: {body[:200]!r}")
        return (time.perf_counter() - due) * 1000

    with ThreadPoolExecutor(CONNECTIONS, initializer=connect) as pool:
        return list(pool.map(ask, range(len(made))))


@contextmanager
def observing(client: redis.Redis, tenant: str, rate: float, seconds: float):  # type: ignore[no-untyped-def]
    """Observations onto the tenant's stream, `rate` a second, while the block runs; none twice in twice so many seconds,
    since a repeated one would be answered and not stored. Yields how many were sent so far."""
    wires = [to_wire(prepare(o)) for o in observations(max(1, int(2 * rate * seconds)), seed=3)]
    ended, sent = threading.Event(), [0]

    def send() -> None:
        began = time.perf_counter()
        while not ended.wait(max(0.0, began + sent[0] / rate - time.perf_counter())):
            client.xadd(f"bio:obs:{tenant}", {"o": wires[sent[0] % len(wires)]})
            sent[0] += 1

    thread = threading.Thread(target=send)
    thread.start()
    count: Callable[[], int] = lambda: sent[0]  # noqa: E731
    try:
        yield count
    finally:
        ended.set()
        thread.join()
