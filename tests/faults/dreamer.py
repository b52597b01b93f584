"""A dream in a process of its own, to be killed. Forked from a server that has the imports already."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping

from bio_agent_schema.db import Database
from bio_agent_workers import dreaming
from bio_agent_workers.models import configured
from bio_agent_workers.runner import Runtime
from bio_agent_workers.settings import Settings


def _dream(env: Mapping[str, str], slot: str) -> None:
    os.environ.update(env)
    settings = Settings()
    dreaming.dream(Runtime(Database(settings.database_url), configured(settings), settings), "default", slot)


def run(env: Mapping[str, str], slot: str, **extra: str) -> int:
    """Exit code of a dream of that slot: 0, or minus the signal that ended it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    child = context.Process(target=_dream, args=({**env, "BIO_TEST": "1", **extra}, slot))
    child.start()
    child.join(180)
    if child.exitcode is None:
        child.kill()
        child.join()
        raise AssertionError("the dreamer did not come to an end within three minutes")
    return child.exitcode
