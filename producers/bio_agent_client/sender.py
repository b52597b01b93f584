"""The background half of `Memory`: a bounded queue, one thread that delivers in batches, the spool while the service is
away. Nothing is dropped without being counted and said."""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

from bio_agent_client.observation import Refused
from bio_agent_client.spool import Batch, Spool
from bio_agent_client.transport import Away, Delivery, Denied, PartlySent, Transport

log = logging.getLogger("bio_agent_client")

QUEUE_MAX = 10_000  # observations waiting in memory; beyond it the caller's thread writes the spool itself
QUEUE_MAX_BYTES = 16 * 1024 * 1024  # of them; keeps the process small when the service is slow
BATCH_MAX = 500
LINGER_S = 0.005  # how long the thread waits for company before it sends a batch
RECHECK_SPOOL_S = 10.0  # how often the spool is looked at for segments that a dead process left
BACKOFF_S = (0.2, 15.0)  # first and longest pause between tries while the service is away
COUNTS = ("accepted", "sent", "spooled", "dropped", "refused", "duplicates")


class Sender:
    """Takes encoded observations and sees them delivered. Thread-safe; `after_fork` starts afresh in a child.

    spool_dir: None keeps nothing on disk. timeout_s bounds how long `put` may wait.
    """

    def __init__(
        self, transport: Transport, spool_dir: str | Path | None, spool_max_bytes: int, timeout_s: float
    ) -> None:
        self._transport = transport
        self._spool_dir, self._spool_max_bytes = spool_dir, spool_max_bytes
        self._timeout_s = timeout_s
        self._warned: set[str] = set()
        self.closed = False
        self._start()

    def _start(self) -> None:
        """Fresh queue, locks and spool; the thread starts with the first observation."""
        self.pid = os.getpid()
        self._counts = dict.fromkeys(COUNTS, 0)
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

    def after_fork(self) -> None:
        """In a child the parent's thread, queue and sockets are not ours; the parent delivers its own."""
        self._transport.after_fork()
        if self._spool is not None:
            self._spool.abandon()
        self._start()

    def put(self, wire: bytes) -> None:
        """Takes one observation: into the queue, or straight to disk when the queue is full."""
        with self._lock:
            self._counts["accepted"] += 1
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
        self.count("spooled", len(wires))
        if (lost := self._spool.dropped - before) > 0:
            self._drop(lost, f"the spool reached {self._spool_max_bytes} bytes; its oldest observations went")
        return True

    def _drop(self, number: int, why: str) -> None:
        self.count("dropped", number)
        if why not in self._warned:
            self._warned.add(why)
            log.warning("bio-agent: observations were dropped: %s (see Memory.stats())", why)

    def count(self, name: str, number: int = 1) -> None:
        with self._lock:
            self._counts[name] += number

    def delivered(self, delivery: Delivery, accepted: int = 0) -> None:
        """Counts what became of a batch; `accepted` when it did not come through `put`."""
        with self._lock:
            self._counts["accepted"] += accepted
            self._counts["sent"] += delivery.accepted
            self._counts["duplicates"] += delivery.duplicates
            self._counts["refused"] += len(delivery.refused)

    def stats(self) -> dict[str, int]:
        with self._lock:
            out = dict(self._counts)
        out["queued"] = self._queue.qsize()
        out["spool_bytes"] = self._spool.size_bytes() if self._spool else 0
        return out

    # ------------------------------------------------------------------------------------------------------ the thread

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
            self.count("refused")
            log.warning("bio-agent: %s", error)
            self._finished(batch)
        finally:
            self._inflight = ()
        return ()

    def _take(self) -> list[bytes]:
        try:
            batch = [
                self._queue.get(timeout=0.001 if self._spool_maybe and time.monotonic() >= self._away_until else 0.05)
            ]
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
        self.delivered(delivery)
        for _, reason in delivery.refused[:3]:
            log.warning("bio-agent: the service refused an observation: %s", reason)
        self._finished(batch)

    def _sent(self, batch: Sequence[bytes]) -> None:
        self.count("sent", len(batch))
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
        except Refused:
            return self._drain_one_by_one(batch, wires)
        batch.done()
        self._pause_s = BACKOFF_S[0]
        self.delivered(delivery)
        return False

    def _drain_one_by_one(self, batch: Batch, wires: Sequence[bytes]) -> bool:
        """The service refused the batch whole: one bad entry must not take the others with it."""
        for wire in wires:
            try:
                self.delivered(self._transport.send([wire]))
            except Refused as error:
                self.count("refused")
                log.warning("bio-agent: %s", error)
            except (Away, Denied) as error:
                batch.release()
                self._pause(error if isinstance(error, Away) else Away(str(error), retry_after_s=BACKOFF_S[1]))
                return False
        batch.done()
        return False

    # ----------------------------------------------------------------------------------------------------------- ending

    def flush(self, timeout: float = 5.0) -> bool:
        """Waits until all that was accepted is delivered or on disk; True when it is within `timeout` seconds."""
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
        if self.closed or self.pid != os.getpid():
            return
        self.flush(timeout)
        self.closed = True
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


def _loop(reference: weakref.ref[Sender], stop: threading.Event) -> None:
    """The background thread. It holds the Sender only while it works, so that a forgotten one can be collected."""
    while not stop.is_set():
        sender = reference()
        if sender is None:
            return
        try:
            wait = sender._step()
        except Exception:  # the thread must outlive anything, or observations would pile up unseen
            log.exception("bio-agent: delivery failed")
            wait = 1.0
        del sender
        if wait > 0:
            stop.wait(wait)
