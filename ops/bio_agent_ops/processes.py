"""Starting, ending and finding the operating system's processes that belong to a home."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bio_agent_ops import exec_child

KILL_WAIT_S = 5.0


@dataclass(frozen=True)
class Identity:
    """The account a child runs as, and the one Linux capability it keeps (None: none)."""

    uid: int
    gid: int
    capability: int | None = None


class Process:
    """One running child. Wraps Popen and, where the kernel has no parent-death signal, the watcher's pipe."""

    def __init__(self, popen: subprocess.Popen[bytes], watch: int | None) -> None:
        self.popen = popen
        self._watch = watch

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def stdout(self) -> IO[bytes] | None:
        return self.popen.stdout

    def exit_status(self) -> int | None:
        """None while it runs; afterwards the exit status (negative: the signal that ended it). Reaps."""
        status = self.popen.poll()
        if status is not None:
            self._dismiss_watcher()
        return status

    def send(self, signal_number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.popen.send_signal(signal_number)

    def wait(self, timeout_s: float) -> bool:
        """True once it has ended (and is reaped), False when it still runs after `timeout_s`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(timeout_s)
            self._dismiss_watcher()
            return True
        return False

    def stop(self, steps: Sequence[tuple[int, float]]) -> None:
        """Send each (signal, seconds to wait) in turn until it ends; SIGKILL to its whole group at the last."""
        for signal_number, grace_s in steps:
            if self.exit_status() is not None:
                return
            self.send(signal_number)
            if self.wait(grace_s):
                return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.send(signal.SIGKILL)
        self.wait(KILL_WAIT_S)

    def _dismiss_watcher(self) -> None:
        if self._watch is not None:
            with contextlib.suppress(OSError):
                os.write(self._watch, b"q")
            os.close(self._watch)
            self._watch = None


@functools.cache
def _lasting_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="spawn")


def wrapped(
    argv: Sequence[str],
    *,
    identity: Identity | None = None,
    death_signal: int | None = None,
    watch: int | None = None,
    reach: Sequence[Path] = (),
) -> list[str]:
    """`argv` behind the exec wrapper (see exec_child)."""
    command = [sys.executable, "-I", "-S", exec_child.__file__]
    if identity is not None:
        command += ["--user", f"{identity.uid}:{identity.gid}"]
        if identity.capability is not None:
            command += ["--capability", str(identity.capability)]
    if death_signal is not None:
        command += ["--death-signal", str(int(death_signal)), "--parent", str(os.getpid())]
    if watch is not None:
        command += ["--watch", str(watch)]
    for path in reach:
        command += ["--stat", str(path)]
    return [*command, "--", *argv]


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] = "/",
    stdout: int | IO[Any] = subprocess.DEVNULL,
    stdin: int = subprocess.DEVNULL,
    identity: Identity | None = None,
    death_signal: int = signal.SIGTERM,
) -> Process:
    """Start `argv` (an absolute program path first) as a direct child that gets `death_signal` when we end.

    It runs in its own session, so that Ctrl-C reaches only the supervisor, which then stops everything in order.
    """
    reader, writer = (None, None) if sys.platform == "linux" else os.pipe()
    command = wrapped(argv, identity=identity, death_signal=death_signal, watch=reader)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            pass_fds=() if reader is None else (reader,),
        )

    try:
        # The kernel sends the parent-death signal when the *thread* that forked ends.
        if threading.current_thread() is threading.main_thread():
            popen = start()
        else:
            popen = _lasting_thread().submit(start).result()
    except BaseException:
        if writer is not None:
            os.close(writer)
        raise
    finally:
        if reader is not None:
            os.close(reader)
    return Process(popen, writer)


def plain_environment() -> dict[str, str]:
    """A small environment for the database servers: nothing of the caller's PG*, LC_* or LD_* leaks in."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C", "LC_ALL": "C"}


def free_port() -> int:
    """A TCP port on 127.0.0.1 that is free now. Another program may still take it before it is used."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def living_in(directory: Path, recorded: int | None, program: str) -> list[int]:
    """Ids of live processes that work in `directory`, which both servers make their current directory.

    Where the current directory of a process cannot be read (other systems, hardened containers), only the
    `recorded` process counts, and only when it is still a `program`.
    """
    if sys.platform != "linux":
        return [recorded] if recorded is not None and program in _command_by_ps(recorded) else []
    wanted = str(directory)
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        pid = int(entry)
        try:
            # The name too: a person's shell may stand in the directory.
            if os.readlink(f"/proc/{pid}/cwd") == wanted and program in _proc_name(pid):
                found.append(pid)
        except PermissionError:
            if pid == recorded and program in _proc_name(pid):
                found.append(pid)
        except OSError:
            # Ended, or a zombie, which has no current directory any more.
            continue
    return found


def _proc_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def _command_by_ps(pid: int) -> str:
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout


def end_leftovers(
    directory: Path, recorded: int | None, program: str, signal_number: int, timeout_s: float
) -> list[int]:
    """End what an earlier, killed run left alive in `directory`. Returns those that still live after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    asked: set[int] = set()
    while left := [pid for pid in living_in(directory, recorded, program) if pid != os.getpid()]:
        for pid in left:
            # Only the recorded server is asked: its own helpers follow it, or notice its death and leave.
            if pid not in asked and (pid == recorded or recorded is None):
                asked.add(pid)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal_number)
        if time.monotonic() > deadline:
            return left
        time.sleep(0.05)
    return []


def open_log(path: Path, limit_bytes: int = 10_000_000) -> IO[bytes]:
    """Open a log for appending; past `limit_bytes` the old one is first moved to `<name>.1`."""
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > limit_bytes:
            path.replace(path.with_name(path.name + ".1"))
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "ab", buffering=0)


def tail(path: Path, offset: int, limit_bytes: int = 4000) -> str:
    """What was appended to `path` after byte `offset`, at most its last `limit_bytes`."""
    try:
        with path.open("rb") as stream:
            stream.seek(offset)
            return stream.read()[-limit_bytes:].decode("utf-8", "replace").strip()
    except OSError:
        return ""
