"""`try`, `up`, `down`, `status`, `flush`, `doctor`, `migrate`: running an installation."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from bio_agent_ops import quota_words
from bio_agent_ops.commands.common import Place, placed, show
from bio_agent_ops.local import CommandError, alive_readers, of_another_home, running_api
from bio_agent_ops.spooled import drain, waiting
from bio_agent_workers.brain.counting import counted


@click.command("try")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The result as data.")
@click.option("--keep", is_flag=True, help="Leave the service up afterwards.")
@placed
def try_(place: Place, file: Path | None, as_json: bool, keep: bool) -> None:
    """Play a real agent session (or FILE) and show what is learned from it."""
    from bio_agent_ops import trying

    say = (lambda line: click.echo(line, err=True)) if as_json else click.echo
    result = trying.run(place.home, place.port, file, keep=keep, say=say)
    if as_json:
        show(result)
    else:
        trying.report(result, click.echo)
    if "failed" in result:
        raise CommandError(result["failed"])


@click.command()
@click.option("--flower", is_flag=True, help="Also Flower on 127.0.0.1:5555, behind a generated password.")
@placed
def up(place: Place, flower: bool) -> None:
    """Run everything in the foreground: Postgres, Valkey, worker, intake, beat, HTTP."""
    from bio_agent_ops.local import prepare
    from bio_agent_ops.supervisor import up as run_up

    sys.exit(run_up(place.home, place.port or 8055, flower, prepare=prepare, queues=("bio.beat", "bio.think")))


@click.command()
@placed
def down(place: Place) -> None:
    """End what runs on this home."""
    from bio_agent_ops.supervisor import down as run_down

    sys.exit(run_down(place.home))


@click.command()
@click.option("--json", "as_json", is_flag=True)
@placed
def status(place: Place, as_json: bool) -> None:
    """What runs, and how each component is doing."""
    from bio_agent_ops.supervisor import status as supervised

    state: dict[str, Any] = {"process": supervised(place.home), "spool": waiting(place.home.spool)}
    api = running_api(place.home, place.port)
    if api is not None and of_another_home(place.home, api):
        state["elsewhere"] = place.elsewhere(api)
    elif api is not None:
        place.must_exist()
        state["components"] = api.of(place.tenant).call("GET", "/api/status")
        intake = state["components"].get("intake", {})
        intake["readers"] = alive_readers(intake)
    if as_json:
        show({**state, "spool": asdict(state["spool"])})
        return
    for name, said in _status_lines(place, state):
        click.echo(f"{name:<14} {said}")


def _status_lines(place: Place, state: dict[str, Any]) -> Iterator[tuple[str, str]]:
    process, spool = state["process"], state["spool"]
    yield "home", str(place.home.root)
    if process["running"]:
        yield "running", f"yes, process {process.get('pid')}, port {process.get('port', '?')}"
    else:
        yield "running", "no"
    if "elsewhere" in state:
        yield "elsewhere", state["elsewhere"]
    for name, child in process.get("children", {}).items():
        if not child["running"] or child["restarts"] > 0:
            yield (
                name,
                f"{'running' if child['running'] else 'not running'}, started again {counted(child['restarts'], 'time')}",
            )
    if spool.count:
        yield "spool", f"{spool}; `{place.home.command('flush')}` sends them, and so does a running service by itself"
    for name, part in state.get("components", {}).items():
        if not isinstance(part, dict):
            yield name, str(part)
            continue
        if name == "quotas":
            yield name, quota_words.standing(part)
            continue
        told = {k: f"{len(v)} alive" if k == "readers" else v for k, v in part.items() if v is not None}
        yield name, ", ".join(f"{k} {v}" for k, v in told.items()) or "nothing yet"


@click.command()
@placed
def flush(place: Place) -> None:
    """Send what `exec` observed while no service answered."""
    api = place.api()
    done = drain(place.home, api.port)
    click.echo(f"{done.sent} sent, {done.refused} refused, {done.left.count} left")
    if done.left.count:
        raise CommandError(
            f"{done.left} in {place.home.spool}: the service did not take them, or a command still writes them"
        )


@click.command()
@click.option("--json", "as_json", is_flag=True)
@placed
def doctor(place: Place, as_json: bool) -> None:
    """Say what is wrong and what to do."""
    from bio_agent_ops.doctor import checks

    place.must_exist()
    found = checks(place.home, place.port, place.tenant)
    if as_json:
        show([{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": c.fix} for c in found])
    else:
        for c in found:
            mark = "–" if c.ok is None else "✓" if c.ok else "✗"
            click.echo(f"{mark} {c.name}: {c.detail}" + (f"\n    → {c.fix}" if not c.ok and c.fix else ""))
    sys.exit(1 if any(c.ok is False for c in found) else 0)


@click.command()
@placed
def migrate(place: Place) -> None:
    """Bring the schema up to date (DATABASE_ADMIN_URL migrates, BIO_APP_PASSWORD becomes the application role's)."""
    from bio_agent_schema.db import migrate as run_migrate
    from bio_agent_schema.revisions import SchemaMismatch
    from bio_agent_schema.vectors import build_wanted

    admin = os.environ.get("DATABASE_ADMIN_URL") or os.environ.get("DATABASE_URL")
    password = os.environ.get("BIO_APP_PASSWORD")
    if not admin or not password:
        raise CommandError(
            "set DATABASE_ADMIN_URL (a role that may create roles) and BIO_APP_PASSWORD; `bio-agent up` does this by itself"
        )
    try:
        url = run_migrate(admin, password)
    except SchemaMismatch as error:
        raise CommandError(str(error)) from error
    if built := build_wanted(admin):
        click.echo(f"built {counted(len(built), 'vector index')} of large tenants")
    click.echo(
        f"the schema is up to date; the application connects as {url.split('@')[0].split('//')[1].split(':')[0]}"
    )
