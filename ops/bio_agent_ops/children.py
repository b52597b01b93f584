"""The long-running programs of an installation: what each is, how its lines are shown, when it is started again."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from bio_agent_ops.home import Home
from bio_agent_ops.processes import Process, open_log, spawn

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0
# One that ran this long before it ended counts as healthy again.
HEALTHY_AFTER_S = 60.0
LONGEST_LINE_BYTES = 16_384

FLOWER_PORT = 5555
FLOWER_USER = "owner"
FLOWER_PASSWORD_FILE = "flower.password"  # noqa: S105 - a file's name

# C0 and C1 controls, line and paragraph separators, and the marks that reorder text on a terminal.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_COLOUR = re.compile("\x1b\\[[0-9;]*m")


@dataclass(frozen=True)
class Child:
    """A program to keep running.

    `argv[0]` is an absolute path; `env` is added to the common environment; `ready` is asked until it says yes;
    `grace_s` is how long it may take to stop after `stop_signal`, before `hard_signal` and then SIGKILL.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | None = None
    stop_signal: int = signal.SIGTERM
    grace_s: float = 10.0
    hard_signal: int = signal.SIGKILL


class Warm:
    """A module that is being imported while the databases start (see bio_agent_ops.warm); `go` lets it run."""

    def __init__(self, module: str) -> None:
        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        argv = (sys.executable, "-m", "bio_agent_ops.warm", module)
        self.process: Process | None = spawn(
            argv, env=env, stdout=subprocess.PIPE, stdin=subprocess.PIPE, death_signal=signal.SIGKILL
        )

    def go(self, env: Mapping[str, str]) -> Process | None:
        """The process, which from now on is the module's; None when it ended before or was taken already."""
        process, self.process = self.process, None
        if process is None or process.popen.stdin is None:
            return None
        try:
            with process.popen.stdin as stdin:
                stdin.write(json.dumps(dict(env)).encode() + b"\n")
        except OSError:
            process.stop([])
            return None
        return process

    def stop(self) -> None:
        if self.process is not None:
            self.process.stop([])
            self.process = None


def restart_delay_s(crashes: int) -> float:
    """Seconds to wait after the `crashes`-th (≥ 1) crash in a row: 0.5, 1, 2, … up to 30."""
    if crashes < 1:
        raise ValueError(f"crashes must be at least 1, got {crashes}")
    return float(min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(crashes - 1, 16)))


def safe_line(raw: bytes) -> str:
    """One log line as text that cannot move the cursor, forge another line or reorder what is shown."""
    text = _COLOUR.sub("", raw.decode("utf-8", "replace").rstrip("\r\n"))
    return _UNSAFE.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class Output:
    """The terminal, shared by the readers of several children. A closed one is ignored: the files keep the lines."""

    def __init__(self, stream: TextIO, width: int) -> None:
        self._stream = stream
        self._width = width
        self._lock = threading.Lock()

    def line(self, name: str, text: str) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._stream.write(f"{name:<{self._width}} | {text}\n")
            self._stream.flush()


class Running:
    """One child's life: started, read, and started again with growing pauses when it ends unasked."""

    def __init__(
        self, child: Child, home: Home, env: Mapping[str, str], output: Output, warm: Warm | None = None
    ) -> None:
        self.child = child
        self._warm = warm
        self.restarts = 0
        self.process: Process | None = None
        self.is_ready = child.ready is None
        self._env = {**env, **child.env}
        self._log = home.logs / f"{child.name}.log"
        self._output = output
        self._crashes = 0
        self._started = 0.0
        self._due = 0.0
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        warm = self._warm.go(self._env) if self._warm is not None else None
        try:
            # Our children keep their state in the databases, so when we are gone they end at once.
            self.process = warm or spawn(
                self.child.argv, env=self._env, stdout=subprocess.PIPE, death_signal=signal.SIGKILL
            )
        except OSError as error:
            self._crashed(f"cannot be started: {error}")
            return
        self._started = time.monotonic()
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()

    def start_within(self, seconds: float) -> None:
        """Let tick() start it, at the latest after `seconds`."""
        self._due, self.restarts = time.monotonic() + seconds, -1

    def hurry(self) -> None:
        """Let tick() start it now if it was never started."""
        if self.restarts < 0:
            self._due = 0.0

    def _read(self, process: Process) -> None:
        assert process.stdout is not None
        with process.stdout as stream:
            while raw := stream.readline(LONGEST_LINE_BYTES):
                text = safe_line(raw)
                if not text.strip():
                    continue
                self._output.line(self.child.name, text)
                with contextlib.suppress(OSError), open_log(self._log) as log:
                    log.write(text.encode() + b"\n")

    def _crashed(self, what: str) -> None:
        if time.monotonic() - self._started > HEALTHY_AFTER_S:
            self._crashes = 0
        self._crashes += 1
        delay = restart_delay_s(self._crashes)
        self._due = time.monotonic() + delay
        self.process = None
        self._output.line(self.child.name, f"{what}; starting it again in {delay:g} s")

    def tick(self) -> None:
        """Notice an end, start again when due, ask for readiness."""
        if self.process is not None:
            status = self.process.exit_status()
            if status is not None:
                self._crashed(
                    f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
                )
            elif not self.is_ready and self.child.ready is not None:
                self.is_ready = self.child.ready()
        elif time.monotonic() >= self._due:
            self.restarts += 1
            self.start()

    def stop(self, hurry: Callable[[], bool]) -> None:
        """Ask it to stop and wait; `hurry` turning true cuts the wait short."""
        if self.process is None:
            return
        for signal_number, grace_s in ((self.child.stop_signal, self.child.grace_s), (self.child.hard_signal, 3.0)):
            self.process.send(signal_number)
            deadline = time.monotonic() + grace_s
            while time.monotonic() < deadline and not hurry() and self.process.exit_status() is None:
                time.sleep(0.02)
        # Also ends what it may have left in its session.
        self.process.stop([])
        if self._reader is not None:
            self._reader.join(1.0)
        self.process = None

    def state(self) -> dict[str, object]:
        return {
            "pid": self.process.pid if self.process else None,
            "running": self.process is not None,
            "restarts": self.restarts,
        }


def healthy(port: int, timeout_s: float = 2.0) -> bool:
    """Does `GET /api/health` on 127.0.0.1:`port` answer 200?"""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def default_children(home: Home, port: int, *, flower: bool, queues: Sequence[str]) -> list[Child]:
    """Worker, intake, beat, HTTP face and on request Flower, in the order of starting; they stop in the reverse one."""
    python = sys.executable
    # Quiet: no banner. What a task says is logged all the same.
    celery = (python, "-m", "celery", "--quiet", "-A", "bio_agent_workers.app")
    worker = ("worker", "--pool", "threads", "--concurrency", "8", "--without-gossip", "--without-mingle")
    listened = ("-Q", ",".join(queues)) if queues else ()
    children = [
        # SIGQUIT is Celery's cold shutdown: running tasks go back to the queue.
        Child(
            "worker",
            (*celery, *worker, *listened),
            # A warning of eight lines for root. Messages are ids in JSON: no task runs what a message brings.
            env={"PYTHONWARNINGS": "ignore:You're running the worker"},
            grace_s=15.0,
            hard_signal=signal.SIGQUIT,
        ),
        Child("intake", (python, "-m", "bio_agent_workers.intake")),
        Child("beat", (*celery, "beat", "-s", str(home.run / "beat"), "--pidfile="), grace_s=5.0),
        Child("http", (python, "-m", "bio_agent_ops.http"), ready=lambda: healthy(port), grace_s=5.0),
    ]
    if flower:
        children.append(
            Child(
                "flower",
                (python, "-m", "bio_agent_ops.flower_config", "--address=127.0.0.1", f"--port={FLOWER_PORT}"),
                # Not as an argument: command lines can be read by every user of the machine.
                env={"FLOWER_BASIC_AUTH": f"{FLOWER_USER}:{home.secret(FLOWER_PASSWORD_FILE)}"},
                grace_s=3.0,
            )
        )
    return children
