"""The home: the one directory under which an installation keeps its databases, secrets, logs and run files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shlex
import stat
import time
from pathlib import Path
from typing import Self

OWNER_ONLY_DIR = 0o700
OWNER_ONLY_FILE = 0o600
# A killed holder keeps the lock until the kernel has torn it down, and a loaded machine takes its time over that.
LOCK_WAIT_S = 1.0


class HomeError(RuntimeError):
    """The home cannot be used as it is; the message says why and what to do."""


class HomeInUse(HomeError):
    """Another process runs this home."""


class Home:
    """Paths below `path` and the few acts on them. Nothing is created before `create()`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.root = Path(path).expanduser().resolve()
        self.pg = self.root / "pg"
        self.redis = self.root / "redis"
        self.run = self.root / "run"
        self.logs = self.root / "logs"
        self.spool = self.root / "spool"

    def __repr__(self) -> str:
        return f"Home({str(self.root)!r})"

    @classmethod
    def default(cls, explicit: str | os.PathLike[str] | None = None) -> Home:
        """`explicit`, else the environment's BIO_AGENT_HOME, else `~/.bio-agent`."""
        chosen = explicit or os.environ.get("BIO_AGENT_HOME")
        if chosen:
            return cls(chosen)
        try:
            return cls(Path.home() / ".bio-agent")
        except RuntimeError as error:
            raise HomeError("there is no home directory for this user; give one with --home DIRECTORY") from error

    def create(self) -> None:
        """Make the home and its folders, owner-only. Idempotent; modes of directories found are left alone."""
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                self.root.mkdir(mode=OWNER_ONLY_DIR)
            self._refuse_foreign()
            for folder in (self.redis, self.run, self.logs):
                folder.mkdir(mode=OWNER_ONLY_DIR, exist_ok=True)
        except OSError as error:
            raise HomeError(
                f"cannot use {self.root} as the home: {error.strerror}; choose another with --home"
            ) from error

    def _refuse_foreign(self) -> None:
        found = self.root.stat()
        if not stat.S_ISDIR(found.st_mode):
            raise HomeError(f"{self.root} is not a directory; choose another with --home")
        if found.st_uid != os.geteuid():
            raise HomeError(
                f"{self.root} belongs to user id {found.st_uid}, but this process runs as {os.geteuid()}; "
                "run it as that user, or choose another directory with --home"
            )
        if found.st_mode & 0o022:
            raise HomeError(
                f"other users may write to {self.root} (mode {stat.S_IMODE(found.st_mode):04o}); "
                f"run: chmod go-w '{self.root}', or choose another directory with --home"
            )

    def secret(self, name: str) -> str:
        """The secret kept in the file `name` under the home (mode 0600); generated at the first call (256 bits)."""
        path = self.root / name
        kept = self._read_secret(path)
        if kept:
            return kept
        draft = self.root / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, OWNER_ONLY_FILE)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_hex(32) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        try:
            # A link instead of a rename: of two processes that come here together, both end with the first one's.
            os.link(draft, path)
        except FileExistsError:
            if not self._read_secret(path):
                os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        kept = self._read_secret(path)
        if not kept:
            raise HomeError(f"cannot keep a secret in {path}; is the file system full or read-only?")
        return kept

    @staticmethod
    def _read_secret(path: Path) -> str:
        try:
            with path.open(encoding="ascii") as stream:
                if os.fstat(stream.fileno()).st_mode & 0o077:
                    os.fchmod(stream.fileno(), OWNER_ONLY_FILE)
                return stream.read().strip()
        except FileNotFoundError:
            return ""

    def command(self, verb: str, port: int | None = None) -> str:
        """`bio-agent VERB` as a person types it for this home: the home (and the port) named where not the usual one."""
        usual = os.environ.get("BIO_AGENT_HOME") in (None, "") and self.root == Home._usual()
        where = "" if usual else f" --home {shlex.quote(str(self.root))}"
        return f"bio-agent{where}" + (f" --port {port}" if port else "") + f" {verb}"

    @staticmethod
    def _usual() -> Path | None:
        with contextlib.suppress(RuntimeError):
            return (Path.home() / ".bio-agent").resolve()
        return None

    @property
    def owner_token(self) -> str:
        """The token that proves an act of the person who owns this installation."""
        return self.secret("owner.token")

    def lock(self) -> HomeLock:
        """The lock one running stack holds; not yet acquired."""
        return HomeLock(self.run / "lock")


def _locked(descriptor: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


class HomeLock:
    """An exclusive `flock` on a file. The kernel frees it when its holder ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, wait_s: float = LOCK_WAIT_S) -> Self:
        """Take the lock, or raise HomeInUse when it is still held after `wait_s`."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY_FILE)
        deadline = time.monotonic() + wait_s
        try:
            while not _locked(descriptor) and time.monotonic() < deadline:
                time.sleep(0.05)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            at = Home(self.path.parent.parent)
            raise HomeInUse(
                f"{at.root} is already in use by process {holder}; "
                f"look with `{at.command('status')}`, end it with `{at.command('down')}`, "
                "or choose another home with --home"
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        self._descriptor = descriptor
        return self

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def holder(self) -> int | None:
        """The process id that holds the lock now, or None when nobody does."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.read(descriptor, 32).decode("ascii", "replace").strip()
            return int(text) if text.isdigit() else None
        finally:
            os.close(descriptor)
        return None
