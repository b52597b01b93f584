"""`Memory`: the queue, the spool, both transports, and what it does while the service is away."""

import json
import logging
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fakeredis
import pytest
import redis

from bio_agent_client import Memory, Refused
from bio_agent_client.observation import from_wire
from bio_agent_client.spool import Spool
from bio_agent_client.transport import Away, Denied, PartlySent

SECRET = "gh" + "p_" + "Zk4mQ9vTb2XwLr8sNc6H" + "yPd3JfGu7AeRt5Bo"


class Face(ThreadingHTTPServer):
    """A stand-in for the service. `plan`: answers to give before the good ones: (status, headers) or "hang"."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.taken: list[dict[str, Any]] = []
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.plan: list[Any] = []
        self.refuse_ids: set[str] = set()
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Face

    def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = b"" if status == 304 else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        if self.server.plan:
            step = self.server.plan.pop(0)
            if step == "hang":
                self.server.released.wait(20)
                return
            self.answer(step[0], {"error": "as planned"}, step[1])
            return
        if self.path == "/api/ingest":
            refused = [{"index": i, "reason": "no"} for i, o in enumerate(body) if o["id"] in self.server.refuse_ids]
            self.server.taken += [o for o in body if o["id"] not in self.server.refuse_ids]
            self.answer(200, {"accepted": len(body) - len(refused), "ids": [], "duplicates": 0, "refused": refused})
        elif self.path == "/api/recall":
            self.answer(200, {"memories": [{"content": "use pnpm"}]})
        elif self.path == "/api/check":
            self.answer(200, {"verdict": "warn", "rule_id": "r1", "reason": "", "evidence": [], "exception": None})
        else:
            self.answer(200, {"memory_id": "m1"})

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers), None))
        if self.headers.get("If-None-Match") == '"v1"':
            self.answer(304, None)
        else:
            self.answer(200, {"version": "v1", "block": "<rules>", "rules": []}, {"ETag": '"v1"'})

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def face() -> Iterator[Face]:
    face = Face()
    yield face
    face.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def said(n: int) -> dict[str, Any]:
    return {"kind": "user", "content": f"line {n}", "id": f"id-{n:05d}"}


def wait_for(condition: Any, seconds: float = 8.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


# ---------------------------------------------------------------------------------------------------------------- Redis


def test_to_the_stream_in_order_without_secrets_and_without_maxlen() -> None:
    server = fakeredis.FakeRedis()
    with Memory(redis=server, tenant="acme", workspace="web", agent="coder") as memory:
        ids = [memory.observe(said(n)) for n in range(700)]
        memory.observe(kind="tool", content=f"token {SECRET}", tool_input={"command": f"x --token {SECRET}"})
        assert memory.flush(5)
        entries = [from_wire(fields[b"o"], tenant="acme") for _, fields in server.xrange("bio:obs:acme")]
        assert [o.id for o in entries[:-1]] == ids
        assert {o.workspace for o in entries} == {"web"}
        assert SECRET not in repr(entries)
        assert memory.stats()["sent"] == memory.stats()["accepted"] == 701


def test_publish_answers_with_ids() -> None:
    server = fakeredis.FakeRedis()
    with Memory(redis=server) as memory:
        assert memory.publish([said(n) for n in range(1200)]) == [f"id-{n:05d}" for n in range(1200)]
        assert server.xlen("bio:obs:default") == 1200
        assert memory.publish([]) == []
        with pytest.raises(Refused, match="kind"):
            memory.publish([said(1), {"content": "no kind"}])
        assert server.xlen("bio:obs:default") == 1200


def test_refused_at_once_and_counted() -> None:
    with Memory(redis=fakeredis.FakeRedis()) as memory:
        with pytest.raises(Refused, match="kind"):
            memory.observe(content="no kind")
        assert memory.stats()["refused"] == 1
        assert memory.stats()["accepted"] == 0


def test_only_redis_says_what_is_missing() -> None:
    with Memory(redis=fakeredis.FakeRedis()) as memory:
        for call in (
            memory.persona,
            lambda: memory.recall("x"),
            lambda: memory.remember("x"),
            lambda: memory.check("Bash", {}),
        ):
            with pytest.raises(RuntimeError, match="HTTP address"):
                call()


class Full(fakeredis.FakeRedis):
    """Answers like a Redis at its memory limit while `full`."""

    full = True

    def execute_command(self, *args: Any, **options: Any) -> Any:
        if self.full:
            raise redis.exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")
        return super().execute_command(*args, **options)


def test_redis_out_of_memory_goes_to_the_spool_and_comes_back(tmp_path: Path) -> None:
    server = Full()
    with Memory(redis=server, spool_dir=tmp_path) as memory:
        for n in range(5):
            memory.observe(said(n))
            assert memory.flush(5)
        assert memory.stats()["spooled"] == 5
        with pytest.raises(Away, match="maxmemory"):
            memory.publish([said(9)])
        server.full = False
        assert memory.drain(10)
        ids = [json.loads(f[b"o"])["id"] for _, f in server.xrange("bio:obs:default")]
        assert ids == [f"id-{n:05d}" for n in range(5)]


def test_a_pipeline_that_fails_midway_names_what_is_in() -> None:
    class Half(fakeredis.FakeRedis):
        def pipeline(self, *args: Any, **options: Any) -> Any:
            pipe = super().pipeline(*args, **options)
            execute = pipe.execute

            def broken(raise_on_error: bool = True) -> list[Any]:
                answers = execute(raise_on_error)
                return [*answers[:-1], redis.exceptions.ResponseError("OOM command not allowed")]

            pipe.execute = broken
            return pipe

    with Memory(redis=Half()) as memory, pytest.raises(PartlySent) as caught:
        memory.publish([said(n) for n in range(3)])
    assert caught.value.count == 2


# ----------------------------------------------------------------------------------------------------------------- HTTP


def test_over_http_with_key(face: Face) -> None:
    with Memory(face.url, key="k1", workspace="web") as memory:
        ids = [memory.observe(said(n)) for n in range(50)]
        assert memory.flush(5)
        assert [o["id"] for o in face.taken] == ids
        assert face.asked[0][1]["Authorization"] == "Bearer k1"
        assert memory.publish([said(99)]) == ["id-00099"]


def test_the_service_refuses_one_of_a_batch(face: Face) -> None:
    face.refuse_ids = {"id-00001"}
    with Memory(face.url) as memory:
        for n in range(3):
            memory.observe(said(n))
        assert memory.flush(5)
        assert {o["id"] for o in face.taken} == {"id-00000", "id-00002"}
        stats = memory.stats()
        assert (stats["sent"], stats["refused"]) == (2, 1)
        with pytest.raises(Refused, match="observation 0: no"):
            memory.publish([said(1)])


def test_a_batch_refused_whole_is_sent_one_by_one(face: Face) -> None:
    with Memory(face.url) as memory:
        memory.observe(said(0))
        assert memory.flush(5)
        face.plan = [(400, {}), (400, {})]  # the batch, then its first entry
        for n in range(1, 4):
            memory.observe(said(n))
        assert memory.flush(5)
        stats = memory.stats()
        assert stats["sent"] + stats["refused"] == 4
        assert 1 <= stats["refused"] <= 2


def test_reading_back(face: Face) -> None:
    with Memory(face.url, workspace="web") as memory:
        assert memory.recall(f"why {SECRET}", limit=3)[0]["content"] == "use pnpm"
        assert face.asked[-1][2] == {"workspace": "web", "query": "why [redacted:github_token]", "limit": 3}
        assert memory.remember("I prefer pnpm", tags=["js"])["memory_id"] == "m1"
        assert memory.check("Bash", {"command": "git push --force"}, mode="deploy")["verdict"] == "warn"
        assert face.asked[-1][2]["mode"] == "deploy"
        first = memory.persona()
        assert memory.persona() is first  # 304: the body was not sent again
        assert face.asked[-1][1]["If-None-Match"] == '"v1"'
        face.stop()
        assert memory.persona() is first  # away: the last known block


def test_reading_when_the_service_is_away() -> None:
    with Memory(f"http://127.0.0.1:{free_port()}") as memory:
        with pytest.raises(Away, match="no answer"):
            memory.recall("x")
        with pytest.raises(Away):
            memory.publish([said(1)])


def test_wrong_key_is_kept_and_said(face: Face, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    face.plan = [(401, {})] * 50
    with Memory(face.url, key="wrong", spool_dir=tmp_path) as memory:
        memory.observe(said(1))
        assert memory.flush(5)
        assert memory.stats()["spooled"] == 1
        assert "401" in caplog.text
        with pytest.raises(Denied):
            memory.publish([said(2)])


def test_retry_after_is_honoured(face: Face, tmp_path: Path) -> None:
    face.plan = [(429, {"Retry-After": "1"})]
    with Memory(face.url, spool_dir=tmp_path) as memory:
        started = time.monotonic()
        memory.observe(said(1))
        wait_for(lambda: face.taken)
        assert time.monotonic() - started >= 0.95
        assert memory.drain(5)


def test_observe_never_waits_for_a_service_that_hangs(face: Face, tmp_path: Path) -> None:
    face.plan = ["hang"] * 20
    memory = Memory(face.url, spool_dir=tmp_path)
    slowest = 0.0
    for n in range(300):
        started = time.perf_counter()
        memory.observe(said(n))
        slowest = max(slowest, time.perf_counter() - started)
    assert slowest < 0.05
    assert not memory.flush(0.2)
    memory.close(timeout=0.3)
    kept = Spool(tmp_path, 10**9).oldest(1000)
    assert kept is not None
    assert {e["id"] for e in kept.entries} == {f"id-{n:05d}" for n in range(300)}  # what hung is kept as well


def test_a_huge_content_does_not_hold_the_caller(face: Face) -> None:
    text = "E build step failed: linker error\n" * 60_000
    with Memory(face.url) as memory:
        started = time.perf_counter()
        memory.observe(kind="tool", content=text)
        assert time.perf_counter() - started < 0.25  # about 0.03 s on a machine to itself
        assert memory.flush(5)
        assert len(face.taken[0]["content"].encode()) <= 32 * 1024
        assert "bytes cut" in face.taken[0]["content"]


# ---------------------------------------------------------------------------------------------------------------- spool


def test_away_then_back_in_order(tmp_path: Path) -> None:
    port = free_port()
    with Memory(f"http://127.0.0.1:{port}", spool_dir=tmp_path) as memory:
        for n in range(40):
            memory.observe(said(n))
        assert memory.flush(5)
        assert memory.stats()["spooled"] == 40
        assert all(p.stat().st_mode & 0o777 == 0o600 for p in tmp_path.iterdir())
        face = Face(port)
        for n in range(40, 60):
            memory.observe(said(n))
        assert memory.drain(10)
        wait_for(lambda: len(face.taken) == 60)
        assert [o["id"] for o in face.taken] == [f"id-{n:05d}" for n in range(60)]
        assert memory.stats()["spool_bytes"] == 0
        face.stop()


def test_the_next_process_delivers_what_the_last_one_kept(tmp_path: Path, face: Face) -> None:
    code = f"""
import os, signal
from bio_agent_client import Memory
m = Memory("http://127.0.0.1:{free_port()}", spool_dir={str(tmp_path)!r})
for n in range(25):
    m.observe(kind="user", content="kept", id=f"kill-{{n}}")
assert m.flush(10)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    with next(iter(tmp_path.glob("*.jsonl"))).open("ab") as torn:
        torn.write(b'{"v":1,"id":"half')  # a line that its writer did not live to finish
    with Memory(face.url, spool_dir=tmp_path) as memory:
        assert memory.drain(10)
    assert [o["id"] for o in face.taken] == [f"kill-{n}" for n in range(25)]


def _fill(folder: str, name: str, number: int) -> None:
    spool = Spool(folder, 10**9)
    for n in range(number):
        spool.append([json.dumps({"id": f"{name}-{n}", "pad": "x" * 300}).encode()])
    os._exit(0)


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(str(tmp_path), name, 800)) for name in "ab"]
    for worker in workers:
        worker.start()
    own = Spool(tmp_path, 10**9)
    own.append([b'{"id":"own"}'])
    for worker in workers:
        worker.join()
    seen = []
    while batch := own.oldest(300):
        seen += [e["id"] for e in batch.entries]
        batch.done()
    assert sorted(seen) == sorted(["own", *(f"{name}-{n}" for name in "ab" for n in range(800))])
    for name in "ab":
        mine = [s for s in seen if s.startswith(name)]
        assert mine == [f"{name}-{n}" for n in range(800)]
    assert not list(tmp_path.iterdir())


def test_a_living_process_keeps_its_segment(tmp_path: Path) -> None:
    writer, reader = Spool(tmp_path, 10**9), Spool(tmp_path, 10**9)
    writer.append([b'{"id":"1"}'])
    assert reader.oldest() is None
    writer.close()
    batch = reader.oldest()
    assert batch is not None
    assert batch.entries == [{"id": "1"}]
    batch.release()
    assert reader.oldest() is not None


def test_the_bound_drops_the_oldest_and_counts(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 0)  # the least it takes: two segments
    line = json.dumps({"pad": "x" * 10_000}).encode()
    for _ in range(500):
        spool.append([line])
    assert spool.size_bytes() <= spool.max_bytes
    kept = spool.size_bytes() // (len(line) + 1)
    assert spool.dropped == 500 - kept > 0


def test_dropping_is_counted_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    memory = Memory(f"http://127.0.0.1:{free_port()}")  # no spool
    memory.observe(said(1))
    memory.observe(said(2))
    memory.close(timeout=0.2)
    assert memory.stats()["dropped"] == 2
    assert caplog.text.count("were dropped") == 1


def test_a_full_disk_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with Memory(f"http://127.0.0.1:{free_port()}", spool_dir=tmp_path) as memory:
        monkeypatch.setattr(Spool, "append", full)
        memory.observe(said(1))
        assert memory.flush(5)
        assert memory.stats()["dropped"] == 1


def test_the_spool_holds_no_secret(tmp_path: Path) -> None:
    with Memory(f"http://127.0.0.1:{free_port()}", spool_dir=tmp_path) as memory:
        memory.observe(kind="tool", content=f"export GITHUB_TOKEN={SECRET}")
        assert memory.flush(5)
    text = "".join(p.read_text() for p in tmp_path.iterdir())
    assert "[redacted:" in text
    assert SECRET not in text


# ------------------------------------------------------------------------------------------------------------ processes


def test_a_fork_starts_afresh(tmp_path: Path, face: Face) -> None:
    memory = Memory(face.url, spool_dir=tmp_path)
    memory.observe(said(0))
    assert memory.flush(5)
    child = os.fork()
    if child == 0:
        memory.observe(said(1))
        os._exit(0 if memory.flush(5) and memory.stats()["accepted"] == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    memory.observe(said(2))
    memory.close()
    assert [o["id"] for o in face.taken] == ["id-00000", "id-00001", "id-00002"]


def test_the_end_of_the_process_flushes(face: Face) -> None:
    code = f"""
from bio_agent_client import Memory
m = Memory({face.url!r})
for n in range(20):
    m.observe(kind="user", content="bye", id=f"x{{n}}")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert len(face.taken) == 20


def test_only_the_standard_library_and_redis_are_imported() -> None:
    code = """
import sys
allowed = set(sys.stdlib_module_names) | {"redis", "bio_agent_client", "hiredis"}
class Gate:
    def find_spec(self, name, path=None, target=None):
        caller = sys._getframe(1)
        while caller and "importlib" in caller.f_code.co_filename:
            caller = caller.f_back
        if caller and "bio_agent_client" in caller.f_code.co_filename and name.split(".")[0] not in allowed:
            raise ImportError("not allowed: " + name)
sys.meta_path.insert(0, Gate())
import bio_agent_client, bio_agent_client.run, bio_agent_client.replay, bio_agent_client.redact
"""
    subprocess.run([sys.executable, "-c", code], check=True)
