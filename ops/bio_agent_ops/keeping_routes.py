"""Routes of quotas, of erasing a memory, and of erasing cached verdicts."""

# Annotations are values here, not text: the dependencies are made inside a function.

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query

from bio_agent_ops import requests as shapes
from bio_agent_ops.auth import Caller
from bio_agent_ops.service import keeping
from bio_agent_ops.service.context import Context


def add(
    app: FastAPI, ctx_of: Callable[..., Context], caller_of: Callable[..., Caller], person_of: Callable[..., Caller]
) -> None:
    """ctx_of, caller_of, person_of: the dependencies that give the service's context, who calls, and a person who does."""
    Ctx = Annotated[Context, Depends(ctx_of)]
    Who = Annotated[Caller, Depends(caller_of)]
    Person = Annotated[Caller, Depends(person_of)]

    @app.get("/api/quotas", summary="What the tenant may use, and what it used")
    def quotas(ctx: Ctx, caller: Who) -> dict[str, Any]:
        return keeping.show_quotas(ctx, caller.tenant)

    @app.post("/api/quotas", summary="Set the tenant's limits, by a person")
    def set_quotas(ctx: Ctx, caller: Person, body: shapes.Quotas) -> dict[str, Any]:
        return keeping.set_quotas(ctx, caller, body)

    @app.get("/api/memories", summary="What is held, oldest first")
    def list_memories(
        ctx: Ctx,
        caller: Who,
        kind: str = "",
        workspace: str = "",
        state: str = "",
        text: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        after: str = "",
    ) -> list[dict[str, Any]]:
        return keeping.list_memories(
            ctx, caller.tenant, kind=kind, workspace=workspace, state=state, holds=text, limit=limit, after=after
        )

    @app.get("/api/memories/{memory_id}", summary="A memory, by id or a part of it")
    def show_memory(ctx: Ctx, caller: Who, memory_id: str) -> dict[str, Any]:
        return keeping.show_memory(ctx, caller.tenant, memory_id)

    @app.post("/api/memories/{memory_id}/erase", summary="Erase a memory and what repeats it, by a person")
    def erase_memory(ctx: Ctx, caller: Person, memory_id: str) -> dict[str, Any]:
        return keeping.erase_memory(ctx, caller, memory_id)

    @app.post("/api/verdicts/erase", summary="Erase cached verdicts on pairs of rules, by a person")
    def erase_verdicts(ctx: Ctx, caller: Person, body: shapes.EraseVerdicts) -> dict[str, Any]:
        return keeping.erase_verdicts(ctx, caller, body)
