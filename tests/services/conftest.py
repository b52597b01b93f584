"""The HTTP face over a test's own database, as the owner's programs meet it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.services.owner import BASE, OWNER

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from bio_agent_ops.service.context import Context
    from tests.services.dreams import Clock


@pytest.fixture
def http(ctx: Context) -> Iterator[TestClient]:
    from fastapi.testclient import TestClient
    from pydantic import SecretStr

    from bio_agent_ops.http import create_app

    settings = ctx.settings.model_copy(update={"owner_token": SecretStr(OWNER)})
    with TestClient(create_app(settings), base_url=BASE, raise_server_exceptions=False) as client:
        client.app.state.ctx.__dict__["runtime"] = ctx.runtime  # type: ignore[attr-defined]
        yield client


@pytest.fixture
def clock(ctx: Context, urls: dict[str, str]) -> Clock:
    """The database's clock, which a test moves forward."""
    from tests.services import dreams

    return dreams.Clock(ctx, urls["ADMIN_URL"])
