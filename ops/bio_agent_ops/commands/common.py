"""What every command shares: where it works, how trouble is told, how data is shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from bio_agent_ops.home import Home, HomeError
from bio_agent_ops.local import Api, CommandError, running_api


class Place:
    """Where a command works: home, port (None: that of the service which runs on the home), tenant."""

    def __init__(self, home: Home, port: int | None, tenant: str) -> None:
        self.home, self.port, self.tenant = home, port, tenant

    def but(self, home: Path | None, port: int | None, tenant: str | None) -> Place:
        """The same place, save for what is given."""
        return Place(Home(home) if home else self.home, port or self.port, tenant or self.tenant)

    def api(self) -> Api:
        """The service of the home. Raises CommandError when none runs."""
        found = running_api(self.home, self.port)
        if found is None:
            raise CommandError(
                f"no service runs on {self.home.root}; start one with `{self.home.command('up', self.port)}`"
            )
        return found.of(self.tenant)


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
    """The workspace of a command that names none: this folder's name, for `exec`, `rules` and `check` alike."""
    return Path.cwd().name or "default"


def show(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))
