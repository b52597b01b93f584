"""The door of the HTTP face: what is refused before anything is read, how a refusal looks, and tags of what was answered."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Iterator, MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

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


def _query_of(dependant: Dependant) -> Iterator[str]:
    yield from (p.alias for p in dependant.query_params)
    for deeper in dependant.dependencies:
        yield from _query_of(deeper)


class KnownQuery(APIRoute):
    """A route that under /api/ refuses query parameters which it does not know: a misspelt filter would else answer as if
    nothing had been asked."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        known = list(dict.fromkeys(_query_of(self.dependant)))
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        handle = super().get_route_handler()
        if not self.path.startswith("/api/"):
            return handle

        async def checked(request: Request) -> Response:
            unknown = next((name for name in request.query_params if name not in known), None)
            if unknown is not None:
                said = f"unknown query parameter {unknown[:80]!a} of {self.path}: {takes}"
                return problem(400, "Bad request", said)
            return await handle(request)

        return checked


def same_tag(asked: str | None, tag: str) -> bool:
    """Whether If-None-Match names the tag (RFC 9110: a list, weak tags compared as strong ones, or `*`)."""
    return asked is not None and any(t.strip().removeprefix("W/") in (tag, "*") for t in asked.split(","))


def tagged(request: Request, shown: Any, tag: str = "") -> Response:
    """The answer with its ETag, or 304 when the caller has it. Without a `tag` it covers every byte of the body."""
    answer = JSONResponse(jsonable_encoder(shown))
    tag = tag or f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
    if same_tag(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers={"ETag": tag})
    answer.headers["ETag"] = tag
    return answer
