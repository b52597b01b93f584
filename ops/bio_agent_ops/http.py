"""The HTTP face, 127.0.0.1:8055: routes that hand over to the service, one guard at the door, problem+json for errors."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Annotated, Any
from urllib.parse import unquote_to_bytes

from fastapi import Body, Depends, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError, InterfaceError, OperationalError
from starlette.exceptions import HTTPException

from bio_agent_client.observation import Refused
from bio_agent_ops import requests as shapes
from bio_agent_ops.auth import Caller, Denied, Gate, need_person
from bio_agent_ops.ingest import Busy, Ingest
from bio_agent_ops.service import guarding, learning, people, reading, recalling, speaking
from bio_agent_ops.service.context import BadRequest, Conflict, Context, NotBuilt, NotFound
from bio_agent_schema.db import ensure_tenant
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.brain.scopes import ScopeError
from bio_agent_workers.models.protocol import ModelError
from bio_agent_workers.settings import Settings

log = logging.getLogger("bio.http")

MAX_BODY_BYTES = 16 * 1024 * 1024  # a full batch of cut observations; larger bodies are refused before they are read
TOO_LARGE = f"send at most {MAX_BODY_BYTES} bytes at once"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def problem(status: int, title: str, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return JSONResponse(body, status, headers=headers, media_type="application/problem+json")


class Door:
    """What is refused before anything is read: a foreign Host or Origin (a web page reaching for loopback), a body that
    is not JSON, a body that is too large."""

    def __init__(self, app: Any, hosts: tuple[str, ...], any_host: bool) -> None:
        self.app, self.hosts, self.any_host = app, hosts, any_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").rsplit(":", 1)
        name = host[0] if len(host) == 2 and host[1].isdigit() else ":".join(host)
        refusal: JSONResponse | None = None
        asked = unquote_to_bytes(scope.get("raw_path") or scope["path"]) + unquote_to_bytes(scope["query_string"])
        if not self.any_host and name.lower() not in self.hosts:
            refusal = problem(421, "Foreign host", "this service answers on loopback names only")
        elif (origin := headers.get(b"origin")) is not None and not self._own(origin.decode("latin-1")):
            refusal = problem(403, "Foreign origin", "pages of other origins may not call this service")
        elif b"\0" in asked:
            refusal = problem(400, "Bad request", "the address holds a NUL character; take it out")
        elif scope["method"] in ("POST", "PUT", "PATCH"):
            kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
            length = headers.get(b"content-length", b"0")
            if kind != b"application/json" and (length != b"0" or b"transfer-encoding" in headers):
                refusal = problem(415, "Not JSON", "send Content-Type: application/json")
            elif not length.isdigit() or int(length) > MAX_BODY_BYTES:
                refusal = problem(413, "Too large", TOO_LARGE)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, _counted(receive), send)

    def _own(self, origin: str) -> bool:
        rest = origin.partition("://")[2].lower()
        return rest in self.hosts or (rest.rsplit(":", 1)[0] in self.hosts and rest.rsplit(":", 1)[-1].isdigit())


def _counted(receive: Receive) -> Receive:
    """A body without a Content-Length (chunked) is counted as it comes in, so that the limit holds for it too."""
    read = 0

    async def counted() -> MutableMapping[str, Any]:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MAX_BODY_BYTES:
            raise HTTPException(413, TOO_LARGE)
        return message

    return counted


def same_tag(asked: str | None, tag: str) -> bool:
    """Whether If-None-Match names the tag (RFC 9110: a list, weak tags compared as strong ones, or `*`)."""
    return asked is not None and any(t.strip().removeprefix("W/") in (tag, "*") for t in asked.split(","))


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
        app.state.ingest = Ingest(ctx.db, settings.redis_url, settings.max_backlog)
        yield
        await app.state.ingest.close()
        ctx.close()

    app = FastAPI(title="bio-agent", version="0.1.0", lifespan=lifespan, description=__doc__ or "")
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


def _ctx(request: Request) -> Context:
    return request.app.state.ctx  # type: ignore[no-any-return]


def _caller(
    request: Request,
    authorization: Annotated[str | None, Header()] = None,
    x_bio_tenant: Annotated[str | None, Header()] = None,
) -> Caller:
    """Who calls. The owner may name a tenant; one that is named for the first time is made."""
    caller: Caller = request.app.state.gate.caller(authorization, x_bio_tenant)
    if caller.person and caller.tenant != "default":
        with request.app.state.ctx.db.tenant(caller.tenant) as session:
            ensure_tenant(session, caller.tenant)
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


def _producer_routes(app: FastAPI) -> None:
    @app.post("/api/ingest", summary="One observation, or a list")
    async def ingest(request: Request) -> Response:
        state = request.app.state
        header, wanted = request.headers.get("authorization"), request.headers.get("x-bio-tenant")
        caller = state.gate.caller(header, wanted) if not header else await _threaded(state.gate.caller, header, wanted)
        raw = await request.body()
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            raise BadRequest("the body is not JSON; send one observation as an object, or a list of them") from None
        return JSONResponse(await state.ingest.take(caller, body))

    @app.post("/api/sleep", summary="Run the pending work to its end")
    def sleep(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return learning.sleep(ctx, caller.tenant)

    @app.post("/api/dream", summary="Run the dream cycle now")
    def dream(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return learning.dream(ctx, caller.tenant)


async def _threaded(call: Callable[..., Any], *args: Any) -> Any:
    import asyncio

    return await asyncio.to_thread(call, *args)


def _belief_routes(app: FastAPI) -> None:
    @app.get("/api/beliefs", summary="Beliefs, oldest first")
    def list_beliefs(
        ctx: Ctx,
        caller: Who,
        state: str = "",
        scope: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        after: str = "",
    ) -> list[dict[str, Any]]:
        return reading.list_beliefs(ctx, caller.tenant, state=state, scope=scope, limit=limit, after=after)

    @app.get("/api/beliefs/timeline", summary="What happened to beliefs")
    def timeline(ctx: Ctx, caller: Who, limit: Annotated[int, Query(ge=1, le=1000)] = 200) -> list[dict[str, Any]]:
        return reading.timeline(ctx, caller.tenant, limit)

    @app.get("/api/beliefs/{belief_id}", summary="A belief with evidence, conflicts, exceptions and history")
    def show_belief(ctx: Ctx, caller: Who, belief_id: str) -> dict[str, Any]:
        return reading.show_belief(ctx, caller.tenant, belief_id)

    @app.post("/api/beliefs", summary="A core rule, by a person", status_code=201)
    def add_belief(ctx: Ctx, caller: Person, body: shapes.NewBelief) -> dict[str, Any]:
        return people.add_belief(ctx, caller, body)

    @app.post("/api/beliefs/{belief_id}/{act}", summary="approve, reject, edit, pin, deprecate or undo, by a person")
    def act_on_belief(
        ctx: Ctx,
        caller: Person,
        belief_id: str,
        act: Act,
        body: Annotated[shapes.PersonAct | None, Body()] = None,
    ) -> dict[str, Any]:
        return people.act(ctx, caller, belief_id, act, body or shapes.PersonAct())

    @app.post("/api/exceptions", summary="Propose an exception; a person grants it", status_code=201)
    def add_exception(ctx: Ctx, caller: Who, body: shapes.NewException) -> dict[str, Any]:
        return people.add_exception(ctx, caller, body)

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
    ) -> Response:
        shown = speaking.persona(ctx, caller.tenant, workspace=workspace, agent=agent, user=user, session_id=session)
        tag = f'"{shown["version"]}"'
        if same_tag(request.headers.get("if-none-match"), tag):
            return Response(status_code=304, headers={"ETag": tag})
        return JSONResponse(shown, headers={"ETag": tag})

    @app.post("/api/recall", summary="Memories that fit a query")
    def recall(ctx: Ctx, caller: Who, body: shapes.Recall) -> dict[str, Any]:
        return recalling.recall(ctx, caller.tenant, body)

    @app.post("/api/remember", summary="Keep something said", status_code=201)
    def remember(ctx: Ctx, caller: Who, body: shapes.Remember) -> dict[str, Any]:
        return recalling.remember(ctx, caller, body)

    @app.post("/api/check", summary="Ask before a tool runs")
    def check(ctx: Ctx, caller: Who, body: shapes.Check) -> dict[str, Any]:
        return guarding.check(ctx, caller.tenant, body)

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
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, log_level="warning", access_log=False,
                timeout_graceful_shutdown=5, server_header=False)  # fmt: skip


if __name__ == "__main__":
    main()
