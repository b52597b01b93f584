"""The databases an installation needs, embedded: PostgreSQL with pgvector, and Valkey (Redis-compatible).

    with Stack(Home("/path")) as stack:
        stack.database_url, stack.redis_url

Everything they write lies under the home. They listen on 127.0.0.1 with generated passwords, and end with the process
that started them, however that ends.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Self

from bio_agent_ops.home import Home, HomeError, HomeInUse, HomeLock
from bio_agent_ops.postgres import Postgres, PostgresError
from bio_agent_ops.valkey import Valkey, ValkeyError

__all__ = ["Home", "HomeError", "HomeInUse", "PostgresError", "Stack", "ValkeyError"]


class Stack:
    """Starts and stops both servers. A URL given is used as it is, and nothing is started for that part.

    Raises HomeInUse when another process runs this home, HomeError, PostgresError or ValkeyError when a part cannot be
    started; each message says what to do. After a failure nothing is left running.
    """

    def __init__(self, home: Home, *, database_url: str | None = None, redis_url: str | None = None) -> None:
        self.home = home
        self.postgres = None if database_url else Postgres(home)
        self.valkey = None if redis_url else Valkey(home)
        self._database_url = database_url
        self._redis_url = redis_url
        self._lock: HomeLock | None = None

    @classmethod
    def from_environment(cls, home: Home) -> Self:
        """With DATABASE_URL and REDIS_URL taken from the environment where they are set."""
        return cls(home, database_url=os.environ.get("DATABASE_URL"), redis_url=os.environ.get("REDIS_URL"))

    @property
    def database_url(self) -> str:
        """`postgresql+psycopg://…`; of the embedded server this is the superuser, meant for migrations."""
        if self._database_url:
            return self._database_url
        assert self.postgres is not None
        return self.postgres.url

    @property
    def redis_url(self) -> str:
        if self._redis_url:
            return self._redis_url
        assert self.valkey is not None
        return self.valkey.url

    def start(self) -> Self:
        """Start what is not given; returns once both answer."""
        if self._lock is not None:
            return self
        self.home.create()
        self._lock = self.home.lock().acquire()
        failures: list[Exception] = []

        def start_valkey(server: Valkey) -> None:
            try:
                server.start()
            except Exception as error:
                failures.append(error)

        beside = None
        if self.valkey is not None:
            beside = threading.Thread(target=start_valkey, args=(self.valkey,))
            beside.start()
        try:
            if self.postgres is not None:
                self.postgres.start()
            if beside is not None:
                beside.join()
            if failures:
                raise failures[0]
        except BaseException:
            if beside is not None:
                beside.join()
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop Valkey, then PostgreSQL, and free the home. Idempotent; leaves another process's stack alone."""
        try:
            if self.valkey is not None:
                self.valkey.stop()
        finally:
            try:
                if self.postgres is not None:
                    self.postgres.stop()
            finally:
                if self._lock is not None:
                    self._lock.release()
                    self._lock = None

    def is_started(self) -> bool:
        """Does this object hold the home?"""
        return self._lock is not None

    def all_running(self) -> bool:
        return (self.valkey is None or self.valkey.running()) and (self.postgres is None or self.postgres.running())

    def state(self) -> dict[str, dict[str, int | None] | None]:
        """Process id and port of each embedded server; None for one that is not ours. No secrets."""
        servers: dict[str, Postgres | Valkey | None] = {"postgres": self.postgres, "redis": self.valkey}
        return {
            name: None if server is None else {"pid": server.pid, "port": server.port}
            for name, server in servers.items()
        }

    @classmethod
    def attached(cls, home: Home) -> Self | None:
        """The stack another process runs on `home`, for its URLs; None when none runs. Starts and stops nothing."""
        if home.lock().holder() is None:
            return None
        stack = cls.from_environment(home)
        try:
            for server in (stack.postgres, stack.valkey):
                if server is not None:
                    server.port = server.recorded_port()
        except (OSError, ValueError):
            return None
        return stack

    def revive(self) -> list[str]:
        """Start again, on the same port, each server that has died. Returns the names of those."""
        revived = []
        if self.valkey is not None and not self.valkey.running():
            self.valkey.revive()
            revived.append("valkey")
        if self.postgres is not None and not self.postgres.running():
            self.postgres.revive()
            revived.append("postgres")
        return revived

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
