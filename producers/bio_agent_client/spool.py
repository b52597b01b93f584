"""A bounded queue on disk for observations that could not be delivered. Standard library only.

A folder of append-only segments, one JSON object a line, files 0600, folder 0700. Each process appends to a segment of
its own and holds a lock on it (flock); the lock falls with the process, so a segment that can be locked belongs to
nobody and may be drained. A line is on the operating system's side when `append` returns: it survives the death of the
process (kill -9). `fsync` is called when a segment is closed and at most once a second while it grows, so the death of
the machine may cost the last second. The oldest segment goes first when the bound is reached; the loss is counted.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows: one process per spool folder
    fcntl = None  # type: ignore[assignment]

SEGMENT_BYTES = 1024 * 1024  # a segment is closed at this size; also what one drop loses
FSYNC_EVERY_S = 1.0


class Spool:
    """Appends, reads in order and forgets what was delivered. Not thread-safe: one thread uses it."""

    def __init__(self, folder: str | Path, max_bytes: int) -> None:
        self.folder = Path(folder).expanduser()
        self.max_bytes = max(max_bytes, 2 * SEGMENT_BYTES)
        self.dropped = 0
        self._file: IO[bytes] | None = None
        self._path: Path | None = None
        self._synced = 0.0
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def segments(self) -> list[Path]:
        """All segments, oldest first: their names start with the time of their creation."""
        return sorted(self.folder.glob("*.jsonl"))

    def size_bytes(self) -> int:
        total = 0
        for path in self.segments():
            with contextlib.suppress(OSError):
                total += path.stat().st_size
        return total

    def append(self, lines: list[bytes]) -> None:
        """Adds lines (JSON without newline). Raises OSError when the disk refuses; nothing is half-written then: the
        reader skips a last line without its newline, and the caller still has the observation."""
        data = b"".join(line + b"\n" for line in lines)
        if self._file is None or self._file.tell() + len(data) > SEGMENT_BYTES:
            self._open()
        assert self._file is not None
        before = self._file.tell()
        try:
            self._file.write(data)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), before)
                self._file.seek(before)
            raise
        now = time.monotonic()
        if now - self._synced >= FSYNC_EVERY_S:
            os.fsync(self._file.fileno())
            self._synced = now
        self._bound()

    def _open(self) -> None:
        self.close()
        path = self.folder / f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(3).hex()}.jsonl"
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, 0o600)
        self._file = os.fdopen(descriptor, "ab", buffering=0)
        self._path = path
        _lock(self._file)

    def close(self) -> None:
        """Ends the own segment, so that any process may drain it."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._file.fileno())
            self._file.close()
        self._file = self._path = None

    def abandon(self) -> None:
        """After a fork: the segment belongs to the parent; the child must not write to it, nor unlock it."""
        self._file = self._path = None

    def _bound(self) -> None:
        """Drops the oldest segments beyond the bound, never the one being written."""
        segments = self.segments()
        sizes = {}
        for path in segments:
            with contextlib.suppress(OSError):
                sizes[path] = path.stat().st_size
        total = sum(sizes.values())
        for path in segments:
            if total <= self.max_bytes:
                return
            if path == self._path or path not in sizes:
                continue
            with contextlib.suppress(OSError), path.open("rb") as file:
                if not _lock(file):
                    continue  # another process writes it
                self.dropped += sum(1 for _ in file) - _read_mark(path)[1]
                path.unlink()
                _mark_path(path).unlink(missing_ok=True)
                total -= sizes[path]

    def oldest(self, limit: int = 500) -> Batch | None:
        """The oldest undelivered lines of one segment, or None. Takes a segment that no living process writes, or the
        own one (closed by that). The segment stays locked until the batch is done or released."""
        for path in self.segments():
            if path == self._path:
                self.close()
            batch = self._read(path, limit)
            if batch is not None:
                return batch
        return None

    def _read(self, path: Path, limit: int) -> Batch | None:
        try:
            file = path.open("rb")
        except OSError:
            return None
        if not _lock(file):
            file.close()
            return None
        offset, delivered = _read_mark(path)
        file.seek(offset)
        entries: list[dict[str, Any]] = []
        lines = 0
        while lines < limit:
            line = file.readline()
            if not line.endswith(b"\n"):  # the end, or a line that its writer did not live to finish
                break
            lines += 1
            try:
                entry = json.loads(line)
            except ValueError:
                self.dropped += 1
                continue
            if isinstance(entry, dict):
                entries.append(entry)
        if not lines:
            path.unlink(missing_ok=True)
            _mark_path(path).unlink(missing_ok=True)
            file.close()
            return None
        return Batch(path, file, entries, file.tell(), delivered + lines)


class Batch:
    """Lines read from one segment. Call `done` once they are delivered, or `release` to keep them."""

    def __init__(self, path: Path, file: IO[bytes], entries: list[dict[str, Any]], offset: int, delivered: int) -> None:
        self.entries = entries
        self._path, self._file, self._offset, self._delivered = path, file, offset, delivered

    def done(self) -> None:
        """Forgets them: the place is written beside the segment, and the segment is removed once all of it is read."""
        if self._offset >= self._path.stat().st_size:
            self._path.unlink(missing_ok=True)
            _mark_path(self._path).unlink(missing_ok=True)
        else:
            temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
            temporary.write_text(f"{self._offset} {self._delivered}")
            temporary.replace(_mark_path(self._path))
        self._file.close()

    def release(self) -> None:
        self._file.close()


def _mark_path(path: Path) -> Path:
    return path.with_suffix(".done")


def _read_mark(path: Path) -> tuple[int, int]:
    """(bytes, lines) of a segment already delivered."""
    try:
        offset, lines = _mark_path(path).read_text().split()
        return int(offset), int(lines)
    except (OSError, ValueError):
        return 0, 0


def _lock(file: IO[bytes]) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
