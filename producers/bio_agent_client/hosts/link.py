"""The hook's way to the service: one HTTP request on loopback at a time, a spool on disk while the service is away, and
what this session was told last. Standard library only; bounded in time whatever the service does.
"""

from __future__ import annotations

import json
import os
import socket
import time

TYPE_CHECKING = False  # as `typing` has it, whose import alone costs a quarter of a hook's time
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

CONNECT_S = 0.25  # loopback connects at once or not at all
READ_S = 1.0  # longest wait for an answer; a person waits for the tool meanwhile
AWAY_S = 20.0  # after a timeout its kind of question is not asked for so long: a hang must not cost every call READ_S
GUARD_AWAY_S = 5.0  # the same for the guard, whose silence lets calls run
DRAIN_S = 1.5  # a call delivers what waits for no longer than this; the next goes on
DRAIN_ENTRIES = 200  # of one segment at a time
DRAIN_BYTES = 256 * 1024  # of one request
SPOOL_MAX_BYTES = 64 * 1024 * 1024
SEGMENT_BYTES = 1024 * 1024  # as in spool.py: what one drop at the bound loses
MAX_ANSWER_BYTES = 4 * 1024 * 1024
NOTE_DAYS = 14  # a session's notes are thrown away after so long
MAX_NOTE_CHARS = 4_000
TURN_S = 1.0  # longest wait for the captures before this one


class Away(Exception):
    """No answer that could be used: nothing listens, it took too long, or it refused."""


class Link:
    """One hook call's connection to the service of `home`. `url`: "" takes what runs on the home."""

    def __init__(self, home: str, url: str, key: str) -> None:
        self.home = home
        self.folder = os.path.join(home, "run", "hooks")
        self._key = key
        self._address = _address(url) if url else _running(home)

    # ------------------------------------------------------------------------------------------------------ requests

    def ask(
        self, method: str, path: str, body: bytes | None = None, etag: str = "", *, rests: bool = True
    ) -> tuple[int, Any, str]:
        """(status, decoded JSON, ETag). Raises Away for everything that is not 2xx or 304. rests: no answer in time means
        that this kind of question rests (AWAY_S); a recall or a delivery that takes long says nothing of the guard."""
        kind = path.partition("?")[0].rpartition("/")[2]
        if self._address is None or self._resting(kind):
            raise Away("nothing runs")
        host, port, prefix = self._address
        head = [f"{method} {prefix}{path} HTTP/1.1", f"Host: {host}:{port}", "Connection: close"]
        head += [f'If-None-Match: "{etag}"'] if etag else []
        head += [f"Authorization: Bearer {self._key}"] if self._key else []
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"] if body is not None else []
        request = "\r\n".join(head).encode("ascii", "replace") + b"\r\n\r\n" + (body or b"")
        try:
            raw = _exchange(host, port, request)
        except TimeoutError as error:
            if rests:
                self._rest(kind)
            raise Away("timeout") from error
        except OSError as error:
            raise Away(type(error).__name__) from error
        status, headers, content = _parsed(raw)
        if status >= 300 and status != 304:
            raise Away(f"HTTP {status}")
        try:
            return status, json.loads(content) if content else None, headers.get("etag", "").strip('W/"')
        except ValueError as error:
            raise Away("not JSON") from error

    def _resting(self, kind: str) -> bool:
        longest = GUARD_AWAY_S if kind == "check" else AWAY_S
        try:
            return 0 <= time.time() - os.stat(os.path.join(self.folder, f"away-{kind}")).st_mtime < longest
        except OSError:
            return False

    def _rest(self, kind: str) -> None:
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(os.path.join(self.folder, f"away-{kind}"), "w", encoding="ascii"):
                pass
        except OSError:
            pass

    # ------------------------------------------------------------------------------------------------- observations

    def deliver(self, wires: Sequence[bytes]) -> None:
        """Observations to the service, what waits on disk first; to the disk when they cannot be delivered now."""
        try:
            if self._waiting() and not self._drain():
                self._keep(wires)  # order: what is on disk goes first
                return
            if wires:
                self.ask("POST", "/api/ingest", b"[" + b",".join(wires) + b"]", rests=False)
        except Away:
            self._keep(wires)

    def _waiting(self) -> bool:
        try:
            with os.scandir(os.path.join(self.home, "spool")) as entries:
                return any(entry.name.endswith(".jsonl") for entry in entries)
        except OSError:
            return False

    def _drain(self) -> bool:
        """Delivers what waits, oldest first, for DRAIN_S at most; True when nothing is left that this process may take.
        Raises Away."""
        from bio_agent_client.spool import Spool

        spool, end = Spool(os.path.join(self.home, "spool"), SPOOL_MAX_BYTES), time.monotonic() + DRAIN_S
        while batch := spool.oldest(DRAIN_ENTRIES):
            wires = [json.dumps(e, ensure_ascii=False, separators=(",", ":")).encode() for e in batch.entries]
            try:
                while wires:
                    taken = 1
                    while taken < len(wires) and sum(map(len, wires[: taken + 1])) <= DRAIN_BYTES:
                        taken += 1
                    self.ask("POST", "/api/ingest", b"[" + b",".join(wires[:taken]) + b"]", rests=False)
                    wires = wires[taken:]
            except Away:
                batch.release()  # ids make a second sending of a part harmless
                raise
            batch.done()
            if time.monotonic() > end:
                return False
        return True

    def _keep(self, wires: Sequence[bytes]) -> None:
        """To the disk: into the newest segment that nobody holds, so that a long absence does not leave a file for each
        call, else into a new one."""
        if not wires:
            return
        from bio_agent_client.spool import Spool

        spool = Spool(os.path.join(self.home, "spool"), SPOOL_MAX_BYTES)
        segments = spool.segments()
        if not segments or not _appended(str(segments[-1]), b"".join(wire + b"\n" for wire in wires)):
            spool.append(list(wires))
            spool.close()

    # ------------------------------------------------------------------------------------- notes, one file a session

    def note(self, session: str, name: str) -> str:
        """What was noted under `name` for the session, "" when nothing was."""
        try:
            with open(self._path(session, name), encoding="utf-8") as file:
                return file.read(MAX_NOTE_CHARS)
        except (OSError, UnicodeDecodeError):
            return ""

    def keep_note(self, session: str, name: str, text: str) -> None:
        path = self._path(session, name)
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            draft = f"{path}.{os.getpid()}"
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write(text[:MAX_NOTE_CHARS])
            os.replace(draft, path)
        except (OSError, UnicodeEncodeError):
            pass

    def in_turn(self, session: str) -> None:
        """Waits until the session's earlier captures are delivered, TURN_S at most, and holds the place until this
        process and those it forks have ended: a fix must not arrive before its failure."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            descriptor = os.open(self._path(session, "turn"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return
        end = time.monotonic() + TURN_S
        while time.monotonic() < end:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                time.sleep(0.003)

    def sweep(self) -> None:
        """Throws old notes away. A session that ended keeps its own for NOTE_DAYS: it may be resumed."""
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if time.time() - entry.stat().st_mtime > NOTE_DAYS * 86400:
                        os.unlink(entry.path)
        except OSError:
            pass

    def _path(self, session: str, name: str) -> str:
        """A file name of the session's id where that is a plain word (as the hosts' are), else of its digest."""
        if not (session.isascii() and session.replace("-", "").isalnum() and len(session) <= 64):
            import hashlib

            session = "h" + hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]
        return os.path.join(self.folder, f"{session}.{name}")


def _appended(path: str, data: bytes) -> bool:
    """Appends to a segment of the spool under its lock; False when it is held, full, broken off or gone."""
    try:
        import fcntl

        descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        if not found.st_nlink or not 0 < found.st_size <= SEGMENT_BYTES - len(data):
            return False
        if os.pread(descriptor, 1, found.st_size - 1) != b"\n":
            return False  # its writer did not live to finish the line
        if os.write(descriptor, data) != len(data):
            os.ftruncate(descriptor, found.st_size)
            return False
        os.fsync(descriptor)
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def query(values: Mapping[str, str]) -> str:
    """A query string. By hand: importing urllib.parse costs more than the request."""
    return "&".join(f"{name}={_quoted(value)}" for name, value in values.items() if value)


def _quoted(value: str) -> str:
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in value.encode("utf-8", "replace"))


def _address(url: str) -> tuple[str, int, str] | None:
    """(host, port, path prefix) of an http URL on loopback. Anything else is refused: a hook sends in clear text."""
    scheme, _, rest = url.partition("://")
    place, _, prefix = rest.partition("/")
    host, _, port = place.rpartition(":")
    if scheme != "http" or host not in ("127.0.0.1", "localhost") or not port.isdigit():
        return None
    return host, int(port), ("/" + prefix.rstrip("/")) if prefix.strip("/") else ""


def _running(home: str) -> tuple[str, int, str] | None:
    """The address of what runs on the home, from the file its supervisor keeps; None when that process is not alive
    or not ours: after a crash anybody may listen on its port, and would be told everything."""
    try:
        with open(os.path.join(home, "run", "up.json"), encoding="utf-8") as file:
            state = json.load(file)
        os.kill(int(state["pid"]), 0)
        return "127.0.0.1", int(state["port"]), ""
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _exchange(host: str, port: int, request: bytes) -> bytes:
    deadline = time.monotonic() + READ_S
    with socket.create_connection((host, port), timeout=CONNECT_S) as connection:
        connection.settimeout(READ_S)
        connection.sendall(request)
        parts: list[bytes] = []
        size = 0
        while size < MAX_ANSWER_BYTES:
            connection.settimeout(max(0.001, deadline - time.monotonic()))
            part = connection.recv(65536)
            if not part:
                break
            parts.append(part)
            size += len(part)
    return b"".join(parts)


def _parsed(raw: bytes) -> tuple[int, dict[str, str], bytes]:
    """(status, headers in lower case, body). Raises Away when it is no HTTP answer or was cut off."""
    head, found, body = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ", 2)
    if not found or len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
        raise Away("no HTTP answer")
    headers = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines[1:])}
    length = headers.get("content-length", "")
    if "chunked" in headers.get("transfer-encoding", "") or (length.isdigit() and len(body) != int(length)):
        raise Away("an answer that was cut off")
    return int(words[1]), headers, body
