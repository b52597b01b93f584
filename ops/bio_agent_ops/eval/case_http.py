"""Cases of one HTTP request: with a right, a wrong or no key, on a loopback or an open address, with any body."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr
from starlette.testclient import TestClient

from bio_agent_ops.auth import create_key
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.house import House
from bio_agent_ops.http import create_app

OPEN_HOST = "0.0.0.0"  # noqa: S104 - what a case sets; nothing is bound
NONE, WRONG, OWNER, AGENT = ("none", "missing", "absent", ""), ("wrong", "bad", "invalid", "expired", "garbage"), (
    "owner", "person", "admin"), ("agent", "key", "program", "tool")  # fmt: skip
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD")


def request(house: House, given: Mapping[str, Any]) -> Facts:
    """Answered by the application itself, without a socket."""
    method, path = str(given.get("method") or "GET").upper(), str(given.get("path") or given.get("url") or "")
    if method not in METHODS or not path.startswith("/"):
        raise NotSupported(f"the request {method} {path[:60]!r}")
    who = str(given.get("auth", given.get("token", given.get("by", AGENT[0]))) or "").casefold()
    tenant = house.tenant()
    settings = house.ctx.settings
    on_loopback = str(given.get("host") or "127.0.0.1") in ("127.0.0.1", "localhost", "::1")
    token = SecretStr(secrets.token_urlsafe(16))
    settings = settings.model_copy(update={"host": "127.0.0.1" if on_loopback else OPEN_HOST, "owner_token": token})
    headers = {str(k): str(v) for k, v in (given.get("headers") or {}).items()}
    if who in WRONG:
        headers.setdefault("Authorization", "Bearer not-a-key")
    elif who in OWNER:
        headers.setdefault("Authorization", f"Bearer {token.get_secret_value()}")
    elif who in AGENT:
        headers.setdefault("Authorization", f"Bearer {create_key(house.ctx.db, tenant, 'agent', None)[1]}")
    elif who not in NONE:
        raise NotSupported(f"a request by {who[:40]!r}")
    body = given.get("body", given.get("json"))
    content = (
        body.encode("utf-8", "replace")
        if isinstance(body, str)
        else None
        if body is None
        else json.dumps(body).encode()
    )
    if content is not None:
        headers.setdefault("Content-Type", "application/json")
    with TestClient(create_app(settings), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        answer = client.request(method, path, headers=headers, content=content)
    ok = answer.is_success
    return Facts(
        values={"status": answer.status_code, "accepted": ok, "rejected": not ok, "no_5xx": answer.status_code < 500,
                "no_crash": answer.status_code < 500, "no_error": ok},
        texts={"reason": [] if ok else [answer.text], "output": [answer.text], "refused": [] if ok else [answer.text],
               "headers": [f"{k}: {v}" for k, v in answer.headers.items()]},
        alternatives={"accepted": ok, "rejected": not ok, "refused": not ok, str(answer.status_code): True,
                      "unauthorized": answer.status_code == 401, "forbidden": answer.status_code == 403},
    )  # fmt: skip
