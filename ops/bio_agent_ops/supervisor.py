"""`up`, `down` and `status`: run an installation in the foreground, end it from elsewhere, look at it.

One parent process holds the home's lock, starts PostgreSQL and Valkey, has the schema prepared, then keeps the worker,
the intake, the beat and the HTTP face running. The crash of one of them does not end the others.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from bio_agent_ops.children import (
    FLOWER_PASSWORD_FILE,
    FLOWER_PORT,
    FLOWER_USER,
    Child,
    Output,
    Running,
    Warm,
    default_children,
    restart_delay_s,
)
from bio_agent_ops.home import Home, HomeError
from bio_agent_ops.indexing import Indexer
from bio_agent_ops.postgres import PostgresError
from bio_agent_ops.processes import port_is_free
from bio_agent_ops.spooled import Drainer
from bio_agent_ops.stack import Stack
from bio_agent_ops.valkey import ValkeyError

TICK_S = 0.1
PORT_WAIT_S = 1.0
# Longer than every grace time of the children and servers together may ever add up to in practice.
DOWN_WAIT_S = 60.0

Prepare = Callable[[Stack], Mapping[str, str]]


class _Stopped(BaseException):
    """A signal to stop arrived while still starting."""


class _Signals:
    """Counts requests to stop. While `starting`, one interrupts whatever is being done."""

    def __init__(self) -> None:
        self.count = 0
        self.starting = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.starting and self.count == 1:
            raise _Stopped

    @contextmanager
    def installed(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


STAGGER_S = 2.5  # longest that worker, intake and beat wait for the HTTP face to answer first


class Supervisor:
    """Keeps a list of children running, in front of a started stack."""

    def __init__(
        self,
        stack: Stack,
        children: Sequence[Child],
        env: Mapping[str, str],
        output: Output,
        warm: Mapping[str, Warm] | None = None,
    ) -> None:
        """`warm`: by the child's name, a process that has imported its program already."""
        self.stack = stack
        self.output = output
        self.running = [Running(child, stack.home, env, output, (warm or {}).get(child.name)) for child in children]
        self._stack_crashes = 0
        self._stack_due = 0.0

    def start(self) -> None:
        """Start what people wait for (it has a readiness of its own) now, the rest as soon as that is ready.

        On two cores all at once would make everybody late: each spends two seconds on imports.
        """
        for one in self.running:
            if one.child.ready is not None:
                one.start()
            else:
                one.start_within(STAGGER_S)

    def tick(self) -> None:
        self._keep_stack()
        if all(one.is_ready for one in self.running if one.child.ready is not None):
            for one in self.running:
                one.hurry()
        for one in self.running:
            one.tick()

    def _keep_stack(self) -> None:
        if self.stack.all_running() or time.monotonic() < self._stack_due:
            return
        try:
            for name in self.stack.revive():
                self.output.line(name, "had died, is running again")
            self._stack_crashes = 0
        except (PostgresError, ValkeyError, OSError) as error:
            self._stack_crashes += 1
            delay = restart_delay_s(self._stack_crashes)
            self._stack_due = time.monotonic() + delay
            self.output.line("stack", f"{error}; trying again in {delay:g} s".replace("\n", " / "))

    def is_ready(self) -> bool:
        return all(one.is_ready and one.process is not None for one in self.running)

    def stop(self, hurry: Callable[[], bool] = lambda: False) -> None:
        """Stop the children, the last started first, each within its grace time."""
        for one in reversed(self.running):
            one.stop(hurry)

    def children_state(self) -> dict[str, dict[str, object]]:
        return {one.child.name: one.state() for one in self.running}


def state_file(home: Home) -> Path:
    return home.run / "up.json"


def version() -> str:
    try:
        return importlib.metadata.version("bio-agent-os")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _write_state(home: Home, state: Mapping[str, Any]) -> None:
    path = state_file(home)
    draft = path.with_name(f".up.{secrets.token_hex(4)}")
    draft.write_text(json.dumps(state, indent=1) + "\n")
    draft.replace(path)


def _mark_stopping(home: Home) -> None:
    """The HTTP face answers for a while yet; nobody may begin anything with it."""
    with suppress(OSError, ValueError):
        _write_state(home, {**json.loads(state_file(home).read_text()), "ready": False, "stopping": True})


def _port_problem(port: int) -> str | None:
    if not 1 <= port <= 65535:
        return f"{port} is not a port; give one from 1 to 65535 with --port"
    # What a killed run left behind ends by itself, a moment after its lock is free.
    deadline = time.monotonic() + PORT_WAIT_S
    while not port_is_free(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    if not port_is_free(port):
        return f"port {port} on 127.0.0.1 is taken by another program (or not permitted); give another with --port"
    return None


def up(
    home: Home,
    port: int,
    flower: bool = False,
    *,
    prepare: Prepare,
    queues: Sequence[str] = (),
    children: Sequence[Child] | None = None,
    stack: Stack | None = None,
    out: TextIO | None = None,
) -> int:
    """Run the installation until SIGINT, SIGTERM or SIGHUP; a second signal skips the waiting. Returns the exit status.

    `prepare` gets the started stack, brings the schema up to date and returns the environment for the children, which
    must hold DATABASE_URL of the application's role (never the superuser's). `queues` are the worker's.
    """
    began = time.monotonic()
    stream = out or sys.stdout
    chosen = list(children) if children is not None else None
    stack = stack or Stack.from_environment(home)
    width = max(8, *(len(child.name) for child in chosen or ()), 0)
    output = Output(stream, width)
    signals = _Signals()
    with signals.installed():
        supervisor: Supervisor | None = None
        warm: dict[str, Warm] = {}
        try:
            holder = home.lock().holder()
            problem = _port_problem(port) if holder is None else None
            if problem is None and flower and not port_is_free(FLOWER_PORT):
                problem = f"Flower's port {FLOWER_PORT} on 127.0.0.1 is taken by another program"
            if problem is not None:
                output.line("up", problem)
                return 1
            if chosen is None and holder is None:
                warm["http"] = Warm("bio_agent_ops.http")
            stack.start()
            prepared = dict(prepare(stack))
            if "DATABASE_URL" not in prepared:
                raise HomeError("the schema's preparation gave no DATABASE_URL for the application's role")
            env = {
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "BIO_AGENT_HOME": str(home.root),
                "BIO_AGENT_PORT": str(port),
                "REDIS_URL": stack.redis_url,
                **prepared,
            }
            if chosen is None:
                chosen = default_children(home, port, flower=flower, queues=queues)
            supervisor = Supervisor(stack, chosen, env, output, warm)
            supervisor.start()
            signals.starting = False
            _run(supervisor, home, port, flower=flower, signals=signals, began=began)
            _mark_stopping(home)
            output.line("up", "stopping; press Ctrl-C again to stop at once")
            return 0
        except _Stopped:
            output.line("up", "stopped while starting")
            return 130
        except (HomeError, PostgresError, ValkeyError, OSError) as error:
            output.line("up", str(error))
            return 1
        finally:
            signals.starting = False
            if supervisor is not None:
                supervisor.stop(lambda: signals.count > 1)
            for one in warm.values():
                one.stop()
            if stack.is_started():
                state_file(home).unlink(missing_ok=True)
            stack.stop()


def _run(supervisor: Supervisor, home: Home, port: int, *, flower: bool, signals: _Signals, began: float) -> None:
    """Tick until asked to stop. Announce readiness once; keep the state file true."""
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    url = f"http://127.0.0.1:{port}"
    announced = False
    spool = Drainer(home, port, lambda text: supervisor.output.line("spool", text))
    indexer = Indexer(lambda: supervisor.stack.database_url, lambda text: supervisor.output.line("indexes", text))
    written: dict[str, Any] = {}
    while signals.count == 0:
        supervisor.tick()
        if not announced and supervisor.is_ready():
            announced = True
            supervisor.output.line("up", f"ready in {time.monotonic() - began:.1f} s: {url} (home {home.root})")
            if flower:
                where = home.root / FLOWER_PASSWORD_FILE
                supervisor.output.line(
                    "up", f"Flower: http://127.0.0.1:{FLOWER_PORT}, user {FLOWER_USER}, password in {where}"
                )
        if announced:
            spool.look()
            indexer.look()
        state = {
            "version": version() if not written else written["version"],
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started_at": started_at,
            "ready": announced,
            "url": url,
            "port": port,
            "flower_port": FLOWER_PORT if flower else None,
            "children": supervisor.children_state(),
            **supervisor.stack.state(),
        }
        if state != written:
            with suppress(OSError):
                _write_state(home, state)
                written = state
        time.sleep(TICK_S)


def status(home: Home) -> dict[str, Any]:
    """What runs on `home`: {"running": False}, or the state the supervisor last wrote. Holds no secrets."""
    holder = home.lock().holder()
    if holder is None:
        return {"running": False, "home": str(home.root)}
    try:
        kept = json.loads(state_file(home).read_text())
    except (OSError, ValueError):
        kept = {}
    if not isinstance(kept, dict) or kept.get("pid") != holder:
        kept = {"pid": holder, "ready": False}
    return {"running": True, "home": str(home.root), **kept}


def _gone(pid: int) -> bool:
    """Whether the process has ended; one that waits to be reaped has."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
            in "ZX"
        )
    except (OSError, IndexError):
        if Path("/proc/self/stat").exists():
            return True
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return not shown.strip() or shown.strip().startswith("Z")


def down(home: Home, timeout_s: float = DOWN_WAIT_S, out: TextIO | None = None) -> int:
    """End what runs on `home` and wait until it is gone. 0 when nothing runs afterwards, else 1."""
    stream = out or sys.stdout
    holder = home.lock().holder()
    if holder is None:
        print(f"nothing runs on {home.root}", file=stream)
        return 0
    try:
        os.kill(holder, signal.SIGTERM)
    except ProcessLookupError:
        pass
    except PermissionError:
        print(f"process {holder} belongs to another user; end it as that user", file=stream)
        return 1
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        # The lock is freed a moment before the process ends, and a killed one's before the kernel has torn it down.
        if home.lock().holder() != holder and _gone(holder):
            print(f"stopped (process {holder})", file=stream)
            return 0
        time.sleep(0.05)
    print(f"process {holder} did not stop within {timeout_s:.0f} s; to end it hard: kill -9 {holder}", file=stream)
    return 1
