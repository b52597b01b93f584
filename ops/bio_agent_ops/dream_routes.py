"""Routes of the dream."""

# Annotations are values here, not text: the dependencies are made inside a function.

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Body, Depends, FastAPI, Query

from bio_agent_ops import requests as shapes
from bio_agent_ops.auth import Caller
from bio_agent_ops.service import dreams
from bio_agent_ops.service.context import Context


def add(
    app: FastAPI, ctx_of: Callable[..., Context], caller_of: Callable[..., Caller], person_of: Callable[..., Caller]
) -> None:
    """ctx_of, caller_of, person_of: the dependencies that give the service's context, who calls, and a person who does."""
    Ctx = Annotated[Context, Depends(ctx_of)]
    Who = Annotated[Caller, Depends(caller_of)]
    Person = Annotated[Caller, Depends(person_of)]

    @app.post("/api/dream", summary="Run the dream cycle now")
    def dream(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return dreams.dream(ctx, caller.tenant)

    @app.get("/api/dream", summary="The last dream, or that of a night, with its journal")
    def last_dream(ctx: Ctx, caller: Who, night: Annotated[str, Query(max_length=128)] = "") -> dict[str, Any]:
        return dreams.last(ctx, caller.tenant, night)

    @app.get("/api/dream/times", summary="When the tenant dreams: zone, hour, blackouts")
    def dream_times(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return dreams.times(ctx, caller.tenant)

    @app.post("/api/dream/times", summary="Set the zone or the blackouts, by a person")
    def set_dream_times(ctx: Ctx, caller: Person, body: shapes.DreamTimes) -> dict[str, Any]:
        return dreams.set_times(ctx, caller, body)

    @app.post("/api/dream/{ruling}", summary="continue or stop a dream that asks, by a person")
    def decide_dream(
        ctx: Ctx,
        caller: Person,
        ruling: Literal["continue", "stop"],
        body: Annotated[shapes.Decision | None, Body()] = None,
    ) -> dict[str, Any]:
        return dreams.decide(ctx, caller, go_on=ruling == "continue", why=body.why if body else "")
