"""The route of what waits for a person; each answer names the routes that decide it."""

# Annotations are values here, not text: the dependencies are made inside a function.

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI

from bio_agent_ops.auth import Caller
from bio_agent_ops.service import reviews
from bio_agent_ops.service.context import Context


def add(app: FastAPI, ctx_of: Callable[..., Context], caller_of: Callable[..., Caller]) -> None:
    """ctx_of, caller_of: the dependencies that give the service's context and who calls."""

    @app.get("/api/reviews", summary="Questions that wait for a person")
    def open_reviews(
        ctx: Annotated[Context, Depends(ctx_of)], caller: Annotated[Caller, Depends(caller_of)]
    ) -> list[dict[str, Any]]:
        return reviews.open_reviews(ctx, caller.tenant)
