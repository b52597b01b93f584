"""What the tests of people's acts share: making rules, acting on them, and reading what is shown, told and recalled then."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from bio_agent_ops.service import learning
from bio_agent_ops.service.context import Context
from bio_agent_schema import beliefs
from tests.services.owner import PERSON

PUSH = {"tool": "Bash", "tool_input": {"command": "git push origin main"}, "workspace": "shop"}
STOOD = (
    "state",
    "layer",
    "content",
    "rendering",
    "confidence",
    "approved_by",
    "needs_person",
    "directive",
    "valid_to",
    "lang",
)


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(answer: Any, status: int, saying: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert saying in answer.json()["detail"]


def rule(http: TestClient, content: str = "Never run git push to main.") -> dict[str, Any]:
    found: dict[str, Any] = made(
        http.post("/api/beliefs", json={"content": content, "scope": "workspace:shop"}, headers=PERSON), 201
    )
    return found


def act(http: TestClient, belief: str, what: str, **body: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(http.post(f"/api/beliefs/{belief}/{what}", json=body, headers=PERSON))
    return found


def shown(http: TestClient, belief: str, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(http.get(f"/api/beliefs/{belief}", params=params))
    return found


def say(ctx: Context, http: TestClient, content: str, n: str = "", session: str = "s1") -> None:
    body = {"kind": "user", "content": content, "workspace": "shop", "session": session} | ({"id": n} if n else {})
    assert made(http.post("/api/ingest", json=body))["accepted"] == 1
    learning.sleep(ctx, "default", inline=True)


def verdict(http: TestClient, **given: Any) -> str:
    call = PUSH | {"tool_input": {"command": "git push origin main", **given}}
    return str(made(http.post("/api/check", json=call))["verdict"])


def block(http: TestClient, **params: Any) -> str:
    return str(made(http.get("/api/persona", params={"workspace": "shop", **params}))["block"])


def recalled(http: TestClient, query: str) -> list[str]:
    body = {"query": query, "workspace": "shop", "limit": 20}
    return [m["content"] for m in made(http.post("/api/recall", json=body))["memories"]]


def clock(ctx: Context) -> str:
    with ctx.db.tenant("default") as session:
        return beliefs.now(session).isoformat()


# -- governed exceptions -----------------------------------------------------------------------------------------------


def propose(http: TestClient, belief: str, **more: Any) -> dict[str, Any]:
    ask = {"belief_id": belief, "text": "Hotfixes may go to main.", "policy": "hotfix policy", **more}
    found: dict[str, Any] = made(http.post("/api/exceptions", json=ask), 201)
    return found


def learned(ctx: Context, http: TestClient) -> dict[str, Any]:
    """A rule that acts taught."""
    body = [
        {"kind": "tool", "tool": "Bash", "tool_input": {"command": "npm test"}, "exit_code": 1, "content": "Error: Cannot find module 'left-pad'",
         "workspace": "shop", "session": "s1", "id": "f1"},
        {"kind": "tool", "tool": "Bash", "tool_input": {"command": "npm ci"}, "exit_code": 0, "content": "added 200 packages",
         "workspace": "shop", "session": "s1", "id": "f2"},
        {"kind": "tool", "tool": "Bash", "tool_input": {"command": "npm test"}, "exit_code": 0, "content": "42 passing",
         "workspace": "shop", "session": "s1", "id": "f3"},
    ]  # fmt: skip
    made(http.post("/api/ingest", json=body))
    learning.sleep(ctx, "default", inline=True)
    found: dict[str, Any] = made(http.get("/api/beliefs"))[0]
    return found
