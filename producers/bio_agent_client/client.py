"""`Memory`: what an agent's process holds to observe and to read back. Standard library and redis only.

`observe` hands over and returns: it cleans, redacts and puts the observation into a bounded queue, and never waits for
the network. A background thread delivers in batches; while the service is away it writes to a spool on disk and drains
it in order when the service is back. `publish` is the synchronous way. Nothing is dropped without being counted.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import queue
import threading
import time
import urllib.parse
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bio_agent_client.clean import cut
from bio_agent_client.observation import Observation, Refused, to_wire
from bio_agent_client.redact import prepare, redact, redact_json, redact_observation
from bio_agent_client.spool import Spool
from bio_agent_client.transport import Away, Denied, HttpTransport, PartlySent, RedisTransport, answer

RedisClient = redis.Redis
log = logging.getLogger("bio_agent_client")

DEFAULT_URL = "http://127.0.0.1:8055"
QUEUE_MAX = 10_000  # observations waiting in memory; beyond it the caller's thread writes the spool itself
QUEUE_MAX_BYTES = 16 * 1024 * 1024  # of them; keeps the process small when the service is slow
BATCH_MAX = 500
LINGER_S = 0.005  # how long the thread waits for company before it sends a batch
FIRST_CUT_CHARS = 128 * 1024  # content is cut to this before it is cleaned, so that `observe` keeps its time
HUGE_CHARS = 1024 * 1024  # beyond this even the search for error lines is too slow: only head and tail are looked at
RECHECK_SPOOL_S = 10.0  # how often the spool is looked at for segments that a dead process left
BACKOFF_S = (0.2, 15.0)  # first and longest pause between tries while the service is away
SEND_TIMEOUT_S = 5.0  # of the background thread's requests; the caller never waits for them
READ_TIMEOUT_S = 30.0  # of recall, remember and the like, which may ask a model


class Memory:
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
        self._spool_dir, self._spool_max_bytes = spool_dir, spool_max_bytes
        self._timeout_s = timeout_ms / 1000
        self._persona: tuple[str, dict[str, Any]] | None = None
        self._counts = dict.fromkeys(("accepted", "sent", "spooled", "dropped", "refused", "duplicates"), 0)
        self._warned: set[str] = set()
        self._closed = False
        self._start()
        _all.add(self)

    def _start(self) -> None:
        """Fresh queue, locks and spool; the thread starts with the first observation."""
        self._pid = os.getpid()
        self._queue: queue.Queue[bytes] = queue.Queue(QUEUE_MAX)
        self._queued_bytes = 0
        self._lock = threading.Lock()
        self._spool_lock = threading.Lock()
        self._spool: Spool | None = Spool(self._spool_dir, self._spool_max_bytes) if self._spool_dir else None
        self._thread: threading.Thread | None = None
        self._busy = 0
        self._idle = threading.Condition(self._lock)
        self._stop = threading.Event()
        self._away_until = 0.0
        self._pause_s = BACKOFF_S[0]
        self._spool_maybe = self._spool is not None
        self._spool_seen = time.monotonic()
        self._inflight: Sequence[bytes] = ()

    # ------------------------------------------------------------------------------------------------------- observing

    def observe(self, obj: Mapping[str, Any] | Observation | None = None, /, **fields: Any) -> str:
        """Takes one observation and returns its id; delivery follows in the background. Raises Refused when it is not
        one. Accepted means: in the queue of this process (or in the spool when the queue is full)."""
        self._check_fork()
        if self._closed:
            raise RuntimeError("this Memory is closed")
        try:
            obs = self._prepared(obj, fields)
        except Refused:
            self._count("refused")
            raise
        wire = to_wire(obs)
        self._count("accepted")
        with self._lock:
            room = self._queued_bytes + len(wire) <= QUEUE_MAX_BYTES
            if room:
                try:
                    self._queue.put_nowait(wire)
                    self._queued_bytes += len(wire)
                    self._busy += 1
                except queue.Full:
                    room = False
        if not room:
            self._overflow(wire)
        if self._thread is None:
            self._run_thread()
        return obs.id

    def _prepared(self, obj: Mapping[str, Any] | Observation | None, fields: Mapping[str, Any]) -> Observation:
        if isinstance(obj, Observation):
            if fields:
                raise TypeError("give an Observation or fields, not both")
            return redact_observation(obj)
        body = {**(obj or {}), **fields}
        if isinstance(content := body.get("content"), str) and len(content) > FIRST_CUT_CHARS:
            body["content"] = _first_cut(content)
        for name, value in self._defaults.items():
            if not body.get(name):
                body[name] = value
        # What may be claimed is the credential's affair and is decided at intake, not here.
        return prepare(body, loopback_defaults=False, oversize="cut", tenant=self.tenant)

    def _overflow(self, wire: bytes) -> None:
        """The queue is full: straight to disk, waiting for its lock no longer than the caller's bound."""
        if self._spool is None or not self._spool_lock.acquire(timeout=self._timeout_s):
            self._drop(1, "the queue is full" + ("" if self._spool else " and there is no spool_dir"))
            return
        try:
            self._to_spool([wire])
        finally:
            self._spool_lock.release()

    def _to_spool(self, wires: Sequence[bytes]) -> bool:
        """Under the spool's lock. False when the disk refused (counted as dropped)."""
        assert self._spool is not None
        before = self._spool.dropped
        try:
            self._spool.append(list(wires))
        except OSError as error:
            self._drop(len(wires), f"the spool cannot be written: {error}")
            return False
        self._spool_maybe = True
        self._count("spooled", len(wires))
        if (lost := self._spool.dropped - before) > 0:
            self._drop(lost, f"the spool reached {self._spool_max_bytes} bytes; its oldest observations went")
        return True

    def _drop(self, number: int, why: str) -> None:
        self._count("dropped", number)
        if why not in self._warned:
            self._warned.add(why)
            log.warning("bio-agent: observations were dropped: %s (see Memory.stats())", why)

    def _count(self, name: str, number: int = 1) -> None:
        with self._lock:
            self._counts[name] += number

    def stats(self) -> dict[str, int]:
        """accepted, sent, spooled, dropped, refused, duplicates since the start; queued and spool_bytes now."""
        with self._lock:
            out = dict(self._counts)
        out["queued"] = self._queue.qsize()
        out["spool_bytes"] = self._spool.size_bytes() if self._spool else 0
        return out

    # -------------------------------------------------------------------------------------------------- background work

    def _run_thread(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=_loop, args=(weakref.ref(self), self._stop), name="bio-agent", daemon=True
                )
                self._thread.start()

    def _step(self) -> float:
        """One round of the background thread: seconds to wait before the next."""
        batch = self._take()
        now = time.monotonic()
        if self._spool is not None and now - self._spool_seen > RECHECK_SPOOL_S:
            self._spool_seen, self._spool_maybe = now, True
        if now >= self._away_until and self._spool_maybe and not self._drain():
            now = time.monotonic()
        if not batch:
            return 0.0 if now >= self._away_until else min(0.05, self._away_until - now)
        if now < self._away_until or self._spool_maybe:
            self._set_aside(batch)  # order: what is on disk goes first
        else:
            self._set_aside(self._try(batch))
        return 0.0

    def _try(self, batch: Sequence[bytes]) -> Sequence[bytes]:
        """Sends a batch; returns what is left to be sent later."""
        self._inflight = batch
        try:
            self._deliver(batch)
        except Away as error:
            done = error.count if isinstance(error, PartlySent) else 0
            if done:
                self._sent(batch[:done])
            self._pause(error)
            return batch[done:]
        except Denied as error:  # a wrong key is put right by a person: keep the observations
            self._pause(Away(str(error), retry_after_s=BACKOFF_S[1]))
            if "denied" not in self._warned:
                self._warned.add("denied")
                log.warning("bio-agent: %s", error)
            return batch
        except Refused as error:
            if len(batch) > 1:  # one by one, so that one bad entry does not take the others
                return [wire for one in batch for wire in self._try([one])]
            self._count("refused")
            log.warning("bio-agent: %s", error)
            self._finished(batch)
        finally:
            self._inflight = ()
        return ()

    def _take(self) -> list[bytes]:
        try:
            batch = [self._queue.get(timeout=0.001 if self._spool_maybe and not self._away_until else 0.05)]
        except queue.Empty:
            return []
        deadline = time.monotonic() + LINGER_S
        while len(batch) < BATCH_MAX:
            try:
                batch.append(self._queue.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                break
        return batch

    def _deliver(self, batch: Sequence[bytes]) -> None:
        delivery = self._transport.send(batch)
        self._pause_s = BACKOFF_S[0]
        with self._lock:
            self._counts["sent"] += delivery.accepted
            self._counts["duplicates"] += delivery.duplicates
            self._counts["refused"] += len(delivery.refused)
        for _, reason in delivery.refused[:3]:
            log.warning("bio-agent: the service refused an observation: %s", reason)
        self._finished(batch)

    def _sent(self, batch: Sequence[bytes]) -> None:
        self._count("sent", len(batch))
        self._finished(batch)

    def _finished(self, batch: Sequence[bytes]) -> None:
        with self._idle:
            self._busy -= len(batch)
            self._queued_bytes -= sum(map(len, batch))
            self._idle.notify_all()

    def _pause(self, error: Away) -> None:
        self._away_until = time.monotonic() + max(error.retry_after_s, self._pause_s)
        self._pause_s = min(self._pause_s * 2, BACKOFF_S[1])

    def _set_aside(self, batch: Sequence[bytes]) -> None:
        """What cannot be delivered now: to the spool; without one it is tried again until it goes or the end comes."""
        if batch and self._spool is not None:
            with self._spool_lock:
                self._to_spool(batch)
            self._finished(batch)
            return
        while batch:
            self._inflight = batch
            self._stop.wait(max(0.0, self._away_until - time.monotonic()))
            if self._stop.is_set():
                return  # close() counts what is in flight
            batch = self._try(batch)

    def _drain(self) -> bool:
        """Delivers the oldest lines of the spool; True when nothing is left that this process may take."""
        assert self._spool is not None
        with self._spool_lock:
            batch = self._spool.oldest(BATCH_MAX)
        if batch is None:
            self._spool_maybe = False
            return True
        wires = [json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() for entry in batch.entries]
        try:
            delivery = self._transport.send(wires)
        except (Away, Denied) as error:  # ids make a second sending of a part harmless
            batch.release()
            self._pause(error if isinstance(error, Away) else Away(str(error), retry_after_s=BACKOFF_S[1]))
            return False
        except Refused as error:
            log.warning("bio-agent: %s", error)
            self._count("refused", len(wires))
            batch.done()
            return False
        batch.done()
        self._pause_s = BACKOFF_S[0]
        with self._lock:
            self._counts["sent"] += delivery.accepted
            self._counts["duplicates"] += delivery.duplicates
            self._counts["refused"] += len(delivery.refused)
        return False

    # ----------------------------------------------------------------------------------------------------------- ending

    def flush(self, timeout: float = 5.0) -> bool:
        """Waits until all that was accepted is delivered or on disk; True when it is within `timeout` seconds."""
        self._check_fork()
        if self._thread is None and not self._queue.empty():
            self._run_thread()
        deadline = time.monotonic() + timeout
        with self._idle:
            while self._busy > 0:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._idle.wait(min(left, 0.1))
        return True

    def drain(self, timeout: float = 30.0) -> bool:
        """Waits until the spool too is delivered, as far as this process may take it; False when time ran out."""
        deadline = time.monotonic() + timeout
        if not self.flush(timeout):
            return False
        self._run_thread()
        while self._spool_maybe and time.monotonic() < deadline:
            time.sleep(0.01)
        return not self._spool_maybe

    def close(self, timeout: float = 2.0) -> None:
        """Delivers or spools what is left, within `timeout` seconds, and ends the thread."""
        if self._closed or self._pid != os.getpid():
            return
        self.flush(timeout)
        self._closed = True
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=max(timeout, 0.5))
        left = list(self._inflight)  # a send that hangs: kept as well, ids make a second delivery harmless
        while True:
            try:
                left.append(self._queue.get_nowait())
            except queue.Empty:
                break
        if left:
            if self._spool is not None:
                with self._spool_lock:
                    self._to_spool(left)
            else:
                self._drop(len(left), "the service was away when the process ended and there is no spool_dir")
        if self._spool is not None:
            with self._spool_lock:
                self._spool.close()
        self._transport.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_fork(self) -> None:
        """In a child the parent's thread, queue and sockets are not ours: start afresh, the parent delivers its own."""
        if self._pid != os.getpid():
            self._transport.after_fork()
            if self._http is not None:
                self._reader.after_fork()
            if self._spool is not None:
                self._spool.abandon()
            self._counts = dict.fromkeys(self._counts, 0)
            self._start()

    # ------------------------------------------------------------------------------------------------------ synchronous

    def publish(self, observations: Iterable[Mapping[str, Any] | Observation]) -> list[str]:
        """Delivers now and returns the ids once the service answered for all of them. Raises Refused (nothing was
        sent), Away (nothing, or with PartlySent the first `count`, were sent) or Denied."""
        self._check_fork()
        prepared = [self._prepared(obs, {}) for obs in observations]
        if not prepared:
            return []
        delivery = self._transport.send([to_wire(obs) for obs in prepared])
        with self._lock:
            self._counts["accepted"] += len(prepared)
            self._counts["sent"] += delivery.accepted
            self._counts["refused"] += len(delivery.refused)
            self._counts["duplicates"] += delivery.duplicates
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


def _first_cut(content: str) -> str:
    if len(content) > HUGE_CHARS:
        half = HUGE_CHARS // 2
        content = f"{content[:half]}\n[… {len(content) - 2 * half} characters cut …]\n{content[-half:]}"
    return cut(content, FIRST_CUT_CHARS)


def _redis_client(url: str) -> redis.Redis:
    """A client with bounded waits and no retries of its own: repeating is the spool's work."""
    return redis.Redis.from_url(
        url,
        socket_timeout=SEND_TIMEOUT_S,
        socket_connect_timeout=2.0,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )


def _loop(reference: weakref.ref[Memory], stop: threading.Event) -> None:
    """The background thread. It holds the Memory only while it works, so that a forgotten one can be collected."""
    while not stop.is_set():
        memory = reference()
        if memory is None:
            return
        try:
            wait = memory._step()
        except Exception:  # the thread must outlive anything, or observations would pile up unseen
            log.exception("bio-agent: delivery failed")
            wait = 1.0
        del memory
        if wait > 0:
            stop.wait(wait)


_all: weakref.WeakSet[Memory] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for memory in list(_all):
        memory.close()
