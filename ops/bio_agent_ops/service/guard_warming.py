"""The guard's rules compiled ahead, when the service starts: the first question would otherwise wait for it."""

from __future__ import annotations

import logging
import threading

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from bio_agent_ops.service.context import Context
from bio_agent_ops.service.guard_rules import MAX_TENANTS, GuardRules
from bio_agent_schema.beliefs import ACTIVE

log = logging.getLogger("bio.guard")

MOST_TENANTS = 2_000  # that are counted; beyond, the first question of a tenant compiles its rules as before
STOPS_WITHIN_S = 3.0


class Warming:
    """One pass in a thread of its own, the tenants with the most rules first. Whoever asks meanwhile waits only for the
    rules of the tenant asked about."""

    def __init__(self, ctx: Context, rules: GuardRules) -> None:
        self._ctx, self._rules = ctx, rules
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="guard-warming", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End early; the service closes its connections next."""
        self._ended.set()
        self._thread.join(STOPS_WITHIN_S)

    def _run(self) -> None:
        try:
            self._compile()
        except SQLAlchemyError as error:
            log.info("rules are compiled when they are asked for: %s", type(error).__name__)

    def _compile(self) -> None:
        counted: list[tuple[int, str]] = []
        for tenant in self._ctx.db.tenants()[:MOST_TENANTS]:
            if self._ended.is_set():
                return
            with self._ctx.db.tenant(tenant) as session:
                number = session.execute(
                    text("select count(*) from bio.beliefs where tenant = :t and state = any(:s)"),
                    {"t": tenant, "s": [state.value for state in ACTIVE]},
                ).scalar_one()
            if number:
                counted.append((number, tenant))
        for _, tenant in sorted(counted, reverse=True)[:MAX_TENANTS]:
            if self._ended.is_set():
                return
            with self._ctx.db.tenant(tenant) as session:
                self._rules.of(session, tenant, self._ctx.db.url)
