"""The product as a user has it (`bio-agent up` on a home of its own), with a clock that the bench may set."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, text

from bio_agent_ops.bench.ingest import wait_for_health
from bio_agent_ops.bench.own import end, plain_environment
from bio_agent_ops.home import Home
from bio_agent_ops.local import Api, alive_readers, free_port
from bio_agent_ops.stack import Stack

STARTS_WITHIN_S = 180.0
QUIET_S = 1.5  # without a new episode after which what was captured counts as delivered
SETTLES_WITHIN_S = 120.0
# Hosts write down the machine's time; what the first session left is moved back by the days that pass in the test clock.
_MOMENTS = (
    "update bio.episodes set occurred_at = occurred_at - cast(:d as interval)",
    "update bio.memories set occurred_at = occurred_at - cast(:d as interval)",
    "update bio.guard_facts set last_failed_at = last_failed_at - cast(:d as interval),"
    " last_succeeded_at = last_succeeded_at - cast(:d as interval)",
)


@dataclass(frozen=True)
class Installation:
    """A running installation. admin: the owner's connection, which alone may set the clock."""

    home: Home
    api: Api
    admin: Engine

    def days_ago(self, days: int) -> None:
        """Let `bio.now()` run `days` behind the machine's time."""
        with self.admin.begin() as connection:
            connection.execute(text("update bio.clock set shift = - make_interval(days => :d)"), {"d": days})

    def settle(self) -> int:
        """Wait until nothing more arrives from the host. Returns the number of episodes."""
        until = time.monotonic() + SETTLES_WITHIN_S
        count, since = -1, time.monotonic()
        while time.monotonic() < until:
            now = self._count()
            if now != count:
                count, since = now, time.monotonic()
            elif time.monotonic() - since > QUIET_S and not self.api.call("GET", "/api/status")["producer"]["unread"]:
                break
            time.sleep(0.2)
        return count

    def sleep(self) -> Any:
        """Consolidate what waits."""
        return self.api.call("POST", "/api/sleep", {})

    def move_back(self, days: int) -> None:
        """What happened so far happened so many days earlier."""
        with self.admin.begin() as connection:
            for statement in _MOMENTS:
                connection.execute(text(statement), {"d": f"{days} days"})

    def rules(self) -> list[str]:
        """The texts of all rules in force, oldest first, for the report on what was missed."""
        with self.admin.connect() as connection:
            found = connection.execute(
                text("select scope_path || ' ' || state || ' ' || coalesce(nullif(rendering, ''), content) from bio.beliefs"
                     " order by created_at")
            )  # fmt: skip
            return [str(row[0]) for row in found]

    def _count(self) -> int:
        with self.admin.connect() as connection:
            return int(connection.execute(text("select count(*) from bio.episodes")).scalar_one())


@contextmanager
def running(folder: Path) -> Iterator[Installation]:
    """`bio-agent up` on a fresh home below `folder`. Raises RuntimeError with the end of its log when it does not start."""
    home, port, log = Home(folder / "memory"), free_port(), folder / "up.log"
    argv = [sys.executable, "-m", "bio_agent_ops.cli", "--home", str(home.root), "up", "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            argv, env=plain_environment(), cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL
        )
    try:
        try:
            wait_for_health(port, lambda: process.poll() is None, STARTS_WITHIN_S)
            api = Api(port, home.owner_token)
            _wait_for_readers(api)
        except RuntimeError as error:
            raise RuntimeError(f"{error}; the log ends with:\n{log.read_text(errors='replace')[-1500:]}") from None
        stack = Stack.attached(home)
        if stack is None:
            raise RuntimeError("the service runs but holds no lock on its home")
        admin = create_engine(stack.database_url, pool_size=2)
        try:
            yield Installation(home, api, admin)
        finally:
            admin.dispose()
    finally:
        end(process)


def _wait_for_readers(api: Api) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until:
        if alive_readers(api.call("GET", "/api/status")["intake"]):
            return
        time.sleep(0.1)
    raise RuntimeError("the service answers but nothing reads the stream")
