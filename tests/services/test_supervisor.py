"""`up`, `down` and `status` with small stand-in programs as children: kept running, shown, ended in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bio_agent_ops.home import Home
from bio_agent_ops.processes import free_port
from bio_agent_ops.supervisor import down, status

pytestmark = pytest.mark.services

UP = """
import signal, sys
from bio_agent_ops.children import Child, healthy
from bio_agent_ops.stack import Home, Stack
from bio_agent_ops.supervisor import up
web = '''
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *arguments): pass
http.server.HTTPServer(("127.0.0.1", int(os.environ["BIO_AGENT_PORT"])), Handler).serve_forever()
'''
waits = '''
import os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *a: (print(sys.argv[1], "leaves"), sys.exit(0)))
print(sys.argv[1], "has", os.environ["DATABASE_URL"], "\\\\x1b[2Jno tricks", flush=True)
time.sleep(600)
'''
home, port = Home(sys.argv[1]), int(sys.argv[2])
children = [
    Child("http", (sys.executable, "-c", web), ready=lambda: healthy(port)),
    Child("first", (sys.executable, "-c", waits, "first")),
    Child("last", (sys.executable, "-c", waits, "last")),
    Child("broken", (sys.executable, "-c", "raise SystemExit('cannot')")),
]
sys.exit(up(home, port, prepare=lambda stack: {"DATABASE_URL": "the-application's"}, children=children,
            stack=Stack(home)))
"""


class Up:
    def __init__(self, home: Path, output: Path) -> None:
        self.home = Home(home)
        self.output = output
        self.port = free_port()
        with output.open("wb") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-c", UP, str(home), str(self.port)], stdout=stream, stderr=stream
            )

    def until(self, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            state = status(self.home) if self.home.root.exists() else {}
            if done(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f"not within 30 s; it said:\n{self.output.read_text()}")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Up]:
    one = Up(tmp_path / "home", tmp_path / "output")
    yield one
    one.process.kill()
    one.process.wait()


def started(state: dict[str, Any]) -> bool:
    """Every child that stays up is up."""
    children = state.get("children", {})
    return all(children.get(name, {}).get("pid") for name in ("http", "first", "last"))


def gone(pid: int) -> bool:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return not shown.strip() or shown.startswith("Z")


def test_it_becomes_ready_keeps_what_crashes_apart_and_ends_in_order(running: Up) -> None:
    state = running.until(lambda now: bool(now.get("children")) and now["children"]["broken"]["restarts"] >= 2)
    assert state["running"]
    assert state["pid"] == running.process.pid
    assert state["children"]["first"] | {"pid": 0} == {"pid": 0, "running": True, "restarts": 0}
    refused = subprocess.run(
        [sys.executable, "-c", UP, str(running.home.root), str(free_port())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert f"already in use by process {running.process.pid}" in refused.stdout
    other = running.home.root.with_name("other")
    refused = subprocess.run(
        [sys.executable, "-c", UP, str(other), str(running.port)], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "--port" in refused.stdout

    assert down(running.home) == 0
    assert running.process.wait(5) == 0
    assert status(running.home)["running"] is False
    assert down(running.home) == 0, "nothing to end is no error"
    said = running.output.read_text()
    assert said.index("last leaves") < said.index("first leaves")
    assert "first    | first has the-application's \\x1b[2Jno tricks" in said
    assert "broken   | ended with status 1; starting it again in 1 s" in said
    assert (running.home.logs / "first.log").read_text().startswith("first has")


@pytest.mark.faults
def test_a_killed_child_and_killed_servers_are_started_again(running: Up) -> None:
    before = running.until(started)
    for pid in (before["children"]["first"]["pid"], before["postgres"]["pid"], before["redis"]["pid"]):
        os.kill(pid, signal.SIGKILL)
    after = running.until(
        lambda now: (
            now["children"]["first"]["restarts"] == 1
            and now["children"]["first"]["running"]
            and now["postgres"]["pid"] not in {None, before["postgres"]["pid"]}
            and now["redis"]["pid"] not in {None, before["redis"]["pid"]}
        )
    )
    assert after["children"]["last"] == before["children"]["last"]
    assert after["postgres"]["port"] == before["postgres"]["port"]


@pytest.mark.faults
def test_nothing_outlives_a_killed_supervisor_and_up_works_again(running: Up, tmp_path: Path) -> None:
    state = running.until(started)
    pids = [child["pid"] for child in state["children"].values() if child["pid"]]
    pids += [state["postgres"]["pid"], state["redis"]["pid"]]
    running.process.kill()
    deadline = time.monotonic() + 5
    while not all(gone(pid) for pid in pids):
        assert time.monotonic() < deadline, "something outlived its supervisor by 5 s"
        time.sleep(0.05)
    running.process.wait()
    again = Up(running.home.root, tmp_path / "again")
    try:
        again.until(lambda now: now.get("pid") == again.process.pid and started(now))
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(20) == 0
    finally:
        again.process.kill()
        again.process.wait()


def bio_agent(*words: str, wait_s: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "BIO_AGENT_HOME")}
    return subprocess.run(
        [sys.executable, "-m", "bio_agent_ops.cli", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=wait_s,
        env=env | environment,
    )


def spooled(home: Home, name: str) -> None:
    """An observation that `exec` could not deliver."""
    home.spool.mkdir(mode=0o700, exist_ok=True)
    wire = {"id": name, "kind": "tool", "tool": "Bash", "content": "x", "exit_code": 1, "workspace": "web"}
    (home.spool / f"{time.time_ns():020d}-1-{name}.jsonl").write_text(json.dumps(wire) + "\n")


def test_the_real_thing_takes_the_spool_says_little_and_starts_again_without_migrating(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    spooled(home, "first")
    place = ("--home", str(home.root))
    for round_ in ("first start", "second start"):
        port = free_port()
        output = tmp_path / round_
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "bio_agent_ops.cli", *place, "up", "--port", str(port)],
                stdout=stream,
                stderr=stream,
                env={k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")},
            )
        try:
            deadline = time.monotonic() + 90
            while "up       | ready in" not in output.read_text() or (
                round_ == "first start" and "sent 1 observation that waited" not in output.read_text()
            ):
                assert process.poll() is None, output.read_text()
                assert time.monotonic() < deadline, output.read_text()
                time.sleep(0.1)
            state = status(home)
            assert state["children"]["http"]["restarts"] == 0, (
                "the process that was imported ahead is the one that runs"
            )
            spooled(home, "second")
            done = bio_agent(*place, "flush")
            assert done.returncode == 0, done.stderr
            assert done.stdout.endswith(" sent, 0 refused, 0 left\n")
            told = bio_agent(*place, "status")
            assert "spool" not in told.stdout
            assert "readers 1 alive" in told.stdout or "readers 0 alive" in told.stdout
        finally:
            ended = bio_agent(*place, "down")
            process.kill()
            process.wait()
        assert ended.returncode == 0, ended.stdout
        said = output.read_text()
        for noise in ("celery@", "[tasks]", "[queues]", "SecurityWarning"):
            assert noise not in said
