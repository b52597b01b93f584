"""`Memory`: what an agent's process holds to observe and to read back. Standard library and redis only.

`observe` hands over and returns: it cleans, redacts and puts the observation into a bounded queue, and never waits for
the network. A background thread delivers in batches; while the service is away it writes to a spool on disk and drains
it in order when the service is back. `publish` is the synchronous way. Nothing is dropped without being counted.
"""

from __future__ import annotations

import atexit
import logging
import os
import urllib.parse
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bio_agent_client.observation import Observation, Refused, to_wire
from bio_agent_client.redact import first_cut, prepare, redact, redact_json, redact_observation
from bio_agent_client.sender import Sender
from bio_agent_client.transport import Away, HttpTransport, RedisTransport, answer
from bio_agent_client.working import WorkingVerbs

RedisClient = redis.Redis
log = logging.getLogger("bio_agent_client")

DEFAULT_URL = "http://127.0.0.1:8055"
SEND_TIMEOUT_S = 5.0  # of the background thread's requests; the caller never waits for them
READ_TIMEOUT_S = 30.0  # of recall, remember and the like, which may ask a model


class Memory(WorkingVerbs):
    """One connection to the memory, for one tenant, workspace and agent. Thread-safe and fork-safe.

    url: http://… (the service) or redis://… (its stream). redis: a client of your own instead. The HTTP methods
    (recall, remember, persona, check) need an http url. spool_dir: None keeps nothing on disk: what cannot be delivered
    waits in the queue, and is dropped (and counted) once that is full. timeout_ms bounds how long `observe` may block.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        redis: RedisClient | None = None,
        tenant: str = "default",
        workspace: str = "",
        agent: str = "",
        user: str = "",
        session: str = "",
        host: str = "",
        key: str | None = None,
        spool_dir: str | Path | None = None,
        spool_max_bytes: int = 64 * 1024 * 1024,
        timeout_ms: int = 50,
        read_timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        self._http: HttpTransport | None = None
        self._redis: RedisTransport | None = None
        if url is None and redis is None:
            url = os.environ.get("BIO_AGENT_URL") or DEFAULT_URL
        if url is not None and urllib.parse.urlsplit(url).scheme in ("redis", "rediss", "unix"):
            redis, url = redis or _redis_client(url), None
        if url is not None:
            self._http = HttpTransport(url, key, SEND_TIMEOUT_S)
            self._reader = HttpTransport(url, key, read_timeout_s)
        if redis is not None:
            self._redis = RedisTransport(redis, tenant)
        self._transport: RedisTransport | HttpTransport = self._redis or self._http  # type: ignore[assignment]
        self.tenant = tenant
        self._defaults = {
            name: value
            for name, value in (
                ("workspace", workspace),
                ("agent", agent),
                ("user", user),
                ("session", session),
                ("host", host),
            )
            if value
        }
        self._persona: tuple[str, dict[str, Any]] | None = None
        self._sender = Sender(self._transport, spool_dir, spool_max_bytes, timeout_ms / 1000)
        _all.add(self)

    # ------------------------------------------------------------------------------------------------------- observing

    def observe(self, obj: Mapping[str, Any] | Observation | None = None, /, **fields: Any) -> str:
        """Takes one observation and returns its id; delivery follows in the background. Raises Refused when it is not
        one. Accepted means: in the queue of this process (or in the spool when the queue is full)."""
        self._check_fork()
        if self._sender.closed:
            raise RuntimeError("this Memory is closed")
        try:
            obs = self._prepared(obj, fields)
        except Refused:
            self._sender.count("refused")
            raise
        self._sender.put(to_wire(obs))
        return obs.id

    def _prepared(self, obj: Mapping[str, Any] | Observation | None, fields: Mapping[str, Any]) -> Observation:
        if isinstance(obj, Observation):
            if fields:
                raise TypeError("give an Observation or fields, not both")
            return redact_observation(obj)
        body = {**(obj or {}), **fields}
        if isinstance(content := body.get("content"), str):
            body["content"] = first_cut(content)
        for name, value in self._defaults.items():
            if not body.get(name):
                body[name] = value
        # What may be claimed is the credential's affair and is decided at intake, not here.
        return prepare(body, loopback_defaults=False, oversize="cut", tenant=self.tenant)

    def stats(self) -> dict[str, int]:
        """accepted, sent, spooled, dropped, refused, duplicates since the start; queued and spool_bytes now."""
        return self._sender.stats()

    def flush(self, timeout: float = 5.0) -> bool:
        """Waits until all that was accepted is delivered or on disk; True when it is within `timeout` seconds."""
        self._check_fork()
        return self._sender.flush(timeout)

    def drain(self, timeout: float = 30.0) -> bool:
        """Waits until the spool too is delivered, as far as this process may take it; False when time ran out."""
        self._check_fork()
        return self._sender.drain(timeout)

    def close(self, timeout: float = 2.0) -> None:
        """Delivers or spools what is left, within `timeout` seconds, and ends the thread."""
        self._sender.close(timeout)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_fork(self) -> None:
        """In a child the parent's thread, queue and sockets are not ours: start afresh, the parent delivers its own."""
        if self._sender.pid != os.getpid():
            if self._http is not None:
                self._reader.after_fork()
            self._sender.after_fork()

    # ------------------------------------------------------------------------------------------------------ synchronous

    def publish(self, observations: Iterable[Mapping[str, Any] | Observation]) -> list[str]:
        """Delivers now and returns the ids once the service answered for all of them. Raises Refused (nothing was
        sent), Away (nothing, or with PartlySent the first `count`, were sent) or Denied."""
        self._check_fork()
        prepared = [self._prepared(obs, {}) for obs in observations]
        if not prepared:
            return []
        delivery = self._transport.send([to_wire(obs) for obs in prepared])
        self._sender.delivered(delivery, accepted=len(prepared))
        if delivery.refused:
            index, reason = delivery.refused[0]
            raise Refused(
                f"{len(delivery.refused)} of {len(prepared)} were refused; observation {index}: {reason}", "publish"
            )
        return [obs.id for obs in prepared]

    def _ask(self, what: str) -> HttpTransport:
        self._check_fork()
        if self._http is None:
            raise RuntimeError(
                f"{what} needs the service's HTTP address: Memory(url='{DEFAULT_URL}', …); only Redis was given"
            )
        return self._reader

    def remember(self, text: str, **fields: Any) -> dict[str, Any]:
        """Keeps a text on purpose (memory_type, tags, source, …). Secrets are taken out before it is sent."""
        body = {**self._defaults, **redact_json(fields), "content": redact(text)}
        return dict(self._ask("remember").json("POST", "/api/remember", body))

    def recall(self, query: str, *, limit: int = 10, **fields: Any) -> list[dict[str, Any]]:
        """The memories that bear on `query`, best first; each says why it came."""
        body = {**self._defaults, **redact_json(fields), "query": redact(query), "limit": limit}
        reply = self._ask("recall").json("POST", "/api/recall", body)
        return list(reply.get("memories") or [])

    def persona(self) -> dict[str, Any]:
        """{version, block, rules}: what to put before the model. Asked with the last version (ETag), so an unchanged
        block costs no body; raises Away when the service has never answered, else the last known block is returned."""
        reader = self._ask("persona")
        headers = {"If-None-Match": self._persona[0]} if self._persona else {}
        where = {k: v for k, v in self._defaults.items() if k in ("workspace", "agent", "user", "session")}
        path = "/api/persona" + (f"?{urllib.parse.urlencode(where)}" if where else "")
        try:
            status, answered, data = reader.request("GET", path, headers=headers)
            if status == 304 and self._persona:
                return self._persona[1]
            reply = dict(answer(status, answered, data))
        except Away:
            if self._persona:
                return self._persona[1]
            raise
        if etag := answered.get("etag"):
            self._persona = (etag, reply)
        return reply

    def check(
        self, tool: str, tool_input: Any, workspace: str | None = None, mode: str | None = None
    ) -> dict[str, Any]:
        """What the guard says before a tool runs: {verdict, rule_id, reason, evidence, exception}."""
        body: dict[str, Any] = {**self._defaults, "tool": tool, "tool_input": redact_json(tool_input)}
        if workspace is not None:
            body["workspace"] = workspace
        if mode is not None:
            body["mode"] = mode
        return dict(self._ask("check").json("POST", "/api/check", body))


def _redis_client(url: str) -> redis.Redis:
    """A client with bounded waits and no retries of its own: repeating is the spool's work."""
    return redis.Redis.from_url(
        url,
        socket_timeout=SEND_TIMEOUT_S,
        socket_connect_timeout=2.0,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )


_all: weakref.WeakSet[Memory] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for memory in list(_all):
        memory.close()
