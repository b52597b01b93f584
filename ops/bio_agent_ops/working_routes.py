"""Routes of working state and context."""

# Annotations are values here, not text: the dependencies are made inside a function.

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.responses import Response

from bio_agent_ops import working_shapes as shapes
from bio_agent_ops.auth import Caller, Denied
from bio_agent_ops.door import tagged
from bio_agent_ops.service import contexts, working
from bio_agent_ops.service.context import Context
from bio_agent_schema.types import Provenance

Session = Annotated[str, Path(min_length=1, max_length=working.SESSION_CHARS)]
Short = Annotated[str, Query(max_length=256)]


def add(app: FastAPI, ctx_of: Callable[..., Context], caller_of: Callable[..., Caller]) -> None:
    """ctx_of, caller_of: the dependencies that give the service's context and who calls."""
    Ctx = Annotated[Context, Depends(ctx_of)]
    Who = Annotated[Caller, Depends(caller_of)]

    def vouched(caller: Who) -> Caller:
        if caller.ceiling == Provenance.UNTRUSTED:
            raise Denied(403, "this key may observe only as untrusted; tasks and goals take a key of at least `agent`")
        return caller

    Agent = Annotated[Caller, Depends(vouched)]

    @app.get("/api/context", summary="Rules, recalled memories and the session's state as one block")
    def context(
        ctx: Ctx, caller: Who, request: Request, session: Short = "", workspace: Short = "default", agent: Short = "",
        user: Short = "", query: Annotated[str, Query(max_length=8_000)] = "",
        budget: Annotated[int, Query(ge=contexts.LEAST_BUDGET, le=contexts.MOST_BUDGET)] = contexts.DEFAULT_BUDGET,
    ) -> Response:  # fmt: skip
        shown = contexts.context(
            ctx, caller.tenant, session_id=session, workspace=workspace, agent=agent, user=user, query=query, budget=budget
        )  # fmt: skip
        return tagged(request, shown, f'"{shown["version"]}"')

    @app.get("/api/working/{session:path}", summary="What a session has in hand")
    def show(ctx: Ctx, caller: Who, session: Session, workspace: Short = "default") -> dict[str, Any]:
        return working.show(ctx, caller.tenant, session, workspace)

    @app.post("/api/working/{session:path}/push", summary="Begin a part of the task in hand")
    def push(ctx: Ctx, caller: Agent, session: Session, body: shapes.PushTask) -> dict[str, Any]:
        return working.push(ctx, caller.tenant, session, body, interrupting=False)

    @app.post("/api/working/{session:path}/pop", summary="End the task in hand")
    def pop(ctx: Ctx, caller: Agent, session: Session, body: shapes.PopTask) -> dict[str, Any]:
        return working.pop(ctx, caller.tenant, session, body)

    @app.post("/api/working/{session:path}/interrupt", summary="Begin something that comes between")
    def interrupt(ctx: Ctx, caller: Agent, session: Session, body: shapes.PushTask) -> dict[str, Any]:
        return working.push(ctx, caller.tenant, session, body, interrupting=True)

    @app.post("/api/working/{session:path}/resume", summary="Return to what was interrupted")
    def resume(ctx: Ctx, caller: Agent, session: Session, body: shapes.ResumeTask) -> dict[str, Any]:
        return working.resume(ctx, caller.tenant, session, body)

    @app.post("/api/working/{session:path}/goal", summary="Open or end a temporary goal")
    def goal(ctx: Ctx, caller: Agent, session: Session, body: shapes.SetGoal) -> dict[str, Any]:
        return working.goal(ctx, caller.tenant, session, body)

    @app.post("/api/working/{session:path}/snapshot", summary="What is seen, and where")
    def snapshot(ctx: Ctx, caller: Agent, session: Session, body: shapes.Snapshot) -> dict[str, Any]:
        return working.snapshot(ctx, caller.tenant, session, body)

    @app.post("/api/working/{session:path}/act", summary="What was done, and how it ended")
    def act(ctx: Ctx, caller: Agent, session: Session, body: shapes.Acted) -> dict[str, Any]:
        return working.act(ctx, caller.tenant, session, body)
