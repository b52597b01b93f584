"""`bio-agent bench ingest`: how fast observations get onto the stream and off it, on a stack of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import redis

from bio_agent_client.client import Memory
from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.bench.conditions import Figure, conditions, report
from bio_agent_ops.bench.material import observations
from bio_agent_ops.home import Home
from bio_agent_ops.local import free_port
from bio_agent_ops.local import prepare as prepare_schema
from bio_agent_ops.stack import Stack

SECONDS = 3.0  # of each rate
CLIENTS = 16
BATCH = 100
DRAIN = 30_000


def main(*, as_json: bool) -> int:
    """Measure and report. Exit code 0 also when a target is missed: the report says so."""
    with tempfile.TemporaryDirectory(prefix="bio-agent-bench-") as folder:
        home = Home(Path(folder) / "home")
        with Stack(home) as stack:
            env = {
                **os.environ,
                **prepare_schema(stack),
                "REDIS_URL": stack.redis_url,
                "BIO_AGENT_HOME": str(home.root),
            }
            client = redis.Redis.from_url(stack.redis_url, protocol=2)
            policy = next(iter(client.config_get("appendfsync").values()), "?")
            under = conditions(
                appendfsync=policy.decode() if isinstance(policy, bytes) else policy, redaction="on",
                observation_bytes=round(sum(len(to_wire(prepare(o))) for o in observations(500)) / 500),
            )  # fmt: skip
            figures = [*_redis(client), *_http(env, client), _drain(env, client)]
    report("ingest", under, figures, as_json=as_json)
    return 0


def _rate(call: Callable[[int], int], seconds: float = SECONDS) -> float:
    """Observations a second of a call that returns how many it sent."""
    end = time.perf_counter() + seconds
    began, sent, n = time.perf_counter(), 0, 0
    while time.perf_counter() < end:
        sent += call(n)
        n += 1
    return sent / (time.perf_counter() - began)


def _redis(client: redis.Redis) -> list[Figure]:
    material = observations(2_000)
    wires = [to_wire(prepare(o)) for o in material]
    memory = Memory(redis=client, tenant="bench-client")

    def bare(n: int) -> int:
        client.xadd("bio:bench:bare", {"o": wires[n % len(wires)]})
        return 1

    def single(n: int) -> int:
        return len(memory.publish([material[n % len(material)]]))

    def batched(n: int) -> int:
        return len(memory.publish(material[(n * 500) % 2_000 : (n * 500) % 2_000 + 500]))

    # In turn, so that the machine's mood is the same for both sides of the ratio.
    pairs = [(_rate(bare, 1.0), _rate(single, 1.0)) for _ in range(3)]
    bare_rate, single_rate = (sorted(p[i] for p in pairs)[1] for i in (0, 1))
    ratio = sorted(s / b for b, s in pairs)[1]
    batch_rate = _rate(batched)
    memory.close()
    client.delete("bio:bench:bare", "bio:obs:bench-client")
    return [
        Figure("bare XADD loop, one by one", bare_rate, "/s"),
        Figure("client on Redis, one by one", single_rate, "/s"),
        Figure("client one by one, of the bare loop", ratio, "", 0.8),
        Figure("client on Redis, in batches of 500", batch_rate, "/s", 10_000),
    ]


def _http(env: dict[str, str], client: redis.Redis) -> list[Figure]:
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "bio_agent_ops.http"],
        env=env | {"BIO_AGENT_PORT": str(port), "MAX_BACKLOG": "100000000"},
    )
    try:
        _wait(port)
        single = _load(port, 1)
        batched = _load(port, BATCH)
    finally:
        server.terminate()
        server.wait(10)
        client.delete("bio:obs:default")
    return [
        Figure(f"HTTP, {CLIENTS} keep-alive clients, single requests", single, "/s", 500),
        Figure(f"HTTP, {CLIENTS} keep-alive clients, batches of {BATCH}", batched, "/s", 5_000, note="(observations)"),
    ]


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/api/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise RuntimeError("the HTTP face did not start within 20 s")


def _load(port: int, size: int) -> float:
    """Observations a second that 16 clients in a process of their own get accepted."""
    argv = [sys.executable, "-m", "bio_agent_ops.bench.ingest", str(port), str(size), str(SECONDS)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=SECONDS * 5 + 30)
    return float(done.stdout)


def _clients(port: int, size: int, seconds: float) -> float:
    material = observations(2_000)
    bodies = [
        json.dumps(material[i] if size == 1 else material[i : i + size]).encode() for i in range(0, len(material), size)
    ]
    counts = [0] * CLIENTS
    end = time.perf_counter() + seconds

    def run(me: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        n = me
        while time.perf_counter() < end:
            connection.request("POST", "/api/ingest", bodies[n % len(bodies)], {"Content-Type": "application/json"})
            answer = connection.getresponse()
            data = json.loads(answer.read())
            if answer.status == 200:
                counts[me] += data["accepted"]
            n += CLIENTS

    threads = [threading.Thread(target=run, args=(i,)) for i in range(CLIENTS)]
    began = time.perf_counter()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(counts) / (time.perf_counter() - began)


def _drain(env: dict[str, str], client: redis.Redis) -> Figure:
    """How fast the intake process empties a stream that is full before it starts."""
    stream = "bio:obs:default"
    pipe = client.pipeline(transaction=False)
    for i, o in enumerate(observations(DRAIN, seed=2)):
        pipe.xadd(stream, {"o": to_wire(prepare(o))})
        if i % 1000 == 999:
            pipe.execute()
    pipe.execute()
    reader = subprocess.Popen([sys.executable, "-m", "bio_agent_workers.intake"], env=env, stderr=subprocess.DEVNULL)
    try:
        first = _until(client, stream, lambda left: left < DRAIN)
        last = _until(client, stream, lambda left: left == 0)
    finally:
        reader.terminate()
        reader.wait(10)
    return Figure("intake, stream to episodes", DRAIN / (last - first), "/s", 3_000, note=f"({DRAIN} observations)")


def _until(client: redis.Redis, stream: str, done: Callable[[int], bool]) -> float:
    end = time.perf_counter() + 120
    while time.perf_counter() < end:
        left: Any = client.xlen(stream)
        if done(int(left)):
            return time.perf_counter()
        time.sleep(0.005)
    raise RuntimeError("intake did not empty the stream within two minutes")


def _as_client(argv: Sequence[str]) -> None:
    print(_clients(int(argv[0]), int(argv[1]), float(argv[2])))


if __name__ == "__main__":
    _as_client(sys.argv[1:])
