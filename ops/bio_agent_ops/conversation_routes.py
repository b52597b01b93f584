"""Conversation memory at the root: `POST /remember`, `POST /recall`, `GET /health`, for clients that know only these.

They say in few fields what `/api/remember` and `/api/recall` say in full; credentials, tenants and limits are the same.
"""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bio_agent_ops import requests as shapes
from bio_agent_ops.auth import Caller
from bio_agent_ops.service import hearing, learning, recalling
from bio_agent_ops.service.context import Context


class Keep(BaseModel):
    """`memory_type` is free text, such as user_preference or project_context."""

    model_config = ConfigDict(extra="forbid")
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    memory_type: shapes.Name = ""
    tags: list[shapes.Name] = Field(default_factory=list, max_length=32)
    source: shapes.Name = ""
    importance: Annotated[int, Field(ge=1, le=10)] | None = None


class Ask(BaseModel):
    model_config = ConfigDict(extra="forbid")
    query: Annotated[str, StringConstraints(min_length=1, max_length=8_000)]
    memory_type: shapes.Name | None = None
    limit: int = Field(5, ge=1, le=100)


def told(memories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Recall's memories in the fields of this face. similarity_score: in [0, 1], falling, since a client that knows nothing
    else may sort by it. superseded, superseded_by: only of one whose place something newer took; partly_replaced with it: the
    values of it that no longer hold, where the rest does."""
    shown = ("id", "content", "type", "tags", "source", "importance")
    # A score also tells how well the state fits, which carries it beyond 1: the best of such an answer stands for 1. What
    # takes the place of another takes its score too.
    scores = sorted((m["score"] for m in memories), reverse=True)
    best = max([1.0, *scores])
    return [
        {
            **{k: m[k] for k in shown},
            "similarity_score": round(score / best, 4),
            **({"superseded": True, "superseded_by": m["superseded_by"]} if m["superseded_by"] else {}),
            **({"partly_replaced": m["partly_replaced"]} if "partly_replaced" in m else {}),
        }
        for m, score in zip(memories, scores, strict=True)
    ]


def router(context: Any, who: Any) -> APIRouter:
    """context, who: the dependencies that give a route its service context and its caller."""
    routes = APIRouter()
    here, caller_of = Depends(context), Depends(who)

    @routes.get("/health", summary="The same as /api/health")
    def health(ctx: Annotated[Context, here]) -> JSONResponse:
        found = learning.health(ctx)
        return JSONResponse(found, 200 if found["ok"] else 503)

    @routes.post("/remember", summary="Keep something said", status_code=201)
    async def keep(
        request: Request, body: Keep, ctx: Annotated[Context, here], caller: Annotated[Caller, caller_of]
    ) -> dict[str, Any]:
        ask = shapes.Remember(
            content=body.content, type=body.memory_type, tags=body.tags, source=body.source, importance=body.importance
        )
        kept, directive = await asyncio.to_thread(hearing.keep, ctx, caller, ask)
        if directive is not None:
            await request.app.state.ingest.take(caller, directive)
        said = "known already, confirmed" if kept["merged"] else "remembered"
        return {"message": said, "memory_id": kept["id"], "memory_ids": kept["ids"]}

    @routes.post("/recall", summary="Memories that fit a query")
    def ask(body: Ask, ctx: Annotated[Context, here], caller: Annotated[Caller, caller_of]) -> dict[str, Any]:
        found = recalling.recall(
            ctx, caller.tenant, shapes.Recall(query=body.query, type=body.memory_type, limit=body.limit)
        )
        return {"query": body.query, "memories": told(found["memories"])}

    return routes
