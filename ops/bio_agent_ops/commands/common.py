"""What every command shares: where it works, how trouble is told, how data is shown."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from bio_agent_ops import ids
from bio_agent_ops.home import Home, HomeError
from bio_agent_ops.local import Api, CommandError, of_another_home, running_api, tenants

WHOLE_ID = 36  # characters of a UUID
NAMED = 20  # tenants that a refusal names
PAGE = 1000  # the most that a list's route gives at once
plain = ids.plain


class Place:
    """Where a command works: home, port (None: that of the service which runs on the home), tenant."""

    def __init__(self, home: Home, port: int | None, tenant: str) -> None:
        self.home, self.port, self.tenant = home, port, tenant

    def but(self, home: Path | None, port: int | None, tenant: str | None) -> Place:
        """The same place, save for what is given."""
        return Place(Home(home) if home else self.home, port or self.port, tenant or self.tenant)

    def api(self, *, may_begin: bool = False) -> Api:
        """The service of the home. may_begin: whether the command may be a tenant's first. Raises CommandError when no
        service runs, and for a tenant that does not exist."""
        found = running_api(self.home, self.port)
        if found is None:
            raise CommandError(
                f"no service runs on {self.home.root}; start one with `{self.home.command('up', self.port)}`"
            )
        if of_another_home(self.home, found):
            raise CommandError(f"{self.home.root}: {self.elsewhere(found)}")
        if not may_begin:
            self.must_exist()
        return found.of(self.tenant)

    def elsewhere(self, api: Api) -> str:
        """What to say of a service that is another home's."""
        return (
            f"the service that answers on port {api.port} is another home's;"
            f" `{self.home.command('up')} --port NUMBER` starts this one's on a port of its own"
        )

    def must_exist(self) -> None:
        """Raises CommandError when the tenant does not exist: to ask about one that was mistyped must not begin it."""
        if self.tenant == "default":
            return
        known = tenants(self.home)
        if known is not None and self.tenant not in known:
            shown = ", ".join(known[:NAMED]) + (", …" if len(known) > NAMED else "")
            raise CommandError(
                f"there is no tenant {self.tenant!r}; there is {shown or 'none yet'}. One begins with what is first written"
                " for it (`remember`, `replay`, or a key of its own: `keys create`)"
            )


def told(call: Callable[..., Any]) -> Callable[..., Any]:
    """Known trouble as one line on standard error and the exit code it carries (1 if none), never a stack trace."""

    @wraps(call)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        from bio_agent_ops.postgres import PostgresError
        from bio_agent_ops.valkey import ValkeyError

        try:
            return call(*args, **kwargs)
        except (CommandError, HomeError, PostgresError, ValkeyError) as error:
            click.echo(f"bio-agent: {error}", err=True)
            sys.exit(getattr(error, "exit_code", 1))

    return wrapper


def place_options(command: Callable[..., Any], *, after_verb: bool = False) -> Callable[..., Any]:
    """--home, --port and --tenant. `after_verb`: no defaults of their own; what stands before the verb then holds."""
    options = (
        click.option(
            "--home",
            envvar=None if after_verb else "BIO_AGENT_HOME",
            type=click.Path(path_type=Path),
            help="Folder of everything this writes.  [default: ~/.bio-agent]",
        ),
        click.option(
            "--port",
            envvar=None if after_verb else "BIO_AGENT_PORT",
            type=click.IntRange(1, 65535),
            help="HTTP port on 127.0.0.1.  [default: 8055]",
        ),
        click.option("--tenant", default=None if after_verb else "default", help="Whose memory.  [default: default]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def placed(call: Callable[..., Any]) -> Callable[..., Any]:
    """A command whose first argument is its Place; --home, --port and --tenant may stand after the verb as well."""

    @wraps(call)
    @told
    def wrapper(*args: Any, home: Path | None, port: int | None, tenant: str | None, **kwargs: Any) -> Any:
        place = click.get_current_context().find_object(Place)
        assert place is not None
        return call(place.but(home, port, tenant), *args, **kwargs)

    return place_options(wrapper, after_verb=True)


def here() -> str:
    """The workspace of a command that names none: this repository's name as the hosts' hooks take it, for `exec`, `rules`
    and `check` alike."""
    from bio_agent_client.hosts.workspace import workspace_of

    return workspace_of(str(Path.cwd()))


def id_of(known: Iterable[tuple[str, str]], given: str, what: str) -> str:
    """The one id that is `given`, or holds it (4 characters or more). known: (id, what it says). Raises CommandError for none
    or several."""
    wanted = given.strip().lower()
    said = dict(known)
    if wanted in said:
        return wanted
    found = [i for i in said if wanted in i] if len(wanted) >= 4 else []
    if len(found) == 1:
        return found[0]
    if found:
        raise CommandError(ids.several(given, what, ((i, said[i]) for i in found)))
    raise CommandError(f"there is no {what} {given!r}; give its id, or 4 characters or more of it")


def belief_id_of(api: Api, given: str) -> str:
    """The whole id of a belief, by all or part of it."""
    if len(given.strip()) == WHOLE_ID:
        return given.strip().lower()
    return id_of(((b["id"], b["content"]) for b in all_beliefs(api)), given, "belief")


def all_beliefs(api: Api, state: str = "") -> list[dict[str, Any]]:
    return every(api, "/api/beliefs", state=state)


def every(api: Api, path: str, **asked: Any) -> list[dict[str, Any]]:
    """All of a list, the oldest first, page by page."""
    found: list[dict[str, Any]] = []
    while page := api.call("GET", path, limit=PAGE, after=found[-1]["id"] if found else "", **asked):
        found += page
        if len(page) < PAGE:
            break
    return found


def mcp_install() -> str:
    """How the extra `mcp` comes into this environment, as a command; one that uv made has no pip of its own."""
    wanted = next(
        (r for r in metadata.requires("bio-agent-os") or [] if "extra ==" in r and r.startswith("mcp")), "mcp"
    )
    package, python = shlex.quote(wanted.partition(";")[0].strip()), shlex.quote(sys.executable)
    if importlib.util.find_spec("pip") is not None:
        return f"{python} -m pip install {package}"
    return f"uv pip install --python {python} {package}"


def show(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))
