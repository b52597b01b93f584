"""Running things here: the schema brought up to date, an installation that runs or is started for a while, and a small
HTTP caller for the command line."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from bio_agent_ops.home import Home, HomeError
from bio_agent_ops.processes import port_is_free, spawn
from bio_agent_ops.stack import Stack
from bio_agent_ops.supervisor import status
from bio_agent_schema import revisions

READER_ALIVE_S = 5  # intake gives a sign of life several times a second
READY_S = 60.0  # longest wait for a first start; a warm one takes a few seconds
GONE_S = 20.0  # a service whose starter was killed stops itself within some seconds; longer on a busy machine


class CommandError(Exception):
    """A command cannot do its work; the message says why and what to do. `exit_code`: the command's."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def up_to_date(url: str) -> bool:
    """Whether the application can connect under `url` and finds the newest schema: then nothing is to be migrated.

    Asked with the driver alone. What migrates takes a second to import, and most starts need none of it.
    """
    import psycopg

    try:
        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5, autocommit=True) as connection:
            row = connection.execute(revisions.RECORDED).fetchone()
    except psycopg.Error:
        return False
    return row is not None and row[0] == revisions.newest() and not revisions.fault(row[0], row[1])


def _as_application(url: str, password: str) -> str:
    """`url` with the application's role in place of the user and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=f"bio_app:{quote(password, safe='')}@{parts.netloc.rpartition('@')[2]}").geturl()


def prepare(stack: Stack) -> dict[str, str]:
    """Bring the schema up to date; the environment under which the application connects.

    With DATABASE_ADMIN_URL set that role migrates and DATABASE_URL is the application's; else DATABASE_URL (or the
    embedded server's superuser) migrates, and the application gets a role of its own. Raises HomeError when the database
    was made by other migrations than those that are installed.
    """
    password = stack.home.secret("app-db.password")
    _ = stack.home.owner_token
    admin, given = os.environ.get("DATABASE_ADMIN_URL"), os.environ.get("DATABASE_URL")
    application = given if admin and given else _as_application(stack.database_url, password)
    if up_to_date(application):
        return {"DATABASE_URL": application}
    from bio_agent_schema.db import migrate

    try:
        if admin and given:
            migrate(admin, os.environ.get("BIO_APP_PASSWORD") or password)
            return {"DATABASE_URL": given}
        return {"DATABASE_URL": migrate(stack.database_url, password)}
    except revisions.SchemaMismatch as error:
        raise HomeError(f"{error}" if given else f"{stack.home.root}: {error}") from error


def tenants(home: Home) -> list[str] | None:
    """The names of the tenants in the home's database, sorted; None where it cannot be asked from here."""
    import psycopg

    url = os.environ.get("DATABASE_URL")
    if not url:
        if (stack := Stack.attached(home)) is None:
            return None
        url = _as_application(stack.database_url, home.secret("app-db.password"))
    try:
        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5, autocommit=True) as connection:
            return sorted(row[0] for row in connection.execute("select * from bio.tenant_ids()"))
    except psycopg.Error:
        return None


class Refused(CommandError):
    """The service answered with a problem."""

    def __init__(self, status_code: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{problem.get('title', 'error')} ({status_code}): {problem.get('detail', '')}")
        self.status_code = status_code


@dataclass(frozen=True)
class Api:
    """Calls the HTTP face on loopback as the owner of the installation. `start_it`: the command that starts it."""

    port: int
    token: str
    tenant: str = "default"
    start_it: str = "bio-agent up"

    def of(self, tenant: str) -> Api:
        """The same service for another tenant."""
        return replace(self, tenant=tenant)

    def call(self, method: str, path: str, body: Any = None, timeout_s: float = 330.0, **query: Any) -> Any:
        """The decoded answer. Raises Refused for a problem, CommandError when nothing answers."""
        headers = {"Content-Type": "application/json", "Host": f"127.0.0.1:{self.port}", "X-Bio-Tenant": self.tenant}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        target = path + ("?" + urlencode(query) if query else "")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request(method, target, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            data = json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise CommandError(
                f"nothing useful answers on 127.0.0.1:{self.port} ({type(error).__name__}); "
                f"start it with `{self.start_it}`"
            ) from error
        finally:
            connection.close()
        if answer.status >= 400:
            raise Refused(answer.status, data if isinstance(data, dict) else {})
        return data


def running_api(home: Home, port: int | None) -> Api | None:
    """The service that runs on this home (or answers on the given port), if one does."""
    state = status(home)
    at = port or (int(state["port"]) if state.get("running") and state.get("port") else None)
    if at is None or (state.get("stopping") and at == state.get("port")):
        return None
    api = Api(at, home.owner_token if home.root.is_dir() else "", start_it=home.command("up", port))
    try:
        api.call("GET", "/api/health", timeout_s=3)
    except CommandError:
        return None
    return api


def of_another_home(home: Home, api: Api) -> bool:
    """Whether what answers is the service of another home: it does not know this home's token."""
    if status(home).get("port") == api.port:
        return False
    try:
        api.of("default").call("GET", "/api/quotas", timeout_s=5)
    except Refused as refusal:
        return refusal.status_code == http.HTTPStatus.UNAUTHORIZED
    except CommandError:
        return False
    return False


def alive_readers(intake: Mapping[str, Any]) -> list[Any]:
    """Of the readers in a status answer, those that live: a killed one leaves its sign of life behind for a while."""
    return [r for r in intake.get("readers", []) if r["seen_s_ago"] <= READER_ALIVE_S]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _settled(home: Home, say: Callable[[str], None]) -> Api | None:
    """The service that runs on the home, None when none does. One that starts or stops is waited for, GONE_S at most."""
    end, told = time.monotonic() + GONE_S, False
    while (found := running_api(home, None)) is None and (holder := home.lock().holder()) is not None:
        if time.monotonic() >= end:
            break
        if not told:
            told = True
            say(
                f"process {holder} still holds {home.root}: it is starting, or stopping after its starter ended; "
                f"waiting up to {GONE_S:.0f} s …"
            )
        time.sleep(0.2)
    return found


@contextmanager
def service(home: Home, port: int | None, *, keep: bool = False, say: Callable[[str], None] = _say) -> Iterator[Api]:
    """The service of this home: the one that runs, or one started for the time of the block (`keep`: and left up).
    `say` is told when another process on the home has to be waited for."""
    found = _settled(home, say)
    if found is not None:
        yield found
        return
    chosen = port or (8055 if port_is_free(8055) else free_port())
    home.create()
    log = home.logs / "up.log"
    argv = [sys.executable, "-m", "bio_agent_ops.cli", "--home", str(home.root), "up", "--port", str(chosen)]
    with log.open("ab") as out:
        since = out.tell()
        if keep:
            process = subprocess.Popen(argv, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
            ended = process.poll
        else:
            child = spawn(argv, env=dict(os.environ), stdout=out.fileno(), death_signal=signal.SIGTERM)
            ended = child.exit_status
    try:
        yield _when_ready(Api(chosen, home.owner_token), ended, log, since)
    except BaseException:
        keep = False
        raise
    finally:
        if not keep:
            from bio_agent_ops.supervisor import down

            with open(os.devnull, "w", encoding="utf-8") as quiet:
                down(home, out=quiet)


def _when_ready(api: Api, ended: Any, log: Path, since: int) -> Api:
    """since: bytes of the log that earlier starts wrote."""
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        if ended() is not None:
            break
        try:
            api.call("GET", "/api/health", timeout_s=2)
            state = api.call("GET", "/api/status", timeout_s=5)
            if alive_readers(state["intake"]):
                return api
        except CommandError:
            pass
        time.sleep(0.1)
    lines = log.read_bytes()[since:].decode("utf-8", "replace").splitlines()[-15:]
    raise CommandError(
        "the service did not start; its log ends with:\n  " + "\n  ".join(lines) + f"\nthe whole log: {log}"
    )
