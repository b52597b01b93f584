"""One entry at a time on a Redis stream: the connection that is kept for it, and what happens when it breaks."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bio_agent_client import Memory
from bio_agent_client.transport import KEEP_FROM, Away, Denied, RedisTransport

OOM = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"
ID = b"$3\r\n1-0\r\n"


class Server:
    """Speaks just enough of the protocol. `plan`: what XADD is answered in turn (None: the connection is closed before
    an answer, "late": nothing comes); after that every XADD is taken."""

    def __init__(self) -> None:
        self.plan: list[bytes | str | None] = []
        self.added: list[list[bytes]] = []
        self.connections: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            while command := _command(lines):
                if command[0].upper() != b"XADD":
                    connection.sendall(b"+OK\r\n")
                    continue
                step = self.plan.pop(0) if self.plan else ID
                if step is None:
                    connection.shutdown(socket.SHUT_RDWR)
                    return
                if isinstance(step, bytes):
                    if step == ID:
                        self.added.append(command)
                    connection.sendall(step)

    def hang_up(self) -> None:
        """Close every connection, as a server that is started again does."""
        for connection in self.connections:
            connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()


def _command(lines: object) -> list[bytes]:
    try:
        head = lines.readline()  # type: ignore[attr-defined]
        out = []
        for _ in range(int(head[1:]) if head else 0):
            size = int(lines.readline()[1:])  # type: ignore[attr-defined]
            out.append(lines.read(size + 2)[:-2])  # type: ignore[attr-defined]
        return out
    except OSError:
        return []


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


def client_of(server: Server, **options: object) -> redis.Redis:
    return redis.Redis(
        port=server.port,
        protocol=2,
        socket_timeout=0.3,
        retry=Retry(NoBackoff(), 0),
        **options,  # type: ignore[arg-type]
    )


def test_single_entries_go_over_one_connection_in_order(server: Server) -> None:
    with Memory(redis=client_of(server), tenant="acme") as memory:
        ids = [memory.publish([{"kind": "event", "content": f"n{i}"}])[0] for i in range(5)]
        assert len(server.connections) == 1
        assert memory.stats()["sent"] == 5
    assert [c[:4] for c in server.added] == [[b"XADD", b"bio:obs:acme", b"*", b"o"]] * 5
    assert [i.encode() in c[4] for i, c in zip(ids, server.added, strict=True)] == [True] * 5


def test_a_kept_connection_that_the_server_closed_is_opened_again(server: Server) -> None:
    transport = RedisTransport(client_of(server), "t")
    transport.send([b"one"])
    server.hang_up()
    assert transport.send([b"two"]).accepted == 1
    server.plan = [None]
    assert transport.send([b"three"]).accepted == 1  # closed between the command and its answer: sent once more
    assert [c[4] for c in server.added] == [b"one", b"two", b"three"]
    assert len(server.connections) == 3


def test_a_fresh_connection_that_breaks_is_no_second_chance(server: Server) -> None:
    server.plan = [None, ID]
    with pytest.raises(Away):
        RedisTransport(client_of(server), "t").send([b"one"])
    assert server.added == []


def test_an_answer_in_anger_keeps_the_connection_and_no_answer_does_not(server: Server) -> None:
    transport = RedisTransport(client_of(server), "t")
    server.plan = [OOM, ID, "late"]
    with pytest.raises(Away, match="maxmemory"):
        transport.send([b"one"])
    assert transport.send([b"two"]).accepted == 1
    assert len(server.connections) == 1
    with pytest.raises(Away):
        transport.send([b"three"])  # timed out: not sent again, its answer may still come
    assert transport.send([b"four"]).accepted == 1
    assert [c[4] for c in server.added] == [b"two", b"four"]
    assert len(server.connections) == 2


def test_a_refused_credential_is_denied(server: Server) -> None:
    server.plan = [b"-NOPERM this user has no permissions to run the 'xadd' command\r\n"]
    with pytest.raises(Denied):
        RedisTransport(client_of(server), "t").send([b"one"])


def test_a_small_pool_gets_its_connection_back(server: Server) -> None:
    client = client_of(server, max_connections=1)
    transport = RedisTransport(client, "t")
    transport.send([b"one"])
    assert client.execute_command("PING") in (b"OK", "OK", True, False)  # type: ignore[no-untyped-call]
    assert KEEP_FROM > 1
    transport.send([b"two"])
    assert len(server.connections) == 1


def test_threads_have_connections_of_their_own_and_give_them_back(server: Server) -> None:
    client = client_of(server)
    transport = RedisTransport(client, "t")
    gate = threading.Barrier(8)

    def send(number: int) -> None:
        gate.wait()
        for i in range(20):
            transport.send([f"{number}-{i}".encode()])

    threads = [threading.Thread(target=send, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = [c[4].decode() for c in server.added]
    assert sorted(sent) == sorted(f"{n}-{i}" for n in range(8) for i in range(20))
    for n in range(8):
        own = [s for s in sent if s.startswith(f"{n}-")]
        assert own == [f"{n}-{i}" for i in range(20)]
    transport.close()
    assert len(server.connections) <= 8
    assert not client.connection_pool._in_use_connections
