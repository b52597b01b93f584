"""The embedded PostgreSQL and Valkey: they keep what they were given, whoever runs them, wherever, and however they end."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from bio_agent_ops import exec_child
from bio_agent_ops.stack import Home, HomeError, HomeInUse, Stack

pytestmark = pytest.mark.services

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to change the user")

HOLD = """
import sys, time
from bio_agent_ops.stack import Home, Stack
stack = Stack(Home(sys.argv[1])).start()
print(stack.postgres.pid, stack.valkey.pid, flush=True)
time.sleep(600)
"""


def embedded(home: Path) -> Stack:
    """Never the servers that the environment of the test run may name."""
    return Stack(Home(home), database_url=None, redis_url=None)


def sql(stack: Stack, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(stack.database_url.replace("+psycopg", ""), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def valkey(stack: Stack) -> redis.Redis:
    return redis.Redis.from_url(stack.redis_url, socket_timeout=5)


def lives(pid: int) -> bool:
    """A zombie, reaped late by the system's first process, does not count."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(shown.strip()) and not shown.startswith("Z")


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Another process that runs the stack on `tmp_path / "home"`, and the ids of its two servers."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "home")], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    yield process, pids
    process.kill()
    process.wait()
    process.stdout.close()


def test_what_was_stored_is_there_after_a_restart_in_a_path_with_a_space(tmp_path: Path) -> None:
    home = tmp_path / "a home"
    with embedded(home) as stack:
        ports = stack.state()
        sql(stack, "CREATE TABLE kept (n int)")
        sql(stack, "INSERT INTO kept VALUES (7)")
        valkey(stack).xadd("stream", {"n": "7"})
    with embedded(home) as stack:
        assert sql(stack, "SELECT n FROM kept") == [(7,)]
        assert valkey(stack).xlen("stream") == 1
        for name, state in stack.state().items():
            assert state is not None
            assert state["port"] == (ports[name] or {})["port"], "the port is used again when it is free"


def test_the_settings_that_keep_data_are_on(tmp_path: Path) -> None:
    with embedded(tmp_path / "home") as stack:
        shown = {str(name): value for name, value in sql(stack, "SELECT name, setting FROM pg_settings")}
        wanted = {
            "server_encoding": "UTF8",
            "fsync": "on",
            "synchronous_commit": "on",
            "full_page_writes": "on",
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "plan_cache_mode": "force_custom_plan",
            "log_min_error_statement": "panic",
        }
        assert {name: shown[name] for name in wanted} == wanted
        sql(stack, "CREATE EXTENSION vector")
        assert sql(stack, "SELECT '[1,2]'::vector <-> '[1,2]'") == [(0.0,)]
        client = valkey(stack)
        for name, value in {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "bind": "127.0.0.1",
        }.items():
            assert client.config_get(name) == {name: value}


def test_both_want_their_password_and_no_command_line_shows_it(tmp_path: Path) -> None:
    with embedded(tmp_path / "home") as stack:
        assert stack.postgres is not None
        assert stack.valkey is not None
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(
                host="127.0.0.1", port=stack.postgres.port, user="postgres", password="wrong", dbname="postgres"
            )
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=stack.valkey.port).ping()
        files = [stack.home.root / name for name in ("postgres.password", "redis.password")]
        shown = subprocess.run(["ps", "-e", "-o", "args"], capture_output=True, text=True, check=True).stdout
        for file in files:
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert file.read_text().strip() not in shown


def test_two_homes_run_side_by_side(tmp_path: Path) -> None:
    with embedded(tmp_path / "one") as one, embedded(tmp_path / "two") as two:
        sql(one, "CREATE TABLE only_here (n int)")
        valkey(one).set("only", "here")
        assert sql(two, "SELECT to_regclass('only_here')") == [(None,)]
        assert valkey(two).get("only") is None


def test_a_taken_port_is_given_up_for_another(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for name in ("postgres", "redis"):
            (home.run / f"{name}.port").write_text(f"{port}\n")
        with embedded(home.root) as stack:
            assert all(state is not None and state["port"] != port for state in stack.state().values())
            assert valkey(stack).ping()


def test_given_servers_are_used_and_none_is_started(tmp_path: Path) -> None:
    with Stack(
        Home(tmp_path / "h"), database_url="postgresql+psycopg://there/db", redis_url="redis://there/0"
    ) as stack:
        assert (stack.database_url, stack.redis_url) == ("postgresql+psycopg://there/db", "redis://there/0")
        assert stack.state() == {"postgres": None, "redis": None}
        assert not (tmp_path / "h" / "pg").exists()


def test_a_half_made_cluster_and_a_lock_file_naming_a_stranger_do_not_stop_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "pg" / "data.new" / "base").mkdir(parents=True)
    home.chmod(0o700)
    with embedded(home) as stack:
        sql(stack, "CREATE TABLE kept (n int)")
    # As after a power cut, when the recorded process id meanwhile belongs to another program: this one.
    (home / "pg" / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n{home / 'pg' / 'data'}\n1\n1\n\n\n\n")
    with embedded(home) as stack:
        assert sql(stack, "SELECT count(*) FROM kept") == [(0,)]


def test_a_lost_password_file_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with embedded(home):
        pass
    (home / "postgres.password").unlink()
    with pytest.raises(RuntimeError, match=r"postgres\.password"):
        embedded(home).start()
    Home(home).lock().acquire().release()  # The failed start holds nothing.


def test_a_home_others_may_write_to_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    with pytest.raises(HomeError, match="chmod go-w"):
        embedded(home).start()
    assert stat.S_IMODE(home.stat().st_mode) == 0o777, "directories found are not changed"


def test_a_second_start_on_the_same_home_says_who_holds_it(
    tmp_path: Path, holder: tuple[subprocess.Popen[str], list[int]]
) -> None:
    process, _ = holder
    with pytest.raises(HomeInUse, match=f"process {process.pid}.*bio-agent --home .*home down"):
        embedded(tmp_path / "home").start()
    attached = Stack.attached(Home(tmp_path / "home"))
    assert attached is not None
    assert valkey(attached).ping()
    assert sql(attached, "SELECT 1") == [(1,)]


@AS_ROOT
def test_as_root_in_a_closed_directory_postgres_is_nobody_and_no_mode_is_changed(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    above = [(path, path.stat().st_mode, path.stat().st_uid) for path in (closed, *closed.parents)]
    with embedded(closed / "home") as stack:
        assert stack.postgres is not None
        assert stack.postgres.pid is not None
        assert Path(f"/proc/{stack.postgres.pid}").stat().st_uid != 0
        assert sql(stack, "SELECT 1") == [(1,)]
    assert [(path, path.stat().st_mode, path.stat().st_uid) for path, _, _ in above] == above


@pytest.mark.faults
def test_killed_servers_come_back_on_their_ports_with_what_was_acknowledged(tmp_path: Path) -> None:
    with embedded(tmp_path / "home") as stack:
        assert stack.postgres is not None
        assert stack.valkey is not None
        sql(stack, "CREATE TABLE kept (n int)")
        sql(stack, "INSERT INTO kept SELECT generate_series(1, 1000)")
        for n in range(100):
            valkey(stack).xadd("stream", {"n": str(n)})
        urls = stack.database_url, stack.redis_url
        for server in (stack.postgres, stack.valkey):
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while (stack.postgres.running() or stack.valkey.running()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not stack.all_running()
        assert sorted(stack.revive()) == ["postgres", "valkey"]
        assert (stack.database_url, stack.redis_url) == urls
        assert sql(stack, "SELECT count(*) FROM kept") == [(1000,)]
        assert valkey(stack).xlen("stream") == 100


@pytest.mark.faults
@pytest.mark.parametrize("wait", [True, False], ids=["after they are gone", "at once"])
def test_servers_end_with_their_killed_parent_and_the_next_start_works(
    tmp_path: Path, holder: tuple[subprocess.Popen[str], list[int]], wait: bool
) -> None:
    process, pids = holder
    process.kill()
    if wait:
        deadline = time.monotonic() + 5
        while any(lives(pid) for pid in pids):
            assert time.monotonic() < deadline, "a server outlived its parent by 5 s"
            time.sleep(0.05)
    with embedded(tmp_path / "home") as stack:
        assert sql(stack, "SELECT 1") == [(1,)]
        assert valkey(stack).ping()


@pytest.mark.faults
@pytest.mark.parametrize("dismissed", [False, True], ids=["parent gone", "dismissed"])
def test_where_the_kernel_does_not_tell_a_watcher_ends_the_child(dismissed: bool) -> None:
    reader, writer = os.pipe()
    command = [sys.executable, "-I", "-S", exec_child.__file__, "--death-signal", "15", "--watch", str(reader)]
    child = subprocess.Popen([*command, "--", "/bin/sleep", "60"], pass_fds=[reader])
    os.close(reader)
    try:
        if dismissed:
            os.write(writer, b"q")
        os.close(writer)
        if dismissed:
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(1.0)
        else:
            assert child.wait(10) == -signal.SIGTERM
    finally:
        child.kill()
        child.wait()
