"""`keys`, `dead-letters`, `bench`: what only an operator needs."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from bio_agent_ops.commands.common import Place, id_of, placed, show
from bio_agent_ops.local import CommandError


@click.group()
def keys() -> None:
    """API keys of programs."""


def _database(place: Place) -> Any:
    from bio_agent_ops.stack import Stack
    from bio_agent_schema.db import Database

    url = os.environ.get("DATABASE_URL")
    if url:
        return Database(url, pool_size=1)
    stack = Stack.attached(place.home)
    if stack is None:
        raise CommandError(f"no service runs on {place.home.root}; start one with `{place.home.command('up')}`")
    from sqlalchemy.engine import make_url

    app = make_url(stack.database_url).set(username="bio_app", password=place.home.secret("app-db.password"))
    return Database(app.render_as_string(hide_password=False), pool_size=1)


@keys.command("create")
@click.option(
    "--ceiling",
    type=click.Choice(["owner", "system", "agent", "untrusted"]),
    default="agent",
    show_default=True,
    help="The highest provenance it may claim.",
)
@click.option("--days", type=click.IntRange(1, 3650), default=None, help="Days until it expires.")
@placed
def create_key(place: Place, ceiling: str, days: int | None) -> None:
    """Make a key for the tenant; it is shown once."""
    from bio_agent_ops.auth import create_key as make

    key_id, key = make(_database(place), place.tenant, ceiling, days)
    show({"id": key_id, "tenant": place.tenant, "ceiling": ceiling, "key": key})


@keys.command("revoke")
@click.argument("key_id")
@placed
def revoke(place: Place, key_id: str) -> None:
    """End a key."""
    from bio_agent_ops.auth import revoke_key

    if not revoke_key(_database(place), place.tenant, key_id):
        raise CommandError(f"tenant {place.tenant} has no live key {key_id}")
    click.echo("revoked")


@click.command("dead-letters")
@click.option("--redrive", default=None, metavar="ID", help="Put this one back to work.")
@click.option("--json", "as_json", is_flag=True, help="As data, also when there is none.")
@placed
def dead_letters(place: Place, redrive: str | None, as_json: bool) -> None:
    """What could not be processed, with its cause."""
    api = place.api()
    if redrive:
        letter = id_of(((x["id"], x["cause"]) for x in api.call("GET", "/api/dead-letters")), redrive, "dead letter")
        show(api.call("POST", f"/api/dead-letters/{letter}/redrive", {}))
    elif found := api.call("GET", "/api/dead-letters"):
        show(found)
    else:
        click.echo("[]" if as_json else "none")


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument(
    "what", type=click.Choice(["ingest", "rules", "sleep", "forgetting", "up", "repeat", "kitchen", "recall"])
)
@click.argument("more", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True)
@placed
def bench(place: Place, what: str, more: tuple[str, ...], as_json: bool) -> None:
    """Measure this machine; conditions are printed with the figures.

    \b
    ingest      how fast observations are taken in
    sleep       how fast they are consolidated
    rules       what one more rule costs where there are many
    recall      how fast and how exact recall is
    forgetting  what forgetting does to recall and to size
    up          how long until the service answers
    kitchen     agents in worlds that others wrote, with the memory and without (`bench kitchen -- --help`)
    repeat      whether an agent repeats its failures (`bench repeat -- --help`)
    """
    if what == "repeat":
        from bio_agent_ops.bench.repeat.cli import repeat

        repeat.main([*more, *(["--json"] if as_json else [])], prog_name="bio-agent bench repeat")
    if what == "kitchen":
        from bio_agent_ops.bench import kitchen

        sys.exit(kitchen.command(more, as_json=as_json))
    if what == "recall":
        from bio_agent_ops.bench import recall

        sys.exit(recall.command(more, as_json=as_json))
    if more:
        raise click.UsageError(f"bench {what} takes no {' '.join(more)}")
    from bio_agent_ops.bench import forgetting, ingest, rules, sleep, up

    measured = {"ingest": ingest, "rules": rules, "sleep": sleep, "forgetting": forgetting, "up": up}
    sys.exit(measured[what].main(as_json=as_json))
