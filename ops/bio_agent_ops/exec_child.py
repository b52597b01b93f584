"""Become a child process of the stack: drop the user, arrange to die with the parent, then exec the real program.

Run as a script (``python -I -S exec_child.py [options] -- program arguments…``), standard library only, so that no
Python code has to run between fork and exec in the (possibly threaded) parent.

Options
    --user UID:GID     become this account with no supplementary groups (needs root)
    --capability N     keep Linux capability N across the change of user and across exec (ambient set)
    --death-signal N   Linux: the signal the kernel sends to this process when its parent ends
    --parent PID       refuse to start when PID is no longer the parent (it died before the signal was arranged)
    --watch FD         instead, on other systems: a watcher process sends the death signal once the pipe FD is closed by the parent
    --stat PATH        check that PATH can be reached after the change of user

Exit status 70 means that the set-up failed (the reason is on standard error); otherwise it is the program's own.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import select
import sys

SETUP_FAILED = 70

PR_SET_PDEATHSIG = 1
PR_SET_SECUREBITS = 28
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
SECBIT_NO_SETUID_FIXUP = 1 << 2
LINUX_CAPABILITY_VERSION_3 = 0x20080522


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, second: int = 0, third: int = 0) -> None:
    zero = ctypes.c_ulong(0)
    if _libc().prctl(ctypes.c_int(option), ctypes.c_ulong(second), ctypes.c_ulong(third), zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def _keep_only(capability: int) -> None:
    """Reduce every capability set to one member and make it survive exec. `capability` is 0–31."""
    header = _CapHeader(LINUX_CAPABILITY_VERSION_3, 0)
    bit = 1 << capability
    data = (_CapData * 2)(_CapData(bit, bit, bit), _CapData(0, 0, 0))
    if _libc().capset(ctypes.byref(header), ctypes.byref(data)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"capset: {os.strerror(number)}")
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def _become(uid: int, gid: int, capability: int | None) -> None:
    if capability is not None:
        # Without it, the change of user drops every capability, and access(2), with which PostgreSQL checks its own
        # programs, ignores those regained.
        _prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    if capability is not None:
        _keep_only(capability)
    if sys.platform == "linux":
        _prctl(PR_SET_NO_NEW_PRIVS, 1)


def _watch(pipe: int, signal_number: int) -> None:
    """Fork a detached watcher that signals this process once the parent has closed its end of `pipe`.

    The parent writes one byte before it closes the pipe on purpose; then the watcher just leaves.
    """
    target = os.getpid()
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        os.close(pipe)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    while True:
        readable, _, _ = select.select([pipe], [], [], 1.0)
        try:
            if readable:
                if not os.read(pipe, 1):
                    os.kill(target, signal_number)
                os._exit(0)
            os.kill(target, 0)
        except OSError:
            os._exit(0)


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="exec_child", allow_abbrev=False)
    parser.add_argument("--user")
    parser.add_argument("--capability", type=int)
    parser.add_argument("--death-signal", type=int)
    parser.add_argument("--parent", type=int)
    parser.add_argument("--watch", type=int)
    parser.add_argument("--stat", action="append", default=[])
    parser.add_argument("program", nargs="+")
    return parser.parse_args(argv)


def main(argv: list[str]) -> None:
    options = _arguments(argv)
    try:
        if options.user:
            uid, gid = options.user.split(":")
            _become(int(uid), int(gid), options.capability)
        for path in options.stat:
            os.stat(os.path.join(path, "."))
        if not os.access(options.program[0], os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), options.program[0])
        if options.death_signal and options.watch is not None:
            _watch(options.watch, options.death_signal)
        elif options.death_signal and sys.platform == "linux":
            # After the change of user, which would clear it again.
            _prctl(PR_SET_PDEATHSIG, options.death_signal)
        if options.parent is not None and os.getppid() != options.parent:
            sys.stderr.write("exec_child: the parent ended before the child could start\n")
            os._exit(SETUP_FAILED)
        os.execv(options.program[0], options.program)  # noqa: S606 - no shell on purpose
    except OSError as error:
        sys.stderr.write(f"exec_child: {error}\n")
        sys.stderr.flush()
        os._exit(SETUP_FAILED)


if __name__ == "__main__":
    main(sys.argv[1:])
