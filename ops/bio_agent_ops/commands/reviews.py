"""`reviews`: what waits for a person, and the person's answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from bio_agent_ops.commands.common import Place, id_of, placed, plain, show
from bio_agent_ops.local import CommandError
from bio_agent_workers.brain.context_text import ago
from bio_agent_workers.brain.counting import counted


@click.group()
def reviews() -> None:
    """Questions that only a person answers: a call the guard asks about, a rule or an exception that waits, a dream."""


MAX_SEEN = 300  # characters of one command


@reviews.command("list")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of each, as data.")
@placed
def list_(place: Place, as_json: bool) -> None:
    """What waits for a person, the oldest first."""
    found = place.api().call("GET", "/api/reviews")
    if as_json:
        show(found)
        return
    for one in found:
        click.echo(f"{one['id']}  {one['kind']:<9} {plain(one['question'])}")
        for said in one["said"]:
            click.echo(f"    rule: {plain(said)}")
        for command in one["seen"]:
            click.echo(f"    seen: {plain(command)[:MAX_SEEN]}")
        click.echo(f"    {_whence(one)}; {_how(one)}")
    if not found:
        click.echo("none")
    if unasked := max((one.get("unasked_today", 0) for one in found), default=0):
        click.echo(f"{counted(unasked, 'more call')} asked today and got no question here: too many waited already")


def _whence(one: dict[str, Any]) -> str:
    where = (
        f", to run in {plain(one['workspace'])} for {plain(one['agent']) or 'an unnamed agent'}"
        if one["workspace"]
        else ""
    )
    return f"asked {ago(one['age_s'])}{where}"


def _how(one: dict[str, Any]) -> str:
    if not one["answers"]:
        acts = " or ".join(f"`bio-agent decide {rule} ACT`" for rule in one["rules"])
        return acts or "nothing is left that it asks about"
    until = f", until {str(one['expires_at'])[:16]}" if one["expires_at"] else ""
    if one["state"] == "granted":
        return f"let through, not run yet: `bio-agent reviews deny {one['id']}` takes it back{until}"
    return f"`bio-agent reviews approve {one['id']}` or `deny`{until}"


def _ruling(command: Callable[..., None]) -> Callable[..., None]:
    told = click.option("--json", "as_json", is_flag=True, help="What was decided, as data.")(placed(command))
    return click.argument("review_id")(click.option("--why", default="", help="Goes to the audit.")(told))


@reviews.command()
@_ruling
def approve(place: Place, review_id: str, why: str, as_json: bool) -> None:
    """Yes: let the call through once, put the rule or the exception in force, let the dream go on. REVIEW_ID: its id, or a
    part of it (the last characters tell best)."""
    _answer(place, review_id, "approve", why, as_json)


@reviews.command()
@_ruling
def deny(place: Place, review_id: str, why: str, as_json: bool) -> None:
    """No: refuse the call, the rule or the exception, stop the dream. REVIEW_ID: its id, or a part of it."""
    _answer(place, review_id, "deny", why, as_json)


def _answer(place: Place, review_id: str, answer: str, why: str, as_json: bool) -> None:
    api = place.api()
    waiting = {one["id"]: one for one in api.call("GET", "/api/reviews")}
    one = waiting[id_of(((i, w["question"]) for i, w in waiting.items()), review_id, "open review")]
    if one["state"] == "granted" and answer == "approve":
        raise CommandError(f"it is let through already: {plain(one['question'])}\n  {_how(one)}")
    if answer not in one["answers"]:
        raise CommandError(f"it is no question of yes or no: {plain(one['question'])}\n  {_how(one)}")
    decided = api.call("POST", one["answers"][answer], {"why": why})
    if as_json:
        show(decided)
        return
    click.echo(f"{'approved' if answer == 'approve' else 'denied'}: {plain(one['question'])}")
    left = sum(w["state"] == "open" for w in waiting.values()) - (one["state"] == "open")
    if left:
        click.echo(f"  {counted(left, 'more question')} open: `bio-agent reviews list`")
