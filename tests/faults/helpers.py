"""Worker processes for the fault tests, and the invariants that must hold after every fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

PYTHON = sys.executable
CELERY = (PYTHON, "-m", "celery", "-A", "bio_agent_workers.app")


class Process:
    """A program of the service as a child of the test; what it says goes to a file."""

    def __init__(self, argv: tuple[str, ...], env: Mapping[str, str], log: Path, **extra: str) -> None:
        self.argv, self.env, self.log = argv, {**os.environ, **env, "BIO_TEST": "1", "BIO_LOG": "INFO", **extra}, log
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> Process:
        with self.log.open("ab") as out:
            self.child = subprocess.Popen(self.argv, env=self.env, stdout=out, stderr=out, start_new_session=True)
        return self

    def ended(self) -> int | None:
        return None if self.child is None else self.child.poll()

    def kill(self) -> None:
        if self.child is not None and self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()


def worker(env: Mapping[str, str], log: Path, **extra: str) -> Process:
    argv = (*CELERY, "worker", "--pool", "threads", "--concurrency", "2", "-Q", "bio.beat,bio.think",
            "--without-gossip", "--without-mingle", "--without-heartbeat")  # fmt: skip
    return Process(argv, env, log, **extra)


def beat(env: Mapping[str, str], folder: Path) -> Process:
    return Process((*CELERY, "beat", "-s", str(folder / "beat"), "--pidfile="), env, folder / "beat.log")


def intake(env: Mapping[str, str], log: Path, **extra: str) -> Process:
    return Process((PYTHON, "-m", "bio_agent_workers.intake"), env, log, **extra)


def until(done: Callable[[], bool], seconds: float, what: str) -> float:
    """Wait for it; returns how long it took."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if done():
            return time.monotonic() - began
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {seconds:.0f} s")


class Admin:
    """Reads across tenants as the superuser, for checks only."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)

    def rows(self, sql: str, **params: Any) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(text(sql), params))

    def one(self, sql: str, **params: Any) -> Any:
        return self.rows(sql, **params)[0][0]

    def close(self) -> None:
        self.engine.dispose()


def invariants(admin: Admin) -> None:
    """What must hold whatever was killed."""
    assert not admin.rows("select id from bio.episodes where state in ('claimed', 'open', 'waiting')"), "left behind"
    assert not admin.rows(
        """
        select b.id from bio.beliefs b left join bio.evidence e on e.tenant = b.tenant and e.belief_id = b.id
          and e.supports and e.retracted_at is null
        where b.layer <> 'core' group by b.tenant, b.id, b.support_count
        having b.support_count <> count(distinct e.episode_id)
        """
    ), "support_count is not the number of distinct supporting episodes"
    assert not admin.rows(
        "select canonical_key from bio.beliefs where state in ('proposed', 'reinforced', 'stable', 'challenged')"
        " group by tenant, scope_path, scope_agent, scope_user, canonical_key having count(*) > 1"
    ), "two active rules of one key"
    assert not admin.rows(
        "select content from bio.memories group by tenant, workspace, kind, content having count(*) > 1"
    ), "a memory twice"
    assert not admin.rows("select id from bio.cycles where state in ('running', 'queued')"), "a cycle without an end"
