"""Runs a command as if nobody watched, and observes it: what was run, how it ended, what it printed."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, Protocol

CAPTURE_BYTES = 256 * 1024  # kept of the head, and again of the tail; more than survives the cut of an observation
CHUNK_BYTES = 64 * 1024
QUIET_AFTER_EXIT_S = 0.3  # a background child may hold the pipe for ever: after the command's end we wait this long
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGINT", "SIGQUIT")


class Observer(Protocol):
    def observe(self, obj: Any = None, /, **fields: Any) -> str: ...


class Capture:
    """Head and tail of a stream of bytes, in bounded memory."""

    def __init__(self, limit: int = CAPTURE_BYTES) -> None:
        self._limit, self._head = limit, bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = self._lost = 0

    def add(self, data: bytes) -> None:
        room = self._limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
            while self._tail_bytes - len(self._tail[0]) >= self._limit:
                gone = len(self._tail.popleft())
                self._tail_bytes -= gone
                self._lost += gone

    def text(self) -> str:
        mark = f"\n[… {self._lost} bytes cut …]\n".encode() if self._lost else b""
        return (bytes(self._head) + mark + b"".join(self._tail)).decode("utf-8", "replace")


def run(argv: Sequence[str] | str, memory: Observer) -> int:
    """Runs `argv` (a string goes to the shell) and returns its exit code, 128 + n when signal n ended it, 127 when it
    was not found, 126 when it could not be started. Output passes through unchanged; one observation is made of it.

    On a terminal the command gets a terminal of its own (a pty), so that it behaves the same.
    """
    command = argv if isinstance(argv, str) else shlex.join(argv)
    if not argv:
        print("bio-agent: no command was given", file=sys.stderr)
        return 2
    capture, started = Capture(), time.monotonic()
    cwd = os.getcwd()
    try:
        if os.isatty(0) and os.isatty(1):
            code = _on_terminal(argv, capture)
        else:
            code = _piped(argv, capture)
    except OSError as error:
        code = 127 if error.errno == errno.ENOENT else 126
        message = f"bio-agent: cannot run {command}: {error.strerror or error}"
        print(message, file=sys.stderr)
        capture.add(message.encode())
    try:
        memory.observe(
            kind="tool", source="terminal", tool="Bash", tool_input={"command": command}, exit_code=code, cwd=cwd,
            duration_ms=int((time.monotonic() - started) * 1000), content=capture.text(),
        )  # fmt: skip
    except Exception as error:  # what the command returned must come through whatever happens to the observation
        print(f"bio-agent: the command was not observed: {error}", file=sys.stderr)
    return code


def _popen(argv: Sequence[str] | str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, shell=isinstance(argv, str), bufsize=0, **options)


def _exit_code(process: subprocess.Popen[bytes]) -> int:
    code = process.wait()
    return 128 - code if code < 0 else code


@contextlib.contextmanager
def _forwarding(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Signals sent to us go on to the command. Those a terminal sends reach its whole foreground group by itself."""
    on_terminal = any(os.isatty(fd) for fd in (0, 1, 2))

    def forward(number: int, _frame: FrameType | None) -> None:
        if not (on_terminal and number in (signal.SIGINT, signal.SIGQUIT)):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    before: dict[int, Any] = {}
    for name in _FORWARDED:
        with contextlib.suppress(ValueError, OSError, AttributeError):  # not the main thread, or not on this system
            number = getattr(signal, name)
            before[number] = signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _write_all(fd: int, data: bytes) -> bool:
    """False when nobody reads any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            time.sleep(0.005)
        except OSError:
            return False
    return True


def _relay(
    process: subprocess.Popen[bytes], routes: dict[int, int], capture: Capture, keyboard: int | None = None
) -> None:
    """Copies each source to its target until all are at their end. `keyboard`: pty that gets our stdin."""
    with selectors.DefaultSelector() as selector:
        for source in routes:
            selector.register(source, selectors.EVENT_READ)
        if keyboard is not None:
            selector.register(0, selectors.EVENT_READ)
        open_sources, quiet_since = set(routes), None
        while open_sources:
            ready = selector.select(timeout=0.1)
            if not ready and process.poll() is not None:
                quiet_since = quiet_since or time.monotonic()
                if time.monotonic() - quiet_since > QUIET_AFTER_EXIT_S:
                    return
            for key, _ in ready:
                source = key.fd
                try:
                    data = os.read(source, CHUNK_BYTES)
                except OSError:  # a pty whose other end is closed
                    data = b""
                if keyboard is not None and source == 0:
                    if not data or not _write_all(keyboard, data):
                        selector.unregister(0)
                        keyboard = None
                    continue
                quiet_since = None
                if data:
                    capture.add(data)
                if not data or not _write_all(routes[source], data):
                    selector.unregister(source)
                    open_sources.discard(source)
                    os.close(source)  # the command learns that nobody reads, as it would without us


def _piped(argv: Sequence[str] | str, capture: Capture) -> int:
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    try:
        process = _popen(argv, stdout=out_write, stderr=err_write)
    except OSError:
        os.close(out_read)
        os.close(err_read)
        raise
    finally:
        os.close(out_write)
        os.close(err_write)
    with _forwarding(process):
        _relay(process, {out_read: 1, err_read: 2}, capture)
        return _exit_code(process)


def _on_terminal(argv: Sequence[str] | str, capture: Capture) -> int:
    import fcntl
    import pty
    import termios
    import tty

    master, slave = pty.openpty()
    size = fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
    termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(0))
    separate = not os.isatty(2)
    err_read, err_write = os.pipe() if separate else (-1, slave)

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resized(*_: object) -> None:
        fcntl.ioctl(master, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))

    try:
        process = _popen(argv, stdin=slave, stdout=slave, stderr=err_write, preexec_fn=own_terminal)
    finally:
        os.close(slave)
        if separate:
            os.close(err_write)
    saved = termios.tcgetattr(0)
    before = signal.signal(signal.SIGWINCH, resized)
    routes = {master: 1, err_read: 2} if separate else {master: 1}
    try:
        tty.setraw(0, termios.TCSANOW)  # TCSAFLUSH would throw away what was typed ahead
        with _forwarding(process):
            _relay(process, routes, capture, keyboard=master)
            return _exit_code(process)
    finally:
        signal.signal(signal.SIGWINCH, before)
        termios.tcsetattr(0, termios.TCSADRAIN, saved)
