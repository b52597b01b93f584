"""How observations reach the service: over HTTP, or straight onto the tenant's Redis stream. stdlib and redis only.

Both answer what happened to each observation, and raise `Away` when the service cannot take anything now.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import threading
import urllib.parse
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import redis

from bio_agent_client.observation import Refused

log = logging.getLogger("bio_agent_client")

STREAM_FIELD = "o"
XADD_BATCH = 500  # entries of one pipeline; larger ones gain nothing and hold memory on both sides
KEEP_FROM = 16  # connections a pool may have, for one of them to be kept between single entries
HTTP_BATCH_BYTES = 512 * 1024  # of one request body


class Away(Exception):
    """The service cannot take anything now: refused, timed out, overloaded or out of memory. `retry_after_s` is what
    the service asked for, 0 when it did not say."""

    def __init__(self, reason: str, retry_after_s: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class Denied(Exception):
    """The service answered and said no for good: wrong key, unknown path, no permission."""


@dataclass(slots=True)
class Delivery:
    """What became of a batch. `refused`: (index in the batch, reason)."""

    accepted: int = 0
    duplicates: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)


class Transport(Protocol):
    def send(self, wires: Sequence[bytes]) -> Delivery: ...

    def close(self) -> None: ...

    def after_fork(self) -> None: ...


def stream_key(tenant: str) -> str:
    return f"bio:obs:{tenant}"


class RedisTransport:
    """XADD to the tenant's stream. Never with MAXLEN: trimming would take entries nobody has read."""

    def __init__(self, client: redis.Redis, tenant: str) -> None:
        self._client = client
        self._key = stream_key(tenant)
        self._kept: deque[Any] = deque()  # at most one connection of the client's pool, or one for each thread at work

    def send(self, wires: Sequence[bytes]) -> Delivery:
        """Returns after Redis answered for every entry."""
        delivery = Delivery()
        for start in range(0, len(wires), XADD_BATCH):
            batch = wires[start : start + XADD_BATCH]
            try:
                if len(batch) == 1:
                    self._one(batch[0])
                else:
                    self._pipelined(batch)
            except redis.exceptions.RedisError as error:
                if delivery.accepted:
                    raise PartlySent(delivery.accepted, str(error)) from error
                raise _redis_error(error) from error
            delivery.accepted += len(batch)
        return delivery

    def _one(self, wire: bytes) -> None:
        """One XADD. On a plain client straight over a connection: the client's own machinery for each command (pool,
        events, retries, callbacks) costs as much as cleaning and redacting the observation."""
        pool = self._client.connection_pool
        if type(self._client) is not redis.Redis or type(pool) is not redis.ConnectionPool:
            self._client.execute_command("XADD", self._key, "*", STREAM_FIELD, wire)  # type: ignore[no-untyped-call]
            return
        try:
            connection, kept = self._kept.pop(), True
        except IndexError:
            connection, kept = pool.get_connection(), False
        try:
            self._over(connection, wire)
        except redis.exceptions.TimeoutError:
            raise
        except redis.exceptions.ConnectionError:
            # A kept connection that the server closed meanwhile is opened again once; ids make a repeat harmless.
            if not kept:
                raise
            self._over(connection, wire)
        finally:
            if self._kept or pool.max_connections < KEEP_FROM or connection.pid != os.getpid():
                pool.release(connection)
            else:
                self._kept.append(connection)

    def _over(self, connection: Any, wire: bytes) -> None:
        try:
            connection.send_command("XADD", self._key, "*", STREAM_FIELD, wire)
            connection.read_response()
        except redis.exceptions.ResponseError:
            raise  # an answer: the connection is in order
        except BaseException:
            connection.disconnect()  # half a command or answer may be on it
            raise

    def _pipelined(self, batch: Sequence[bytes]) -> None:
        pipe = self._client.pipeline(transaction=False)
        for wire in batch:
            pipe.execute_command("XADD", self._key, "*", STREAM_FIELD, wire)  # type: ignore[no-untyped-call]
        answers = pipe.execute(raise_on_error=False)
        for number, answer in enumerate(answers):
            if isinstance(answer, Exception):
                if number:
                    raise PartlySent(number, str(answer)) from answer
                raise _redis_error(answer) from answer

    def close(self) -> None:
        while self._kept:
            self._client.connection_pool.release(self._kept.pop())
        self._client.close()

    def after_fork(self) -> None:
        self._kept = deque()
        self._client.connection_pool.reset()


class PartlySent(Away):
    """The first `count` of a batch are in; the rest is not."""

    def __init__(self, count: int, reason: str) -> None:
        super().__init__(reason)
        self.count = count


def _redis_error(error: Exception) -> Exception:
    text = str(error)
    if isinstance(error, (redis.exceptions.AuthenticationError, redis.exceptions.NoPermissionError)):
        return Denied(f"Redis refused the credential: {text}")
    return Away(f"Redis: {text}")


class HttpTransport:
    """One kept-alive connection a thread to the service's HTTP face."""

    def __init__(self, url: str, key: str | None, timeout_s: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must look like http://127.0.0.1:8055, not {url!r}")
        if parts.scheme == "http" and key and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            log.warning("bio-agent: the key travels in clear text to %s; use https", parts.hostname)
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._key = key
        self._timeout_s = timeout_s
        self._local = threading.local()

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            connection = kind(self._host, self._port, timeout=self._timeout_s)
            self._local.connection = connection
        return connection

    def _drop(self) -> None:
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            connection.close()

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers in lower case, body). Raises Away when there was no answer.

        A kept connection that the server closed meanwhile is opened again once; ids make a repeated send harmless.
        """
        send = {"Accept": "application/json", **(headers or {})}
        if body is not None:
            send["Content-Type"] = "application/json"
        if self._key:
            send["Authorization"] = f"Bearer {self._key}"
        for last in (False, True):
            connection = self._connection()
            fresh = connection.sock is None
            try:
                connection.request(method, self._prefix + path, body=body, headers=send)
                response = connection.getresponse()
                data = response.read()
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                if fresh or last or isinstance(error, TimeoutError):
                    raise Away(f"no answer from {self._host}: {error or type(error).__name__}") from error
                continue
            if response.will_close:
                self._drop()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, data
        raise AssertionError("unreachable")

    def json(self, method: str, path: str, payload: Any) -> Any:
        """The JSON answer to a JSON request. Raises Away (429, 5xx, no answer), Refused (400, 413, 422), Denied."""
        status, headers, data = self.request(method, path, json.dumps(payload, ensure_ascii=False).encode())
        return answer(status, headers, data)

    def send(self, wires: Sequence[bytes]) -> Delivery:
        delivery = Delivery()
        start = 0
        while start < len(wires):
            end, size = start, 0
            while end < len(wires) and (end == start or size + len(wires[end]) < HTTP_BATCH_BYTES):
                size += len(wires[end])
                end += 1
            try:
                self._post(wires[start:end], start, delivery)
            except Away as error:
                if start:
                    raise PartlySent(start, str(error)) from error
                raise
            start = end
        return delivery

    def _post(self, wires: Sequence[bytes], offset: int, delivery: Delivery) -> None:
        status, headers, data = self.request("POST", "/api/ingest", b"[" + b",".join(wires) + b"]")
        reply = answer(status, headers, data)
        refused = [(offset + int(r.get("index", 0)), str(r.get("reason", ""))) for r in reply.get("refused") or []]
        delivery.refused += refused
        delivery.duplicates += _count(reply.get("duplicates"))
        delivery.accepted += len(wires) - len(refused)

    def close(self) -> None:
        self._drop()

    def after_fork(self) -> None:
        self._local = threading.local()


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value or 0)


def answer(status: int, headers: dict[str, str], data: bytes) -> Any:
    """The JSON body of a good answer; the others as typed errors."""
    if status < 300:
        try:
            return json.loads(data) if data else {}
        except ValueError:
            raise Away(f"the answer ({status}) is not JSON: is something else listening on this port?") from None
    said = data[:300].decode("utf-8", "replace")
    if status in (408, 425, 429, 507) or status >= 500:
        try:
            wait = float(headers.get("retry-after", "0"))
        except ValueError:
            wait = 0.0
        raise Away(f"HTTP {status}: {said}", retry_after_s=wait)
    if status in (400, 413, 422):
        raise Refused(f"the service refused it (HTTP {status}): {said}", "request")
    raise Denied(f"HTTP {status}: {said}")
