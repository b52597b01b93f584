"""The HTTP face, 127.0.0.1:8055: routes that hand over to the service, one guard at the door, problem+json for errors."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError, InterfaceError, OperationalError
from starlette.exceptions import HTTPException

from bio_agent_client.observation import Refused
from bio_agent_ops import conversation_routes, docs_page, dream_routes, keeping_routes, review_routes, working_routes
from bio_agent_ops import requests as shapes
from bio_agent_ops.auth import Caller, Denied, Gate, need_person
from bio_agent_ops.door import LOOPBACK, MAX_BODY_BYTES, Door, KnownQuery, problem, same_tag, tagged
from bio_agent_ops.ingest import Busy, Ingest
from bio_agent_ops.service import (
    approvals,
    governing,
    guarding,
    hearing,
    learning,
    people,
    reading,
    recalling,
    speaking,
)
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotBuilt, NotFound, Unprocessable
from bio_agent_ops.turns import Turns
from bio_agent_schema.db import ensure_tenant, has_tenant
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.brain.scopes import ScopeError
from bio_agent_workers.models.protocol import ModelError
from bio_agent_workers.settings import Settings

__all__ = ["MAX_BODY_BYTES", "create_app", "same_tag"]

log = logging.getLogger("bio.http")


def create_app(settings: Settings) -> FastAPI:
    """The application; connections are opened when it starts."""
    loopback = settings.host in LOOPBACK

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        ctx = Context.open(settings)
        with ctx.db.tenant("default") as session:
            ensure_tenant(session, "default", "the tenant of callers that name none")
        app.state.ctx = ctx
        app.state.gate = Gate(ctx.db, settings.owner_token_value(), open_default=loopback)
        app.state.ingest = Ingest(ctx.db, settings.redis_url, settings.max_backlog, settings.max_waiting)
        warming = guarding.warming(ctx)
        yield
        await asyncio.to_thread(warming.stop)
        await app.state.ingest.close()
        ctx.close()

    app = FastAPI(title="bio-agent", version="0.1.0", lifespan=lifespan, description=__doc__ or "", docs_url=None,
                  redoc_url=None)  # fmt: skip
    app.router.route_class = KnownQuery
    app.add_middleware(Turns)
    app.add_middleware(Door, hosts=LOOPBACK, any_host=not loopback)
    _errors(app)
    _routes(app)
    return app


# ------------------------------------------------------------------------------------------------------------ errors


def _errors(app: FastAPI) -> None:
    table: dict[type[Exception], tuple[int, str]] = {
        NotFound: (404, "Not found"),
        Conflict: (409, "Conflict"),
        BadRequest: (400, "Bad request"),
        Unprocessable: (422, "Cannot hold"),
        ScopeError: (400, "Bad scope"),
        Refused: (400, "Refused"),
        NotBuilt: (501, "Not there yet"),
    }
    for kind, (status, title) in table.items():

        def handler(_: Request, error: Exception, status: int = status, title: str = title) -> JSONResponse:
            return problem(status, title, str(error))

        app.add_exception_handler(kind, handler)

    @app.exception_handler(Denied)
    async def denied(_: Request, error: Denied) -> JSONResponse:
        return problem(
            error.status, "Denied", error.reason, {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
        )

    @app.exception_handler(Busy)
    async def busy(_: Request, error: Busy) -> JSONResponse:
        return problem(error.status, "Busy", error.reason, {"Retry-After": str(error.retry_after_s)})

    @app.exception_handler(ModelError)
    async def model(_: Request, error: ModelError) -> JSONResponse:
        return problem(503, "The model is away", str(error), {"Retry-After": str(int(error.retry_after_s or 5))})

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, "Not found" if error.status_code == 404 else "Error", str(error.detail))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        said = [f"{'.'.join(str(p) for p in e['loc'] if p != 'body')}: {e['msg']}" for e in error.errors()[:5]]
        return problem(400, "Bad request", "; ".join(said))

    @app.exception_handler(DataError)
    async def unstorable(_: Request, error: DataError) -> JSONResponse:
        log.warning("a value the database cannot hold was refused: %s", type(error.orig).__name__)
        return problem(
            400, "Bad request", "a value is out of the range or form that can be stored; nothing was changed"
        )

    @app.exception_handler(OperationalError)
    @app.exception_handler(InterfaceError)
    async def database(_: Request, error: Exception) -> JSONResponse:
        log.warning("Postgres is away: %s", type(error).__name__)
        return problem(503, "The database is away", "try again; nothing was changed", {"Retry-After": "2"})

    @app.exception_handler(Exception)
    async def other(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return problem(500, "Internal error", "the service's log has the cause")


# ------------------------------------------------------------------------------------------------------------ routes


#: What puts something into a tenant, and so may begin one: these, and what begins so.
_BEGINS = frozenset({"/api/beliefs", "/api/remember", "/remember", "/api/quotas", "/api/dream/times"})
_BEGINS_UNDER = "/api/working/"


def _ctx(request: Request) -> Context:
    return request.app.state.ctx  # type: ignore[no-any-return]


def _caller(
    request: Request,
    authorization: Annotated[str | None, Header()] = None,
    x_bio_tenant: Annotated[str | None, Header()] = None,
) -> Caller:
    """Who calls. The owner may name a tenant; one that is named for the first time is made when something is put into it.
    Whoever asks a tenant that is not there mistyped it: a guard that knows no rules would let everything through."""
    caller: Caller = request.app.state.gate.caller(authorization, x_bio_tenant)
    if caller.person and caller.tenant != "default":
        with request.app.state.ctx.db.tenant(caller.tenant) as session:
            path = request.url.path.rstrip("/")
            if request.method != "GET" and (path in _BEGINS or path.startswith(_BEGINS_UNDER)):
                ensure_tenant(session, caller.tenant)
            elif not has_tenant(session, caller.tenant):
                raise HTTPException(
                    404, f"there is no tenant {caller.tenant!r}; it begins with the first thing put into it"
                )
    return caller


def _person(caller: Annotated[Caller, Depends(_caller)]) -> Caller:
    need_person(caller)
    return caller


Ctx = Annotated[Context, Depends(_ctx)]
Who = Annotated[Caller, Depends(_caller)]
Person = Annotated[Caller, Depends(_person)]


def _routes(app: FastAPI) -> None:
    _producer_routes(app)
    _belief_routes(app)
    _agent_routes(app)
    _operator_routes(app)
    app.include_router(conversation_routes.router(_ctx, _caller))
    working_routes.add(app, _ctx, _caller)
    dream_routes.add(app, _ctx, _caller, _person)
    keeping_routes.add(app, _ctx, _caller, _person)
    review_routes.add(app, _ctx, _caller)
    docs_page.add(app)


def _producer_routes(app: FastAPI) -> None:
    @app.post("/api/ingest", summary="One observation, or a list")
    async def ingest(request: Request) -> Response:
        state = request.app.state
        header, wanted = request.headers.get("authorization"), request.headers.get("x-bio-tenant")
        caller = (
            state.gate.caller(header, wanted)
            if not header
            else await asyncio.to_thread(state.gate.caller, header, wanted)
        )
        raw = await request.body()
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            raise BadRequest("the body is not JSON; send one observation as an object, or a list of them") from None
        return JSONResponse(await state.ingest.take(caller, body))

    @app.post("/api/sleep", summary="Run the pending work to its end")
    def sleep(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return learning.sleep(ctx, caller.tenant)


def _belief_routes(app: FastAPI) -> None:
    @app.get("/api/beliefs", summary="Beliefs, oldest first; with `at` as they stood then")
    def list_beliefs(
        ctx: Ctx,
        caller: Who,
        request: Request,
        state: str = "",
        scope: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        after: str = "",
        at: str = "",
    ) -> Response:
        shown = reading.list_beliefs(ctx, caller.tenant, state=state, scope=scope, limit=limit, after=after, at=at)
        return tagged(request, shown)

    @app.get("/api/beliefs/timeline", summary="What happened to beliefs")
    def timeline(ctx: Ctx, caller: Who, limit: Annotated[int, Query(ge=1, le=1000)] = 200) -> list[dict[str, Any]]:
        return reading.timeline(ctx, caller.tenant, limit)

    @app.get("/api/beliefs/{belief_id}", summary="A belief, by id or a part of it, with evidence and history")
    def show_belief(ctx: Ctx, caller: Who, request: Request, belief_id: str, at: str = "") -> Response:
        return tagged(request, reading.show_belief(ctx, caller.tenant, belief_id, at))

    @app.post("/api/beliefs", summary="A core rule, by a person", status_code=201)
    def add_belief(ctx: Ctx, caller: Person, body: shapes.NewBelief) -> dict[str, Any]:
        return people.add_belief(ctx, caller, body)

    @app.post("/api/beliefs/{belief_id}/literal", summary="The guard goes by the rule's own words alone, by a person")
    def take_literally(
        ctx: Ctx, caller: Person, belief_id: str, body: Annotated[shapes.LiteralAct | None, Body()] = None
    ) -> dict[str, Any]:
        return people.take_literally(ctx, caller, belief_id, body or shapes.LiteralAct())

    @app.post("/api/beliefs/{belief_id}/{act}", summary="approve, reject, edit, pin, deprecate, undo …, by a person")
    def act_on_belief(
        ctx: Ctx,
        caller: Person,
        belief_id: str,
        act: Act,
        body: Annotated[shapes.PersonAct | None, Body()] = None,
    ) -> dict[str, Any]:
        return people.act(ctx, caller, belief_id, act, body or shapes.PersonAct())

    @app.post("/api/memories/{memory_id}/recheck", summary="A memory holds although its ground fell, by a person")
    def recheck_memory(
        ctx: Ctx, caller: Person, memory_id: str, body: Annotated[shapes.Decision | None, Body()] = None
    ) -> dict[str, Any]:
        return people.recheck_memory(ctx, caller, memory_id, body.why if body else "")

    @app.get("/api/exceptions", summary="Exceptions, by how they stand now")
    def list_exceptions(
        ctx: Ctx,
        caller: Who,
        state: str = "",
        belief_id: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        after: str = "",
    ) -> list[dict[str, Any]]:
        return governing.list_exceptions(ctx, caller.tenant, state=state, belief_id=belief_id, limit=limit, after=after)

    @app.post("/api/exceptions", summary="Propose an exception; a person grants it", status_code=201)
    def add_exception(ctx: Ctx, caller: Who, body: shapes.NewException) -> dict[str, Any]:
        return governing.add_exception(ctx, caller, body)

    @app.post("/api/exceptions/{exception_id}/{ruling}", summary="approve, reject or revoke, by a person")
    def decide_exception(
        ctx: Ctx,
        caller: Person,
        exception_id: str,
        ruling: governing.Ruling,
        body: Annotated[shapes.Decision | None, Body()] = None,
    ) -> dict[str, Any]:
        return governing.decide(ctx, caller, exception_id, ruling, body or shapes.Decision())

    @app.get("/api/graph", summary="Nodes and edges")
    def graph(ctx: Ctx, caller: Who, limit: Annotated[int, Query(ge=1, le=5000)] = 1000) -> dict[str, Any]:
        return reading.show_graph(ctx, caller.tenant, limit)


def _agent_routes(app: FastAPI) -> None:
    @app.get("/api/persona", summary="The rules for a prompt")
    def persona(
        ctx: Ctx,
        caller: Who,
        request: Request,
        workspace: str = "default",
        agent: str = "",
        user: str = "",
        session: str = "",
        at: str = "",
    ) -> Response:
        shown = speaking.persona(
            ctx, caller.tenant, workspace=workspace, agent=agent, user=user, session_id=session, at=at
        )
        return tagged(request, shown, f'"{shown["version"]}"')

    @app.post("/api/recall", summary="Memories that fit a query")
    def recall(ctx: Ctx, caller: Who, body: shapes.Recall) -> dict[str, Any]:
        return recalling.recall(ctx, caller.tenant, body)

    @app.post(
        "/api/remember", summary="Keep something said; an owner's standing directive becomes a rule", status_code=201
    )
    async def remember(request: Request, ctx: Ctx, caller: Who, body: shapes.Remember) -> dict[str, Any]:
        kept, directive = await asyncio.to_thread(hearing.keep, ctx, caller, body)
        if directive is not None:
            await request.app.state.ingest.take(caller, directive)
        return kept

    @app.post("/api/check", summary="Ask before a tool runs")
    def check(
        ctx: Ctx, caller: Who, body: shapes.Check, approval: Annotated[str, Query(max_length=256)] = ""
    ) -> dict[str, Any]:
        return guarding.check(ctx, caller.tenant, body, caller.actor, approval)

    @app.post("/api/check/{approval_id}/{ruling}", summary="approve or deny a call that asked, by a person")
    def decide_call(
        ctx: Ctx,
        caller: Person,
        approval_id: str,
        ruling: approvals.Ruling,
        body: Annotated[shapes.Decision | None, Body()] = None,
    ) -> dict[str, Any]:
        return approvals.decide(ctx, caller, approval_id, ruling, (body or shapes.Decision()).why)

    @app.post("/api/feedback", summary="Tell whether a rule helped or hurt")
    def feedback(ctx: Ctx, caller: Who, body: shapes.Feedback) -> dict[str, Any]:
        return people.feedback(ctx, caller, body)


def _operator_routes(app: FastAPI) -> None:
    @app.get("/api/health", summary="Whether the service can work")
    def health(ctx: Ctx) -> Response:
        found = learning.health(ctx)
        return JSONResponse(found, 200 if found["ok"] else 503)

    @app.get("/api/status", summary="Each component: counts, last active, lag, dead letters")
    def status(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return learning.status(ctx, caller.tenant)

    @app.get("/api/state", summary="Stress, weights, open episodes, settings")
    def state(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return reading.state(ctx, caller.tenant)

    @app.get("/api/episodes", summary="Episodes in order of arrival")
    def episodes(
        ctx: Ctx,
        caller: Who,
        state: str = "",
        session: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        after: int = 0,
    ) -> list[dict[str, Any]]:
        return reading.list_episodes(ctx, caller.tenant, state=state, session_id=session, limit=limit, after=after)

    @app.get("/api/audit", summary="What happened to an episode or a subject")
    def audit(
        ctx: Ctx,
        caller: Who,
        episode_id: str = "",
        subject: str = "",
        limit: Annotated[int, Query(ge=1, le=5000)] = 500,
    ) -> dict[str, Any]:
        return reading.audit(ctx, caller.tenant, episode_id=episode_id, subject=subject, limit=limit)

    @app.get("/api/replay", summary="An episode's stages with each model's raw input and output")
    def replay(ctx: Ctx, caller: Who, episode_id: str) -> dict[str, Any]:
        return reading.replay(ctx, caller.tenant, episode_id)

    @app.get("/api/dead-letters", summary="What could not be processed, with its cause")
    def dead_letters(ctx: Ctx, caller: Who) -> list[dict[str, Any]]:
        return reading.dead_letters(ctx, caller.tenant)

    @app.post("/api/dead-letters/{letter_id}/redrive", summary="Put a dead letter back to work, by a person")
    def redrive(ctx: Ctx, caller: Person, letter_id: str) -> dict[str, Any]:
        return learning.redrive(ctx, caller.tenant, letter_id)


def main() -> None:
    import uvicorn

    from bio_agent_workers.logs import set_up

    settings = Settings()
    set_up("http")
    app = create_app(settings)
    gc.collect()
    gc.freeze()  # what was loaded stays: walking through it again held a request up for some 60 ms now and then
    uvicorn.run(app, host=settings.host, port=settings.port, log_level="warning", access_log=False,
                timeout_graceful_shutdown=5, server_header=False)  # fmt: skip


if __name__ == "__main__":
    main()
