"""`exceptions`: calls that a rule forbids and that a person lets through, within bounds and for a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from bio_agent_ops.commands.common import Place, belief_id_of, every, id_of, placed, plain, show

LIST_HELP = "Only how they stand: proposed, in_force, not_begun, expired, revoked, rejected; separated by commas."


@click.group()
def exceptions() -> None:
    """Exceptions to rules: what the guard lets through although a rule forbids it."""


@exceptions.command("list")
@click.option("--state", default="", help=LIST_HELP)
@click.option("--belief", default="", metavar="ID", help="Only those to this rule.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of each, as data.")
@placed
def list_(place: Place, state: str, belief: str, as_json: bool) -> None:
    """The exceptions there are, and how each stands now."""
    api = place.api()
    found = every(api, "/api/exceptions", state=state, belief_id=belief_id_of(api, belief) if belief else "")
    if as_json:
        show(found)
        return
    for one in found:
        click.echo(told_exception(one))
    if not found:
        click.echo("none")


@exceptions.command()
@click.argument("belief_id")
@click.argument("text")
@click.option(
    "--bound", "bounds", multiple=True, metavar="NAME=VALUE", help="A parameter the call must keep to; repeatable."
)
@click.option(
    "--days", type=click.FloatRange(min=0, min_open=True, max=3650), help="Ends by itself after so many days."
)
@click.option("--policy", default="", help="The policy that allows it, for the record.")
@click.option("--why", default="", help="Goes to the audit.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of it, as data.")
@placed
def grant(
    place: Place, belief_id: str, text: str, bounds: tuple[str, ...], days: float | None, policy: str, why: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Let through, in force at once, what the rule BELIEF_ID forbids; TEXT says for a person what is allowed.

    Without a bound, every call that the rule forbids is let through. A call must keep to each bound: NAME=VALUE wants
    the parameter NAME of the tool call to equal VALUE (`*` and `?` stand for any characters; a JSON list holds
    alternatives); max_NAME and min_NAME limit a number or a date. A parameter that the call does not name keeps to no
    bound.

    \b
    Refunds of up to 50 to two customers, for a week:
      bio-agent exceptions grant 0197c2f1 "small refunds to pilot customers" \\
        --bound max_amount=50 --bound 'customer=["ACME","Globex"]' --days 7
    One command, word for word, of a shell tool (its parameter is `command`):
      bio-agent exceptions grant 0197c2f1 "the docs may be overwritten" \\
        --bound 'command=git push --force origin docs'
    """
    api = place.api()
    body: dict[str, Any] = {
        "belief_id": belief_id_of(api, belief_id), "text": text, "bounds": dict(_bound(b) for b in bounds),
        "policy": policy, "why": why,
    }  # fmt: skip
    if days is not None:
        body["expires_at"] = (datetime.now(UTC) + timedelta(days=days)).isoformat()
    made = api.call("POST", "/api/exceptions", body)
    if as_json:
        show(made)
        return
    click.echo(told_exception(made))
    click.echo(f"`bio-agent exceptions revoke {made['id']}` takes it back")


def _ruling(command: Callable[..., None]) -> Callable[..., None]:
    """What the verbs that rule on one exception take."""
    told = click.option("--json", "as_json", is_flag=True, help="Everything that is known of it, as data.")(
        placed(command)
    )
    return click.argument("exception_id")(click.option("--why", default="", help="Goes to the audit.")(told))


@exceptions.command()
@_ruling
def revoke(place: Place, exception_id: str, why: str, as_json: bool) -> None:
    """End an exception that is in force; the rule then forbids again."""
    _ruled(place, exception_id, "revoke", why, as_json)


@exceptions.command()
@_ruling
def approve(place: Place, exception_id: str, why: str, as_json: bool) -> None:
    """Put an exception that an agent proposed in force."""
    _ruled(place, exception_id, "approve", why, as_json)


@exceptions.command()
@_ruling
def reject(place: Place, exception_id: str, why: str, as_json: bool) -> None:
    """Refuse an exception that an agent proposed."""
    _ruled(place, exception_id, "reject", why, as_json)


def _ruled(place: Place, exception_id: str, ruling: str, why: str, as_json: bool) -> None:
    api = place.api()
    whole = id_of(((one["id"], one["text"]) for one in every(api, "/api/exceptions")), exception_id, "exception")
    ruled = api.call("POST", f"/api/exceptions/{whole}/{ruling}", {"why": why})
    if as_json:
        show(ruled)
    else:
        click.echo(told_exception(ruled))


def _bound(given: str) -> tuple[str, Any]:
    """NAME=VALUE; a value that is JSON (a number, true, a list) is that, anything else is text."""
    name, equals, value = given.partition("=")
    if not equals or not name.strip():
        raise click.UsageError(f"--bound {given!r}: give NAME=VALUE, such as max_amount=50")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


def told_exception(one: dict[str, Any]) -> str:
    """An exception as a line for a person."""
    bounds = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in one["bounds"].items())
    until = f" until {str(one['expires_at'])[:16]}" if one["expires_at"] else ""
    return (
        f"{one['id']}  {one['standing']:<9}{until}  {plain(one['text'])}  "
        f"[{plain(bounds) or 'no bounds: every such call'}]  to rule {one['belief_id']}"
    )
