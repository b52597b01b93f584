"""A narrated run: failing deploys raise the stress of a scope, change what is consolidated first, and quiet hours undo it.

Every step goes through stream, intake and Postgres; the figures are read from the same place as `GET /api/state`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.service import reading

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
TOLERANCE = 0.005  # the worked values are given to two places
DEPLOY = "kubectl rollout restart deployment/shop"


def run(result: Result, house: House) -> None:
    """items: one per step, {step, expected, stress, band, gain, weights, order}; a value that is off is a miss."""
    before, after = _order(house, result)
    result.score.add("what is consolidated first changes under stress", before != after)
    for story in (_left_open, _closed, _old):
        story(house, house.tenant(), result)
    house.set_clock(None)


def _order(house: House, result: Result) -> tuple[list[str], list[str]]:
    """The same two notes waiting in a calm scope, in one under stress, and after quiet hours. Returns the two orders."""
    tenant = house.tenant()
    house.set_clock(NOON)
    _tool(
        house,
        tenant,
        "tail night/disk.log",
        "disk usage of /var at 91 percent, cleaning",
        severity="warning",
        session="night",
    )
    _tool(
        house,
        tenant,
        "tail morning/disk.log",
        "usage of /srv at 92 percent; the log rotation ran late again tonight",
        severity="warning",
        session="morning",
    )
    _tool(house, tenant, "cat design.md", "Orders are split by warehouse before they are priced; carts stay whole.")
    calm = _note(house, tenant, result, "calm: a novel note and a known warning of the disk wait", None)
    _fail(house, tenant)
    tense = _note(house, tenant, result, "six failing deploys beside them", None)
    house.set_clock(NOON + timedelta(hours=9))
    _note(house, tenant, result, "nine quiet hours later", 0.0)
    kept = [t for t in tense if t in calm]
    return calm, kept


def _left_open(house: House, tenant: str, result: Result) -> None:
    house.set_clock(NOON)
    _fail(house, tenant)
    _note(house, tenant, result, "six failing deploys and nothing else", 0.93)
    _tool(house, tenant, "ls -la", "total 8")
    _note(house, tenant, result, "then an unrelated success", 0.64)


def _closed(house: House, tenant: str, result: Result) -> None:
    house.set_clock(NOON)
    _fail(house, tenant)
    _tool(house, tenant, DEPLOY, "deployment successfully rolled out")
    _note(house, tenant, result, "instead the same deploy succeeds and closes them", 0.25)


def _old(house: House, tenant: str, result: Result) -> None:
    house.set_clock(NOON)
    _fail(house, tenant)
    house.set_clock(NOON + timedelta(hours=7, minutes=59))
    _note(house, tenant, result, "six failures left open just before eight hours have passed", 0.33)
    house.set_clock(NOON + timedelta(hours=8, minutes=1))
    _note(house, tenant, result, "and just after", 0.0)


def _fail(house: House, tenant: str) -> None:
    for _ in range(6):
        _tool(house, tenant, DEPLOY, "error: deployment shop exceeded its progress deadline", exit_code=1)


def _tool(
    house: House,
    tenant: str,
    command: str,
    output: str,
    *,
    exit_code: int = 0,
    severity: str = "",
    session: str = "deploys",
) -> None:
    metadata: dict[str, Any] = {"severity": severity} if severity else {}
    house.send(tenant, [{
        "kind": "tool", "tool": "Bash", "tool_input": {"command": command}, "content": output, "exit_code": exit_code,
        "session": session, "metadata": metadata,
    }])  # fmt: skip
    house.take_in([tenant])


def _note(house: House, tenant: str, result: Result, step: str, expected: float | None) -> list[str]:
    """What `GET /api/state` says now. Returns the waiting episodes' first words, most urgent first."""
    scopes = reading.state(house.ctx, tenant)["scopes"]
    scope: dict[str, Any] = (
        scopes[0] if scopes else {"stress": {"s": 0.0}, "weights": {}, "gain": 1.0, "band": "calm", "open_episodes": []}
    )
    s = float(scope["stress"]["s"])
    order = [e["text"][:60] for e in scope["open_episodes"]]
    result.items.append({
        "step": step, "expected": expected, "stress": round(s, 4), "band": scope["band"], "gain": scope["gain"],
        "weights": scope["weights"], "order": order,
    })  # fmt: skip
    if expected is not None:
        result.score.add("stress is the worked value", abs(s - expected) <= TOLERANCE)
        if abs(s - expected) > TOLERANCE:
            result.score.miss(step, f"{s:.3f} instead of {expected:.2f}")
    return order
