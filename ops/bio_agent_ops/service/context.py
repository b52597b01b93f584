"""What every verb is given: connections and settings, made once per process; models only when a verb needs them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property

import redis
from celery import Celery

from bio_agent_schema.db import Database
from bio_agent_workers.intake import connect
from bio_agent_workers.models import configured
from bio_agent_workers.models.protocol import Embedder
from bio_agent_workers.runner import Runtime
from bio_agent_workers.settings import Settings


class NotFound(LookupError):
    """The thing does not exist for this caller; unknown and foreign ids answer alike."""


class Conflict(Exception):
    """The act does not fit the present state (409); the message says what the state is and what to do."""


class BadRequest(ValueError):
    """The request cannot be taken; the message says what was wrong, where, and what to do."""


class Unprocessable(BadRequest):
    """Well formed, but it says something that cannot hold (422): a time beyond the calendar, an end before the beginning."""


class NotBuilt(Exception):
    """The verb is not there yet; the message says what is missing."""


@dataclass
class Context:
    db: Database
    settings: Settings
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, settings: Settings) -> Context:
        if not settings.database_url or not settings.redis_url:
            raise BadRequest(
                "DATABASE_URL and REDIS_URL are not set; `bio-agent up` starts both and sets them for its processes"
            )
        return cls(Database(settings.database_url, pool_size=12), settings)

    @cached_property
    def redis(self) -> redis.Redis:
        return connect(self.settings.redis_url)

    @cached_property
    def runtime(self) -> Runtime:
        """For verbs that think in this process (inline sleep, recall's query vector)."""
        with self._lock:
            return Runtime(self.db, configured(self.settings), self.settings)

    @property
    def embedder(self) -> Embedder:
        return self.runtime.models.embedder

    @cached_property
    def celery(self) -> Celery:
        from bio_agent_workers.app import make_app

        return make_app(self.settings)

    def close(self) -> None:
        self.db.close()
