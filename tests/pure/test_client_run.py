"""`run`: the command behaves as if nobody watched, and is observed."""

import os
import pty
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from bio_agent_client.run import CAPTURE_BYTES, Capture

HARNESS = """
import json, sys
from bio_agent_client.run import run
class Seen:
    def observe(self, obj=None, /, **fields):
        with open(sys.argv[1], "w") as file:
            json.dump(fields, file)
        return "x"
sys.exit(run(sys.argv[2:] if sys.argv[2] != "--shell" else sys.argv[3], Seen()))
"""


def execute(tmp_path: Any, *argv: str, **options: Any) -> tuple[subprocess.CompletedProcess[bytes], dict[str, Any]]:
    import json

    seen = tmp_path / "seen.json"
    done = subprocess.run(
        [sys.executable, "-c", HARNESS, str(seen), *argv], capture_output=True, check=False, **options
    )
    return done, json.loads(seen.read_text()) if seen.exists() else {}


def test_output_and_code_pass_through(tmp_path: Any) -> None:
    done, seen = execute(tmp_path, "sh", "-c", "printf 'out\\000\\377'; printf err >&2; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\x00\xff", b"err", 7)
    assert seen["exit_code"] == 7
    assert seen["tool"] == "Bash"
    assert seen["tool_input"]["command"].startswith("sh -c '")
    assert "out" in seen["content"]
    assert "err" in seen["content"]
    assert seen["cwd"] == os.getcwd()
    assert seen["duration_ms"] >= 0


def test_a_string_goes_to_the_shell_as_written(tmp_path: Any) -> None:
    done, seen = execute(tmp_path, "--shell", "echo a | tr a b")
    assert done.stdout == b"b\n"
    assert seen["tool_input"] == {"command": "echo a | tr a b"}


def test_stdin_reaches_the_command(tmp_path: Any) -> None:
    done, _ = execute(tmp_path, "cat", input=b"\x00through\n")
    assert done.stdout == b"\x00through\n"


def test_not_found_and_not_executable(tmp_path: Any) -> None:
    done, seen = execute(tmp_path, "no-such-program-here")
    assert done.returncode == seen["exit_code"] == 127
    assert b"no-such-program-here" in done.stderr
    done, _ = execute(tmp_path, str(tmp_path))
    assert done.returncode == 126


def test_killed_by_a_signal(tmp_path: Any) -> None:
    done, seen = execute(tmp_path, "sh", "-c", "kill -9 $$")
    assert done.returncode == seen["exit_code"] == 137


def test_signals_are_forwarded(tmp_path: Any) -> None:
    seen = tmp_path / "seen.json"
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HARNESS,
            str(seen),
            "sh",
            "-c",
            "trap 'echo got; exit 5' TERM; echo ready; while :; do sleep 0.05; done",
        ],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.read() == b"got\n"
    assert process.wait(10) == 5


def test_a_background_child_does_not_hold_us(tmp_path: Any) -> None:
    started = time.monotonic()
    done, _ = execute(tmp_path, "sh", "-c", "sleep 30 & echo done")
    assert done.stdout == b"done\n"
    assert time.monotonic() - started < 5


def test_a_reader_that_leaves_ends_the_command(tmp_path: Any) -> None:
    seen = tmp_path / "seen.json"
    process = subprocess.Popen([sys.executable, "-c", HARNESS, str(seen), "yes"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(1000)
    process.stdout.close()
    assert process.wait(10) == 128 + signal.SIGPIPE


def test_much_output_is_kept_in_bounded_memory() -> None:
    capture = Capture()
    for n in range(4000):
        capture.add(f"{n:06d} ".encode() * 1000)
    text = capture.text()
    assert len(text) < 2 * CAPTURE_BYTES + 64 * 1024
    assert text.startswith("000000 ")
    assert text.endswith("003999 ")
    assert "bytes cut" in text


def test_on_a_terminal_the_command_has_one(tmp_path: Any) -> None:
    seen = tmp_path / "seen.json"
    child, master = pty.fork()
    if child == 0:
        os.execv(
            sys.executable,
            [
                sys.executable,
                "-c",
                HARNESS,
                str(seen),
                "sh",
                "-c",
                "test -t 0 && test -t 1 && test -t 2 && echo tty; read x; echo got $x; exit 3",
            ],
        )
    output = b""
    while b"tty" not in output:  # what is typed before the terminal is set up is thrown away
        output += os.read(master, 4096)
    os.write(master, b"word\n")
    while True:
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        output += data
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    assert b"tty" in output
    assert b"got word" in output
    assert "got word" in seen.read_text()


def test_a_broken_memory_does_not_change_the_outcome(capfd: pytest.CaptureFixture[str]) -> None:
    from bio_agent_client.run import run

    class Broken:
        def observe(self, obj: Any = None, /, **fields: Any) -> str:
            raise RuntimeError("no")

    assert run(["sh", "-c", "exit 4"], Broken()) == 4
    assert "was not observed" in capfd.readouterr().err
