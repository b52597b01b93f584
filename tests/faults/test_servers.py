"""Valkey and Postgres killed under load and started again: what was accepted is stored once, nobody restarts anything."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
import redis

from bio_agent_client.client import Memory
from bio_agent_client.transport import Away
from bio_agent_ops.home import Home
from bio_agent_ops.local import prepare
from bio_agent_ops.stack import Stack
from bio_agent_schema.db import Database, ensure_tenant
from tests.faults.helpers import Admin, intake, until

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("victim", ["valkey", "postgres"])
def test_accepted_observations_survive_a_killed_server(victim: str, tmp_path: Path) -> None:
    with Stack(Home(tmp_path / "home")) as stack:
        env = {**prepare(stack), "REDIS_URL": stack.redis_url, "BIO_AGENT_HOME": str(tmp_path / "home")}
        db = Database(env["DATABASE_URL"])
        with db.tenant("default") as session:
            ensure_tenant(session, "default")
        db.close()
        reader = intake(env, tmp_path / "intake.log").start()
        accepted: list[str] = []
        stop = threading.Event()

        def load() -> None:
            memory = Memory(stack.redis_url)
            n = 0
            while not stop.is_set():
                batch = [{"id": f"n{n + i}", "kind": "event", "content": f"event {n + i}"} for i in range(20)]
                n += 20
                try:
                    accepted.extend(memory.publish(batch))
                except Away:
                    time.sleep(0.2)
                time.sleep(0.01)
            memory.close()

        writer = threading.Thread(target=load)
        writer.start()
        try:
            time.sleep(2)
            server = stack.valkey if victim == "valkey" else stack.postgres
            assert server is not None
            assert server.pid is not None
            import os
            import signal

            os.kill(server.pid, signal.SIGKILL)
            time.sleep(0.5)
            until(lambda: bool(stack.revive()) or stack.all_running(), 30, "revived")
            before = len(accepted)
            until(lambda: len(accepted) > before + 100, 30, "the producer goes on")
            stop.set()
            writer.join(30)
            client = redis.Redis.from_url(stack.redis_url)
            until(lambda: client.xlen("bio:obs:default") == 0, 30, "intake goes on by itself")
        finally:
            stop.set()
            reader.kill()
        admin = Admin(stack.database_url)
        stored = {r[0] for r in admin.rows("select id from bio.episodes")}
        admin.close()
        assert len(accepted) > 200
        assert not set(accepted) - stored, "accepted and lost"
